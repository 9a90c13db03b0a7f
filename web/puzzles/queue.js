/**
 * A queue of puzzles that are requested ahead, so that a person waits as little as possible. The
 * puzzles come in the order of their numbers.
 */

/** @import { LoadedPuzzle } from "./source.js" */

/** The number of puzzles that are requested or ready at once. */
const QUEUE_LENGTH = 2;

/**
 * Creates a queue, which requests its first puzzles at once.
 *
 * @param {(number: number, signal: AbortSignal) => Promise<LoadedPuzzle>} request requests the
 *   puzzle of a number, from 0 on
 */
export function createPuzzleQueue(request) {
  const control = new AbortController();
  /** @type {Promise<LoadedPuzzle>[]} */
  const ahead = [];
  let requested = 0;

  function fill() {
    while (ahead.length < QUEUE_LENGTH && !control.signal.aborted) {
      const loading = request(requested, control.signal);
      // `next` reports the error.
      loading.catch(() => {});
      ahead.push(loading);
      requested += 1;
    }
  }
  fill();

  return {
    /** Returns the next puzzle, and requests another one when it is there. */
    async next() {
      const puzzle = await (ahead.shift() ?? request(requested++, control.signal));
      fill();
      return puzzle;
    },
    /** Aborts the requests. */
    close: () => control.abort(),
  };
}
