/** The rating of the person who solves puzzles, the streak, and the difficulty of puzzles. */

/**
 * The least and the greatest rating of a puzzle, as `docs/analysis.md` describes.
 */
export const MIN_RATING = 800;
export const MAX_RATING = 2400;

/** The rating before the first puzzle, near the median of the puzzles of 6x4. */
const FIRST_RATING = 1000;

/** The greatest change of the rating by one puzzle. */
const K_FACTOR = 20;

/** The difference in rating at which the better side is expected to have ten times the score. */
const TENFOLD_DIFFERENCE = 400;

/** The distance of the limits of adaptive puzzles from the person's rating. */
const ADAPTIVE_RANGE = 200;

/** @typedef {"adaptive" | "easy" | "medium" | "hard" | "expert"} Difficulty */

/** The limits of the ratings of each fixed difficulty. */
const LIMITS = /** @type {const} */ ({
  easy: [MIN_RATING, 1100],
  medium: [1100, 1500],
  hard: [1500, 1900],
  expert: [1900, MAX_RATING],
});

/** @type {readonly Difficulty[]} */
export const DIFFICULTIES = ["adaptive", "easy", "medium", "hard", "expert"];

/**
 * The counts of solved puzzles that the page keeps.
 *
 * @typedef {object} Progress
 * @property {number} rating
 * @property {number} streak the number of last puzzles that were solved at the first try
 * @property {number} bestStreak
 * @property {number} solved the number of puzzles that were solved at the first try
 * @property {number} played
 */

/** @type {Readonly<Progress>} */
const NO_PROGRESS = { rating: FIRST_RATING, streak: 0, bestStreak: 0, solved: 0, played: 0 };

/**
 * Returns a stored value as progress; the beginning if it is not valid.
 *
 * @param {unknown} stored
 * @returns {Progress}
 */
export function parseProgress(stored) {
  const values = /** @type {Record<string, unknown>} */ (
    typeof stored === "object" && stored !== null ? stored : {}
  );
  const isValid = Object.keys(NO_PROGRESS).every(
    (key) => Number.isSafeInteger(values[key]) && Number(values[key]) >= 0,
  );
  return isValid ? /** @type {Progress} */ (stored) : NO_PROGRESS;
}

/**
 * Returns the progress after a puzzle. The rating changes by the formula of Elo: by
 * `20 × (result − expectation)` with the result 1 or 0 and the expectation
 * `1 ÷ (1 + 10^((puzzle − own) ÷ 400))`. It is an estimate, because the ratings of puzzles are
 * computed and not measured.
 *
 * @param {Progress} before
 * @param {number} puzzleRating
 * @param {{ isSolved: boolean }} options whether the first try was right
 * @returns {Progress}
 */
export function progressAfter(before, puzzleRating, { isSolved }) {
  const expectation = 1 / (1 + 10 ** ((puzzleRating - before.rating) / TENFOLD_DIFFERENCE));
  const streak = isSolved ? before.streak + 1 : 0;
  return {
    rating: Math.max(0, Math.round(before.rating + K_FACTOR * (Number(isSolved) - expectation))),
    streak,
    bestStreak: Math.max(before.bestStreak, streak),
    solved: before.solved + Number(isSolved),
    played: before.played + 1,
  };
}

/**
 * Returns the limits of the ratings of puzzles.
 *
 * @param {Difficulty} difficulty
 * @param {number} own the person's rating
 * @returns {{ min_rating: number, max_rating: number }}
 */
export function ratingLimits(difficulty, own) {
  if (difficulty === "adaptive") {
    const centre = Math.min(
      Math.max(own, MIN_RATING + ADAPTIVE_RANGE),
      MAX_RATING - ADAPTIVE_RANGE,
    );
    return { min_rating: centre - ADAPTIVE_RANGE, max_rating: centre + ADAPTIVE_RANGE };
  }
  const [min, max] = LIMITS[difficulty];
  return { min_rating: min, max_rating: max };
}
