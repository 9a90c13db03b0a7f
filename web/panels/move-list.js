/**
 * The list of moves: a button for each ply, variations in brackets of their own, and actions on the
 * current ply.
 */

import { moveLabel, moveName } from "../board/labels.js";
import { editInExploreMode } from "../game/modes.js";
import { showNode, step, stepPath } from "../game/steps.js";
import * as game from "../game/tree.js";
import { GRADE_SYMBOLS } from "../review/descriptions.js";
import { texts } from "../texts/texts.js";
import { button, html, icon, setText } from "../ui/dom.js";

/** @import { Step } from "../game/steps.js" */
/** @import { GameNode } from "../game/tree.js" */
/** @import { MoveResult, Side } from "../types/api.d.ts" */
/** @import { App, GameTree, Settings, State } from "../types/app.d.ts" */

/** The text between two comments in the editor of comments. */
const COMMENT_SEPARATOR = "\n\n";

/** The buttons that step through the moves, with their labels. @type {readonly [Step, string][]} */
const STEPS = [
  ["first", texts.moves.first],
  ["back", texts.moves.back],
  ["forward", texts.moves.forward],
  ["last", texts.moves.last],
];

/** @param {number[]} path */
const keyOf = (path) => path.join("-");

/** The character that ends a comment in a record, so that no comment can contain it. */
export const END_OF_COMMENT = "}";

/**
 * Splits a text at empty lines into comments.
 *
 * @param {string} text
 * @returns {string[] | null} `null` if the text contains {@link END_OF_COMMENT}
 */
export function parseComments(text) {
  return text.includes(END_OF_COMMENT)
    ? null
    : text
        .split(/\n\s*\n/)
        .map((comment) => comment.trim())
        .filter(Boolean);
}

/** @param {App} app */
export function createMoveList(app) {
  const list = html("div", { class: "moves", role: "group", "aria-label": texts.moves.title });
  /** The button of each ply by its path. @type {Map<string, HTMLButtonElement>} */
  const buttons = new Map();
  /** @type {GameTree["children"] | null} */
  let drawnChildren = null;
  /** @type {GameTree["comments"] | null} */
  let drawnComments = null;
  /** @type {State["grades"]} */
  let grades = new Map();
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
          { class: "variation", role: "group", "aria-label": texts.moves.variation },
          ...elementsOf(item.items),
        );
      }
      const { move, side } = item.moveResult;
      const grade = grades.get(item.moveResult);
      const name = texts.moves.move(item.path.length, moveName(move, side, houses, labels));
      const ply = button(
        moveLabel(move, houses, labels) + (grade ? GRADE_SYMBOLS[grade] : ""),
        () => showNode(app, item.path),
        {
          class: grade ? `ply ply-${grade}` : "ply",
          tabindex: -1,
          "aria-label": grade ? `${name}, ${texts.review.grades[grade]}` : name,
        },
      );
      buttons.set(keyOf(item.path), ply);
      return item.number === null
        ? ply
        : html("span", { class: "numbered" }, html("span", { class: "number" }, item.number), ply);
    });

  // The list has one tab stop; arrow keys go from ply to ply.
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
      const ply = all[Math.min(Math.max(place, 0), all.length - 1)];
      ply?.focus();
      ply?.click();
    }
  });

  const commentProblem = html("p", { id: "comment-problem", class: "note wrong", role: "status" });
  const note = html("textarea", {
    rows: 2,
    "aria-label": texts.moves.commentLabel,
    "aria-describedby": commentProblem.id,
    oninput: () => showCommentProblem(),
  });

  /** Returns whether the comment cannot be saved. */
  function showCommentProblem() {
    const isWrong = parseComments(note.value) === null;
    setText(commentProblem, isWrong ? texts.moves.noBrace(END_OF_COMMENT) : "");
    note.setAttribute("aria-invalid", String(isWrong));
    return isWrong;
  }

  const save = button(
    texts.moves.saveComment,
    () => {
      const comments = parseComments(note.value);
      if (showCommentProblem() || !comments) {
        note.focus();
        return;
      }
      editInExploreMode(app, (tree) => game.setComments(tree, game.path(tree), comments));
    },
    { class: "small" },
  );
  const steps = STEPS.map(([name, label]) => {
    const arrow = html(
      "button",
      { type: "button", class: "quiet", "aria-label": label, title: label },
      icon(name),
    );
    arrow.addEventListener("click", () => step(app, name));
    return { name, element: arrow };
  });
  const promote = button(
    texts.moves.makeMainLine,
    () => editInExploreMode(app, promoteCurrentLine),
    {
      class: "small",
    },
  );
  const remove = button(
    texts.moves.deleteFromHere,
    () => editInExploreMode(app, (tree) => game.removeBranch(tree, game.path(tree))),
    { class: "small" },
  );
  const empty = html("p", { class: "note" }, texts.moves.none);
  const editing = html(
    "details",
    {},
    html("summary", {}, texts.moves.edit),
    html("div", { class: "tools" }, promote, remove),
    note,
    commentProblem,
    save,
  );
  const element = html(
    "div",
    { class: "move-list" },
    html(
      "div",
      { class: "steps", role: "group", "aria-label": texts.moves.steps },
      ...steps.map((each) => each.element),
    ),
    empty,
    list,
    editing,
  );

  return {
    element,
    /** @param {State} state */
    draw({ tree, settings, mode, grades: newGrades }) {
      if (!tree) {
        list.replaceChildren();
        drawnChildren = null;
        return;
      }
      if (
        tree.children !== drawnChildren ||
        tree.comments !== drawnComments ||
        settings.labels !== labels ||
        newGrades !== grades
      ) {
        const focused = list.contains(document.activeElement);
        drawnChildren = tree.children;
        drawnComments = tree.comments;
        labels = settings.labels;
        grades = newGrades;
        houses = tree.start.houses;
        buttons.clear();
        list.replaceChildren(...elementsOf(moveListItems(tree)));
        if (focused) {
          buttons.get(keyOf(game.path(tree)))?.focus();
        }
      }
      drawCurrentPly(tree, mode);
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

  /** @param {GameTree} tree @param {string} mode */
  function drawCurrentPly(tree, mode) {
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
    editing.hidden = buttons.size === 0 && mode === "play";
    for (const { name, element: arrow } of steps) {
      arrow.setAttribute("aria-disabled", String(stepPath(tree, name) === null));
    }
    remove.hidden = path.length === 0;
    promote.hidden = !path.some((index) => index > 0);
    const comments = (game.currentNode(tree) ?? tree).comments.join(COMMENT_SEPARATOR);
    if (note.dataset.at !== here || (document.activeElement !== note && note.value !== comments)) {
      note.dataset.at = here;
      note.value = comments;
      showCommentProblem();
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
 * @typedef {{ kind: "ply", path: number[], moveResult: MoveResult, number: string | null }
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
    { kind: "ply", path, moveResult, number },
    ...comments.map((text) => /** @type {Item} */ ({ kind: "comment", path, text })),
  ];
}
