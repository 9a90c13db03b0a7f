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
 * @param {Engine} engine
 * @param {() => number} [random] returns a number from 0 to below 1
 */
export function createPuzzleSource(engine, random = Math.random) {
  /** @type {{ key: string, loading: Promise<LoadedPuzzle>, control: AbortController } | null} */
  let ahead = null;

  /** @param {PuzzleChoices} choices */
  const keyOf = ({ difficulty, rules, board }) => [difficulty, rules, board].join(" ");

  /**
   * @param {PuzzleChoices} choices
   * @param {number} ownRating
   * @param {AbortSignal} signal
   * @returns {Promise<LoadedPuzzle>}
   */
  async function load({ difficulty, rules, board }, ownRating, signal) {
    const limits = ratingLimits(difficulty, ownRating);
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const seed = Math.floor(random() * SEEDS);
      const { puzzle } = await engine.request(
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

  function cancel() {
    ahead?.control.abort();
    ahead = null;
  }

  return {
    cancel,

    /**
     * Requests a puzzle for the next call of `next` with these choices.
     *
     * @param {PuzzleChoices} choices
     * @param {number} ownRating
     */
    prefetch(choices, ownRating) {
      const key = keyOf(choices);
      if (ahead?.key !== key) {
        cancel();
        const control = new AbortController();
        const loading = load(choices, ownRating, control.signal);
        // `next` reports the error.
        loading.catch(() => {});
        ahead = { key, loading, control };
      }
    },

    /**
     * Returns a puzzle for these choices.
     *
     * @param {PuzzleChoices} choices
     * @param {number} ownRating
     * @returns {Promise<LoadedPuzzle>}
     */
    next(choices, ownRating) {
      this.prefetch(choices, ownRating);
      const loading = /** @type {NonNullable<typeof ahead>} */ (ahead).loading;
      const release = () => {
        ahead = ahead?.loading === loading ? null : ahead;
      };
      loading.then(release, release);
      return loading;
    },
  };
}
