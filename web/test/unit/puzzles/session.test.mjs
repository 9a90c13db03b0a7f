import assert from "node:assert/strict";
import { test } from "node:test";

import { createStore, initialState } from "../../../game/store.js";
import { parseProgress } from "../../../puzzles/rating.js";
import { createPuzzleSession } from "../../../puzzles/session.js";
import { load, save } from "../../../storage/values.js";
import { makePosition } from "../../positions.mjs";
import { memory } from "../storage/storages.mjs";

/** Lets promises and subscribers run. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

test("a solved puzzle is counted in addition to those of another tab", async (t) => {
  const page = new EventTarget();
  Object.assign(globalThis, { localStorage: memory(), window: page });
  t.after(() => Object.assign(globalThis, { localStorage: undefined, window: undefined }));
  const store = createStore(initialState());
  /** @type {import("../../../types/app.d.ts").Mode | undefined} */
  let mode;
  /** @type {any} */
  const app = {
    state: store.get,
    subscribe: store.subscribe,
    registerMode: (/** @type {string} */ _, /** @type {any} */ registered) => (mode = registered),
    actions: { setAnalysisLock() {}, refresh() {}, enterMode() {}, applyMove() {} },
  };
  const loaded = {
    puzzle: { to_move: "south", solution: "A", rating: 1000 },
    start: makePosition(),
    plies: [],
  };
  /** @type {any} */
  const source = { next: async () => loaded, prefetch() {} };
  const session = createPuzzleSession(app, { source });
  const others = { rating: 1200, streak: 3, bestStreak: 4, solved: 7, played: 10 };
  save("puzzles", others);
  await session.next({ difficulty: "easy", rules: "cs32", board: "6x4" });
  mode?.requestMove?.("A");
  await settle();
  const { played, solved } = parseProgress(load("puzzles"));
  assert.deepEqual([played, solved], [11, 8]);
  assert.equal(session.state().progress.played, 11);
  // Another tab counts the next one.
  save("puzzles", { ...others, played: 12 });
  page.dispatchEvent(Object.assign(new Event("storage"), { key: "kalah.puzzles" }));
  assert.equal(session.state().progress.played, 12);
});
