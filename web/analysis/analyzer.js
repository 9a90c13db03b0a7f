/** Asks the engine about positions with more and more time, and remembers what was proven of each. */

import { EngineError } from "../engine/errors.js";

/** @import { Analysis, Bounds } from "../types/api.d.ts" */
/** @import { Engine } from "../types/app.d.ts" */

/** What one position is: its canonical texts. @typedef {{ rules: string, position: string }} PositionKey */

/** Positions that are remembered, of some kilobytes each. */
const MAX_CACHED_POSITIONS = 2_000;

/** How long to wait before a question that was turned away is asked again, in milliseconds. */
const RETRY_DELAYS_MS = [1_000, 3_000, 9_000];

/**
 * Whether there is nothing left to prove of a position.
 *
 * @param {Analysis} analysis
 */
export const isProven = ({ exact, moves }) => exact && moves.every((candidate) => candidate.exact);

/**
 * What two analyses of one position tell together: the estimates of the later one within the bounds of both.
 *
 * @param {Analysis | undefined} earlier
 * @param {Analysis} later
 * @returns {Analysis}
 */
export function mergeAnalyses(earlier, later) {
  if (!earlier) {
    return later;
  }
  const known = new Map(earlier.moves.map((candidate) => [candidate.move, candidate]));
  const moves = later.moves.map((candidate) => ({
    ...candidate,
    ...intersectBounds(candidate, known.get(candidate.move)),
  }));
  const bounds = intersectBounds(later, earlier);
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
function intersectBounds(one, two) {
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
function delay(milliseconds, signal) {
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
 * @param {{ retryDelaysMs?: number[] }} [options] how long to wait each time that a question is turned away
 */
export function createAnalyzer(engine, { retryDelaysMs = RETRY_DELAYS_MS } = {}) {
  /** The least recently used first. @type {Map<string, { analysis: Analysis, seconds: number }>} */
  const cache = new Map();

  /** @param {PositionKey} place */
  const keyOf = ({ rules, position }) => `${rules} ${position}`;

  /** @param {PositionKey} place */
  const lookUp = (place) => {
    const key = keyOf(place);
    const entry = cache.get(key);
    if (entry) {
      cache.delete(key);
      cache.set(key, entry);
    }
    return entry;
  };

  /**
   * @param {PositionKey} place
   * @param {number} seconds
   * @param {AbortSignal} signal
   */
  const requestAnalysis = async ({ rules, position }, seconds, signal) => {
    for (const wait of [...retryDelaysMs, null]) {
      try {
        return await engine.request(
          "analyse",
          { rules, position, time: `${seconds * 1000}ms`, moves: "all" },
          signal,
        );
      } catch (error) {
        if (wait === null || !(error instanceof EngineError && error.isTemporary)) {
          throw error;
        }
        await delay(wait, signal);
      }
    }
    throw new Error("unreachable: the last try either answers or throws");
  };

  return {
    /**
     * What is known of a position already.
     *
     * @param {PositionKey} place
     */
    cached: (place) => lookUp(place)?.analysis ?? null,

    /**
     * Looks into a position, each time for longer, until all of it is proven or the last of the times is over. What was
     * asked before for as long is not asked again.
     *
     * @param {PositionKey} place
     * @param {number[]} times in seconds, growing
     * @param {AbortSignal} signal calls it off
     * @param {(analysis: Analysis) => void} onAnalysis hears of what is known at once, and of what is found
     * @returns {Promise<Analysis | null>} all that is known in the end
     */
    async analyse(place, times, signal, onAnalysis) {
      let entry = lookUp(place);
      if (entry) {
        onAnalysis(entry.analysis);
      }
      for (const seconds of times) {
        if (entry && (isProven(entry.analysis) || entry.seconds >= seconds)) {
          continue;
        }
        const answer = await requestAnalysis(place, seconds, signal);
        signal.throwIfAborted();
        entry = { analysis: mergeAnalyses(entry?.analysis, answer), seconds };
        cache.set(keyOf(place), entry);
        const oldest = cache.keys().next();
        if (cache.size > MAX_CACHED_POSITIONS && !oldest.done) {
          cache.delete(oldest.value);
        }
        onAnalysis(entry.analysis);
      }
      return entry?.analysis ?? null;
    },
  };
}

/** @typedef {ReturnType<typeof createAnalyzer>} Analyzer */
