/** Games in and out: a link, a record to copy or to save, and records to open from a file or from pasted text. */

import { withFragment } from "../records/link.js";
import { fragmentOf, readGames, recordOf, titleOf } from "../records/records.js";
import { button, copy, html, say } from "../ui/dom.js";

/** @import { Game } from "../types/api.d.ts" */
/** @import { App, GameTree } from "../types/app.d.ts" */

/** The largest file that is read, in bytes: thousands of games. */
const LARGEST = 4_000_000;

/** @param {App} app */
export function createFiles(app) {
  const said = html("p", { class: "note", role: "status" });
  const list = html("ul", { class: "games", "aria-label": "Games in the file" });
  const pasted = html("textarea", {
    rows: 3, class: "wide", spellcheck: "false", "aria-label": "Record to open", placeholder: "1. CF b 2. A c *",
  });
  const file = html("input", {
    type: "file", accept: ".kgn,text/plain", class: "unseen", tabindex: -1, "aria-hidden": "true",
    onchange: () => void openFile(file.files?.[0]),
  });

  /** @param {(tree: GameTree) => Promise<void>} then */
  async function withTree(then) {
    const { tree } = app.state();
    if (tree) {
      try {
        await then(tree);
      } catch (error) {
        app.actions.fail(error);
      }
    }
  }

  const text = (/** @type {GameTree} */ tree) => recordOf(app, app.state(), tree, new Date());
  const failed = (/** @type {Error} */ error) => app.actions.fail(error);

  const link = button("Copy link", () => void withTree(async (tree) => {
    // The page's own address may hold a friend's link, which stays here.
    await copy(link, withFragment(window.location.href, fragmentOf(tree, app.state().presets)), failed);
  }), { class: "small" });
  const record = button("Copy record", () => void withTree(async (tree) => copy(record, await text(tree), failed)), { class: "small" });
  const save = button("Save as .kgn", () => void withTree(async (tree) => {
    const address = URL.createObjectURL(new Blob([await text(tree)], { type: "text/plain" }));
    html("a", { href: address, download: "game.kgn" }).click();
    // The browser has taken the address when the click is over; the text may go once it is written.
    setTimeout(() => URL.revokeObjectURL(address), LINGER_MS);
  }), { class: "small" });

  /** @param {Game} game */
  function open(game) {
    app.actions.openGame(game);
    app.announce(`Opened ${titleOf(game)}.`);
  }

  /** @param {string} records */
  async function openText(records) {
    list.replaceChildren();
    try {
      const games = await readGames(app, records);
      const [only] = games;
      if (!only) {
        say(said, "There is no game in it.");
      } else if (games.length === 1) {
        say(said, `${titleOf(only)}.`);
        open(only);
      } else {
        say(said, `${games.length} games: which one?`);
        list.replaceChildren(...games.map((game) => html("li", {}, button(titleOf(game), () => open(game), { class: "quiet" }))));
      }
    } catch (error) {
      say(said, error instanceof Error ? error.message : String(error));
    }
  }

  /** @param {File | undefined} chosen */
  async function openFile(chosen) {
    file.value = "";
    if (!chosen) {
      return;
    }
    if (chosen.size > LARGEST) {
      say(said, `${chosen.name} is too large to be a file of games.`);
      return;
    }
    await openText(await chosen.text());
  }

  const element = html(
    "div",
    { class: "drop" },
    html("div", { class: "tools" }, link, record, save),
    html("div", { class: "tools" }, button("Open a file\u2026", () => file.click(), { class: "small" }), html("span", { class: "note" }, "or drop one here, or paste a record:"), file),
    pasted,
    html("div", { class: "tools" }, button("Open the record", () => void openText(pasted.value), { class: "small" })),
    said,
    list,
  );
  element.addEventListener("dragover", (event) => {
    event.preventDefault();
    element.classList.add("drop-here");
  });
  element.addEventListener("dragleave", () => element.classList.remove("drop-here"));
  element.addEventListener("drop", (event) => {
    event.preventDefault();
    element.classList.remove("drop-here");
    const dropped = event.dataTransfer;
    if (dropped?.files[0]) {
      void openFile(dropped.files[0]);
    } else {
      void openText(dropped?.getData("text/plain") ?? "");
    }
  });
  return { element };
}

/** How long a saved text is kept for the browser, in milliseconds. */
const LINGER_MS = 10_000;
