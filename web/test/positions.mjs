/**
 * Positions and results of moves for tests. They have the shape of the engine's responses and
 * follow no rules.
 */

/** @import { AnalyzeResponse, MoveResult, Position } from "../types/api.d.ts" */

/**
 * @param {Partial<Position>} [given]
 * @returns {Position}
 */
export function makePosition(given = {}) {
  return {
    rules: "cs32",
    position: "<2,0,0,2,2,2,2> s",
    houses: 2,
    to_move: "south",
    stores: { south: 0, north: 0 },
    rows: { south: [2, 2], north: [2, 2] },
    legal_moves: ["A", "B"],
    is_over: false,
    ...given,
  };
}

/**
 * @param {string} move
 * @param {Partial<MoveResult>} [given]
 * @returns {MoveResult}
 */
export function makeMoveResult(move, given = {}) {
  const side = move === move.toUpperCase() ? "south" : "north";
  return {
    move,
    side,
    is_swap: false,
    seeds: given.path?.length ?? 0,
    path: [],
    effect: "turn-passes",
    capture: null,
    swept: null,
    after: makePosition({
      position: `after ${move}`,
      to_move: side === "south" ? "north" : "south",
    }),
    ...given,
  };
}

/**
 * Returns chances that grow with the margin; certain ones if the bounds prove the result.
 *
 * @param {number} margin
 * @param {number} lower
 * @param {number} upper
 */
function makeChances(margin, lower, upper) {
  if (lower > 0 || upper < 0 || lower === upper) {
    return { win: lower > 0 ? 1000 : 0, tie: lower === 0 ? 1000 : 0, loss: upper < 0 ? 1000 : 0 };
  }
  const win = Math.min(Math.max(480 + 50 * margin, 1), 959);
  return { win, tie: 40, loss: 960 - win };
}

/**
 * Returns an analysis of moves, each with its estimate, or its proven bounds with an estimate. The
 * first move with the greatest estimate is the best.
 *
 * @param {Record<string, { estimate?: number, bounds?: [number, number], depth?: number,
 *   line?: string[] }>} moves
 * @param {Partial<AnalyzeResponse>} [given]
 * @returns {AnalyzeResponse}
 */
export function makeAnalysis(moves, given = {}) {
  const listed = Object.entries(moves).map(([move, { estimate, bounds, depth = 4, line }]) => {
    const [lower, upper] = bounds ?? [-48, 48];
    return {
      move,
      lower,
      upper,
      exact: lower === upper,
      estimate: estimate ?? lower,
      chances: makeChances(estimate ?? lower, lower, upper),
      depth,
      ...(line && { line }),
    };
  });
  const margin = Math.max(...listed.map(({ estimate }) => estimate));
  const best = listed.find(({ estimate }) => estimate === margin);
  const lower = Math.max(...listed.map((move) => move.lower));
  const upper = Math.max(...listed.map((move) => move.upper));
  return {
    position: "<2,0,0,2,2,2,2> s",
    rules: "cs32",
    to_move: "south",
    margin,
    lower,
    upper,
    exact: lower === upper,
    chances: makeChances(margin, lower, upper),
    best: best?.move ?? null,
    is_best_proven:
      best !== undefined && listed.every((other) => other === best || other.upper <= best.lower),
    moves: listed,
    line: best?.line ?? (best ? [best.move] : []),
    nodes: 100,
    nodes_per_second: 1000,
    table_hits: 0,
    depth: Math.min(...listed.map(({ depth }) => depth)),
    seconds: 0.1,
    is_from_book: false,
    ...given,
  };
}
