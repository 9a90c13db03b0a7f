import assert from "node:assert/strict";
import { test } from "node:test";

import { provenBest, moveScores } from "../../../explorer/scores.js";

/** @import { AnalyzeResponse, ExploreResponse } from "../../../types/api.d.ts" */

/** @param {Record<string, number | null>} margins @returns {ExploreResponse} */
const opening = (margins) => ({
  position: "here",
  key: "here",
  rules: "cs32",
  to_move: "south",
  is_from_book: !Object.values(margins).includes(null),
  moves: Object.entries(margins).map(([move, margin]) => ({
    move,
    bonus_turn: false,
    margin,
    value: margin === null ? null : margin > 0 ? "win" : margin < 0 ? "loss" : "tie",
  })),
});

const analysis = /** @type {AnalyzeResponse} */ (
  /** @type {unknown} */ ({
    position: "here",
    rules: "cs32",
    moves: [
      { move: "A", lower: -9, upper: 9, exact: false, estimate: 3 },
      { move: "B", lower: 2, upper: 9, exact: false, estimate: 2 },
      { move: "C", lower: 4, upper: 4, exact: true, estimate: 4 },
    ],
  })
);

test("a score of the books precedes the analysis, and estimates have their sign", () => {
  const known = moveScores(opening({ A: 8, B: null, C: null, D: null }), analysis);
  const texts = Object.fromEntries([...known].map(([move, { text }]) => [move, text]));
  assert.deepEqual(texts, { A: "+8 ✓", B: "≥+2", C: "+4 ✓", D: "…" });
  assert.deepEqual([known.get("A")?.isProven, known.get("B")?.isProven], [true, false]);
  const estimated = moveScores(opening({ A: null }), analysis).get("A");
  assert.deepEqual(estimated, {
    text: "~+3",
    label: "score about +3, not proven",
    isProven: false,
  });
});

test("an analysis of another position or of other rules says nothing", () => {
  for (const other of [{ position: "there" }, { rules: "standard" }]) {
    const known = moveScores(opening({ A: null }), { ...analysis, ...other });
    assert.equal(known.get("A")?.text, "…");
  }
  assert.equal(moveScores(opening({ A: null }), null).get("A")?.text, "…");
});

test("moves are the best only if the margins of all are proven", () => {
  assert.deepEqual([...provenBest(opening({ A: 2, B: 2, C: -1 }))], ["A", "B"]);
  assert.deepEqual([...provenBest(opening({ A: 2, B: null }))], []);
});
