/** Positions and plies for tests: enough of an answer's shape, with no rule behind them. */

/** @import { Position, Sown } from "../types/api.d.ts" */

/**
 * @param {Partial<Position>} [given]
 * @returns {Position}
 */
export function aPosition(given = {}) {
  return {
    rules: "cs32",
    position: "<2,0,0,2,2,2,2> s",
    houses: 2,
    side: "south",
    stores: { south: 0, north: 0 },
    rows: { south: [2, 2], north: [2, 2] },
    choices: ["A", "B"],
    over: false,
    ...given,
  };
}

/**
 * @param {string} choice
 * @param {Partial<Sown>} [given]
 * @returns {Sown}
 */
export function aSown(choice, given = {}) {
  const side = choice === choice.toUpperCase() ? "south" : "north";
  return {
    choice,
    side,
    swapped: false,
    seeds: given.path?.length ?? 0,
    path: [],
    effect: "turn-passes",
    capture: null,
    swept: null,
    after: aPosition({ position: `after ${choice}`, side: side === "south" ? "north" : "south" }),
    ...given,
  };
}
