import assert from "node:assert/strict";
import { test } from "node:test";

import { progressText, puzzleText, timeText, valueOf } from "../../../puzzles/descriptions.js";
import { createPuzzleQueue } from "../../../puzzles/queue.js";
import {
  DIFFICULTIES,
  MAX_RATING,
  MIN_RATING,
  parseProgress,
  progressAfter,
  ratingLimits,
} from "../../../puzzles/rating.js";
import { createPuzzleSource } from "../../../puzzles/source.js";
import { makePosition } from "../../positions.mjs";
import { PUZZLE } from "./puzzle.mjs";

/** @import { Engine } from "../../../types/app.d.ts" */
/** @import { LoadedPuzzle } from "../../../puzzles/source.js" */

test("the rating follows the formula of Elo, and a row of solved puzzles ends with a failure", () => {
  const start = parseProgress(null);
  assert.deepEqual(start, { rating: 1000, streak: 0, bestStreak: 0, solved: 0, played: 0 });
  const one = progressAfter(start, 1000, { isSolved: true });
  assert.deepEqual(one, { rating: 1010, streak: 1, bestStreak: 1, solved: 1, played: 1 });
  // The expectation against 1410 is 1/11.
  const two = progressAfter(one, 1410, { isSolved: true });
  assert.deepEqual(two, { rating: 1028, streak: 2, bestStreak: 2, solved: 2, played: 2 });
  const three = progressAfter(two, 1028, { isSolved: false });
  assert.deepEqual(three, { rating: 1018, streak: 0, bestStreak: 2, solved: 2, played: 3 });
  assert.equal(progressAfter({ ...start, rating: 0 }, 800, { isSolved: false }).rating, 0);
});

test("stored progress that is damaged is not used", () => {
  const progress = { rating: 1200, streak: 1, bestStreak: 2, solved: 3, played: 4 };
  assert.deepEqual(parseProgress(progress), progress);
  for (const wrong of [{ rating: "x" }, { streak: -1 }, { played: 1.5 }, { solved: null }]) {
    assert.equal(parseProgress({ ...progress, ...wrong }).rating, 1000);
  }
});

test("the limits of ratings are within those of the API", () => {
  for (const difficulty of DIFFICULTIES) {
    for (const own of [0, 800, 1234, 2400, 9999]) {
      const { min_rating: min, max_rating: max } = ratingLimits(difficulty, own);
      assert.ok(MIN_RATING <= min && min < max && max <= MAX_RATING, `${difficulty} ${own}`);
    }
  }
  assert.deepEqual(ratingLimits("adaptive", 1234), { min_rating: 1034, max_rating: 1434 });
});

/** Returns an engine whose puzzles are `null` for some seeds. @param {Set<number>} empty */
function fakeEngine(empty = new Set()) {
  /** @type {any[]} */
  const requests = [];
  const engine = /** @type {Engine} */ (
    /** @type {unknown} */ ({
      async request(/** @type {string} */ _endpoint, /** @type {any} */ body) {
        return { start: makePosition(), plies: body.moves };
      },
      async search(/** @type {string} */ endpoint, /** @type {any} */ body) {
        requests.push(body);
        const isEmpty = empty.has(requests.length);
        switch (endpoint) {
          case "check_puzzle":
            return isEmpty ? { puzzle: null, reason: "lost" } : { puzzle: PUZZLE, reason: null };
          default:
            return { puzzle: isEmpty ? null : { ...PUZZLE, rating: body.seed ?? body.day } };
        }
      },
    })
  );
  return { engine, requests };
}

const WISH = { rules: "cs32", board: "6x4", min_rating: 800, max_rating: 1100, min_moves: 2 };

test("the source tries seeds until there is a puzzle, and requests one ahead", async () => {
  const { engine, requests } = fakeEngine(new Set([1, 2]));
  let seed = 0;
  const source = createPuzzleSource(engine, () => (seed += 1) / 2 ** 32);
  const first = await source.next(WISH);
  assert.equal(first.puzzle.rating, 3);
  assert.deepEqual(requests[0], {
    rules: "cs32",
    position: "6x4",
    seed: 1,
    min_rating: 800,
    max_rating: 1100,
    min_moves: 2,
  });
  source.prefetch(WISH);
  source.prefetch(WISH);
  assert.equal((await source.next(WISH)).puzzle.rating, 4);
  assert.equal(requests.length, 4);
  // Another wish does not use the puzzle that was requested ahead.
  source.prefetch(WISH);
  const other = await source.next({ ...WISH, theme: "capture" });
  assert.equal(other.puzzle.rating, 6);
  assert.equal(requests.at(-1).theme, "capture");
});

test("the source gives up after a number of seeds without a puzzle", async () => {
  const { engine, requests } = fakeEngine(new Set(Array(1000).keys()));
  await assert.rejects(createPuzzleSource(engine).next(WISH), /No such puzzle was found/);
  assert.equal(requests.length, 30);
});

