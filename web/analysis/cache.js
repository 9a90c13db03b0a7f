/** The cache of analyses: requests them from the engine, merges their snapshots and keeps them. */

import { withRetries } from "../engine/retries.js";
import { mergeAnalyses } from "./merge.js";

/** @import { AnalyzeResponse, AnalysisInput, Endpoints } from "../types/api.d.ts" */
/** @import { MoveResult, Position } from "../types/api.d.ts" */
/** @import { Engine, QueuePlace } from "../types/app.d.ts" */

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
 * @property {(analysis: AnalyzeResponse) => void} [onAnalysis] receives the cached analysis and each
 *   new one
 * @property {(place: QueuePlace) => void} [onQueued] receives the place while the request waits
 */

/** One second, in milliseconds. */
const SECOND_MS = 1_000;

/** The number of positions in the cache, a few kilobytes each. */
const MAX_CACHED_POSITIONS = 2_000;

/** The delays before a refused request is sent again, in milliseconds. */
const RETRY_DELAYS_MS = [1_000, 3_000, 9_000];

/** The moves of a line that a review receives: it needs the first turn, which is hardly longer. */
const MAX_REVIEWED_LINE = 16;

/**
 * Returns whether the margins of a position and of all its moves are proven.
 *
 * @param {AnalyzeResponse} analysis
 */
export const isProven = ({ exact, moves }) => exact && moves.every((candidate) => candidate.exact);

/**
 * Returns whether an analysis has lines for a number of moves, the best ones.
 *
 * @param {AnalyzeResponse} analysis
 * @param {number} count
 */
export const hasLines = ({ moves }, count) =>
  moves.filter(({ line }) => line?.length).length >= Math.min(count, moves.length);

/**
 * Returns the part of an analysis that a review needs.
 *
 * @param {AnalyzeResponse} analysis
 * @returns {AnalysisInput}
 */
const analysisToReview = ({ margin, lower, upper, best, moves, line }) => ({
  margin,
  best,
  line: line.slice(0, MAX_REVIEWED_LINE),
  lower,
  upper,
  moves: moves.map((candidate) => ({
    move: candidate.move,
    lower: candidate.lower,
    upper: candidate.upper,
  })),
});

/**
 * The contents of a cache. The entries are in order of use, the least recently used first.
 * `seconds` is the longest time limit of a complete analysis of all moves.
 *
 * @typedef {object} CacheContents
 * @property {Engine} engine
 * @property {readonly number[]} retryDelaysMs
 * @property {Map<string, { analysis: AnalyzeResponse, seconds: number }>} entries
 */

/** @param {PositionKey} place */
const keyOf = ({ rules, position }) => `${rules} ${position}`;

/**
 * Returns the entry of a position, which is then the one used last.
 *
 * @param {CacheContents} cache
 * @param {PositionKey} place
 */
function lookUp({ entries }, place) {
  const key = keyOf(place);
  const entry = entries.get(key);
  if (entry) {
    entries.delete(key);
    entries.set(key, entry);
  }
  return entry;
}

/**
 * Merges an analysis into the cache and returns the result.
 *
 * @param {CacheContents} cache
 * @param {PositionKey} place
 * @param {AnalyzeResponse} analysis
 * @param {number} seconds the time limit of a complete analysis, otherwise 0
 */
function add(cache, place, analysis, seconds) {
  const { entries } = cache;
  const entry = lookUp(cache, place);
  const merged = mergeAnalyses(entry?.analysis, analysis);
  entries.set(keyOf(place), {
    analysis: merged,
    seconds: Math.max(entry?.seconds ?? 0, seconds),
  });
  const oldest = entries.keys().next();
  if (entries.size > MAX_CACHED_POSITIONS && !oldest.done) {
    entries.delete(oldest.value);
  }
  return merged;
}

/**
 * Returns whether a request for an analysis would show nothing new.
 *
 * @param {{ analysis: AnalyzeResponse, seconds: number }} entry
 * @param {AnalysisRequest} request
 */
