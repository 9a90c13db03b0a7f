import assert from "node:assert/strict";
import { test } from "node:test";

import { createStore, initialState } from "../../../game/store.js";
import { parseProgress } from "../../../puzzles/rating.js";
import { createPuzzleSession } from "../../../puzzles/session.js";
import { load, save } from "../../../storage/values.js";
import { makePosition } from "../../positions.mjs";
import { holdLock, memory, sharedLocks } from "../storage/storages.mjs";

/** The progress that another tab has stored. */
const OTHERS = { rating: 1200, streak: 3, bestStreak: 4, solved: 7, played: 10 };

/** @type {Parameters<ReturnType<typeof createPuzzleSession>["next"]>[0]} */
const CHOICES = { difficulty: "easy", rules: "cs32", board: "6x4" };

/** Lets promises and subscribers run. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

/**
 * Creates a session whose puzzles have the solution A.
 *
 * @param {{ storage: Storage, locks: Pick<LockManager, "request"> | null, page: EventTarget }}
 *   storageOptions
 */
function makeSession(storageOptions) {
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
  /** @type {any} */
  const source = {
    next: async () => ({
      puzzle: { to_move: "south", solution: "A", rating: 1000 },
      start: makePosition(),
      plies: [],
    }),
    prefetch() {},
  };
  const session = createPuzzleSession(app, { source, storageOptions });
  return { session, solve: () => mode?.requestMove?.("A") };
}

test("a solved puzzle is counted in addition to those of another tab", async () => {
  const storage = memory();
  const page = new EventTarget();
  const { session, solve } = makeSession({ storage, locks: null, page });
  save("puzzles", OTHERS, storage);
  await session.next(CHOICES);
  solve();
  await settle();
  const { played, solved } = parseProgress(load("puzzles", storage));
  assert.deepEqual([played, solved], [11, 8]);
  assert.equal(session.state().progress.played, 11);
  // Another tab counts the next one.
  save("puzzles", { ...OTHERS, played: 12 }, storage);
  page.dispatchEvent(Object.assign(new Event("storage"), { key: "kalah.puzzles" }));
  assert.equal(session.state().progress.played, 12);
});

test("a puzzle that is stored late does not count the next one", async () => {
  const storage = memory();
  const locks = sharedLocks();
  const { session, solve } = makeSession({ storage, locks, page: new EventTarget() });
  const release = holdLock(locks, "kalah.puzzles");
  await session.next(CHOICES);
  solve();
  await session.next(CHOICES);
  save("puzzles", OTHERS, storage);
  release();
  await settle();
  assert.equal(parseProgress(load("puzzles", storage)).played, 11);
  const { isCounted, change, progress } = session.state();
  assert.deepEqual([isCounted, change, progress.played], [false, 0, 11]);
});
