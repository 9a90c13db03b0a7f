/** The computer's part in a game: when it is its turn, it chooses and sows. */

import { isAbort } from "../engine/errors.js";
import { samePlace } from "./actions.js";
import { opponentName, seatAt } from "./players.js";
import { position, result } from "./tree.js";

/** @import { createStore } from "./store.js" */
/** @import { App, GameTree, Settings, State } from "../types/app.d.ts" */

/** How long `perfect` may think. */
const TIME = "5s";

/** How long the computer waits before it sows, so that the eye has settled, in milliseconds. */
const PAUSE_MS = /** @type {const} */ ({ off: 150, slow: 900, normal: 450, fast: 200 });

/**
 * The computer whose turn it is, or `null`.
 *
 * @param {State} state
 */
function onTurn(state) {
  const { tree, mode, motion, trouble } = state;
  if (!tree || mode !== "play" || motion || trouble || result(tree)) {
    return null;
  }
  const { player } = seatAt(state, tree, position(tree).side);
  return player.kind === "computer" ? { tree, opponent: player.opponent } : null;
}

/**
 * Makes the computer play in `app`'s games.
 *
 * @param {Pick<App, "engine" | "actions" | "state" | "subscribe">} app
 * @param {ReturnType<typeof createStore<State>>} store
 */
export function startOpponent({ engine, actions, state, subscribe }, store) {
  /** @type {{ tree: GameTree, ending: AbortController } | null} */
  let thought = null;

  function stop() {
    thought?.ending.abort();
    thought = null;
    if (store.get().busy?.kind === "opponent") {
      store.update({ busy: null });
    }
  }

  /**
   * @param {GameTree} tree
   * @param {string} opponent
   */
  async function think(tree, opponent) {
    const ending = new AbortController();
    const mine = { tree, ending };
    thought = mine;
    store.update({ busy: { kind: "opponent", phrase: `${opponentName(opponent)} is thinking` } });
    const { rules, position: text } = position(tree);
    try {
      const [{ choice }] = await Promise.all([
        engine.ask("choose", { rules, position: text, opponent, seed: randomSeed(), time: TIME }, ending.signal),
        pause(PAUSE_MS[/** @type {Settings["speed"]} */ (state().settings.speed)]),
      ]);
      if (thought === mine) {
        stop();
        await actions.sow(choice, tree);
      }
    } catch (error) {
      if (thought === mine) {
        stop();
        if (!isAbort(error)) {
          // Dismissed or tried again, the trouble is gone, and the computer with its turn thinks anew.
          actions.fail(error, () => actions.dismiss());
        }
      }
    }
  }

  subscribe((now) => {
    const turn = onTurn(now);
    if (thought && (!turn || !samePlace(thought.tree, turn.tree))) {
      stop();
    }
    if (turn && !thought && !store.get().busy) {
      void think(turn.tree, turn.opponent);
    }
  });
}

/** @param {number} ms */
function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** A seed of 32 bits, so that no two games need be alike. */
function randomSeed() {
  return crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
}