function answers(entry, { seconds, lines = 0, again = false }) {
  const isDone = isProven(entry.analysis) || (!again && entry.seconds >= seconds);
  return isDone && hasLines(entry.analysis, lines);
}

/**
 * Analyzes a position and reports each result so far, merged with the cached analysis.
 *
 * @param {CacheContents} cache
 * @param {PositionKey} place
 * @param {AnalysisRequest} request
 * @returns {Promise<AnalyzeResponse>} the last analysis
 */
async function analyze(cache, place, request) {
  const { seconds, signal, prove = "all", lines = 0, onAnalysis, onQueued } = request;
  const entry = lookUp(cache, place);
  if (entry) {
    onAnalysis?.(entry.analysis);
    if (answers(entry, request)) {
      return entry.analysis;
    }
  }
  const before = entry?.analysis;
  /** @param {AnalyzeResponse} analysis @param {number} limit */
  const report = (analysis, limit) => {
    const nodes = analysis.nodes + (before?.nodes ?? 0);
    const total = analysis.seconds + (before?.seconds ?? 0);
    const merged = add(cache, place, { ...analysis, nodes, seconds: total }, limit);
    onAnalysis?.(merged);
    return merged;
  };
  /** @type {Endpoints["analyze"]["request"]} */
  const body = {
    rules: place.rules,
    position: place.position,
    time: `${seconds * SECOND_MS}ms`,
    prove,
    lines,
  };
  const send = () =>
    cache.engine.analyze(body, {
      signal,
      onSnapshot: (snapshot) => void report(snapshot, 0),
      ...(onQueued && { onQueued }),
    });
  const response = await withRetries(send, cache.retryDelaysMs, signal);
  signal.throwIfAborted();
  return report(response, prove === "all" ? seconds : 0);
}

/**
 * The line of a game, of which the first plies can be the opening of a tournament.
 *
 * @typedef {{ start: Position, line: MoveResult[], openingPlies: number }} ReviewedLine
 */

/**
 * Reviews a line with the cached analyses of its positions.
 *
 * @param {CacheContents} cache
 * @param {ReviewedLine} game
 * @param {AbortSignal} signal
 */
function review(cache, { start, line, openingPlies }, signal) {
  const positions = [start, ...line.map(({ after }) => after)];
  const analyses = positions.map((place) => {
    const entry = lookUp(cache, place);
    return entry ? analysisToReview(entry.analysis) : null;
  });
  const moves = line.map(({ move }) => move);
  const { rules, position } = start;
  const body = { rules, position, moves, analyses, opening_plies: openingPlies };
  const send = () => cache.engine.request("review", body, signal);
  return withRetries(send, cache.retryDelaysMs, signal);
}

/**
 * Creates an empty cache of analyses.
 *
 * @param {Engine} engine
 * @param {{ retryDelaysMs?: number[] }} [options] the delays before a refused request is sent again
 */
export function createAnalysisCache(engine, { retryDelaysMs = RETRY_DELAYS_MS } = {}) {
  /** @type {CacheContents} */
  const cache = { engine, retryDelaysMs, entries: new Map() };
  return {
    /**
     * Returns the cached analysis of a position, or `null`.
     *
     * @param {PositionKey} place
     */
    cached: (place) => lookUp(cache, place)?.analysis ?? null,

    /**
     * Analyzes a position and reports each result so far, merged with the cached analysis. It
     * requests nothing if all margins are proven, or if the cache has an analysis with this time
     * limit.
     *
     * @param {PositionKey} place
     * @param {AnalysisRequest} request
     * @returns {Promise<AnalyzeResponse>} the last analysis
     */
    analyze: (place, request) => analyze(cache, place, request),

    /**
     * Reviews a line with the cached analyses of its positions.
     *
     * @param {ReviewedLine} game
     * @param {AbortSignal} signal
     */
    review: (game, signal) => review(cache, game, signal),
  };
}

/** @typedef {ReturnType<typeof createAnalysisCache>} AnalysisCache */
