/** The keyboard: the list of keys in the help dialog, and the commands of keys. */

import { houseInColumn, houseLetter, parseHouse } from "../board/labels.js";
import { neighbour } from "../board/layout.js";
import { step } from "../game/steps.js";
import { position } from "../game/tree.js";
import { texts } from "../texts/texts.js";

/** @import { createBoard } from "../board/board.js" */
/** @import { Position } from "../types/api.d.ts" */
/** @import { App } from "../types/app.d.ts" */

/** Keys and their descriptions in the help dialog. */
export const KEYS = [
  ["A … J", texts.help.keyLetters],
  ["1 … 9, 0", texts.help.keyColumns],
  [texts.help.keyArrowNames, texts.help.keyArrows],
  [texts.help.keyEnterNames, texts.help.keyEnter],
  ["U", texts.help.keyUndo],
  ["R", texts.help.keyRedo],
  ["H", texts.help.keyHint],
  ["X", texts.help.keySwap],
  [texts.help.keyFlipNames, texts.help.keyFlip],
  [", .", texts.help.keyMistakes],
  ["N", texts.help.keyNewGame],
  ["?", texts.help.keyHelp],
  ["Esc", texts.help.keyEscape],
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
 * hint needs Shift. A digit is a column of the row to move.
 *
 * @param {string} key
 * @param {Position} at
 * @param {{ shift?: boolean, fromRight?: boolean }} [options] `shift` tells whether Shift is
 *   pressed, `fromRight` whether the columns are counted from South's right hand, as on a board that
 *   is turned
 * @returns {{ command: "move", move: string } | { command: "undo" | "redo" | "hint" | "new-game" |
 *   "help" | "flip" } | null}
 */
export function commandForKey(key, at, { shift = false, fromRight = false } = {}) {
  if (/^[0-9]$/.test(key)) {
    const digit = key === "0" ? TENTH_COLUMN : Number(key);
    const column = fromRight ? at.houses + 1 - digit : digit;
    const house = houseInColumn(at.to_move, column, at.houses);
    return digit <= at.houses ? { command: "move", move: houseLetter(at.to_move, house) } : null;
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
  if (key.toLowerCase() === "f" && shift) {
    return { command: "flip" };
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
    case "f":
      return { command: "flip" };
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
  // After a click on a house, the arrow keys step through the moves. After Tab, they move the focus.
  let focusIsByPointer = false;
  document.addEventListener("pointerdown", () => (focusIsByPointer = true));
  document.addEventListener("keydown", ({ key }) => {
    focusIsByPointer &&= key !== "Tab";
  });
  document.addEventListener("keydown", (event) => {
    const { tree, settings, editor } = app.state();
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
      const direction = ARROWS[/** @type {keyof typeof ARROWS} */ (key)];
      const isStep = direction === "left" || direction === "right";
      const isFocused = isOnBoard(target) && !focusIsByPointer;
      if (isFocused || (!isStep && (isOnBoard(target) || target === document.body))) {
        event.preventDefault();
        focusIsByPointer = false;
        moveFocus(board, at, direction, target);
      } else if (isStep && (isOnBoard(target) || target === document.body)) {
        event.preventDefault();
        step(app, direction === "left" ? "back" : "forward");
      }
      return;
    }
    // Labels of columns are names in the assignment, so a turned board has them from right to left.
    const fromRight = board.bottom() === "north" && settings.labels === "letters";
    const options = { shift: event.shiftKey, fromRight };
    const keyCommand = settings.keys && !editor ? commandForKey(key, at, options) : null;
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
export function isElsewhere(target) {
  if (document.querySelector("dialog[open]")) {
    return true;
  }
  const field =
    target instanceof Element ? target.closest("input, select, textarea, [contenteditable]") : null;
  // A closed dialog keeps the focus for a moment.
  return field !== null && !field.closest("dialog:not([open])");
}

/**
 * Returns whether the board has the focus.
 *
 * @param {EventTarget | null} target
 */
function isOnBoard(target) {
  return target instanceof Element && target.closest("#board") !== null;
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
    const to = neighbour(at.houses, from.side, from.house, direction, board.bottom());
    board.focus(houseLetter(to.side, to.house));
  }
}
