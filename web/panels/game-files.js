/**
 * Links and files: copies a link or a record, saves a record, opens records from a file or from
 * text. A text may contain thousands of games; the page finds them in short steps and reads them
 * page by page.
 */

import { errorText, isAbort } from "../engine/errors.js";
import { findGames, isValidGame, readGames } from "../records/game-index.js";
import { withFragment } from "../records/link.js";
import { saveGame } from "../records/files.js";
import { gameRecord, gameTitle, linkFragment } from "../records/records.js";
import { texts } from "../texts/texts.js";
import { button, copyToClipboard, html, setText } from "../ui/dom.js";
import { createPagedList } from "./paged-list.js";

/** @import { FoundGame, ReadGame } from "../records/game-index.js" */
/** @import { Game } from "../types/api.d.ts" */
/** @import { App, GameTree } from "../types/app.d.ts" */

/** The largest file that the page opens, in bytes; it holds about 100,000 games. */
const MAX_FILE_BYTES = 64_000_000;

/** The example in the text field, and after the reason why a text is no record. */
const SAMPLE_RECORD = "1. CF c 2. A d *";

/**
 * The opening of records: the games in the list, and its elements.
 *
 * @typedef {object} Opening
 * @property {App} app
 * @property {FoundGame[]} found the texts of the games in the list
 * @property {AbortController} control aborts the search for games
 * @property {ReturnType<typeof createPagedList<ReadGame>>} list
 * @property {ReturnType<typeof createSearch>} search
 * @property {HTMLElement} message
 */

/** Creates the progress of a search for games. @param {() => void} onCancel */
function createSearch(onCancel) {
  const progress = html("progress", { max: 1, value: 0, "aria-label": texts.records.searching });
  const cancel = button(texts.records.cancel, onCancel, { class: "small" });
  const element = html("div", { class: "tools", hidden: true }, progress, cancel);
  return {
    element,
    /** @param {number} share */
    draw(share) {
      element.hidden = false;
      progress.value = share;
    },
  };
}

/**
 * Creates the opening of records.
 *
 * @param {App} app
 * @returns {Opening}
 */
function createOpening(app) {
  /** @type {Opening} */
  const opening = {
    app,
    found: [],
    control: new AbortController(),
    list: createPagedList({
      label: texts.records.games,
      load: (first, end, signal) => readGames(app.engine, opening.found.slice(first, end), signal),
      draw: (read, index) => entryElement(app, read, index),
    }),
    search: createSearch(() => opening.control.abort()),
    message: html("p", { class: "note", role: "status" }),
  };
  return opening;
}

/** @param {App} app @param {ReadGame} read @param {number} index */
function entryElement(app, { game, error }, index) {
  if (!game) {
    return html("p", { class: "note wrong" }, texts.records.unreadable(index + 1, error));
  }
  const title = texts.records.numbered(index + 1, gameTitle(game));
  return button(title, () => openGame(app, game), { class: "quiet" });
}

/** @param {App} app @param {Game} game */
function openGame(app, game) {
  app.actions.openGame(game);
  app.announce(texts.records.opened(gameTitle(game)));
}

/** @param {Opening} opening @param {string} text */
function showMessage({ message }, text) {
  setText(message, text);
  message.classList.remove("wrong");
}

/** @param {Opening} opening @param {string} text */
function showProblem({ message }, text) {
  setText(message, text);
  message.classList.add("wrong");
  message.scrollIntoView({ block: "nearest" });
}

/**
 * Finds the games in records. It opens a single game, and lists several.
 *
 * @param {Opening} opening
 * @param {string} records
 * @param {AbortSignal} signal
 */
async function findInRecords(opening, records, signal) {
  const { app, list, search } = opening;
  const isValid = (/** @type {string} */ text) => isValidGame(app.engine, text, signal);
  const found = await findGames(records, { signal, onProgress: search.draw, isValid });
  if (found.length > 1) {
    opening.found = found;
    await list.show(found.length);
    showMessage(opening, texts.records.selectGame(found.length));
    opening.message.scrollIntoView({ block: "start" });
    return;
  }
  const [only] = await readGames(app.engine, found, signal);
  if (!only) {
    showProblem(opening, texts.records.example(texts.records.noGame, SAMPLE_RECORD));
  } else if (only.game) {
    showMessage(opening, texts.records.only(gameTitle(only.game)));
    openGame(app, only.game);
  } else {
    showProblem(opening, texts.records.example(only.error, SAMPLE_RECORD));
  }
}

