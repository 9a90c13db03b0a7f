/** Makes an engine of the page's own ready for its next searches while a person thinks. */

import { isAtSamePly } from "./actions.js";
import { playerAt, SIDES } from "./players.js";
import { position, gameResult } from "./tree.js";

/** @import { App, GameTree, State } from "../types/app.d.ts" */

/**
 * How long that may be expected to take: a move that is asked for meanwhile waits for it, and is made the sooner. 6x4 takes four
 * seconds and a half, and seven on a device with 8 GiB of memory, where the table has one seed more.
 */
export const WARMUP_TIME = "10s";

/** Who takes time to choose. @type {ReadonlySet<string>} */
const SEARCHING_OPPONENTS = new Set(["perfect", "level:10"]);

/**
 * The game against a computer that takes its time, or `null`. Who looks at margins meanwhile has the engine at work anyway.
 *
 * @param {State} state
 */
function gameToWarmUp(state) {
  const { tree, mode, error, panel, settings } = state;
  if (
    !tree ||
    mode !== "play" ||
    error ||
    settings.margins ||
    panel === "analysis" ||
    gameResult(tree)
  ) {
    return null;
  }
  const players = SIDES.map((side) => playerAt(state, tree, side).player);
  return players.some(
    (player) => player.kind === "computer" && SEARCHING_OPPONENTS.has(player.opponent),
  )
    ? tree
    : null;
}

/**
 * The same, if a person is to choose in it now.
 *
 * @param {State} state
 */
function gameWithPersonToMove(state) {
  const tree = state.animation || state.busy ? null : gameToWarmUp(state);
  return tree && playerAt(state, tree, position(tree).side).player.kind === "person" ? tree : null;
}

/**
 * Prepares `app`'s engine whenever a person is to choose. Where it is prepared already, that takes it no time. It is called
 * off for a hint, and with the game.
 *
 * @param {Pick<App, "engine" | "subscribe">} app
 */
export function startWarmup({ engine, subscribe }) {
  // A server has threads and tables of its own, and a phone no memory and no charge for this.
  if (engine.kind === "server" || !matchMedia("(pointer: fine)").matches) {
    return;
  }
  /** @type {GameTree | null} */
  let lastTree = null;
  /** @type {{ tree: GameTree, control: AbortController } | null} */
  let warmup = null;
  subscribe((state) => {
    if (
      warmup &&
      (gameToWarmUp(state)?.start !== warmup.tree.start || state.busy?.kind === "hint")
    ) {
      warmup.control.abort();
      warmup = null;
    }
    const tree = gameWithPersonToMove(state);
    if (!tree || warmup || (lastTree && isAtSamePly(lastTree, tree))) {
      return;
    }
    const current = { tree, control: new AbortController() };
    lastTree = tree;
    warmup = current;
    const { rules, position: text } = position(tree);
    const answer = engine.request(
      "prepare",
      { rules, position: text, time: WARMUP_TIME },
      current.control.signal,
    );
    // Who is not ready searches all the same, and then it is told what is wrong.
    void answer
      .catch(() => {})
      .finally(() => {
        warmup = warmup === current ? null : warmup;
      });
  });
}
