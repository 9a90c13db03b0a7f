/** The analyzer: requests analyses of positions with growing time limits and caches them. */

import { EngineError } from "../engine/errors.js";

/** @import { Analysis, AnalysisToReview, Bounds, MoveResult, Position } from "../types/api.d.ts" */
/** @import { Endpoints } from "../types/api.d.ts" */
/** @import { Endpoint, Engine } from "../types/app.d.ts" */

/**
 * The text form of a position with its rules.
 *
 * @typedef {{ rules: string, position: string }} PositionKey
 */

/** The number of positions in the cache, a few kilobytes each. */
const MAX_CACHED_POSITIONS = 2_000;

/** The delays before a refused request is sent again, in milliseconds. */
const RETRY_DELAYS_MS = [1_000, 3_000, 9_000];

/**
 * Returns whether the margins of a position and of all its moves are proven.
 *
 * @param {Analysis} analysis
 */
export const isProven = ({ exact, moves }) => exact && moves.every((candidate) => candidate.exact);

/**
 * Merges two analyses of a position: the later estimates within the bounds of both.
 *
 * @param {Analysis | undefined} earlier
 * @param {Analysis} later
 * @returns {Analysis}
 */
export function mergeAnalyses(earlier, later) {
  if (!earlier) {
    return later;
  }
  const earlierMoves = new Map(earlier.moves.map((candidate) => [candidate.move, candidate]));
  const moves = later.moves.map((candidate) => ({
    ...candidate,
    ...intersectBounds(candidate, earlierMoves.get(candidate.move)),
  }));
  const bounds = intersectBounds(later, earlier);
  const margin = Math.min(Math.max(later.margin, bounds.lower), bounds.upper);
  // A proof and its line are better than a later estimate.
  const { best, line } = earlier.exact && !later.exact ? earlier : later;
  return { ...later, ...bounds, margin, best, line, moves };
}

/**
 * Returns the intersection of two bounds. Proofs never contradict each other; if they did, the
 * first would be returned.
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
 * Returns the part of an analysis that a review needs.
 *
 * @param {Analysis} analysis
 * @returns {AnalysisToReview}
 */
const analysisToReview = ({ margin, lower, upper, moves }) => ({
  margin,
  lower,
  upper,
  moves: moves.map((candidate) => ({
    move: candidate.move,
    lower: candidate.lower,
    upper: candidate.upper,
  })),
});

/**
 * Waits for a time. It rejects when `signal` is aborted.
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
 * Creates an analyzer with an empty cache.
 *
 * @param {Engine} engine
 * @param {{ retryDelaysMs?: number[] }} [options] the delays before a refused request is sent again
 */
export function createAnalyzer(engine, { retryDelaysMs = RETRY_DELAYS_MS } = {}) {
  /**
   * Entries in order of use, the least recently used first.
   *
   * @type {Map<string, { analysis: Analysis, seconds: number }>}
   */
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
   * Sends a request, and sends it again after a temporary error.
   *
   * @template {Endpoint} Q
   * @param {Q} endpoint
   * @param {Endpoints[Q]["request"]} body
   * @param {AbortSignal} signal
   * @returns {Promise<Endpoints[Q]["response"]>}
   */
  const requestWithRetries = async (endpoint, body, signal) => {
    for (const wait of [...retryDelaysMs, null]) {
      try {
        return await engine.request(endpoint, body, signal);
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
     * Returns the cached analysis of a position, or `null`.
     *
     * @param {PositionKey} place
     */
    cached: (place) => lookUp(place)?.analysis ?? null,

    /**
     * Analyzes a position with growing time limits until all its margins are proven or all limits
     * are used. It does not repeat a time limit that is in the cache.
     *
     * @param {PositionKey} place
     * @param {number[]} times in seconds, growing
     * @param {AbortSignal} signal
     * @param {(analysis: Analysis) => void} onAnalysis receives the cached analysis and each new
     *   one
     * @returns {Promise<Analysis | null>} the last analysis
     */
    async analyze(place, times, signal, onAnalysis) {
      let entry = lookUp(place);
      if (entry) {
        onAnalysis(entry.analysis);
      }
      for (const seconds of times) {
        if (entry && (isProven(entry.analysis) || entry.seconds >= seconds)) {
          continue;
        }
        const response = await requestWithRetries(
          "analyze",
          {
            rules: place.rules,
            position: place.position,
            time: `${seconds * 1000}ms`,
            prove: "all",
          },
          signal,
        );
        signal.throwIfAborted();
        entry = { analysis: mergeAnalyses(entry?.analysis, response), seconds };
        cache.set(keyOf(place), entry);
        const oldest = cache.keys().next();
        if (cache.size > MAX_CACHED_POSITIONS && !oldest.done) {
          cache.delete(oldest.value);
        }
        onAnalysis(entry.analysis);
      }
      return entry?.analysis ?? null;
    },

    /**
     * Reviews a line with the cached analyses of its positions.
     *
     * @param {Position} start
     * @param {MoveResult[]} line
     * @param {AbortSignal} signal
     */
    review(start, line, signal) {
      const positions = [start, ...line.map(({ after }) => after)];
      const analyses = positions.map((place) => {
        const entry = lookUp(place);
        return entry ? analysisToReview(entry.analysis) : null;
      });
      const moves = line.map(({ move }) => move);
      const { rules, position } = start;
      return requestWithRetries("review", { rules, position, moves, analyses }, signal);
    },
  };
}

/** @typedef {ReturnType<typeof createAnalyzer>} Analyzer */
