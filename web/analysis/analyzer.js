/** Asks the engine about positions with more and more time, and remembers what was proven of each. */

import { EngineError } from "../engine/errors.js";

/** @import { Analysis, Bounds } from "../types/api.d.ts" */
/** @import { Engine } from "../types/app.d.ts" */

/** What one position is: its canonical texts. @typedef {{ rules: string, position: string }} Place */

/** Positions that are remembered, of some kilobytes each. */
const REMEMBERED = 2_000;

/** How long to wait before a question that was turned away is asked again, in milliseconds. */
const PAUSES_MS = [1_000, 3_000, 9_000];

/**
 * Whether there is nothing left to prove of a position.
 *
 * @param {Analysis} analysis
 */
export const isProven = ({ exact, moves }) => exact && moves.every((move) => move.exact);

/**
 * What two analyses of one position tell together: the estimates of the later one within the bounds of both.
 *
 * @param {Analysis | undefined} earlier
 * @param {Analysis} later
 * @returns {Analysis}
 */
export function merge(earlier, later) {
  if (!earlier) {
    return later;
  }
  const known = new Map(earlier.moves.map((move) => [move.choice, move]));
  const moves = later.moves.map((move) => ({ ...move, ...narrowed(move, known.get(move.choice)) }));
  const bounds = narrowed(later, earlier);
  const margin = Math.min(Math.max(later.margin, bounds.lower), bounds.upper);
  // A proof is not given up for an estimate, nor the line that goes with it.
  const { best, line } = earlier.exact && !later.exact ? earlier : later;
  return { ...later, ...bounds, margin, best, line, moves };
}

/**
 * Bounds by both; by the first alone if they contradict each other, which proofs never do.
 *
 * @param {Bounds} one
 * @param {Bounds | undefined} two
 * @returns {Bounds}
 */
function narrowed(one, two) {
  const lower = Math.max(one.lower, two?.lower ?? one.lower);
  const upper = Math.min(one.upper, two?.upper ?? one.upper);
  return lower <= upper
    ? { lower, upper, exact: lower === upper }
    : { lower: one.lower, upper: one.upper, exact: one.exact };
}

/**
 * Waits, unless it is called off.
 *
 * @param {number} milliseconds
 * @param {AbortSignal} signal
 * @returns {Promise<void>}
 */
function pause(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    signal.addEventListener("abort", stop, { once: true });
  });
}

/**
 * An analyst without anything in mind.
 *
 * @param {Engine} engine
 * @param {{ pausesMs?: number[] }} [options] how long to wait each time that a question is turned away
 */
export function createAnalyst(engine, { pausesMs = PAUSES_MS } = {}) {
  /** The least recently used first. @type {Map<string, { analysis: Analysis, seconds: number }>} */
  const memory = new Map();

  /** @param {Place} place */
  const keyOf = ({ rules, position }) => `${rules} ${position}`;

  /** @param {Place} place */
  const recall = (place) => {
    const key = keyOf(place);
    const found = memory.get(key);
    if (found) {
      memory.delete(key);
      memory.set(key, found);
    }
    return found;
  };

  /**
   * @param {Place} place
   * @param {number} seconds
   * @param {AbortSignal} signal
   */
  const ask = async ({ rules, position }, seconds, signal) => {
    for (const wait of [...pausesMs, null]) {
      try {
        return await engine.ask("analyse", { rules, position, time: `${seconds * 1000}ms`, moves: "all" }, signal);
      } catch (error) {
        if (wait === null || !(error instanceof EngineError && error.passing)) {
          throw error;
        }
        await pause(wait, signal);
      }
    }
    throw new Error("unreachable: the last try either answers or throws");
  };

  return {
    /**
     * What is known of a position already.
     *
     * @param {Place} place
     */
    known: (place) => recall(place)?.analysis ?? null,

    /**
     * Looks into a position, each time for longer, until all of it is proven or the last of the times is over. What was
     * asked before for as long is not asked again.
     *
     * @param {Place} place
     * @param {number[]} times in seconds, growing
     * @param {AbortSignal} signal calls it off
     * @param {(analysis: Analysis) => void} onFound hears of what is known at once, and of what is found
     * @returns {Promise<Analysis | null>} all that is known in the end
     */
    async analyse(place, times, signal, onFound) {
      let found = recall(place);
      if (found) {
        onFound(found.analysis);
      }
      for (const seconds of times) {
        if (found && (isProven(found.analysis) || found.seconds >= seconds)) {
          continue;
        }
        const answer = await ask(place, seconds, signal);
        signal.throwIfAborted();
        found = { analysis: merge(found?.analysis, answer), seconds };
        memory.set(keyOf(place), found);
        const oldest = memory.keys().next();
        if (memory.size > REMEMBERED && !oldest.done) {
          memory.delete(oldest.value);
        }
        onFound(found.analysis);
      }
      return found?.analysis ?? null;
    },
  };
}

/** @typedef {ReturnType<typeof createAnalyst>} Analyst */
