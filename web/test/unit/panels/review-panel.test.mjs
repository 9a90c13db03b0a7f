import assert from "node:assert/strict";
import { test } from "node:test";

import { accuracyText, graphPoints, mistakeText } from "../../../panels/review-panel.js";

/** @import { ReviewedPly } from "../../../types/api.d.ts" */

const NOTATION = {
  names: { south: "Marge", north: "Homer" },
  houses: 3,
  labels: /** @type {const} */ ("letters"),
};

const exact = (/** @type {number} */ margin) => ({
  margin,
  lower: margin,
  upper: margin,
  exact: true,
});

/**
 * @param {Partial<ReviewedPly>} [given]
 * @returns {ReviewedPly}
 */
const makePly = (given = {}) => ({
  ply: 1,
  turn: 1,
  side: "south",
  player: "south",
  move: "A",
  before: exact(4),
  after: exact(-2),
  cost: exact(6),
  stake: 10,
  better_moves: ["B", "C"],
  value_change: { from: "win", to: "loss" },
  ...given,
});

test("a mistake has its cost, the change of the result and the better moves", () => {
  assert.equal(
    mistakeText(makePly(), NOTATION),
    "cost 6 seeds, and turned a win into a loss. Better: B or C.",
  );
  const open = makePly({
    cost: { lower: 1, upper: 9, exact: false },
    better_moves: ["B"],
    value_change: null,
  });
  assert.equal(mistakeText(open, NOTATION), "cost at least 1 seed. Better: B.");
});

test("the graph has the margins after each ply, as far as positions are analyzed", () => {
  const accuracy = { percent: null, plies: 0, cost: 0, stake: 0 };
  const review = {
    start_margin: exact(4),
    plies: [
      makePly(),
      makePly({ ply: 2, player: "north", move: "c", after: null, cost: exact(0) }),
    ],
    accuracy: { south: accuracy, north: accuracy },
    unproven: 0,
  };
  assert.deepEqual(graphPoints(review, NOTATION), [
    { margin: 4, proven: true, cost: 0, label: "start: Marge ahead by 4, proven" },
    {
      margin: -2,
      proven: true,
      cost: 6,
      label: "ply 1, Marge: A: Homer ahead by 2, proven, a mistake that cost 6 seeds",
    },
    { margin: null, proven: false, cost: 0, label: "ply 2, Homer: c: not analyzed yet" },
  ]);
});

test("an accuracy has its share, or the reason why there is none", () => {
  const accuracy = { percent: 40, plies: 1, cost: 6, stake: 10 };
  assert.equal(
    accuracyText(accuracy, "Marge"),
    "Marge: 40 % (cost 6 of 10 seeds at stake in 1 ply)",
  );
  const none = { percent: null, plies: 0, cost: 0, stake: 0 };
  assert.equal(accuracyText(none, "Marge", true), "Marge: not known yet");
  assert.equal(accuracyText(none, "Marge"), "Marge: no accuracy, since no ply counts yet");
  assert.equal(
    accuracyText({ ...none, plies: 1 }, "Marge"),
    "Marge: no accuracy, since nothing was at stake",
  );
});
