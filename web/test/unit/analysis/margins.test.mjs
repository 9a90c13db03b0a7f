import assert from "node:assert/strict";
import { test } from "node:test";

import { marginSentence, marksFromAnalysis, southMargin } from "../../../analysis/margins.js";
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
    ["South ahead by 2", "a tie", "North ahead by 2"],
  );
  assert.equal(
    marginSentence(southMargin(5, "north"), { south: "You", north: "Level 2" }),
    "Level 2 ahead by 5",
  );
});

test("marks show how much of a margin is proven", () => {
  /** @type {any} */
  const analysis = {
    margin: 4,
    best: "B",
    ...bounds(4, 9),
    moves: [
      { move: "A", ...bounds(4) },
      { move: "B", ...bounds(2, 9) },
      { move: "C", ...bounds(-9, 1) },
      { move: "D", ...bounds(5, 9) },
      { move: "swap", ...bounds(-9, 9) },
    ],
  };
  assert.deepEqual(marksFromAnalysis(analysis), [
    { move: "A", text: "+4", label: "margin +4, proven", proven: true, best: false },
    {
      move: "B",
      text: "~+4",
      label: "margin about +4, not proven, best",
      proven: false,
      best: true,
    },
    { move: "C", text: "\u2264+1", label: "margin at most +1", proven: false, best: false },
    { move: "D", text: "\u2265+5", label: "margin at least +5", proven: false, best: false },
    { move: "swap", text: "?", label: "margin not known", proven: false, best: false },
  ]);
});

test("all moves that are proven to be the best are marked", () => {
  /** @type {any} */
  const analysis = {
    margin: 4,
    best: "B",
    ...bounds(4),
    moves: [
      { move: "A", ...bounds(4) },
      { move: "B", ...bounds(4) },
      { move: "C", ...bounds(1) },
    ],
  };
  assert.deepEqual(
    marksFromAnalysis(analysis).map(({ best }) => best),
    [true, true, false],
  );
});
