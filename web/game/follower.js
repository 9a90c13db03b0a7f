/** The follower: shows the moves that another tab has made in the game on the board. */

import { savedGame } from "../storage/formats.js";

/** @import { LocalGame } from "../storage/local-game.js" */
/** @import { createStore } from "./store.js" */
/** @import { createActions } from "./actions/actions.js" */
/** @import { State } from "../types/app.d.ts" */

/**
 * @typedef {object} FollowerData
 * @property {Pick<ReturnType<typeof createStore<State>>, "get" | "subscribe">} store
 * @property {Pick<ReturnType<typeof createActions>, "follow">} actions
 * @property {Pick<LocalGame, "newer" | "subscribe">} localGame
 * @property {boolean} isBehind whether another tab may have moves that the board has not shown
 */

/**
 * Shows the moves of another tab. What the page cannot show yet, such as during a move or in another
 * mode, waits for the next change of its state.
 *
 * @param {FollowerData} follower
 */
async function follow(follower) {
  const { store, actions, localGame } = follower;
  const state = store.get();
  const { tree, players, mode, busy } = state;
  if (!follower.isBehind || !tree || mode !== "play" || busy?.kind === "sow") {
    return;
  }
  follower.isBehind = false;
  const newer = localGame.newer(savedGame(tree, players));
  if (newer && !(await actions.follow(newer))) {
    follower.isBehind = true;
    if (store.get() !== state) {
      await follow(follower);
    }
  }
}

/**
 * Starts the follower. It returns a function that looks for moves that the page may have missed.
 *
 * @param {Omit<FollowerData, "isBehind">} parts
 */
export function startFollower(parts) {
  /** @type {FollowerData} */
  const follower = { ...parts, isBehind: false };
  const look = () => {
    follower.isBehind = true;
    void follow(follower);
  };
  parts.localGame.subscribe(look);
  parts.store.subscribe(() => void follow(follower));
  return look;
}
