/** Runs of puzzles that get harder: a streak, until the first mistake, and a storm, against time. */

import { changeStored, load } from "../storage/values.js";
import { MAX_RATING, MIN_RATING } from "./rating.js";

/** @import { ChangeOptions } from "../storage/values.js" */

/** @typedef {"streak" | "storm"} RunKind */

/**
 * A run and its results.
 *
 * @typedef {object} Run
 * @property {RunKind} kind
 * @property {number} solved the number of solved puzzles
 * @property {number} mistakes
 * @property {number} best the most puzzles that a run of the kind has solved before
 * @property {boolean} isOver
 */

/** The duration of a storm, in milliseconds. */
export const STORM_MS = 3 * 60 * 1_000;

/** The time that a mistake in a storm costs, in milliseconds. */
export const STORM_PENALTY_MS = 10 * 1_000;

/** The width of the range of ratings of a puzzle in a run. */
const RATING_RANGE = 200;

/** The growth of the ratings from one puzzle of a run to the next. */
const RATING_STEPS = { streak: 60, storm: 30 };

/** The greatest lower limit of the ratings: harder puzzles are rare. */
const MAX_LOWER_RATING = 1_900;

/** The name of the stored results. */
const NAME = "puzzle-runs";

/**
 * Returns the limits of the rating of a puzzle in a run.
 *
 * @param {RunKind} kind
 * @param {number} number the number of the puzzle, from 0 on
 */
export function runLimits(kind, number) {
  const lower = Math.min(MIN_RATING + number * RATING_STEPS[kind], MAX_LOWER_RATING);
  const upper = lower === MAX_LOWER_RATING ? MAX_RATING : lower + RATING_RANGE;
  return { min_rating: lower, max_rating: upper };
}

/**
 * Returns stored results; 0 for those that are not valid.
 *
 * @param {unknown} stored
 * @returns {Record<RunKind, number>}
 */
export function parseBest(stored) {
  const values = /** @type {Record<string, unknown>} */ (stored ?? {});
  const number = (/** @type {unknown} */ value) =>
    Number.isSafeInteger(value) && Number(value) > 0 ? Number(value) : 0;
  return { streak: number(values["streak"]), storm: number(values["storm"]) };
}

/** Returns the best results. @param {ChangeOptions} [options] */
export const storedBest = ({ storage } = {}) => parseBest(load(NAME, storage));

/** Starts a run. @param {RunKind} kind @param {ChangeOptions} [options] @returns {Run} */
export const newRun = (kind, options) => ({
  kind,
  solved: 0,
  mistakes: 0,
  best: storedBest(options)[kind],
  isOver: false,
});

/**
 * Returns a run after a puzzle. A mistake ends a streak.
 *
 * @param {Run} run
 * @param {{ isSolved: boolean }} result
 * @returns {Run}
 */
export const runAfter = (run, { isSolved }) => ({
  ...run,
  solved: run.solved + Number(isSolved),
  mistakes: run.mistakes + Number(!isSolved),
  isOver: run.isOver || (run.kind === "streak" && !isSolved),
});

/** Stores the result of a run if it is the best one. @param {Run} run @param {ChangeOptions} [options] */
export const storeRun = ({ kind, solved }, options) =>
  changeStored(
    NAME,
    (stored) => {
      const best = parseBest(stored);
      return { ...best, [kind]: Math.max(best[kind], solved) };
    },
    options,
  );
