/** The source of puzzles: requests them from the engine, one ahead. */

import { texts } from "../texts/texts.js";
import { ratingLimits } from "./rating.js";

/** @import { MoveResult, Position, Puzzle } from "../types/api.d.ts" */
/** @import { Engine } from "../types/app.d.ts" */
/** @import { Difficulty } from "./rating.js" */

/**
 * The number of seeds that are tried for a puzzle. On 6x6 more than half of the seeds have no
 * difficult puzzle.
 */
const MAX_TRIES = 30;

/** The number of different seeds. */
const SEEDS = 2 ** 32;

/** @typedef {{ difficulty: Difficulty, rules: string, board: string }} PuzzleChoices */

/** @typedef {{ puzzle: Puzzle, start: Position, plies: MoveResult[] }} LoadedPuzzle */

/**
 * The source, and the puzzle that it has requested ahead.
 *
 * @typedef {object} Source
 * @property {Engine} engine
 * @property {() => number} random
 * @property {{ key: string, loading: Promise<LoadedPuzzle>, control: AbortController } | null} ahead
 */

/** @param {PuzzleChoices} choices */
const keyOf = ({ difficulty, rules, board }) => [difficulty, rules, board].join(" ");

/**
 * @param {Source} source
 * @param {PuzzleChoices} choices
 * @param {{ ownRating: number, signal: AbortSignal }} options
 * @returns {Promise<LoadedPuzzle>}
 */
async function load({ engine, random }, { difficulty, rules, board }, { ownRating, signal }) {
  const limits = ratingLimits(difficulty, ownRating);
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const seed = Math.floor(random() * SEEDS);
    const { puzzle } = await engine.search(
      "puzzle",
      { rules, position: board, seed, ...limits },
      signal,
    );
    if (puzzle) {
      const { rules: own, position, line: moves } = puzzle;
      const request = { rules: own, position, moves };
      return { puzzle, ...(await engine.request("play", request, signal)) };
    }
  }
  throw new Error(texts.puzzles.notFound);
}

/**
 * Returns the puzzle that is requested ahead for these choices, and requests it if necessary.
 *
 * @param {Source} source
 * @param {PuzzleChoices} choices
 * @param {number} ownRating
 * @returns {Promise<LoadedPuzzle>}
 */
function prefetch(source, choices, ownRating) {
  const key = keyOf(choices);
  if (source.ahead?.key === key) {
    return source.ahead.loading;
  }
  source.ahead?.control.abort();
  const control = new AbortController();
  const loading = load(source, choices, { ownRating, signal: control.signal });
  // `next` reports the error.
  loading.catch(() => {});
  source.ahead = { key, loading, control };
  return loading;
}

/**
 * @param {Engine} engine
 * @param {() => number} [random] returns a number from 0 to below 1
 */
export function createPuzzleSource(engine, random = Math.random) {
  /** @type {Source} */
  const source = { engine, random, ahead: null };
  return {
    /**
     * Requests a puzzle for the next call of `next` with these choices.
     *
     * @param {PuzzleChoices} choices
     * @param {number} ownRating
     */
    prefetch: (choices, ownRating) => void prefetch(source, choices, ownRating),

    /**
     * Returns a puzzle for these choices.
     *
     * @param {PuzzleChoices} choices
     * @param {number} ownRating
     * @returns {Promise<LoadedPuzzle>}
     */
    next(choices, ownRating) {
      const loading = prefetch(source, choices, ownRating);
      const release = () => {
        source.ahead = source.ahead?.loading === loading ? null : source.ahead;
      };
      loading.then(release, release);
      return loading;
    },
  };
}
