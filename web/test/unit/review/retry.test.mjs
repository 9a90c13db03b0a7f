import assert from "node:assert/strict";
import { test } from "node:test";

import { createAnalysisCache } from "../../../analysis/cache.js";
import { createActions } from "../../../game/actions/actions.js";
import { localModes } from "../../../game/modes.js";
import { createStore, initialState } from "../../../game/store.js";
import { childrenAt, fromLine, movesTo } from "../../../game/tree.js";
import { createRetry } from "../../../review/retry.js";
import { makeMoveResult, makePosition } from "../../positions.mjs";

/** Lets promises and subscribers run. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Creates a retry of the move A of the game A b, on a page whose engine waits with its results. */
function makeRetry() {
  const game = fromLine(makePosition(), [makeMoveResult("A"), makeMoveResult("b")]);
  const store = createStore({ ...initialState(), mode: "explore", tree: game });
  /** The moves whose results are requested, with the functions that send these. */
  const requested = /** @type {Map<string, () => void>} */ (new Map());
  /** @type {any} */
  const engine = {
    request: (/** @type {string} */ _, /** @type {any} */ { move }, /** @type {any} */ signal) =>
      new Promise((resolve, reject) => {
        requested.set(move, () => resolve(makeMoveResult(move)));
        signal.addEventListener("abort", () => reject(signal.reason));
      }),
  };
  /** @type {ReturnType<typeof createActions>} */
  const actions = createActions({
    store,
    engine,
    analysisCache: createAnalysisCache(engine),
    modes: localModes(store.get, () => actions),
    openDialog() {},
    startLocalGame() {},
  });
  /** @type {any} */
  const app = { state: store.get, actions, subscribe: store.subscribe };
  const retry = createRetry(app, () => null);
  /** @type {any} */
  const mistake = { ply: 1, move: "A", better_moves: ["B"], cost: { lower: 2, upper: 2 } };
  retry.begin(mistake, game.line);
  /** @param {string} move */
  const respond = async (move) => {
    await settle();
    requested.get(move)?.();
    await settle();
  };
  /** Returns the moves on the board, and all first moves of the game. */
  const moves = () => {
    const { tree } = store.get();
    assert.ok(tree);
    return {
      shown: movesTo(tree),
      first: childrenAt(tree, []).map((node) => node.moveResult.move),
    };
  };
  return { retry, actions, respond, moves };
}

test("a better move that arrives after the end of the retry is not part of the game", async () => {
  const { retry, respond, moves } = makeRetry();
  retry.giveUp();
  retry.end();
  await respond("B");
  assert.deepEqual(moves(), { shown: [], first: ["A"] });
});

test("a try that arrives after giving up does not replace the better move", async () => {
  const { retry, actions, respond, moves } = makeRetry();
  actions.requestMove("C");
  retry.giveUp();
  await respond("C");
  await respond("B");
  assert.deepEqual(moves(), { shown: ["B"], first: ["A", "B"] });
  retry.end();
  assert.deepEqual(moves(), { shown: [], first: ["A"] });
});
