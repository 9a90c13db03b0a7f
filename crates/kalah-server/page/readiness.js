/** Makes an engine of the page's own ready for its next searches while a person thinks. */

import { samePlace } from "./actions.js";
import { position } from "./game.js";
import { result } from "./result.js";
import { SIDES, seatAt } from "./seats.js";

/** @import { App, GameTree, State } from "./app.d.ts" */

/**
 * How long that may take: what is asked meanwhile waits for it, and is answered the sooner. 6x4 takes four seconds and
 * a half.
 */
const TIME = "6s";

/** Who takes time to choose. @type {ReadonlySet<string>} */
const SEARCHERS = new Set(["perfect", "level:10"]);

/**
 * The game in which a person chooses against a computer that will search, or `null`.
 *
 * @param {State} state
 */
function waiting(state) {
  const { tree, mode, motion, trouble, busy } = state;
  if (!tree || mode !== "play" || motion || trouble || busy || result(tree)) {
    return null;
  }
  const { side } = position(tree);
  const seats = SIDES.map((each) => seatAt(state, tree, each));
  const searches = seats.some(({ player }) => player.kind === "computer" && SEARCHERS.has(player.opponent));
  const isPersonsTurn = seats.some((seat) => seat.side === side && seat.player.kind === "person");
  return searches && isPersonsTurn ? tree : null;
}

/**
 * Prepares `app`'s engine whenever a person is to choose. Where it is prepared already, that takes it no time.
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
  let isPreparing = false;
  subscribe((state) => {
    const tree = waiting(state);
    if (!tree || isPreparing || (prepared && samePlace(prepared, tree))) {
      return;
    }
    prepared = tree;
    isPreparing = true;
    const { rules, position: text } = position(tree);
    const answer = engine.ask("prepare", { rules, position: text, time: TIME });
    // Who is not ready searches all the same, and then it is told what is wrong.
    void answer.catch(() => {}).finally(() => {
      isPreparing = false;
    });
  });
}
