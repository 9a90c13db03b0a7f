/** Makes an engine of the page's own ready for its next searches while a person thinks. */

import { samePlace } from "./actions.js";
import { seatAt, SIDES } from "./players.js";
import { position, result } from "./tree.js";

/** @import { App, GameTree, State } from "../types/app.d.ts" */

/**
 * How long that may be expected to take: a choice that is asked for meanwhile waits for it, and is made the sooner. 6x4 takes four
 * seconds and a half, and seven on a device with 8 GiB of memory, where the table has one seed more.
 */
export const TIME = "10s";

/** Who takes time to choose. @type {ReadonlySet<string>} */
const SEARCHERS = new Set(["perfect", "level:10"]);

/**
 * The game against a computer that takes its time, or `null`. Who looks at margins meanwhile has the engine at work anyway.
 *
 * @param {State} state
 */
function game(state) {
  const { tree, mode, trouble, panel, settings } = state;
  if (!tree || mode !== "play" || trouble || settings.margins || panel === "analysis" || result(tree)) {
    return null;
  }
  const players = SIDES.map((side) => seatAt(state, tree, side).player);
  return players.some((player) => player.kind === "computer" && SEARCHERS.has(player.opponent)) ? tree : null;
}

/**
 * The same, if a person is to choose in it now.
 *
 * @param {State} state
 */
function waiting(state) {
  const tree = state.motion || state.busy ? null : game(state);
  return tree && seatAt(state, tree, position(tree).side).player.kind === "person" ? tree : null;
}

/**
 * Prepares `app`'s engine whenever a person is to choose. Where it is prepared already, that takes it no time. It is called
 * off for a hint, and with the game.
 *
 * @param {Pick<App, "engine" | "subscribe">} app
 */
export function startReadiness({ engine, subscribe }) {
  // A server has threads and tables of its own, and a phone no memory and no charge for this.
  if (engine.kind === "server" || !matchMedia("(pointer: fine)").matches) {
    return;
  }
  /** @type {GameTree | null} */
  let prepared = null;
  /** @type {{ tree: GameTree, ending: AbortController } | null} */
  let preparing = null;
  subscribe((state) => {
    if (preparing && (game(state)?.start !== preparing.tree.start || state.busy?.kind === "hint")) {
      preparing.ending.abort();
      preparing = null;
    }
    const tree = waiting(state);
    if (!tree || preparing || (prepared && samePlace(prepared, tree))) {
      return;
    }
    const mine = { tree, ending: new AbortController() };
    prepared = tree;
    preparing = mine;
    const { rules, position: text } = position(tree);
    const answer = engine.ask("prepare", { rules, position: text, time: TIME }, mine.ending.signal);
    // Who is not ready searches all the same, and then it is told what is wrong.
    void answer.catch(() => {}).finally(() => {
      preparing = preparing === mine ? null : preparing;
    });
  });
}
