import assert from "node:assert/strict";
import { test } from "node:test";

import { createStore, initialState } from "../../../game/store.js";
import { newTree } from "../../../game/tree.js";
import { parseProgress } from "../../../puzzles/rating.js";
import { createPuzzleSession } from "../../../puzzles/session.js";
import { load, save } from "../../../storage/values.js";
import { makePosition } from "../../positions.mjs";
import { holdLock, memory, sharedLocks } from "../storage/storages.mjs";
import { PUZZLE } from "./puzzle.mjs";

/** @import { Activity } from "../../../puzzles/session.js" */

/** The progress that another tab has stored. */
const OTHERS = { rating: 1200, streak: 3, bestStreak: 4, solved: 7, played: 10 };

/** The number of timers, one after another, that run in `settle`. */
const TIMERS = 12;

/** Lets promises, subscribers and timers without a delay run, in their order. */
async function settle() {
  for (let count = 0; count < TIMERS; count += 1) {
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
}

/**
 * Creates a session.
 *
 * @param {{ toFind: number[], storageOptions: { storage: Storage,
 *   locks: Pick<LockManager, "request"> | null, page: EventTarget } }} options
 */
function makeSession({ toFind, storageOptions }) {
  const store = createStore(initialState());
  /** @type {import("../../../types/app.d.ts").Mode | undefined} */
  let mode;
  /** The moves that the page has played, and `!` for a wrong try. @type {string[]} */
  const played = [];
  const start = makePosition();
  /** Changes the depth of the game. @param {number} by */
  const deepen = (by) => {
    const tree = store.get().tree ?? newTree(start);
    store.update({ tree: { ...tree, depth: tree.depth + by } });
  };
  /** @type {any} */
  const app = {
    state: store.get,
    subscribe: store.subscribe,
    registerMode: (/** @type {string} */ _, /** @type {any} */ registered) => (mode = registered),
    actions: {
      setAnalysisLock() {},
      refresh: () => store.update({}),
      enterMode: (/** @type {string} */ name, /** @type {any} */ tree) =>
        store.update({ mode: name, tree }),
      applyMove(/** @type {any} */ { move }) {
        played.push(move);
        deepen(1);
      },
      async makeMove() {
        played.push("!");
        deepen(1);
        return true;
      },
      editTree: (/** @type {any} */ change) => store.update({ tree: change(store.get().tree) }),
    },
  };
  /** @type {any} */
  const loaded = {
    puzzle: { ...PUZZLE, to_find: toFind, rating: 1000 },
    start,
    plies: PUZZLE.line.map((move) => ({ move })),
  };
  /** @type {boolean[]} */
  const results = [];
  /** @type {Activity} */
  const activity = {
    kind: "next",
    load: async () => ({ ...loaded }),
    onEnd: ({ isSolved }) => void results.push(isSolved),
    isRated: true,
  };
  const session = createPuzzleSession(app, {
    source: /** @type {any} */ ({}),
    pauseMs: 0,
    storageOptions,
  });
  return {
    session,
    activity,
    played,
    results,
    solve: () => mode?.requestMove?.("A"),
    request: (/** @type {string} */ move) => mode?.requestMove?.(move),
    canMove: () => mode?.canMove?.(store.get()) ?? false,
    leave: () => store.update({ mode: "play" }),
  };
}

const alone = () => ({ storage: memory(), locks: null, page: new EventTarget() });

test("a solved puzzle is counted in addition to those of another tab", async () => {
  const storageOptions = alone();
  const { storage, page } = storageOptions;
  const { session, activity, solve } = makeSession({ toFind: [0], storageOptions });
  save("puzzles", OTHERS, storage);
  await session.begin(activity);
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
  const { session, activity, solve } = makeSession({
    toFind: [0],
    storageOptions: { storage, locks, page: new EventTarget() },
  });
  const release = holdLock(locks, "kalah.puzzles");
  await session.begin(activity);
  solve();
  await session.next();
  save("puzzles", OTHERS, storage);
  release();
  await settle();
  assert.equal(parseProgress(load("puzzles", storage)).played, 11);
  const { isCounted, change, progress } = session.state();
  assert.deepEqual([isCounted, change, progress.played], [false, 0, 11]);
});

test("the opponent answers each move but the last one, and the line follows the solution", async () => {
  const storageOptions = alone();
  const parts = makeSession({ toFind: [0, 2], storageOptions });
  await parts.session.begin(parts.activity);
  await settle();
  parts.request("C");
  await settle();
  assert.deepEqual([parts.played, parts.session.state().wrong], [["!"], "C"]);
  assert.ok(parts.canMove(), "a wrong try is taken back");
  parts.request("A");
  assert.ok(!parts.canMove(), "the opponent is to move");
  await settle();
  assert.deepEqual(parts.played, ["!", "A", "b"]);
  assert.ok(parts.canMove());
  parts.request("A");
  await settle();
  assert.equal(parts.session.state().wrong, "A");
  parts.request("C");
  await settle();
  assert.deepEqual(parts.played, ["!", "A", "b", "!", "C", "a"]);
  assert.deepEqual([parts.session.state().phase, parts.results], ["solved", [true]]);
  // The first wrong try has counted.
  const { played, solved } = parseProgress(load("puzzles", storageOptions.storage));
  assert.deepEqual([played, solved], [1, 0]);
});

test("giving up shows the rest of the line", async () => {
  const parts = makeSession({ toFind: [0, 2], storageOptions: alone() });
  await parts.session.begin(parts.activity);
  parts.request("A");
  await settle();
  parts.session.giveUp();
  await settle();
  assert.deepEqual(parts.played, ["A", "b", "C", "a"]);
  assert.deepEqual([parts.session.state().phase, parts.results], ["shown", [false]]);
});

test("a run goes on after a solved puzzle and ends with a mistake", async () => {
  const parts = makeSession({ toFind: [0], storageOptions: alone() });
  const run = { kind: /** @type {const} */ ("streak"), solved: 0, mistakes: 0, best: 0 };
  let isOver = false;
  let loads = 0;
  const { load: loadPuzzle } = parts.activity;
  await parts.session.begin({
    ...parts.activity,
    kind: "streak",
    load: (progress) => {
      loads += 1;
      return loadPuzzle(progress);
    },
    onEnd: ({ isSolved }) => (isOver = !isSolved),
    run: () => ({ ...run, isOver }),
  });
  await settle();
  parts.request("A");
  await settle();
  assert.deepEqual([loads, parts.session.state().phase, parts.played], [2, "solving", ["A"]]);
  parts.request("B");
  await settle();
  const { phase, run: state } = parts.session.state();
  assert.deepEqual([loads, phase, state?.isOver], [2, "shown", true]);
  // The solution is shown, without the wrong move.
  assert.deepEqual(parts.played, ["A", ...PUZZLE.line]);
});

test("another game ends the activity", async () => {
  const parts = makeSession({ toFind: [0], storageOptions: alone() });
  let isClosed = false;
  await parts.session.begin({ ...parts.activity, close: () => (isClosed = true) });
  await settle();
  parts.leave();
  await settle();
  assert.ok(isClosed);
  const { phase, loaded, kind } = parts.session.state();
  assert.deepEqual([phase, loaded, kind], ["none", null, null]);
});
