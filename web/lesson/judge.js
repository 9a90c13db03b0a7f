/** The judgement on a move of an exercise, and the progress through the course. */

import { COURSE, exerciseId } from "./exercises.js";

/** @import { AnalyzeResponse, Move } from "../types/api.d.ts" */
/** @import { CourseLesson, Goal } from "./exercises.js" */

/**
 * Returns the moves that are proven to reach a goal, in the order of the analysis.
 *
 * @param {Goal} goal
 * @param {Pick<AnalyzeResponse, "moves">} analysis
 * @returns {Move[]}
 */
export function solutions(goal, { moves }) {
  const reaches = {
    best: (/** @type {AnalyzeResponse["moves"][number]} */ tried) =>
      moves.every(({ upper }) => upper <= tried.lower),
    win: (/** @type {AnalyzeResponse["moves"][number]} */ tried) => tried.lower > 0,
  };
  return moves.filter(reaches[goal]).map(({ move }) => move);
}

/**
 * Returns the least number of seeds that a move is proven to cost.
 *
 * @param {Pick<AnalyzeResponse, "moves">} analysis
 * @param {Move} tried
 */
export function costOf({ moves }, tried) {
  const best = Math.max(...moves.map(({ lower }) => lower));
  const upper = moves.find(({ move }) => move === tried)?.upper ?? best;
  return Math.max(0, best - upper);
}

/** The ids of all exercises. */
const IDS = new Set(
  COURSE.flatMap((lesson) => lesson.positions.map((_, index) => exerciseId(lesson, index))),
);

/**
 * Returns the solved exercises of a stored value, which may be damaged.
 *
 * @param {unknown} stored
 * @returns {ReadonlySet<string>}
 */
export function parseSolved(stored) {
  const ids = Array.isArray(stored) ? stored : [];
  return new Set(ids.filter((id) => IDS.has(id)));
}

/**
 * Returns the number of solved exercises of a lesson.
 *
 * @param {CourseLesson} lesson
 * @param {ReadonlySet<string>} solved
 */
export const solvedCount = (lesson, solved) =>
  lesson.positions.filter((_, index) => solved.has(exerciseId(lesson, index))).length;

/**
 * Returns the exercise with which a person goes on in a lesson: the first one that is not solved, or
 * else the first one.
 *
 * @param {CourseLesson} lesson
 * @param {ReadonlySet<string>} solved
 */
export const nextExercise = (lesson, solved) =>
  Math.max(
    0,
    lesson.positions.findIndex((_, index) => !solved.has(exerciseId(lesson, index))),
  );
