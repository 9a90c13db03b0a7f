import assert from "node:assert/strict";
import { test } from "node:test";

import {
  estimateSentence,
  marginSentence,
  marksFromAnalysis,
  moveDetails,
  movesByScore,
  southChances,
  southMargin,
} from "../../../analysis/margins.js";
import { formatSigned } from "../../../game/descriptions.js";

const bounds = (/** @type {number} */ lower, upper = lower) => ({
  lower,
  upper,
  exact: lower === upper,
});

test("margins have signs and words", () => {
  assert.deepEqual([8, 0, -3].map(formatSigned), ["+8", "0", "\u22123"]);
  assert.equal(formatSigned(southMargin(0, "north")), "0");
  assert.deepEqual(
    [2, 0, -2].map((margin) => marginSentence(margin)),
    ["South ahead by 2", "a draw", "North ahead by 2"],
  );
  assert.equal(
    marginSentence(southMargin(5, "north"), { south: "You", north: "Level 2" }),
    "Level 2 ahead by 5",
  );
});

test("estimated margins have the share of games that the side ahead wins", () => {
  const chances = { win: 794, tie: 26, loss: 180 };
  const names = { south: "You", north: "Level 2" };
  assert.equal(estimateSentence(5, chances), "South ahead by 5, wins 79%");
  assert.equal(estimateSentence(0, chances), "a draw, South wins 79%");
  assert.equal(estimateSentence(-5, chances, names), "Level 2 ahead by 5, wins 18%");
  assert.equal(estimateSentence(5, chances, names), "You ahead by 5, win 79%");
  assert.equal(estimateSentence(5, { win: 999, tie: 0, loss: 1 }), "South ahead by 5, wins 99%");
  assert.equal(estimateSentence(5, { win: 789, tie: 0, loss: 211 }), "South ahead by 5, wins 78%");
  assert.equal(estimateSentence(5, { win: 9, tie: 0, loss: 991 }), "South ahead by 5, wins 1%");
  assert.equal(estimateSentence(5, { win: 0, tie: 1, loss: 999 }), "South ahead by 5, wins 0%");
  // The bounds prove the result, but not the margin.
  assert.equal(estimateSentence(5, { win: 1000, tie: 0, loss: 0 }), "South ahead by 5");
  assert.equal(estimateSentence(5, null), "South ahead by 5");
  assert.deepEqual(southChances(chances, "north"), { win: 180, tie: 26, loss: 794 });
});

/** @param {string} name @param {number} estimate @param {any} of @param {number} [depth] */
const move = (name, estimate, of, depth = 6) => ({
  move: name,
  estimate,
  chances: { win: 640, tie: 30, loss: 330 },
  depth,
  ...of,
});

/** @type {any} */
const ANALYSIS = {
  margin: 4,
  best: "B",
  is_best_proven: false,
  ...bounds(4, 9),
  moves: [
    move("A", 4, bounds(4)),
    move("B", 4, bounds(2, 9)),
    move("C", -2, bounds(-9, 1)),
    move("swap", 3, bounds(-9, 9)),
  ],
};

test("a score that equals a proven bound is no estimate", () => {
  const [atLeast, atMost] = marksFromAnalysis({
    ...ANALYSIS,
    moves: [move("A", 4, bounds(4, 9)), move("B", -3, bounds(-9, -3))],
  });
  assert.equal(atLeast?.text, "\u2265+4");
  assert.equal(atLeast?.label, "score at least +4, proven");
  assert.equal(atMost?.text, "\u2264\u22123");
  assert.equal(atMost?.label, "score at most \u22123, proven, best so far");
  assert.ok(!atLeast?.proven && !atMost?.proven);
});

test("every move has a number, and marks tell proofs from estimates", () => {
  assert.deepEqual(marksFromAnalysis(ANALYSIS), [
    { move: "A", text: "+4", label: "score +4, proven", proven: true, best: false },
    {
      move: "B",
      text: "~+4",
      label: "score about +4, not proven, best so far",
      proven: false,
      best: true,
    },
    {
      move: "C",
      text: "~\u22122",
      label: "score about \u22122, not proven",
      proven: false,
      best: false,
    },
    {
      move: "swap",
      text: "~+3",
      label: "score about +3, not proven",
      proven: false,
      best: false,
    },
  ]);
});

test("moves are listed by score, the best first, with depth and bounds", () => {
  const sorted = movesByScore(ANALYSIS);
  assert.deepEqual(
    sorted.map((candidate) => candidate.move),
    ["B", "A", "swap", "C"],
  );
  assert.deepEqual(sorted.slice(0, 2).map(moveDetails), [
    "wins 64%; estimate at depth 6; proven: from +2 to +9",
    "proven",
  ]);
});

test("all moves that are proven to be the best are marked", () => {
  /** @type {any} */
  const analysis = {
    margin: 4,
    best: "B",
    is_best_proven: true,
    ...bounds(4),
    moves: [move("A", 4, bounds(4)), move("B", 4, bounds(4)), move("C", 1, bounds(1))],
  };
  assert.deepEqual(
    marksFromAnalysis(analysis).map(({ best, label }) => [best, label]),
    [
      [true, "score +4, proven, best move"],
      [true, "score +4, proven, best move"],
      [false, "score +1, proven"],
    ],
  );
});
