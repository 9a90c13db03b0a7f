/** A puzzle for tests. */

/** @import { Puzzle } from "../../../types/api.d.ts" */

const bounds = (/** @type {string} */ move, /** @type {number} */ margin) => ({
  move,
  lower: margin,
  upper: margin,
  exact: true,
});

/**
 * A puzzle with two moves to find, A and C.
 *
 * @type {Puzzle}
 */
export const PUZZLE = {
  position: "<2,0,0,2,2,2,2> s",
  rules: "cs32",
  to_move: "south",
  value: "win",
  solution: "A",
  margin: 2,
  lower: 2,
  upper: 2,
  exact: true,
  chances: { win: 1000, tie: 0, loss: 0 },
  rating: 1200,
  depth: 3,
  moves: /** @type {any[]} */ ([bounds("A", 2), bounds("B", 0), bounds("C", -4)]),
  themes: ["capture"],
  to_find: [0, 2],
  line: ["A", "b", "C", "a"],
};
