/** The list of moves: every ply a button that goes there, variations set in, and what can be done with the ply shown. */

import { button } from "../ui/elements.js";
import * as game from "../game/tree.js";
import { choiceLabel, choiceName } from "../board/labels.js";
import { look } from "../game/explore.js";
import { html } from "../ui/markup.js";
import { notation } from "./notation.js";

/** @import { App, GameTree, Settings, State } from "../types/app.d.ts" */
/** @import { Item } from "./notation.js" */

/** What separates the comments of a ply where they are edited as one text. */
const BETWEEN_COMMENTS = "\n\n";

/** @param {number[]} path */
const keyOf = (path) => path.join("-");

/**
 * The comments of a text with empty lines between them. A record's comment has no `}` in it.
 *
 * @param {string} text
 */
export function commentsOf(text) {
  return text
    .replaceAll("}", ")")
    .split(/\n\s*\n/)
    .map((comment) => comment.trim())
    .filter(Boolean);
}

/** @param {App} app */
export function createMoves(app) {
  const list = html("div", { class: "moves", role: "group", "aria-label": "Moves" });
  /** Every ply's button by its path. @type {Map<string, HTMLButtonElement>} */
  const buttons = new Map();
  /** @type {GameTree["children"] | null} */
  let drawn = null;
  /** @type {GameTree["comments"] | null} */
  let drawnComments = null;
  /** @type {Settings["labels"]} */
  let labels = "letters";
  let houses = 0;

  /** @param {Item[]} items @returns {Node[]} */
  const elementsOf = (items) =>
    items.map((item) => {
      if (item.kind === "comment") {
        return html("span", { class: "comment" }, item.text);
      }
      if (item.kind === "variation") {
        return html("div", { class: "variation", role: "group", "aria-label": "Variation" }, ...elementsOf(item.items));
      }
      const { choice, side } = item;
      const ply = button(choiceLabel(choice, houses, labels), () => look(app, (tree) => game.goTo(tree, item.path)), {
        class: "ply",
        tabindex: -1,
        "aria-label": `ply ${item.path.length}, ${choiceName(choice, side, houses, labels)}`,
      });
      buttons.set(keyOf(item.path), ply);
      return item.number === null
        ? ply
        : html("span", { class: "numbered" }, html("span", { class: "number" }, item.number), ply);
    });

  // One stop of the Tab key; arrows go from ply to ply.
  list.addEventListener("keydown", (event) => {
    const all = [...buttons.values()];
    const at = all.findIndex((ply) => ply === document.activeElement);
    /** @type {Record<string, number>} */
    const places = { ArrowLeft: at - 1, ArrowUp: at - 1, ArrowRight: at + 1, ArrowDown: at + 1, Home: 0, End: all.length - 1 };
    const place = places[event.key];
    if (at >= 0 && place !== undefined && !event.ctrlKey && !event.altKey && !event.metaKey) {
      event.preventDefault();
      event.stopPropagation();
      all[Math.min(Math.max(place, 0), all.length - 1)]?.focus();
    }
  });

  const note = html("textarea", { rows: 2, "aria-label": "Comment on this ply" });
  const save = button("Save comment", () => {
    look(app, (tree) => game.comment(tree, game.path(tree), commentsOf(note.value)));
  }, { class: "small" });
  const start = button("Start", () => look(app, (tree) => game.goTo(tree, [])), { class: "small" });
  const promote = button("Make main line", () => look(app, promoteHere), { class: "small" });
  const remove = button("Delete from here", () => look(app, (tree) => game.remove(tree, game.path(tree))), { class: "small" });
  const empty = html("p", { class: "note" }, "No ply yet. Sow on the board: other choices become variations.");
  const element = html(
    "div",
    {},
    empty,
    list,
    html("div", { class: "tools" }, start, promote, remove),
    html("details", {}, html("summary", {}, "Comment"), note, save),
  );

  return {
    element,
    /** @param {State} state */
    draw({ tree, settings }) {
      if (!tree) {
        return;
      }
      if (tree.children !== drawn || tree.comments !== drawnComments || settings.labels !== labels) {
        const focused = list.contains(document.activeElement);
        drawn = tree.children;
        drawnComments = tree.comments;
        labels = settings.labels;
        houses = tree.start.houses;
        buttons.clear();
        list.replaceChildren(...elementsOf(notation(tree)));
        if (focused) {
          buttons.get(keyOf(game.path(tree)))?.focus();
        }
      }
      drawPlace(tree);
    },
  };

  /** Scrolls the list and nothing around it: whoever looks at the board stays there. @param {HTMLElement} ply */
  function bringIntoView(ply) {
    const [inner, outer] = [ply.getBoundingClientRect(), list.getBoundingClientRect()];
    if (inner.top < outer.top) {
      list.scrollTop -= outer.top - inner.top;
    } else if (inner.bottom > outer.bottom) {
      list.scrollTop += inner.bottom - outer.bottom;
    }
  }

  /** @param {GameTree} tree */
  function drawPlace(tree) {
    const path = game.path(tree);
    const here = keyOf(path);
    const stop = buttons.get(here) ?? buttons.values().next().value;
    for (const [key, ply] of buttons) {
      ply.tabIndex = ply === stop ? 0 : -1;
      if (key === here) {
        ply.setAttribute("aria-current", "true");
        bringIntoView(ply);
      } else {
        ply.removeAttribute("aria-current");
      }
    }
    empty.hidden = buttons.size > 0;
    start.hidden = remove.hidden = path.length === 0;
    promote.hidden = !path.some((index) => index > 0);
    const comments = (game.current(tree) ?? tree).comments.join(BETWEEN_COMMENTS);
    if (note.dataset.at !== here || (document.activeElement !== note && note.value !== comments)) {
      note.dataset.at = here;
      note.value = comments;
    }
  }
}

/**
 * Makes the line to the place that is shown the main line, from the start on.
 *
 * @param {GameTree} tree
 * @returns {GameTree}
 */
function promoteHere(tree) {
  const length = game.path(tree).length;
  let promoted = tree;
  for (let ply = 1; ply <= length; ply += 1) {
    promoted = game.promote(promoted, game.path(promoted).slice(0, ply));
  }
  return promoted;
}
