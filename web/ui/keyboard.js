/** The keyboard: the list of keys in the help dialog, and the commands of keys. */

import { houseInColumn, houseLetter, parseHouse } from "../board/labels.js";
import { neighbour } from "../board/layout.js";
import { position } from "../game/tree.js";

/** @import { createBoard } from "../board/board.js" */
/** @import { Position } from "../types/api.d.ts" */
/** @import { App } from "../types/app.d.ts" */

/** Keys and their descriptions in the help dialog. */
export const KEYS = [
  ["A … J", "sow the house with that letter"],
  ["1 … 9, 0", "sow the house in that column, from the left; 0 is the tenth"],
  ["Arrow keys", "move the focus between houses"],
  ["Enter, Space", "sow the focused house"],
  ["U", "undo"],
  ["R", "redo"],
  ["H", "hint (Shift+H on boards with a house H)"],
  ["X", "swap sides, if the rules allow it"],
  ["N", "new game"],
  ["?", "help with these keys"],
  ["Esc", "close the dialog"],
];

const ARROWS = /** @type {const} */ ({
  ArrowLeft: "left",
  ArrowRight: "right",
  ArrowUp: "up",
  ArrowDown: "down",
});

/** The column of the digit 0. */
const TENTH_COLUMN = 10;

/**
 * Returns the command of a key in a position, or `null`.
 *
 * Letters of houses take precedence: on a board with eight or more houses `h` is a house, and the
 * hint needs Shift.
 *
 * @param {string} key
 * @param {boolean} shift
 * @param {Position} at
 * @returns {{ command: "move", move: string } | { command: "undo" | "redo" | "hint" | "new-game" |
 *   "help" } | null}
 */
export function commandForKey(key, shift, at) {
  if (/^[0-9]$/.test(key)) {
    const column = key === "0" ? TENTH_COLUMN : Number(key);
    const house = houseInColumn(at.to_move, column, at.houses);
    return column <= at.houses ? { command: "move", move: houseLetter(at.to_move, house) } : null;
  }
  if (key === "?") {
    return { command: "help" };
  }
  const house = parseHouse(key);
  if (!house) {
    return null;
  }
  if (key.toLowerCase() === "h" && shift) {
    return { command: "hint" };
  }
  if (house.house <= at.houses) {
    return { command: "move", move: houseLetter(at.to_move, house.house) };
  }
  switch (key.toLowerCase()) {
    case "u":
      return { command: "undo" };
    case "r":
      return { command: "redo" };
    case "h":
      return { command: "hint" };
    case "n":
      return { command: "new-game" };
    case "x":
      return at.legal_moves.includes("swap") ? { command: "move", move: "swap" } : null;
    default:
      return null;
  }
}

/**
 * Listens for keys.
 *
 * @param {App} app
 * @param {ReturnType<typeof createBoard>} board
 */
export function listenForKeys(app, board) {
  document.addEventListener("keydown", (event) => {
    const { tree, settings } = app.state();
    const { key, target } = event;
    if (
      !tree ||
      event.defaultPrevented ||
      event.ctrlKey ||
      event.altKey ||
      event.metaKey ||
      isElsewhere(target)
    ) {
      return;
    }
    const at = position(tree);
    if (key in ARROWS) {
      if (isOnBoard(target)) {
        event.preventDefault();
        moveFocus(board, at, ARROWS[/** @type {keyof typeof ARROWS} */ (key)], target);
      }
      return;
    }
    const keyCommand = settings.keys ? commandForKey(key, event.shiftKey, at) : null;
    if (!keyCommand) {
      return;
    }
    event.preventDefault();
    switch (keyCommand.command) {
      case "move":
        board.requestMove(keyCommand.move);
        break;
      case "new-game":
      case "help":
        app.actions.openDialog(keyCommand.command);
        break;
      default:
        app.actions[keyCommand.command]();
    }
  });
}

/**
 * Returns whether another element uses the keys: a field or an open dialog.
 *
 * @param {EventTarget | null} target
 */
function isElsewhere(target) {
  if (document.querySelector("dialog[open]")) {
    return true;
  }
  const field =
    target instanceof Element ? target.closest("input, select, textarea, [contenteditable]") : null;
  // A closed dialog keeps the focus for a moment.
  return field !== null && !field.closest("dialog:not([open])");
}

/**
 * Returns whether arrow keys move on the board: the board or no element has the focus.
 *
 * @param {EventTarget | null} target
 */
function isOnBoard(target) {
  return (
    target === document.body || (target instanceof Element && target.closest("#board") !== null)
  );
}

/**
 * @param {ReturnType<typeof createBoard>} board
 * @param {Position} at
 * @param {"left" | "right" | "up" | "down"} direction
 * @param {EventTarget | null} target
 */
function moveFocus(board, at, direction, target) {
  const here = target instanceof HTMLElement ? target.dataset.pit : undefined;
  if (!here) {
    board.focus(board.tabStop());
    return;
  }
  const from = parseHouse(here);
  if (from) {
    const to = neighbour(at.houses, from.side, from.house, direction);
    board.focus(houseLetter(to.side, to.house));
  }
}
