import assert from "node:assert/strict";
import { test } from "node:test";

import * as reviewing from "../../../analysis/review.js";

/** @type {Record<string, any>} the tests read properties of every union type */
const { mistakes, review, unproven } = reviewing;

/** Returns the result of a side's move. */
const ply = (/** @type {string} */ side, /** @type {string} */ move) => ({
  move,
  side,
  swapped: move === "swap",
});

/**
 * Returns an analysis; a move's margin is a number or its bounds.
 *
 * @param {string} side
 * @param {Record<string, number | [number, number]>} moves
 * @param {number} [expected]
 */
function analysis(side, moves, expected) {
  const listed = Object.entries(moves).map(([move, value]) => {
    const [lower, upper] = Array.isArray(value) ? value : [value, value];
    return { move, lower, upper, exact: lower === upper };
  });
  const [lower, upper] = [
    Math.max(...listed.map((candidate) => candidate.lower)),
    Math.max(...listed.map((candidate) => candidate.upper)),
  ];
  return { side, margin: expected ?? lower, lower, upper, exact: lower === upper, moves: listed };
}

/** Returns an analysis of a finished game. */
const over = (/** @type {string} */ side, /** @type {number} */ margin) => ({
  side,
  margin,
  lower: margin,
  upper: margin,
  exact: true,
  moves: [],
});

const margins = (/** @type {any} */ { start, plies }) =>
  [start, ...plies.map((/** @type {any} */ { margin }) => margin)].map((m) => m && m.expected);

test("margins are those of the player who started as South, also after bonus turns", () => {
  const looked = review(
    [ply("south", "C"), ply("south", "F"), ply("north", "b")],
    [
      analysis("south", { C: 8, A: 6 }),
      analysis("south", { F: 8, B: 2 }), // a bonus turn: South again
      analysis("north", { b: -8, a: -12 }),
      over("south", 8),
    ],
  );
  assert.deepEqual(margins(looked), [8, 8, 8, 8]);
  assert.deepEqual(
    looked.plies.map((/** @type {any} */ { player }) => player),
    ["south", "south", "north"],
  );
  assert.deepEqual(mistakes(looked), []);
  assert.equal(looked.accuracy.south.percent, 100);
  assert.equal(looked.accuracy.north.percent, 100);
});

test("a mistake has its cost, the better moves and the change of the outcome", () => {
  const looked = review(
    [ply("south", "A"), ply("north", "c")],
    [
      analysis("south", { A: -2, B: 4, C: 4, D: -6 }),
      analysis("north", { a: 2, c: 0, d: -10 }),
      over("south", 0),
    ],
  );
  const [first, second] = mistakes(looked);
  assert.deepEqual(first.cost, { lower: 6, upper: 6, exact: true });
  assert.deepEqual(first.better, ["B", "C"]);
  assert.deepEqual(first.outcomeChange, { from: "win", to: "loss" });
  assert.deepEqual(second.better, ["a"]);
  assert.deepEqual(second.outcomeChange, { from: "win", to: "tie" });
  assert.deepEqual(margins(looked), [4, -2, 0]);
  // South lost 6 of 10 seeds at stake, and North 2 of 12.
  assert.deepEqual(looked.accuracy.south, { percent: 40, plies: 1, lost: 6, stake: 10 });
  assert.equal(Math.round(looked.accuracy.north.percent), 83);
});

test("plies that are not proven do not count", () => {
  const looked = review(
    [ply("south", "A"), ply("north", "b"), ply("south", "B")],
    [
      analysis("south", { A: [-48, 48], B: [-48, 48] }, 3),
      analysis("north", { a: [-48, 48], b: [-48, 48] }, -2),
      analysis("south", { A: 2, B: 0 }),
      over("north", 0),
    ],
  );
  assert.deepEqual(
    looked.plies.map((/** @type {any} */ { margin }) => margin?.exact),
    [false, true, true],
  );
  assert.equal(looked.plies[0].cost?.exact, false);
  assert.equal(looked.plies[0].stake, null);
  assert.equal(unproven(looked), 2);
  assert.deepEqual(looked.accuracy.north, { percent: null, reason: "nothing-proven", plies: 0 });
  assert.equal(looked.accuracy.south.percent, 0);
});

test("a margin of the position after a move is a margin of the move", () => {
  const looked = review(
    [ply("south", "A")],
    [analysis("south", { A: [-48, 48], B: [5, 48], C: 2 }, 5), analysis("north", { a: -1 })],
  );
  const [only] = looked.plies;
  // The margin of A is 1, and that of B at least 5.
  assert.deepEqual(only.margin, { expected: 1, lower: 1, upper: 1, exact: true });
  assert.deepEqual(only.cost, { lower: 4, upper: 47, exact: false });
  assert.deepEqual(only.better, ["B"]);
  assert.deepEqual(only.outcomeChange, null);
  assert.equal(only.stake, null);
});

test("a move that no other can beat costs nothing, even if its margin is not proven", () => {
  const looked = review([ply("south", "A")], [analysis("south", { A: [4, 9], B: [-9, 4] }), null]);
  assert.deepEqual(looked.plies[0].cost, { lower: 0, upper: 0, exact: true });
});

test("a swap exchanges the players' sides", () => {
  const looked = review(
    [ply("south", "C"), ply("north", "swap"), ply("north", "b"), ply("south", "A")],
    [
      analysis("south", { C: -6, A: 0 }),
      analysis("north", { swap: 6, a: 2 }),
      analysis("north", { b: -6, c: -10 }), // the player who started as South
      analysis("south", { A: 4, B: 6 }), // the player who started as North
      over("north", -4),
    ],
  );
  assert.equal(looked.swapped, true);
  assert.deepEqual(margins(looked), [0, -6, -6, -6, -4]);
  assert.deepEqual(
    looked.plies.map((/** @type {any} */ { player }) => player),
    ["south", "north", "south", "north"],
  );
  assert.deepEqual(
    looked.plies.map((/** @type {any} */ { cost }) => cost?.lower),
    [6, 0, 0, 2],
  );
  assert.deepEqual(looked.plies[0].outcomeChange, { from: "tie", to: "loss" });
});

test("a game with nothing at stake has no accuracy", () => {
  const looked = review([ply("south", "A")], [analysis("south", { A: 3 }), over("north", -3)]);
  assert.deepEqual(looked.accuracy.south, { percent: null, reason: "nothing-at-stake", plies: 1 });
});

test("missing analyses give null, and an empty line has no plies", () => {
  const looked = review([ply("south", "A"), ply("north", "a")], [null, null, over("south", 5)]);
  assert.deepEqual(margins(looked), [null, null, 5]);
  assert.deepEqual(
    looked.plies.map((/** @type {any} */ { cost }) => cost),
    [null, null],
  );
  const empty = review([], [undefined]);
  assert.deepEqual(empty.plies, []);
  assert.equal(empty.start, null);
  assert.deepEqual(empty.accuracy.south, { percent: null, reason: "nothing-proven", plies: 0 });
});

test("a margin of 0 is never -0", () => {
  const looked = review([ply("south", "A")], [null, over("north", 0)]);
  assert.ok(Object.is(looked.plies[0].margin?.expected, 0));
});

test("contradictory proofs do not throw", () => {
  const looked = review([ply("south", "A")], [analysis("south", { A: 5, B: 2 }), over("north", 5)]);
  assert.equal(looked.plies[0].margin?.expected, -5);
});
