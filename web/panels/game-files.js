/**
 * Links and files: copies a link or a record, saves a record, opens records from a file or from
 * text. A text may contain thousands of games; the page finds them in short steps and reads them
 * page by page.
 */

import { isAbort } from "../engine/errors.js";
import { findGames, readGames } from "../records/game-index.js";
import { withFragment } from "../records/link.js";
import { gameFragment, gameRecord, gameTitle } from "../records/records.js";
import { texts } from "../texts/texts.js";
import { button, copyToClipboard, html, saveText, setText } from "../ui/dom.js";
import { createPagedList } from "./paged-list.js";

/** @import { ReadGame } from "../records/game-index.js" */
/** @import { Game } from "../types/api.d.ts" */
/** @import { App, GameTree } from "../types/app.d.ts" */

/** The largest file that the page opens, in bytes; it holds about 100,000 games. */
const MAX_FILE_BYTES = 64_000_000;

/** The example in the text field. */
export const SAMPLE_RECORD = "1. CF c 2. A d *";

/** @param {App} app */
export function createGameFiles(app) {
  const message = html("p", { class: "note", role: "status" });
  let control = new AbortController();
  /** The texts of the games in the list, or the games if they have been read. */
  let found = /** @type {(string | ReadGame)[]} */ ([]);
  const list = createPagedList({
    label: texts.records.games,
    load: async (first, end, signal) => {
      const page = found.slice(first, end);
      const unread = page.filter((entry) => typeof entry === "string");
      return unread.length === page.length
        ? readGames(app.engine, unread, signal)
        : page.filter((entry) => typeof entry !== "string");
    },
    draw: ({ game, error }, index) =>
      game
        ? button(texts.records.numbered(index + 1, gameTitle(game)), () => open(game), {
            class: "quiet",
          })
        : html("p", { class: "note wrong" }, texts.records.unreadable(index + 1, error)),
  });
  const progress = html("progress", { max: 1, value: 0, "aria-label": texts.records.searching });
  const cancel = button(texts.records.cancel, () => control.abort(), { class: "small" });
  const search = html("div", { class: "tools", hidden: true }, progress, cancel);
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
    onchange: () => void openFile(file.files?.[0]),
  });

  /** @param {string} text @param {boolean} [isError] */
  function setMessage(text, isError = false) {
    setText(message, text);
    message.classList.toggle("wrong", isError);
    if (isError) {
      message.scrollIntoView({ block: "nearest" });
    }
  }

  /** @param {(tree: GameTree) => Promise<void>} use */
  async function withTree(use) {
    const { tree } = app.state();
    if (tree) {
      try {
        await use(tree);
      } catch (error) {
        app.actions.showError(error);
      }
    }
  }

  const text = (/** @type {GameTree} */ tree) => gameRecord(app, app.state(), tree, new Date());
  const onCopyError = (/** @type {Error} */ error) => app.actions.showError(error);

  const link = button(
    texts.records.copyLink,
    () =>
      void withTree(async (tree) => {
        // The link does not contain the fragment of the page's address, which may hold a token of a
        // game with a friend.
        await copyToClipboard(
          link,
          withFragment(window.location.href, gameFragment(tree, app.state().presets)),
          onCopyError,
        );
      }),
    { class: "small" },
  );
  const record = button(
    texts.records.copyRecord,
    () => void withTree(async (tree) => copyToClipboard(record, await text(tree), onCopyError)),
    { class: "small" },
  );
  const save = button(
    texts.records.save,
    () =>
      void withTree(async (tree) => {
        saveText("game.kgn", await text(tree));
      }),
    { class: "small" },
  );

  /** @param {Game} game */
  function open(game) {
    app.actions.openGame(game);
    app.announce(texts.records.opened(gameTitle(game)));
  }

  /**
   * @param {string} records
   * @param {AbortSignal} signal
   */
  async function listGames(records, signal) {
    found = await findGames(records, {
      signal,
      onProgress: (share) => {
        search.hidden = false;
        progress.value = share;
      },
    });
    if (found.length === 1) {
      found = await readGames(app.engine, /** @type {string[]} */ (found), signal);
    }
    const [only] = found;
    if (!only) {
      setMessage(texts.records.noGame, true);
    } else if (found.length > 1 || typeof only === "string") {
      await list.show(found.length);
      setMessage(texts.records.selectGame(found.length));
    } else if (only.game) {
      setMessage(texts.records.only(gameTitle(only.game)));
      open(only.game);
    } else {
      setMessage(only.error, true);
    }
  }

  /** @param {() => Promise<string> | string} read */
  async function openText(read) {
    control.abort();
    control = new AbortController();
    const { signal } = control;
    void list.show(0);
    setMessage("");
    try {
      const records = await read();
      signal.throwIfAborted();
      await listGames(records, signal);
    } catch (error) {
      if (isAbort(error)) {
        setMessage(texts.records.cancelled);
      } else {
        setMessage(error instanceof Error ? error.message : String(error), true);
      }
    }
    if (control.signal === signal) {
      search.hidden = true;
    }
  }

  /** @param {File | undefined} selected */
  async function openFile(selected) {
    file.value = "";
    if (!selected) {
      return;
    }
    if (selected.size > MAX_FILE_BYTES) {
      setMessage(texts.records.tooLarge(selected.name), true);
      return;
    }
    await openText(() => selected.text());
  }

  const element = html(
    "div",
    { class: "drop-target" },
    html("div", { class: "tools" }, link, record, save),
    html(
      "div",
      { class: "tools" },
      button(texts.records.openFile, () => file.click(), { class: "small" }),
      html("span", { class: "note" }, texts.records.orDrop),
      file,
    ),
    textField,
    html(
      "div",
      { class: "tools" },
      button(texts.records.open, () => void openText(() => textField.value), { class: "small" }),
    ),
    search,
    message,
    list.element,
  );
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
      void openFile(data.files[0]);
    } else {
      const dropped = data?.getData("text/plain") ?? "";
      void openText(() => dropped);
    }
  });
  return { element };
}
