/** The computer's part in a game: when it is its turn, it chooses and sows. */

import { isAbort } from "../engine/errors.js";
import { isAtSamePly } from "./actions.js";
import { opponentName, playerAt } from "./players.js";
import { position, gameResult } from "./tree.js";

/** @import { createStore } from "./store.js" */
/** @import { App, GameTree, Settings, State } from "../types/app.d.ts" */

/** How long `perfect` may think. */
const SEARCH_TIME = "5s";

/** How long the computer waits before it sows, so that the eye has settled, in milliseconds. */
const MOVE_DELAY_MS = /** @type {const} */ ({ off: 150, slow: 900, normal: 450, fast: 200 });

/**
 * The computer whose turn it is, or `null`.
 *
 * @param {State} state
 */
function computerToMove(state) {
  const { tree, mode, animation, error } = state;
  if (!tree || mode !== "play" || animation || error || gameResult(tree)) {
    return null;
  }
  const { player } = playerAt(state, tree, position(tree).side);
  return player.kind === "computer" ? { tree, opponent: player.opponent } : null;
}

/**
 * Makes the computer play in `app`'s games.
 *
 * @param {Pick<App, "engine" | "actions" | "state" | "subscribe">} app
 * @param {ReturnType<typeof createStore<State>>} store
 */
export function startOpponent({ engine, actions, state, subscribe }, store) {
  /** @type {{ tree: GameTree, control: AbortController } | null} */
  let search = null;

  function stop() {
    search?.control.abort();
    search = null;
    if (store.get().busy?.kind === "opponent") {
      store.update({ busy: null });
    }
  }

  /**
   * @param {GameTree} tree
   * @param {string} opponent
   */
  async function startSearch(tree, opponent) {
    const control = new AbortController();
    const current = { tree, control };
    search = current;
    store.update({ busy: { kind: "opponent", phrase: `${opponentName(opponent)} is thinking` } });
    const { rules, position: text } = position(tree);
    try {
      const [{ move }] = await Promise.all([
        engine.request(
          "choose",
          { rules, position: text, opponent, seed: randomSeed(), time: SEARCH_TIME },
          control.signal,
        ),
        delay(MOVE_DELAY_MS[/** @type {Settings["speed"]} */ (state().settings.speed)]),
      ]);
      if (search === current) {
        stop();
        await actions.makeMove(move, tree);
      }
    } catch (error) {
      if (search === current) {
        stop();
        if (!isAbort(error)) {
          // Dismissed or tried again, the trouble is gone, and the computer with its turn thinks anew.
          actions.showError(error, () => actions.dismissError());
        }
      }
    }
  }

  subscribe((now) => {
    const turn = computerToMove(now);
    if (search && (!turn || !isAtSamePly(search.tree, turn.tree))) {
      stop();
    }
    if (turn && !search && !store.get().busy) {
      void startSearch(turn.tree, turn.opponent);
    }
  });
}

/** @param {number} ms */
function delay(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** A seed of 32 bits, so that no two games need be alike. */
function randomSeed() {
  return crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
}
