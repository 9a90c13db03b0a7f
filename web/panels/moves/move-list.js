/** The list of moves: a button for each ply, variations in brackets, and steps through the game. */

import { moveLabel, moveName } from "../../board/labels.js";
import { showNode, step, stepPath } from "../../game/steps.js";
import * as game from "../../game/tree.js";
import { GRADE_SYMBOLS } from "../../review/descriptions.js";
import { texts } from "../../texts/texts.js";
import { button, html, icon } from "../../ui/dom.js";
import { createEditing } from "./editing.js";
import { moveListItems } from "./items.js";

/** @import { Item } from "./items.js" */
/** @import { StepTarget } from "../../game/steps.js" */
/** @import { App, GameTree, Settings, State } from "../../types/app.d.ts" */

/** The buttons that step through the moves, with their labels. @type {readonly [StepTarget, string][]} */
const STEPS = [
  ["first", texts.moves.first],
  ["back", texts.moves.back],
  ["forward", texts.moves.forward],
  ["last", texts.moves.last],
];

/**
 * The contents of the list.
 *
 * @typedef {object} ShownMoves
 * @property {GameTree["children"] | null} children
 * @property {GameTree["comments"] | null} comments
 * @property {State["grades"]} grades
 * @property {Settings["labels"]} labels
 * @property {number} houses
 */

/**
 * The list, and the button of each ply by its path.
 *
 * @typedef {object} List
 * @property {App} app
 * @property {HTMLElement} element
 * @property {Map<string, HTMLButtonElement>} buttons
 * @property {ShownMoves} shown
 */

/** @returns {ShownMoves} */
const showsNothing = () => ({
  children: null,
  comments: null,
  grades: new Map(),
  labels: "letters",
  houses: 0,
});

/** @param {number[]} path */
const keyOf = (path) => path.join("-");

/** Creates the list of moves with its tools. @param {App} app */
export function createMoveList(app) {
  /** @type {List} */
  const list = {
    app,
    element: html("div", { class: "moves", role: "group", "aria-label": texts.moves.title }),
    buttons: new Map(),
    shown: showsNothing(),
  };
  list.element.addEventListener("keydown", (event) => goByKey(list, event));
  const steps = createSteps(app);
  const empty = html("p", { class: "note" }, texts.moves.none);
  const editing = createEditing(app);
  return {
    element: html(
      "div",
      { class: "move-list" },
      steps.element,
      empty,
      list.element,
      editing.element,
    ),
    /** @param {State} state */
    draw(state) {
      const { tree, mode } = state;
      if (!tree) {
        list.element.replaceChildren();
        list.shown.children = null;
        return;
      }
      drawPlies(list, state, tree);
      drawCurrentPly(list, tree);
      const isEmpty = list.buttons.size === 0;
      empty.hidden = !isEmpty;
      editing.element.hidden = isEmpty && mode === "play";
      steps.draw(tree);
      editing.draw(tree);
    },
  };
}

/** Creates the buttons that step through the moves. @param {App} app */
function createSteps(app) {
  const arrows = STEPS.map(([name, label]) => {
    const element = html(
      "button",
      { type: "button", class: "quiet", "aria-label": label, title: label },
      icon(name),
    );
    element.addEventListener("click", () => step(app, name));
    return { name, element };
  });
  return {
    element: html(
      "div",
      { class: "steps", role: "group", "aria-label": texts.moves.steps },
      ...arrows.map(({ element }) => element),
    ),
    /** @param {GameTree} tree */
    draw(tree) {
      for (const { name, element } of arrows) {
        element.setAttribute("aria-disabled", String(stepPath(tree, name) === null));
      }
    },
  };
}

/**
 * Goes from ply to ply by keys. The list has one tab stop.
 *
 * @param {List} list
 * @param {KeyboardEvent} event
 */
function goByKey({ buttons }, event) {
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
}

/**
 * Draws the plies and comments again if they have changed.
 *
 * @param {List} list
 * @param {State} state
 * @param {GameTree} tree
 */
function drawPlies(list, { settings, grades }, tree) {
  const { element, buttons, shown } = list;
  const { children, comments } = tree;
  const isSame =
    children === shown.children &&
    comments === shown.comments &&
    settings.labels === shown.labels &&
    grades === shown.grades;
  if (isSame) {
    return;
  }
  const isFocused = element.contains(document.activeElement);
  list.shown = {
    children,
    comments,
    grades,
    labels: settings.labels,
    houses: tree.start.houses,
  };
  buttons.clear();
  element.replaceChildren(...elementsOf(list, moveListItems(tree)));
  if (isFocused) {
    buttons.get(keyOf(game.path(tree)))?.focus();
  }
}

/**
 * Creates the elements of items, and adds the buttons of their plies to the list.
 *
 * @param {List} list
 * @param {Item[]} items
 * @returns {Node[]}
 */
function elementsOf(list, items) {
  return items.map((item) => {
    switch (item.kind) {
      case "comment":
        return html("span", { class: "comment" }, item.text);
      case "variation":
        return html(
          "div",
          { class: "variation", role: "group", "aria-label": texts.moves.variation },
          ...elementsOf(list, item.items),
        );
      case "ply": {
        const ply = createPly(list, item);
        list.buttons.set(keyOf(item.path), ply);
        const number = html("span", { class: "number" }, item.number);
        return item.isNumbered ? html("span", { class: "numbered" }, number, ply) : ply;
      }
    }
  });
}

/** @param {List} list @param {Extract<Item, { kind: "ply" }>} item */
function createPly({ app, shown }, { path, moveResult, number }) {
  const { move, side } = moveResult;
  const { houses, labels } = shown;
  const grade = shown.grades.get(moveResult);
  const name = `${number} ${moveName(move, side, houses, labels)}`;
  const label = moveLabel(move, houses, labels) + (grade ? GRADE_SYMBOLS[grade] : "");
  return button(label, () => showNode(app, path), {
    class: grade ? `ply ply-${grade}` : "ply",
    tabindex: -1,
    "aria-label": grade ? `${name}, ${texts.review.grades[grade]}` : name,
  });
}

/** Draws which ply is on the board. @param {List} list @param {GameTree} tree */
function drawCurrentPly(list, tree) {
  const { buttons } = list;
  const here = keyOf(game.path(tree));
  const tabStop = buttons.get(here) ?? buttons.values().next().value;
  for (const [key, ply] of buttons) {
    ply.tabIndex = ply === tabStop ? 0 : -1;
    if (key === here) {
      ply.setAttribute("aria-current", "true");
      scrollListTo(list.element, ply);
    } else {
      ply.removeAttribute("aria-current");
    }
  }
}

/**
 * Scrolls only the list, so that the board stays visible.
 *
 * @param {HTMLElement} list
 * @param {HTMLElement} ply
 */
function scrollListTo(list, ply) {
  const [inner, outer] = [ply.getBoundingClientRect(), list.getBoundingClientRect()];
  if (inner.top < outer.top) {
    list.scrollTop -= outer.top - inner.top;
  } else if (inner.bottom > outer.bottom) {
    list.scrollTop += inner.bottom - outer.bottom;
  }
}
