/**
 * The list of moves: a button for each ply, variations in brackets of their own, and actions on the
 * current ply.
 */

import { moveLabel, moveName } from "../board/labels.js";
import { editInExploreMode } from "../game/modes.js";
import * as game from "../game/tree.js";
import { button, html } from "../ui/dom.js";

/** @import { GameNode } from "../game/tree.js" */
/** @import { Side } from "../types/api.d.ts" */
/** @import { App, GameTree, Settings, State } from "../types/app.d.ts" */

/** The text between two comments in the editor of comments. */
const COMMENT_SEPARATOR = "\n\n";

/** @param {number[]} path */
const keyOf = (path) => path.join("-");

/**
 * Splits a text at empty lines into comments. Comments in records cannot contain `}`.
 *
 * @param {string} text
 */
export function parseComments(text) {
  return text
    .replaceAll("}", ")")
    .split(/\n\s*\n/)
    .map((comment) => comment.trim())
    .filter(Boolean);
}

/** @param {App} app */
export function createMoveList(app) {
  const list = html("div", { class: "moves", role: "group", "aria-label": "Moves" });
  /** The button of each ply by its path. @type {Map<string, HTMLButtonElement>} */
  const buttons = new Map();
  /** @type {GameTree["children"] | null} */
  let drawnChildren = null;
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
        return html(
          "div",
          { class: "variation", role: "group", "aria-label": "Variation" },
          ...elementsOf(item.items),
        );
      }
      const { move, side } = item;
      const ply = button(
        moveLabel(move, houses, labels),
        () => editInExploreMode(app, (tree) => game.goTo(tree, item.path)),
        {
          class: "ply",
          tabindex: -1,
          "aria-label": `ply ${item.path.length}, ${moveName(move, side, houses, labels)}`,
        },
      );
      buttons.set(keyOf(item.path), ply);
      return item.number === null
        ? ply
        : html("span", { class: "numbered" }, html("span", { class: "number" }, item.number), ply);
    });

  // The list has one tab stop; arrow keys move from ply to ply.
  list.addEventListener("keydown", (event) => {
    const all = [...buttons.values()];
    const at = all.findIndex((ply) => ply === document.activeElement);
    /** @type {Record<string, number>} */
    const places = {
      ArrowLeft: at - 1,
      ArrowUp: at - 1,
      ArrowRight: at + 1,
      ArrowDown: at + 1,
      Home: 0,
      End: all.length - 1,
    };
    const place = places[event.key];
    if (at >= 0 && place !== undefined && !event.ctrlKey && !event.altKey && !event.metaKey) {
      event.preventDefault();
      event.stopPropagation();
      all[Math.min(Math.max(place, 0), all.length - 1)]?.focus();
    }
  });

  const note = html("textarea", { rows: 2, "aria-label": "Comment on this ply" });
  const save = button(
    "Save comment",
    () => {
      editInExploreMode(app, (tree) =>
        game.setComments(tree, game.path(tree), parseComments(note.value)),
      );
    },
    { class: "small" },
  );
  const start = button("Start", () => editInExploreMode(app, (tree) => game.goTo(tree, [])), {
    class: "small",
  });
  const promote = button("Make main line", () => editInExploreMode(app, promoteCurrentLine), {
    class: "small",
  });
  const remove = button(
    "Delete from here",
    () => editInExploreMode(app, (tree) => game.removeBranch(tree, game.path(tree))),
    { class: "small" },
  );
  const empty = html(
    "p",
    { class: "note" },
    "No moves yet. Moves that differ from the game become variations.",
  );
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
      if (
        tree.children !== drawnChildren ||
        tree.comments !== drawnComments ||
        settings.labels !== labels
      ) {
        const focused = list.contains(document.activeElement);
        drawnChildren = tree.children;
        drawnComments = tree.comments;
        labels = settings.labels;
        houses = tree.start.houses;
        buttons.clear();
        list.replaceChildren(...elementsOf(moveListItems(tree)));
        if (focused) {
          buttons.get(keyOf(game.path(tree)))?.focus();
        }
      }
      drawCurrentPly(tree);
    },
  };

  /** Scrolls only the list, so that the board stays visible. @param {HTMLElement} ply */
  function scrollListTo(ply) {
    const [inner, outer] = [ply.getBoundingClientRect(), list.getBoundingClientRect()];
    if (inner.top < outer.top) {
      list.scrollTop -= outer.top - inner.top;
    } else if (inner.bottom > outer.bottom) {
      list.scrollTop += inner.bottom - outer.bottom;
    }
  }

  /** @param {GameTree} tree */
  function drawCurrentPly(tree) {
    const path = game.path(tree);
    const here = keyOf(path);
    const stop = buttons.get(here) ?? buttons.values().next().value;
    for (const [key, ply] of buttons) {
      ply.tabIndex = ply === stop ? 0 : -1;
      if (key === here) {
        ply.setAttribute("aria-current", "true");
        scrollListTo(ply);
      } else {
        ply.removeAttribute("aria-current");
      }
    }
    empty.hidden = buttons.size > 0;
    start.hidden = remove.hidden = path.length === 0;
    promote.hidden = !path.some((index) => index > 0);
    const comments = (game.currentNode(tree) ?? tree).comments.join(COMMENT_SEPARATOR);
    if (note.dataset.at !== here || (document.activeElement !== note && note.value !== comments)) {
      note.dataset.at = here;
      note.value = comments;
    }
  }
}

