/**
 * A draft of a position: any number of seeds in any pit. The engine checks whether it is a legal
 * position.
 */

import { parseHouse } from "./labels.js";

/** @import { Pit, Position, Side } from "../types/api.d.ts" */

/**
 * @typedef {object} Draft
 * @property {Side} side the side to move
 * @property {{ south: number, north: number }} stores
 * @property {{ south: number[], north: number[] }} rows in the owner's sowing order, of equal
 *   length
 */

/** The most houses of a side: one for each letter. */
export const MAX_HOUSES = 26;

/** The most seeds of a pit, which is also the most seeds of a position. */
export const MAX_SEEDS = 65_535;

/**
 * @param {Position} position
 * @returns {Draft}
 */
export function draftFromPosition({ to_move: side, stores, rows }) {
  return { side, stores: { ...stores }, rows: { south: [...rows.south], north: [...rows.north] } };
}

/**
 * Returns a draft without seeds.
 *
 * @param {number} houses
 * @returns {Draft}
 */
export function emptyDraft(houses) {
  const row = () => Array.from({ length: houses }, () => 0);
  return { side: "south", stores: { south: 0, north: 0 }, rows: { south: row(), north: row() } };
}

/**
 * @param {Draft} draft
 * @param {Pit} pit
 * @returns {{ side: Side, index: number | null } | null} `index` is `null` for a store; `null` if
 *   there is no such pit
 */
function findPit(draft, pit) {
  if (pit === "south" || pit === "north") {
    return { side: pit, index: null };
  }
  const at = parseHouse(pit);
  return at && at.house <= draft.rows[at.side].length
    ? { side: at.side, index: at.house - 1 }
    : null;
}

/**
 * Returns the seeds of a pit, 0 if there is no such pit.
 *
 * @param {Draft} draft
 * @param {Pit} pit
 */
export function seedsIn(draft, pit) {
  const place = findPit(draft, pit);
  if (!place) {
    return 0;
  }
  return place.index === null
    ? draft.stores[place.side]
    : (draft.rows[place.side][place.index] ?? 0);
}

/**
 * Returns the draft with another number of seeds in a pit. The number is limited to the valid
 * range.
 *
 * @param {Draft} draft
 * @param {Pit} pit
 * @param {number} seeds
 * @returns {Draft}
 */
export function withSeeds(draft, pit, seeds) {
  const place = findPit(draft, pit);
  if (!place || Number.isNaN(seeds)) {
    return draft;
  }
  const count = Math.min(Math.max(Math.trunc(seeds), 0), MAX_SEEDS);
  if (place.index === null) {
    return { ...draft, stores: { ...draft.stores, [place.side]: count } };
  }
  return {
    ...draft,
    rows: { ...draft.rows, [place.side]: draft.rows[place.side].with(place.index, count) },
  };
}

/**
 * Returns the draft as the text of a position.
 *
 * @param {Draft} draft
 */
export function draftText({ side, stores, rows }) {
  const pits = [rows.south.length, stores.south, stores.north, ...rows.south, ...rows.north];
  return `<${pits.join(",")}> ${side === "south" ? "s" : "n"}`;
}

/**
 * Returns the number of all seeds.
 *
 * @param {Pick<Draft, "stores" | "rows">} draft
 */
export function totalSeeds({ stores, rows }) {
  return [stores.south, stores.north, ...rows.south, ...rows.north].reduce(
    (sum, seeds) => sum + seeds,
    0,
  );
}

/**
 * Returns the draft as a position without legal moves, for the board.
 *
 * @param {Draft} draft
 * @param {string} rules
 * @returns {Position}
 */
export function draftPosition(draft, rules) {
  return {
    rules,
    position: draftText(draft),
    houses: draft.rows.south.length,
    to_move: draft.side,
    stores: draft.stores,
    rows: draft.rows,
    legal_moves: [],
    is_over: false,
  };
}

/**
 * Returns the draft with another number of houses a side.
 *
 * @param {Draft} draft
 * @param {number} houses
 * @returns {Draft}
 */
export function withHouses(draft, houses) {
  const count = Math.min(Math.max(Math.trunc(houses) || 1, 1), MAX_HOUSES);
  const fit = (/** @type {number[]} */ row) =>
    Array.from({ length: count }, (_, index) => row[index] ?? 0);
  return { ...draft, rows: { south: fit(draft.rows.south), north: fit(draft.rows.north) } };
}
