/** The analyzer: requests analyses of positions and caches them. */

import { EngineError } from "../engine/errors.js";
import { mergeAnalyses } from "./merge.js";

/** @import { Analysis, AnalysisToReview, Endpoints } from "../types/api.d.ts" */
/** @import { MoveResult, Position, QueuePlace } from "../types/api.d.ts" */
/** @import { Engine } from "../types/app.d.ts" */

/**
 * The text form of a position with its rules.
 *
 * @typedef {{ rules: string, position: string }} PositionKey
 */

/**
 * An analysis to request.
 *
 * @typedef {object} AnalysisRequest
 * @property {number} seconds the time limit
 * @property {AbortSignal} signal
 * @property {"best" | "all"} [prove] the margins to prove; all by default
 * @property {number} [lines] the number of moves with a line; 0 by default
 * @property {boolean} [again] whether to repeat an analysis that the cache has with this time limit
 * @property {(analysis: Analysis) => void} [onAnalysis] receives the cached analysis and each new
 *   one
 * @property {(place: QueuePlace) => void} [onQueued] receives the place while the request waits
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
 * Returns whether an analysis has lines for a number of moves, the best ones.
 *
 * @param {Analysis} analysis
 * @param {number} count
 */
export const hasLines = ({ moves }, count) =>
  moves.filter(({ line }) => line?.length).length >= Math.min(count, moves.length);

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
export function delay(milliseconds, signal) {
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
   * Entries in order of use, the least recently used first. `seconds` is the longest time limit of
   * a complete analysis of all moves.
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
   * Merges an analysis into the cache and returns the result.
   *
   * @param {PositionKey} place
   * @param {Analysis} analysis
   * @param {number} seconds the time limit of a complete analysis, otherwise 0
   */
  const add = (place, analysis, seconds) => {
    const entry = lookUp(place);
    const merged = mergeAnalyses(entry?.analysis, analysis);
    cache.set(keyOf(place), {
      analysis: merged,
      seconds: Math.max(entry?.seconds ?? 0, seconds),
    });
    const oldest = cache.keys().next();
    if (cache.size > MAX_CACHED_POSITIONS && !oldest.done) {
      cache.delete(oldest.value);
    }
    return merged;
  };

  /**
   * Sends a request, and sends it again after a temporary error.
   *
   * @template T
   * @param {() => Promise<T>} send
   * @param {AbortSignal} signal
   * @returns {Promise<T>}
   */
  const withRetries = async (send, signal) => {
    for (const wait of [...retryDelaysMs, null]) {
      try {
        return await send();
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
     * Analyzes a position and reports each result so far, merged with the cached analysis. It
     * requests nothing if all margins are proven, or if the cache has an analysis with this time
     * limit.
     *
     * @param {PositionKey} place
     * @param {AnalysisRequest} request
     * @returns {Promise<Analysis>} the last analysis
     */
    async analyze(
      place,
      { seconds, signal, prove = "all", lines = 0, again = false, onAnalysis, onQueued },
    ) {
      const entry = lookUp(place);
      if (entry) {
        onAnalysis?.(entry.analysis);
        const isDone = isProven(entry.analysis) || (!again && entry.seconds >= seconds);
        if (isDone && hasLines(entry.analysis, lines)) {
          return entry.analysis;
        }
      }
      const before = entry?.analysis;
      /** @param {Analysis} analysis @param {number} limit */
      const report = (analysis, limit) => {
        const nodes = analysis.nodes + (before?.nodes ?? 0);
        const total = analysis.seconds + (before?.seconds ?? 0);
        const merged = add(place, { ...analysis, nodes, seconds: total }, limit);
        onAnalysis?.(merged);
        return merged;
      };
      /** @type {Endpoints["analyze"]["request"]} */
      const body = {
        rules: place.rules,
        position: place.position,
        time: `${seconds * 1000}ms`,
        prove,
        lines,
      };
      const send = () =>
        engine.analyze(body, {
          signal,
          onSnapshot: (snapshot) => void report(snapshot, 0),
          ...(onQueued && { onQueued }),
        });
      const response = await withRetries(send, signal);
      signal.throwIfAborted();
      return report(response, prove === "all" ? seconds : 0);
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
      return withRetries(
        () => engine.request("review", { rules, position, moves, analyses }, signal),
        signal,
      );
    },
  };
}

/** @typedef {ReturnType<typeof createAnalyzer>} Analyzer */