/**
 * Makes the current line the main line, from the start on.
 *
 * @param {GameTree} tree
 * @returns {GameTree}
 */
function promoteCurrentLine(tree) {
  const length = game.path(tree).length;
  let promoted = tree;
  for (let ply = 1; ply <= length; ply += 1) {
    promoted = game.promoteBranch(promoted, game.path(promoted).slice(0, ply));
  }
  return promoted;
}

/**
 * An item of the list of moves.
 *
 * @typedef {{ kind: "ply", path: number[], move: string, side: Side, number: string | null }
 * | { kind: "comment", path: number[], text: string }
 * | { kind: "variation", items: Item[] }} Item
 */

/**
 * A counter of turns, which gives one number to South's turn and to North's turn after it, as
 * records do.
 */
class TurnCounter {
  number = 1;
  /** @type {Side | null} */
  side = null;
  /** Whether the next ply needs its number because another item precedes it. */
  needsNumber = true;

  /**
   * Returns the number to show before the next ply, or `null`.
   *
   * @param {Side} side the side of the next ply
   */
  next(side) {
    const begins = side !== this.side;
    if (begins && side === "south" && this.side === "north") {
      this.number += 1;
    }
    const isNumbered = (begins && side === "south") || this.needsNumber;
    this.side = side;
    this.needsNumber = false;
    return isNumbered ? `${this.number}${side === "south" ? "." : "…"}` : null;
  }

  copy() {
    const copied = new TurnCounter();
    return Object.assign(copied, { number: this.number, side: this.side });
  }
}

/**
 * Returns the items of the list of moves.
 *
 * @param {Pick<GameTree, "children" | "comments">} tree
 * @returns {Item[]}
 */
export function moveListItems(tree) {
  return [
    ...tree.comments.map((text) => /** @type {Item} */ ({ kind: "comment", path: [], text })),
    ...lineItems(tree.children, [], new TurnCounter()),
  ];
}

/**
 * Returns the items of the main line from these siblings on, with each variation after the ply that
 * it replaces.
 *
 * @param {GameNode[]} first
 * @param {number[]} path the path of the previous ply
 * @param {TurnCounter} turns
 * @returns {Item[]}
 */
function lineItems(first, path, turns) {
  /** @type {Item[]} */
  const items = [];
  let before = path;
  for (let siblings = first; siblings[0]; siblings = siblings[0].children) {
    const [main, ...others] = siblings;
    const here = turns.copy();
    const parent = before;
    items.push(...plyItems(main, [...parent, 0], turns));
    others.forEach((node, index) => {
      const at = [...parent, index + 1];
      const variation = here.copy();
      items.push({
        kind: "variation",
        items: [...plyItems(node, at, variation), ...lineItems(node.children, at, variation)],
      });
      turns.needsNumber = true;
    });
    before = [...parent, 0];
  }
  return items;
}

/**
 * @param {GameNode} node
 * @param {number[]} path
 * @param {TurnCounter} turns
 * @returns {Item[]}
 */
function plyItems({ moveResult, comments }, path, turns) {
  const number = turns.next(moveResult.side);
  if (comments.length > 0) {
    turns.needsNumber = true;
  }
  return [
    { kind: "ply", path, move: moveResult.move, side: moveResult.side, number },
    ...comments.map((text) => /** @type {Item} */ ({ kind: "comment", path, text })),
  ];
}