/** @param {Opening} opening @param {() => Promise<string> | string} read */
async function openText(opening, read) {
  opening.control.abort();
  opening.control = new AbortController();
  const { signal } = opening.control;
  void opening.list.show(0);
  showMessage(opening, "");
  try {
    const records = await read();
    signal.throwIfAborted();
    await findInRecords(opening, records, signal);
  } catch (error) {
    if (isAbort(error)) {
      showMessage(opening, texts.records.cancelled);
    } else {
      showProblem(opening, errorText(error));
    }
  }
  if (opening.control.signal === signal) {
    opening.search.element.hidden = true;
  }
}

/** @param {Opening} opening @param {File} file */
async function openFile(opening, file) {
  if (file.size > MAX_FILE_BYTES) {
    showProblem(opening, texts.records.tooLarge(file.name));
  } else {
    await openText(opening, () => file.text());
  }
}

/**
 * Creates the elements that open records: a file, or a text.
 *
 * @param {Opening} opening
 */
function createSources(opening) {
  const textField = html("textarea", {
    rows: 3,
    class: "full-width",
    spellcheck: "false",
    "aria-label": texts.records.record,
    placeholder: SAMPLE_RECORD,
  });
  const file = html("input", {
    type: "file",
    accept: ".kgn,text/plain",
    class: "visually-hidden",
    tabindex: -1,
    "aria-hidden": "true",
    onchange() {
      const selected = file.files?.[0];
      // The same file can be selected again.
      file.value = "";
      if (selected) {
        void openFile(opening, selected);
      }
    },
  });
  const openSelected = button(texts.records.openFile, () => file.click(), { class: "small" });
  const openWritten = button(
    texts.records.open,
    () => void openText(opening, () => textField.value),
    { class: "small" },
  );
  return [
    html(
      "div",
      { class: "tools" },
      openSelected,
      html("span", { class: "note" }, texts.records.orDrop),
      file,
    ),
    textField,
    html("div", { class: "tools" }, openWritten),
  ];
}

/**
 * Opens files and texts that are dropped on an element.
 *
 * @param {HTMLElement} element
 * @param {Opening} opening
 */
function listenForDrops(element, opening) {
  element.addEventListener("dragover", (event) => {
    event.preventDefault();
    element.classList.add("drop-active");
  });
  element.addEventListener("dragleave", () => element.classList.remove("drop-active"));
  element.addEventListener("drop", (event) => {
    event.preventDefault();
    element.classList.remove("drop-active");
    const data = event.dataTransfer;
    if (data?.files[0]) {
      void openFile(opening, data.files[0]);
    } else {
      const dropped = data?.getData("text/plain") ?? "";
      void openText(opening, () => dropped);
    }
  });
}

/**
 * Calls `use` with the game on the board, and shows its error.
 *
 * @param {App} app
 * @param {(tree: GameTree) => Promise<void>} use
 */
async function withTree(app, use) {
  const { tree } = app.state();
  if (tree) {
    try {
      await use(tree);
    } catch (error) {
      app.actions.showError(error);
    }
  }
}

/** Creates the buttons that copy or save the game on the board, and a note. @param {App} app */
function createExports(app) {
  const note = html("p", { class: "note", role: "status" });
  const record = (/** @type {GameTree} */ tree) => gameRecord(app, app.state(), tree, new Date());
  const onCopyError = (/** @type {Error} */ error) => app.actions.showError(error);
  /** @param {string} label @param {(tree: GameTree) => Promise<void>} use */
  const exportButton = (label, use) =>
    button(label, () => void withTree(app, use), { class: "small" });

  const link = exportButton(texts.records.copyLink, async (tree) => {
    const { fragment, isWhole } = await linkFragment(app, app.state(), tree);
    await copyToClipboard(link, withFragment(window.location.href, fragment), onCopyError);
    setText(note, isWhole ? "" : texts.sharing.withoutComments);
  });
  const copy = exportButton(texts.records.copyRecord, async (tree) =>
    copyToClipboard(copy, await record(tree), onCopyError),
  );
  const save = exportButton(texts.records.save, (tree) => saveGame(app, tree));
  return [html("div", { class: "tools" }, link, copy, save), note];
}

/** Creates the links and files. @param {App} app */
export function createGameFiles(app) {
  const opening = createOpening(app);
  const element = html(
    "div",
    { class: "drop-target" },
    ...createExports(app),
    ...createSources(opening),
    opening.search.element,
    opening.message,
    opening.list.element,
  );
  listenForDrops(element, opening);
  return { element };
}
