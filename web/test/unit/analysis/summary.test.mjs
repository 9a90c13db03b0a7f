import assert from "node:assert/strict";
import { test } from "node:test";

import {
  bestLines,
  evaluationText,
  progressText,
  southShare,
  workText,
} from "../../../analysis/summary.js";
import { hintText } from "../../../game/descriptions.js";
import { DEFAULT_SETTINGS } from "../../../storage/formats.js";
import { makeAnalysis, makePosition } from "../../positions.mjs";

/** @import { LiveAnalysisState } from "../../../analysis/live-analysis.js" */

const ANALYSIS = makeAnalysis(
  {
    A: { estimate: 2, line: ["A", "b"] },
    B: { bounds: [1, 1] },
    C: { estimate: -1, line: ["C", "a"] },
  },
  { nodes: 1_234_567, nodes_per_second: 850_000, depth: 14 },
);

test("sentences tell estimates from proofs", () => {
  // The win is proven, and its margin is not.
  assert.equal(
    evaluationText(ANALYSIS),
    "With best play: South wins (proven). Estimate: South ahead by 2.",
  );
  const open = makeAnalysis({ A: { estimate: 2 } });
  assert.equal(evaluationText(open), "Estimate: South ahead by 2, wins 58% (not proven).");
  assert.equal(
    evaluationText({ ...open, to_move: "north" }),
    "Estimate: North ahead by 2, wins 58% (not proven).",
  );
  const proven = makeAnalysis({ A: { bounds: [0, 0] } });
  assert.equal(evaluationText(proven), "With best play: a draw (proven).");
  // One move is solved, and another one may be better.
  const bounded = (/** @type {number} */ margin) =>
    makeAnalysis({ A: { bounds: [margin, margin] }, B: { estimate: margin - 1 } });
  /** @type {(margin: number, side: "south" | "north") => string} */
  const text = (margin, side) => evaluationText({ ...bounded(margin), to_move: side });
  assert.equal(text(8, "south"), "With best play: South ahead by at least 8 (proven).");
  assert.equal(text(8, "north"), "With best play: North ahead by at least 8 (proven).");
  assert.equal(text(-8, "south"), "With best play: North ahead by at most 8 (proven).");
  assert.equal(text(0, "south"), "With best play: at least a draw for South (proven).");
  assert.equal(text(0, "north"), "With best play: at least a draw for North (proven).");
  const limited = makeAnalysis({ A: { estimate: 5, bounds: [-48, 5] } });
  assert.equal(evaluationText(limited), "With best play: South ahead by at most 5 (proven).");
  assert.equal(workText(ANALYSIS), "Depth 14, 1.23M positions, 850K a second");
  assert.equal(workText({ ...ANALYSIS, is_from_book: true }), "From the opening book");
  assert.equal(
    workText({ ...ANALYSIS, table_damage: "'a.table' is damaged" }),
    "Depth 14, 1.23M positions, 850K a second \u00b7 A table was not used: 'a.table' is damaged",
  );
});

test("the progress names moves that are solved, the place in the queue, and errors", () => {
  /** @type {LiveAnalysisState} */
  const state = {
    position: null,
    analysis: ANALYSIS,
    running: true,
    keepsOn: false,
    queued: null,
    error: null,
  };
  const queued = { place: 3, expected_seconds: 11.2 };
  assert.deepEqual(
    [
      state,
      { ...state, running: false },
      { ...state, analysis: null },
      { ...state, queued },
      { ...state, error: "too busy" },
    ].map(progressText),
    [
      "Analysing: 1 of 3 moves solved.",
      "1 of 3 moves solved.",
      "Analysing.",
      "Waiting for the engine: place 3, about 12 s.",
      "too busy",
    ],
  );
});

test("the best line comes first, and moves without a line are left out", () => {
  assert.deepEqual(
    bestLines(ANALYSIS, 3).map(({ line }) => line.join("")),
    ["Ab", "Ca"],
  );
  assert.equal(bestLines(ANALYSIS, 1).length, 1);
});

test("a hint calls a move the best only if that is proven", () => {
  const state = { settings: DEFAULT_SETTINGS };
  const hint = { position: "", move: "A", isBestProven: false, margin: null, depth: 9 };
  const text = (/** @type {object} */ change) =>
    hintText(state, makePosition(), { ...hint, ...change });
  assert.equal(text({}), "Hint: house A is the best move so far (depth 9).");
  assert.equal(text({ isBestProven: true }), "Hint: house A is the best move.");
  assert.equal(
    text({ isBestProven: true, margin: 8, move: "swap" }),
    "Hint: swapping sides is the best move (score +8, proven).",
  );
});

test("the bar shows South's share of all seeds", () => {
  const at = makePosition();
  assert.deepEqual([southShare(0, at), southShare(8, at), southShare(-8, at)], [0.5, 1, 0]);
});
