/** The computer player: makes its moves when it is its turn. */

import { isAbort } from "../engine/errors.js";
import { texts } from "../texts/texts.js";
import { opponentName, playerAt } from "./players.js";
import { gameResult, isAtSamePly, position } from "./tree.js";

/** @import { createStore } from "./store.js" */
/** @import { App, GameTree, Settings, State } from "../types/app.d.ts" */

/** The time limit of a search by `smart`. */
const SEARCH_TIME = "5s";

/**
 * The least time before a move of the computer, so that a person can follow the game, in
 * milliseconds.
 */
const MOVE_DELAY_MS = /** @type {const} */ ({ off: 150, slow: 900, normal: 450, fast: 200 });

/**
 * Returns the game and the opponent if the computer is to move, or `null`. The computer waits while
 * a position is edited.
 *
 * @param {State} state
 */
function computerToMove(state) {
  const { tree, mode, animation, error, editor } = state;
  if (!tree || mode !== "play" || animation || error || editor || gameResult(tree)) {
    return null;
  }
  const { player } = playerAt(state, tree, position(tree).to_move);
  return player.kind === "computer" ? { tree, opponent: player.opponent } : null;
}

/**
 * Starts the computer player.
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
    store.update({
      busy: { kind: "opponent", phrase: texts.game.thinking(opponentName(opponent)) },
    });
    const { rules, position: text } = position(tree);
    try {
      const [{ move }] = await Promise.all([
        engine.search(
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
          // After a dismissal or a retry the state has no error, and the computer searches again.
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

/** Returns a random seed of 32 bits, so that games differ. */
function randomSeed() {
  return crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
}
