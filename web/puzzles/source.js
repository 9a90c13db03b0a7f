/** The source of puzzles: requests them from the engine, some of them ahead, and checks positions. */

import { texts } from "../texts/texts.js";

/** @import { MoveResult, NoPuzzle, Position, Puzzle, PuzzleTheme } from "../types/api.d.ts" */
/** @import { Engine } from "../types/app.d.ts" */
/** @import { LinkedPuzzle } from "../records/link.js" */

/**
 * The number of seeds that are tried for a puzzle. On 6x6 more than half of the seeds have no
 * difficult puzzle, and most seeds have none with a rare theme.
 */
const MAX_TRIES = 30;

/** The number of different seeds. */
const SEEDS = 2 ** 32;

/**
 * The properties of a puzzle that is requested.
 *
 * @typedef {object} PuzzleWish
 * @property {string} rules
 * @property {string} board
 * @property {number} min_rating
 * @property {number} max_rating
 * @property {PuzzleTheme | null} [theme] `null` for any
 * @property {number} [min_moves] the least number of moves to find
 */

/** @typedef {{ puzzle: Puzzle, start: Position, plies: MoveResult[] }} LoadedPuzzle */

/**
 * The source, and the puzzle that it has requested ahead.
 *
 * @typedef {object} Source
 * @property {Engine} engine
 * @property {() => number} random
 * @property {{ key: string, loading: Promise<LoadedPuzzle>, control: AbortController } | null} ahead
 */

/**
 * Loads the position and the plies of a puzzle.
 *
 * @param {Engine} engine
 * @param {Puzzle} puzzle
 * @param {AbortSignal} [signal]
 * @returns {Promise<LoadedPuzzle>}
 */
async function withPlies(engine, puzzle, signal) {
  const { rules, position, line: moves } = puzzle;
  return { puzzle, ...(await engine.request("play", { rules, position, moves }, signal)) };
}

/**
 * @param {Source} source
 * @param {PuzzleWish} wish
 * @param {AbortSignal} [signal]
 * @returns {Promise<LoadedPuzzle>}
 */
async function load({ engine, random }, { board, ...wish }, signal) {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const seed = Math.floor(random() * SEEDS);
    const { puzzle } = await engine.search("puzzle", { position: board, seed, ...wish }, signal);
    if (puzzle) {
      return withPlies(engine, puzzle, signal);
    }
  }
  throw new Error(texts.puzzles.notFound);
}

/**
 * Returns the puzzle that is requested ahead for a wish, and requests it if necessary.
 *
 * @param {Source} source
 * @param {PuzzleWish} wish
 * @returns {Promise<LoadedPuzzle>}
 */
function prefetch(source, wish) {
  const key = JSON.stringify(wish);
  if (source.ahead?.key === key) {
    return source.ahead.loading;
  }
  source.ahead?.control.abort();
  const control = new AbortController();
  const loading = load(source, wish, control.signal);
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
    /** Requests a puzzle for the next call of `next` with this wish. @param {PuzzleWish} wish */
    prefetch: (wish) => void prefetch(source, wish),

    /** Returns a puzzle, that one which is requested ahead if there is one. @param {PuzzleWish} wish */
    next(wish) {
      const loading = prefetch(source, wish);
      const release = () => {
        source.ahead = source.ahead?.loading === loading ? null : source.ahead;
      };
      loading.then(release, release);
      return loading;
    },

    /** Returns a new puzzle. @param {PuzzleWish} wish @param {AbortSignal} signal */
    request: (wish, signal) => load(source, wish, signal),

    /** Returns the puzzle of a day, counted in UTC from 1970-01-01. @param {number} day */
    async daily(day) {
      const { puzzle } = await engine.search("daily_puzzle", { day });
      if (!puzzle) {
        throw new Error(texts.puzzles.notFound);
      }
      return withPlies(engine, puzzle);
    },

    /**
     * Checks a position and returns its puzzle, or the reason why it is none.
     *
     * @param {LinkedPuzzle} position
     * @returns {Promise<LoadedPuzzle | NoPuzzle>}
     */
    async check({ rules, position }) {
      const { puzzle, reason } = await engine.search("check_puzzle", { rules, position });
      return puzzle ? withPlies(engine, puzzle) : (reason ?? "not-proven");
    },
  };
}

/** @typedef {ReturnType<typeof createPuzzleSource>} PuzzleSource */
