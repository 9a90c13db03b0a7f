/**
 * The merge of two analyses of a position: proven facts of both remain, deeper estimates win, and
 * the results of the merged analysis agree with each other.
 */

import { CERTAIN } from "./margins.js";

/** @import { AnalyzeResponse, AnalyzedMove, Bounds, Chances, Move } from "../types/api.d.ts" */

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
 * @param {number} value
 * @param {Bounds} bounds
 */
const clamp = (value, { lower, upper }) => Math.min(Math.max(value, lower), upper);

/**
 * Returns the chances of a side within the bounds of its margin: a proven result is certain, and a
 * result that the bounds exclude gives its share to the others.
 *
 * @param {Chances} chances
 * @param {Bounds} bounds
 * @returns {Chances}
 */
function chancesWithin(chances, { lower, upper }) {
  if (lower < 0 && upper > 0) {
    return chances;
  }
  if (lower > 0 || upper < 0 || lower === upper) {
    return {
      win: lower > 0 ? CERTAIN : 0,
      tie: lower === 0 ? CERTAIN : 0,
      loss: upper < 0 ? CERTAIN : 0,
    };
  }
  // Either a win or a loss is excluded, and the other result is not proven.
  const { tie } = chances;
  const other = lower < 0 ? chances.loss : chances.win;
  const share = Math.min(Math.round((CERTAIN * other) / (tie + other)), CERTAIN - 1);
  return { win: lower < 0 ? 0 : share, tie: CERTAIN - share, loss: lower < 0 ? share : 0 };
}

/**
 * Returns the longer of two lines; the first if they are equally long.
 *
 * @param {Move[]} one
 * @param {Move[]} other
 */
const longer = (one, other) => (other.length > one.length ? other : one);

/**
 * Merges two analyses of a move.
 *
 * @param {AnalyzedMove | undefined} earlier
 * @param {AnalyzedMove} later
 * @returns {AnalyzedMove}
 */
function mergeMoves(earlier, later) {
  if (!earlier) {
    return later;
  }
  const bounds = intersectBounds(later, earlier);
  const [deeper, other] = later.depth >= earlier.depth ? [later, earlier] : [earlier, later];
  const [line, otherLine] = [deeper.line ?? [], other.line ?? []];
  return {
    move: later.move,
    ...bounds,
    estimate: clamp(deeper.estimate, bounds),
    chances: chancesWithin(deeper.chances, bounds),
    depth: deeper.depth,
    // Lines of proven margins are equally good, and the longer one shows more.
    line: bounds.exact || line.length === 0 ? longer(line, otherLine) : line,
  };
}

/**
 * Returns the best of merged moves. A proof wins, then the greater estimate, then the move that the
 * later analysis prefers.
 *
 * @param {AnalyzeResponse} earlier
 * @param {AnalyzeResponse} later
 * @param {AnalyzedMove[]} moves
 */
function bestMove(earlier, later, moves) {
  const proven = [earlier, later].find((analysis) => analysis.is_best_proven)?.best ?? null;
  if (proven !== null) {
    return { best: proven, isProven: true };
  }
  const top = Math.max(...moves.map(({ estimate }) => estimate));
  const best = moves.filter(({ estimate }) => estimate === top).map(({ move }) => move);
  const preferred = [later.best, earlier.best].find((move) => move && best.includes(move));
  const chosen = moves.find(({ move }) => move === (preferred ?? best[0]));
  return {
    best: chosen?.move ?? later.best,
    isProven:
      chosen !== undefined &&
      moves.every((other) => other === chosen || other.upper <= chosen.lower),
  };
}

/**
 * Merges two analyses of a position. Bounds intersect, the estimate of the deeper search wins, and
 * a proven line never becomes shorter. Nodes and times are those of the later analysis. An earlier
 * one that may rest on an endgame table that has turned out to be damaged is left out.
 *
 * @param {AnalyzeResponse | undefined} earlier
 * @param {AnalyzeResponse} later
 * @returns {AnalyzeResponse}
 */
export function mergeAnalyses(earlier, later) {
  const isOutdated = later.table_damage && earlier?.table_damage !== later.table_damage;
  if (!earlier || isOutdated || later.moves.length === 0) {
    return later;
  }
  const earlierMoves = new Map(earlier.moves.map((candidate) => [candidate.move, candidate]));
  const bounds = intersectBounds(later, earlier);
  const moves = later.moves
    .map((candidate) => mergeMoves(earlierMoves.get(candidate.move), candidate))
    // No move gains more than the position.
    .map((candidate) => {
      const cut = intersectBounds(candidate, { ...candidate, upper: bounds.upper });
      const chances = chancesWithin(candidate.chances, cut);
      return { ...candidate, ...cut, chances, estimate: clamp(candidate.estimate, cut) };
    });
  const { best, isProven: isBestProven } = bestMove(earlier, later, moves);
  const found = moves.find(({ move }) => move === best);
  const margin = clamp(found?.estimate ?? later.margin, bounds);
  const chances = found?.chances ?? later.chances;
  const lines = [later, earlier]
    .filter((analysis) => analysis.best === best)
    .map(({ line }) => line);
  const [first = [], second = []] = lines;
  const own = found?.line ?? [];
  const line = bounds.exact
    ? longer(longer(first, second), own)
    : ([own, first, second].find(({ length }) => length > 0) ?? []);
  return {
    ...later,
    ...bounds,
    margin,
    chances: chances && chancesWithin(chances, bounds),
    best,
    is_best_proven: isBestProven,
    depth: Math.max(earlier.depth, later.depth),
    line: line.length === 0 && best !== null ? [best] : line,
    moves: moves.map((candidate) =>
      candidate.move === best ? { ...candidate, estimate: clamp(margin, candidate) } : candidate,
    ),
  };
}
