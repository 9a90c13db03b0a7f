/** A position that is set up by hand: any seeds anywhere. Whether it can be is for the rules to say. */

import { parseHouse } from "../board/labels.js";

/** @import { Pit, Position, Side } from "../types/api.d.ts" */

/**
 * @typedef {object} Draft
 * @property {Side} side who is to move
 * @property {{ south: number, north: number }} stores
 * @property {{ south: number[], north: number[] }} rows in the owner's sowing order, equally long
 */

/** The most houses a side: one for each letter. */
export const MAX_HOUSES = 26;

/** The most seeds that one pit is given: as many as a position has at most. */
export const MAX_SEEDS = 65_535;

/**
 * @param {Position} position
 * @returns {Draft}
 */
export function draftFromPosition({ side, stores, rows }) {
  return { side, stores: { ...stores }, rows: { south: [...rows.south], north: [...rows.north] } };
}

/**
 * A board without seeds.
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
 * @returns {{ side: Side, index: number | null } | null} `index` is null for a store; null if there is no such pit
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
 * The seeds of a pit, 0 if there is no such pit.
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
 * The draft with so many seeds in a pit, or as near to that as can be.
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
 * The text of the position, for the engine to read.
 *
 * @param {Draft} draft
 */
export function draftText({ side, stores, rows }) {
  const pits = [rows.south.length, stores.south, stores.north, ...rows.south, ...rows.north];
  return `<${pits.join(",")}> ${side === "south" ? "s" : "n"}`;
}

/**
 * All seeds.
 *
 * @param {Pick<Draft, "stores" | "rows">} draft
 */
export function totalSeeds({ stores, rows }) {
  return [stores.south, stores.north, ...rows.south, ...rows.north].reduce(
    (sum, seeds) => sum + seeds,
    0,
  );
}
