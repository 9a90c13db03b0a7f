/** How a game ended, if it has. */

import { UNFINISHED, canRedo, position } from "./tree.js";

/** @import { BySide, Side } from "../types/api.d.ts" */
/** @import { GameTree } from "../types/app.d.ts" */

/**
 * @typedef {object} Result
 * @property {Side | null} winner `null` for a tie, or where nobody is said to have won
 * @property {BySide<number>} stores
 * @property {string} termination `normal` where the seeds tell it
 */

/**
 * The result at the current node, or `null` while the game goes on there.
 *
 * @param {GameTree} tree
 * @returns {Result | null}
 */
export function result(tree) {
  const { over, stores } = position(tree);
  if (over) {
    return { winner: leader(stores), stores, termination: "normal" };
  }
  if (tree.termination !== UNFINISHED && !canRedo(tree)) {
    return { winner: tree.winner, stores, termination: tree.termination };
  }
  return null;
}

/**
 * @param {BySide<number>} stores
 * @returns {Side | null}
 */
function leader({ south, north }) {
  if (south === north) {
    return null;
  }
  return south > north ? "south" : "north";
}
