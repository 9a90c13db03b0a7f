/** Names of houses and moves: letters, or the columns of the CS 32 assignment. */

import { sideName } from "../game/players.js";
import { texts } from "../texts/texts.js";

/** @import { Move, Pit, Side } from "../types/api.d.ts" */
/** @import { Settings } from "../types/app.d.ts" */

const A = "A".charCodeAt(0);

/**
 * Returns a house's letter, upper case for South.
 *
 * @param {Side} side
 * @param {number} house from 1, in the owner's sowing order
 * @returns {Pit}
 */
export function houseLetter(side, house) {
  const capital = String.fromCharCode(A + house - 1);
  return side === "south" ? capital : capital.toLowerCase();
}

/**
 * Returns side and number of a house, or `null` for a store and for anything else.
 *
 * @param {Pit} pit
 * @returns {{ side: Side, house: number } | null}
 */
export function parseHouse(pit) {
  if (!/^[a-z]$/i.test(pit)) {
    return null;
  }
  const capital = pit.toUpperCase();
  return { side: pit === capital ? "south" : "north", house: capital.charCodeAt(0) - A + 1 };
}

/**
 * Returns the column of a house on the board, from 1 at the left. North's row runs from right to
 * left.
 *
 * @param {Side} side
 * @param {number} house
 * @param {number} houses
 */
export function columnOf(side, house, houses) {
  return side === "south" ? house : houses + 1 - house;
}

/**
 * Returns the house in a column: the inverse of {@link columnOf}.
 *
 * @param {Side} side
 * @param {number} column
 * @param {number} houses
 */
export function houseInColumn(side, column, houses) {
  return columnOf(side, column, houses);
}

/**
 * Returns the label of a house on the board.
 *
 * @param {Pit} pit
 * @param {number} houses
 * @param {Settings["labels"]} labels
 */
export function shortLabel(pit, houses, labels) {
  const at = parseHouse(pit);
  if (!at) {
    return pit;
  }
  return labels === "columns" ? String(columnOf(at.side, at.house, houses)) : pit;
}

/**
 * Returns a move in a list of moves: `C`, or its column with an arrow, `3↓` in South's row and `3↑`
 * in North's.
 *
 * @param {Move} move
 * @param {number} houses
 * @param {Settings["labels"]} labels
 */
export function moveLabel(move, houses, labels) {
  const at = parseHouse(move);
  const label = shortLabel(move, houses, labels);
  return at && labels === "columns"
    ? `${label}${at.side === "south" ? "\u2193" : "\u2191"}`
    : label;
}

/**
 * Returns the name of a side's move: `South C`, `South column 3`, `North swap`.
 *
 * @param {Move} move
 * @param {Side} side
 * @param {number} houses
 * @param {Settings["labels"]} labels
 */
export function moveName(move, side, houses, labels) {
  const isColumn = labels === "columns" && parseHouse(move) !== null;
  return `${sideName(side)} ${isColumn ? houseName(move, houses, labels) : move}`;
}

/**
 * Returns the name of a house in a sentence: `house C`, `house c`, or `column 3`.
 *
 * @param {Pit} pit
 * @param {number} houses
 * @param {Settings["labels"]} labels
 */
export function houseName(pit, houses, labels) {
  const label = shortLabel(pit, houses, labels);
  return labels === "columns" ? texts.board.column(label) : texts.board.house(label);
}

/**
 * Returns a pit's name with its owner, in a sentence.
 *
 * @param {Pit} pit
 * @param {number} houses
 * @param {Settings["labels"]} labels
 */
export function pitName(pit, houses, labels) {
  const house = parseHouse(pit);
  if (house) {
    // Screen readers pronounce upper and lower case letters alike.
    return texts.board.ownedHouse(house.side, houseName(pit, houses, labels));
  }
  return texts.board.stores[/** @type {Side} */ (pit)];
}
