import assert from "node:assert/strict";
import { test } from "node:test";

import { exerciseAfter } from "../../../lesson/course.js";
import { COURSE } from "../../../lesson/exercises.js";
import {
  costOf,
  nextExercise,
  parseSolved,
  solutions,
  solvedCount,
} from "../../../lesson/judge.js";
import { de } from "../../../texts/de.js";
import { en } from "../../../texts/en.js";

/** @import { AnalyzeResponse } from "../../../types/api.d.ts" */

/** Returns an analysis with these bounds. @param {Record<string, [number, number]>} bounds */
const analysis = (bounds) => ({
  moves: /** @type {AnalyzeResponse["moves"]} */ (
    /** @type {unknown} */ (
      Object.entries(bounds).map(([move, [lower, upper]]) => ({ move, lower, upper }))
    )
  ),
});

test("moves solve an exercise if they are proven to reach its goal", () => {
  const exact = analysis({ A: [4, 4], B: [-2, -2], C: [4, 4], D: [2, 2] });
  assert.deepEqual(solutions("best", exact), ["A", "C"]);
  assert.deepEqual(solutions("win", exact), ["A", "C", "D"]);
  assert.deepEqual([costOf(exact, "A"), costOf(exact, "B"), costOf(exact, "D")], [0, 6, 2]);
  // A move without exact bounds solves no exercise for the best move, and costs the least proven.
  const open = analysis({ A: [-2, 6], B: [2, 4], C: [-6, 0] });
  assert.deepEqual(solutions("best", open), []);
  assert.deepEqual(solutions("win", open), ["B"]);
  assert.deepEqual([costOf(open, "A"), costOf(open, "B"), costOf(open, "C")], [0, 0, 2]);
});

test("stored progress keeps the ids of known exercises", () => {
  const stored = ["captures-1", "captures-3", "captures-9", "nothing", 7, null];
  const solved = parseSolved(stored);
  assert.deepEqual([...solved], ["captures-1", "captures-3"]);
  for (const damaged of [null, 3, "captures-1", { 0: "captures-1" }]) {
    assert.equal(parseSolved(damaged).size, 0);
  }
  const captures = COURSE.find(({ name }) => name === "captures");
  assert.ok(captures);
  assert.equal(solvedCount(captures, solved), 2);
  assert.equal(nextExercise(captures, solved), 1);
  const all = new Set(captures.positions.map((_, index) => `captures-${index + 1}`));
  assert.equal(nextExercise(captures, all), 0);
});

test("the exercises follow each other to the end of the course", () => {
  let at = exerciseAfter({ lesson: /** @type {any} */ (COURSE[0]), index: 0 });
  let count = 1;
  while (at) {
    count += 1;
    at = exerciseAfter(at);
  }
  assert.equal(
    count,
    COURSE.reduce((sum, { positions }) => sum + positions.length, 0),
  );
});

test("each lesson has three or four exercises, and a text in both languages", () => {
  assert.equal(COURSE.length, 6);
  for (const { name, positions } of COURSE) {
    assert.ok(positions.length === 3 || positions.length === 4, name);
    for (const { course } of [en, de]) {
      assert.ok(course.lessons[name].text.split(". ").length <= 3, name);
    }
  }
});
