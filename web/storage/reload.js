/**
 * The game on the board across a reload of the page, which a change of the language needs. A game
 * with a friend needs nothing here: the page joins it again by its address.
 */

import { load, save, windowStorage } from "./values.js";

/** @import { State } from "../types/app.d.ts" */

/** The key of the stored game. */
const KEY = "reload";

/** The modes whose games are stored. */
const MODES = new Set(["play", "explore"]);

/**
 * The stored value; `game` is `null` if the game needs no storage.
 *
 * @typedef {{ game: null | Pick<State, "tree" | "players" | "mode" | "suspendedGame" | "localGame" |
 *   "panel"> }} Kept
 */

/**
 * Stores the game on the board for the next load of the page in this window.
 *
 * @param {State} state
 * @param {Storage} [storage]
 */
export function keepForReload(state, storage = windowStorage()) {
  const { tree, players, mode, suspendedGame, localGame, panel } = state;
  const isLocal = MODES.has(mode) && MODES.has(suspendedGame?.mode ?? mode);
  /** @type {Kept} */
  const kept = {
    game: tree && isLocal ? { tree, players, mode, suspendedGame, localGame, panel } : null,
  };
  save(KEY, kept, storage);
}

/**
 * Returns the stored value, once, or `null` if the page was not reloaded for another language.
 *
 * @param {Storage} [storage]
 * @returns {Kept | null}
 */
export function takeKept(storage = windowStorage()) {
  const kept = /** @type {Kept | null} */ (load(KEY, storage));
  save(KEY, null, storage);
  const { tree, suspendedGame } = kept?.game ?? {};
  if (
    tree &&
    suspendedGame &&
    JSON.stringify(suspendedGame.tree.start) === JSON.stringify(tree.start)
  ) {
    // Trees of one game share their start.
    suspendedGame.tree = { ...suspendedGame.tree, start: tree.start };
  }
  return kept;
}