test("the source checks a position and loads the puzzle of a day", async () => {
  const { engine, requests } = fakeEngine(new Set([2, 4]));
  const source = createPuzzleSource(engine);
  const position = { rules: "cs32", position: "<2,0,0,2,2,2,2> s" };
  const checked = await source.check(position);
  assert.ok(typeof checked !== "string" && checked.puzzle === PUZZLE);
  assert.equal(await source.check(position), "lost");
  assert.equal((await source.daily(20_786)).puzzle.rating, 20_786);
  await assert.rejects(source.daily(1), /No such puzzle was found/);
  assert.deepEqual(requests, [position, position, { day: 20_786 }, { day: 1 }]);
});

test("the queue keeps two puzzles ahead, in order, until it is closed", async () => {
  /** @type {{ number: number, signal: AbortSignal, resolve: (loaded: any) => void }[]} */
  const requests = [];
  const queue = createPuzzleQueue(
    (number, signal) =>
      new Promise((resolve) => {
        requests.push({ number, signal, resolve });
      }),
  );
  assert.deepEqual(
    requests.map(({ number }) => number),
    [0, 1],
  );
  const first = queue.next();
  requests[1]?.resolve("second");
  assert.equal(requests.length, 2, "a puzzle that has not come is not requested again");
  requests[0]?.resolve("first");
  assert.equal(await first, "first");
  assert.equal(requests.length, 3);
  assert.equal(await queue.next(), "second");
  assert.equal(requests.length, 4);
  queue.close();
  assert.ok(requests[3]?.signal.aborted);
});

test("a message names the result to which a wrong move leads", () => {
  assert.equal(valueOf(PUZZLE, "A"), "win");
  assert.equal(valueOf(PUZZLE, "B"), "tie");
  assert.equal(valueOf(PUZZLE, "C"), "loss");
  assert.equal(valueOf(PUZZLE, "D"), null);
});

/** The state of a puzzle whose solution is A, then C. */
const state = {
  phase: /** @type {const} */ ("solving"),
  loaded: /** @type {LoadedPuzzle} */ ({ puzzle: PUZZLE, start: makePosition(), plies: [] }),
  found: 0,
  wrong: null,
  change: -12,
  isCounted: false,
  error: "",
  kind: null,
  run: null,
  progress: parseProgress(null),
};

test("the task, the tries and the solution are described", () => {
  /** @param {Partial<Parameters<typeof puzzleText>[0]>} change */
  const text = (change) => puzzleText({ ...state, ...change }, "letters");
  const one = { ...state.loaded, puzzle: { ...PUZZLE, to_find: [0] } };
  assert.equal(text({ loaded: one }), "South to move: find the only move that wins.");
  assert.equal(text({}), "South to move: find the only move that wins. There are 2 moves to find.");
  assert.equal(
    text({ wrong: "B", isCounted: true }),
    "B leads only to a draw. Try another move. Your rating: −12.",
  );
  assert.equal(text({ wrong: "C" }), "C loses. Try another move.");
  assert.equal(text({ found: 1 }), "Right. Find the next one, move 2 of 2.");
  assert.equal(text({ found: 1, wrong: "B" }), "B is not the solution. Try another move.");
  assert.equal(
    text({ loaded: one, phase: "solved", change: 9, isCounted: true }),
    "Solved: A is the only move. Your rating: +9.",
  );
  assert.equal(text({ phase: "solved" }), "Solved with A, C, each the only move.");
  assert.equal(text({ loaded: one, phase: "shown" }), "The solution is A.");
  assert.equal(text({ phase: "shown" }), "The solution is A, C.");
  assert.equal(text({ error: "No" }), "No");
  assert.match(text({ phase: "loading", kind: "link" }), /^Checking/);
});

test("the results of runs are described", () => {
  const run = { solved: 7, mistakes: 1, best: 9, isOver: true };
  const storm = { ...state, phase: /** @type {const} */ ("shown"), run: { ...run, kind: "storm" } };
  assert.equal(
    puzzleText(/** @type {any} */ (storm), "letters"),
    "The time is up. You have solved 7. Your best: 9.",
  );
  const streak = { ...storm, run: { ...run, kind: "streak", best: 6 } };
  assert.equal(
    puzzleText(/** @type {any} */ (streak), "letters"),
    "The solution is A, C. The streak is over. You have solved 7: your best result.",
  );
  assert.deepEqual([180_000, 61_000, 59_001, 0].map(timeText), ["3:00", "1:01", "1:00", "0:00"]);
});

test("rating and row are described", () => {
  assert.equal(progressText(parseProgress(null)), "Your rating begins at 1000 (an estimate).");
  assert.equal(
    progressText({ rating: 1010, streak: 1, bestStreak: 3, solved: 4, played: 6 }),
    "Your rating: 1010 (an estimate). In a row: 1, best 3. Solved on the first try: 4 of 6.",
  );
});
