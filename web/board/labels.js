/** What pits are called on the page: letters, or the assignment's columns, and how they lie as the board is drawn. */

import { sideName } from "../game/players.js";

/** @import { Choice, Pit, Side } from "../types/api.d.ts" */
/** @import { Settings } from "../types/app.d.ts" */

const A = "A".charCodeAt(0);

/**
 * A house's letter: South's are capitals.
 *
 * @param {Side} side
 * @param {number} house from 1, in the owner's sowing order
 * @returns {Pit}
 */
export function letter(side, house) {
  const capital = String.fromCharCode(A + house - 1);
  return side === "south" ? capital : capital.toLowerCase();
}

/**
 * Which house a pit is, or `null` for a store and for anything else.
 *
 * @param {Pit} pit
 * @returns {{ side: Side, house: number } | null}
 */
export function houseOf(pit) {
  if (!/^[a-z]$/i.test(pit)) {
    return null;
  }
  const capital = pit.toUpperCase();
  return { side: pit === capital ? "south" : "north", house: capital.charCodeAt(0) - A + 1 };
}

/**
 * The column that a house is drawn in, from 1 at the left: North's row runs right to left.
 *
 * @param {Side} side
 * @param {number} house
 * @param {number} houses
 */
export function columnOf(side, house, houses) {
  return side === "south" ? house : houses + 1 - house;
}

/**
 * The house that is drawn in a column: what {@link columnOf} undoes.
 *
 * @param {Side} side
 * @param {number} column
 * @param {number} houses
 */
export function houseInColumn(side, column, houses) {
  return columnOf(side, column, houses);
}

/**
 * What stands at a house on the board.
 *
 * @param {Pit} pit
 * @param {number} houses
 * @param {Settings["labels"]} labels
 */
export function shortLabel(pit, houses, labels) {
  const at = houseOf(pit);
  if (!at) {
    return pit;
  }
  return labels === "columns" ? String(columnOf(at.side, at.house, houses)) : pit;
}

/**
 * A choice in a list of choices: `C`, or its column with an arrow to its row, `3↓` in South's and `3↑` in North's, since
 * columns alone do not tell the side.
 *
 * @param {Choice} choice
 * @param {number} houses
 * @param {Settings["labels"]} labels
 */
export function choiceLabel(choice, houses, labels) {
  const at = houseOf(choice);
  const label = shortLabel(choice, houses, labels);
  return at && labels === "columns" ? `${label}${at.side === "south" ? "\u2193" : "\u2191"}` : label;
}

/**
 * A side's choice as it is said: `South C`, `South column 3`, `North swap`.
 *
 * @param {Choice} choice
 * @param {Side} side
 * @param {number} houses
 * @param {Settings["labels"]} labels
 */
export function choiceName(choice, side, houses, labels) {
  const isColumn = labels === "columns" && houseOf(choice) !== null;
  return `${sideName(side)} ${isColumn ? houseName(choice, houses, labels) : choice}`;
}

/**
 * A house in a sentence: `house C`, `house c`, or `column 3`.
 *
 * @param {Pit} pit
 * @param {number} houses
 * @param {Settings["labels"]} labels
 */
export function houseName(pit, houses, labels) {
  return `${labels === "columns" ? "column" : "house"} ${shortLabel(pit, houses, labels)}`;
}
