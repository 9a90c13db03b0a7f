import assert from "node:assert/strict";
import { test } from "node:test";

import { progressText, puzzleText, valueOf } from "../../../puzzles/descriptions.js";
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

/** @import { Puzzle } from "../../../types/api.d.ts" */
/** @import { Engine } from "../../../types/app.d.ts" */
/** @import { LoadedPuzzle } from "../../../puzzles/source.js" */

const bounds = (/** @type {string} */ move, /** @type {number} */ margin) => ({
  move,
  lower: margin,
  upper: margin,
  exact: true,
});

/** @type {Puzzle} */
const PUZZLE = {
  position: "<2,0,0,2,2,2,2> s",
  rules: "cs32",
  to_move: "south",
  value: "win",
  solution: "A",
  margin: 2,
  lower: 2,
  upper: 2,
  exact: true,
  chances: { win: 1000, tie: 0, loss: 0 },
  rating: 1200,
  depth: 3,
  moves: /** @type {any[]} */ ([bounds("A", 2), bounds("B", 0), bounds("C", -4)]),
  line: ["A", "b"],
};

test("the rating follows the formula of Elo, and the streak ends with a failure", () => {
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
      async search(/** @type {string} */ _endpoint, /** @type {any} */ body) {
        requests.push(body);
        return { puzzle: empty.has(requests.length) ? null : { ...PUZZLE, rating: body.seed } };
      },
    })
  );
  return { engine, requests };
}

const CHOICES = /** @type {const} */ ({ difficulty: "easy", rules: "cs32", board: "6x4" });

test("the source tries seeds until there is a puzzle, and requests one ahead", async () => {
  const { engine, requests } = fakeEngine(new Set([1, 2]));
  let seed = 0;
  const source = createPuzzleSource(engine, () => (seed += 1) / 2 ** 32);
  const first = await source.next(CHOICES, 1000);
  assert.equal(first.puzzle.rating, 3);
  assert.deepEqual(requests[0], {
    rules: "cs32",
    position: "6x4",
    seed: 1,
    min_rating: 800,
    max_rating: 1100,
  });
  source.prefetch(CHOICES, 1000);
  source.prefetch(CHOICES, 1000);
  assert.equal((await source.next(CHOICES, 1000)).puzzle.rating, 4);
  assert.equal(requests.length, 4);
  // Other choices do not use the puzzle that was requested ahead.
  source.prefetch(CHOICES, 1000);
  const other = await source.next({ ...CHOICES, board: "4x3" }, 1000);
  assert.equal(other.puzzle.rating, 6);
});

test("the source gives up after a number of seeds without a puzzle", async () => {
  const { engine, requests } = fakeEngine(new Set(Array(1000).keys()));
  await assert.rejects(createPuzzleSource(engine).next(CHOICES, 1000), /No such puzzle was found/);
  assert.equal(requests.length, 30);
});

test("a message names the result to which a wrong move leads", () => {
  assert.equal(valueOf(PUZZLE, "A"), "win");
  assert.equal(valueOf(PUZZLE, "B"), "tie");
  assert.equal(valueOf(PUZZLE, "C"), "loss");
  assert.equal(valueOf(PUZZLE, "D"), null);
  const loaded = /** @type {LoadedPuzzle} */ ({ puzzle: PUZZLE, start: makePosition(), plies: [] });
  const state = /** @type {const} */ ({
    phase: "solving",
    loaded,
    wrong: null,
    change: -12,
    isCounted: false,
    error: "",
  });
  assert.equal(puzzleText(state, "letters"), "South to move: find the only move that wins.");
  assert.equal(
    puzzleText({ ...state, wrong: "B", isCounted: true }, "letters"),
    "B leads only to a draw. Try another move. Your rating: −12.",
  );
  assert.equal(puzzleText({ ...state, wrong: "C" }, "letters"), "C loses. Try another move.");
  assert.equal(
    puzzleText({ ...state, phase: "solved", change: 9, isCounted: true }, "letters"),
    "Solved: A is the only move. Your rating: +9.",
  );
  assert.equal(puzzleText({ ...state, phase: "shown" }, "letters"), "The solution is A.");
  assert.equal(puzzleText({ ...state, error: "No" }, "letters"), "No");
});

test("rating and streak are described", () => {
  assert.equal(progressText(parseProgress(null)), "Your rating begins at 1000 (an estimate).");
  assert.equal(
    progressText({ rating: 1010, streak: 1, bestStreak: 3, solved: 4, played: 6 }),
    "Your rating: 1010 (an estimate). Streak: 1, best 3. Solved on the first try: 4 of 6.",
  );
});
