/**
 * Positions and results of moves for tests. They have the shape of the engine's responses and
 * follow no rules.
 */

/** @import { MoveResult, Position } from "../types/api.d.ts" */

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
