/** The warm-up: prepares the engine in the worker for its next searches while a person thinks. */

import { playerAt, SIDES } from "./players.js";
import { gameResult, isAtSamePly, position } from "./tree.js";

/** @import { App, GameTree, State } from "../types/app.d.ts" */

/**
 * The time limit of a warm-up. A request for a move waits until the warm-up ends, and then takes
 * less time. On 6x4 a warm-up takes 4.5 seconds, or 7 seconds on a device with 8 GiB of memory,
 * where the table has one seed more.
 */
export const WARMUP_TIME = "10s";

/** The opponents that search. @type {ReadonlySet<string>} */
const SEARCHING_OPPONENTS = new Set(["smart", "level:10"]);

/**
 * Returns the game against an opponent that searches, or `null`. While margins are shown, the
 * engine is busy with them.
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
 * Returns the same game if a person is to move in it now, or `null`.
 *
 * @param {State} state
 */
function gameWithPersonToMove(state) {
  const tree = state.animation || state.busy ? null : gameToWarmUp(state);
  return tree && playerAt(state, tree, position(tree).to_move).player.kind === "person"
    ? tree
    : null;
}

/**
 * Starts the warm-up: it prepares the engine when a person is to move, and stops for a hint or when
 * the game ends. Preparing an engine again takes no time.
 *
 * @param {Pick<App, "engine" | "subscribe">} app
 */
export function startWarmup({ engine, subscribe }) {
  // A server has its own threads and tables, and a phone has too little memory and battery.
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
    const answer = engine.search(
      "prepare",
      { rules, position: text, time: WARMUP_TIME },
      current.control.signal,
    );
    // Without a warm-up the engine still searches, and a later request reports the problem.
    void answer
      .catch(() => {})
      .finally(() => {
        warmup = warmup === current ? null : warmup;
      });
  });
}
