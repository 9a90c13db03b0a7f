/**
 * Links and files: copies a link or a record, saves a record, opens records from a file or from
 * text.
 */

import { withFragment } from "../records/link.js";
import { gameFragment, gameRecord, gameTitle, readGames } from "../records/records.js";
import { button, copyToClipboard, html, setText } from "../ui/dom.js";

/** @import { Game } from "../types/api.d.ts" */
/** @import { App, GameTree } from "../types/app.d.ts" */

/** The largest file that the page opens, in bytes; it holds thousands of games. */
const MAX_FILE_BYTES = 4_000_000;

/** The delay before the address of a saved text is revoked, in milliseconds. */
const REVOKE_DELAY_MS = 10_000;

/** @param {App} app */
export function createGameFiles(app) {
  const message = html("p", { class: "note", role: "status" });
  const list = html("ul", { class: "games", "aria-label": "Games in the file" });
  const textField = html("textarea", {
    rows: 3,
    class: "full-width",
    spellcheck: "false",
    "aria-label": "Record to open",
    placeholder: "1. CF b 2. A c *",
  });
  const file = html("input", {
    type: "file",
    accept: ".kgn,text/plain",
    class: "visually-hidden",
    tabindex: -1,
    "aria-hidden": "true",
    onchange: () => void openFile(file.files?.[0]),
  });

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
    "Copy link",
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
    "Copy record",
    () => void withTree(async (tree) => copyToClipboard(record, await text(tree), onCopyError)),
    { class: "small" },
  );
  const save = button(
    "Save as .kgn",
    () =>
      void withTree(async (tree) => {
        const address = URL.createObjectURL(new Blob([await text(tree)], { type: "text/plain" }));
        html("a", { href: address, download: "game.kgn" }).click();
        // The browser has the address when the click returns, but may still read the text.
        setTimeout(() => URL.revokeObjectURL(address), REVOKE_DELAY_MS);
      }),
    { class: "small" },
  );

  /** @param {Game} game */
  function open(game) {
    app.actions.openGame(game);
    app.announce(`Opened ${gameTitle(game)}.`);
  }

  /** @param {string} records */
  async function openText(records) {
    list.replaceChildren();
    try {
      const games = await readGames(app, records);
      const [only] = games;
      if (!only) {
        setText(message, "The text contains no game.");
      } else if (games.length === 1) {
        setText(message, `${gameTitle(only)}.`);
        open(only);
      } else {
        setText(message, `${games.length} games. Select one:`);
        list.replaceChildren(
          ...games.map((game) =>
            html(
              "li",
              {},
              button(gameTitle(game), () => open(game), { class: "quiet" }),
            ),
          ),
        );
      }
    } catch (error) {
      setText(message, error instanceof Error ? error.message : String(error));
    }
  }

  /** @param {File | undefined} selected */
  async function openFile(selected) {
    file.value = "";
    if (!selected) {
      return;
    }
    if (selected.size > MAX_FILE_BYTES) {
      setText(message, `${selected.name} is too large.`);
      return;
    }
    await openText(await selected.text());
  }

  const element = html(
    "div",
    { class: "drop-target" },
    html("div", { class: "tools" }, link, record, save),
    html(
      "div",
      { class: "tools" },
      button("Open a file\u2026", () => file.click(), { class: "small" }),
      html("span", { class: "note" }, "or drop one here, or paste a record:"),
      file,
    ),
    textField,
    html(
      "div",
      { class: "tools" },
      button("Open the record", () => void openText(textField.value), { class: "small" }),
    ),
    message,
    list,
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
      void openText(data?.getData("text/plain") ?? "");
    }
  });
  return { element };
}
