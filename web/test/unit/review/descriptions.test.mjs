import assert from "node:assert/strict";
import { test } from "node:test";

import {
  accuracyText,
  betterText,
  costText,
  graphPoints,
  shownGrade,
} from "../../../review/descriptions.js";
import { nextMistake } from "../../../review/navigation.js";
import { retryText } from "../../../review/retry-box.js";
import { judgeMove } from "../../../review/retry.js";
import { isAboutLine, pathOfLine } from "../../../review/run.js";
import { addMove, goTo, newTree } from "../../../game/tree.js";
import { makeMoveResult, makePosition } from "../../positions.mjs";

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
  chances: {
    win: margin > 0 ? 1000 : 0,
    tie: margin === 0 ? 1000 : 0,
    loss: margin < 0 ? 1000 : 0,
  },
});

const NO_ACCURACY = { percent: null, plies: 0, unproven: 0, cost: 0, stake: 0 };
const NO_PHASES = { opening: NO_ACCURACY, middlegame: NO_ACCURACY, endgame: NO_ACCURACY };

/** The parts of a review without proven moves. */
const WORDS = {
  phases: { south: NO_PHASES, north: NO_PHASES },
  levels: { south: null, north: null },
};

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
  lost_chance: 1000,
  stake: 10,
  grade: "blunder",
  better_moves: ["B", "C"],
  value_change: { from: "win", to: "loss" },
  reasons: [],
  ...given,
});

test("a mistake has its cost, the change of the result and the better moves", () => {
  assert.equal(costText(makePly()), "cost 6 seeds, and turned a win into a loss.");
  assert.equal(betterText(makePly().better_moves, NOTATION), "Better: B or C.");
  const cost = { lower: 1, upper: 9, exact: false };
  assert.equal(costText(makePly({ cost, value_change: null })), "cost at least 1 seed.");
  const chances = { win: 480, tie: 40, loss: 480 };
  const open = { margin: 0, lower: -9, upper: 9, exact: false, chances };
  const lost = { before: open, lost_chance: 239, value_change: null };
  assert.equal(costText(makePly({ ...lost, cost })), "cost at least 1 seed, about 23% of a point.");
  assert.equal(
    costText(makePly({ ...lost, cost: { ...cost, lower: 0 } })),
    "cost about 23% of a point.",
  );
});

test("the graph has the margins after each ply, as far as positions are analyzed", () => {
  const accuracy = { percent: null, plies: 0, unproven: 0, cost: 0, stake: 0 };
  const grades = { inaccuracy: 0, mistake: 0, blunder: 0 };
  const review = {
    start_margin: exact(4),
    plies: [
      makePly(),
      makePly({
        ply: 2,
        side: "north",
        player: "north",
        move: "c",
        after: null,
        lost_chance: null,
        cost: exact(0),
        grade: null,
      }),
    ],
    accuracy: { south: accuracy, north: accuracy },
    grades: { south: grades, north: grades },
    ...WORDS,
    unproven: 0,
    opening_plies: 0,
  };
  assert.deepEqual(graphPoints(review, NOTATION), [
    {
      margin: 4,
      proven: true,
      grade: null,
      label: "Start. With best play: Marge ahead by 4 (proven).",
    },
    {
      margin: -2,
      proven: true,
      grade: "blunder",
      label: "1. A?? (Marge). A blunder, costs 6 seeds. With best play: Homer ahead by 2 (proven).",
    },
    { margin: null, proven: false, grade: null, label: "1… c (Homer). Not analysed yet." },
  ]);
});

test("an accuracy has its share, or the reason why there is none", () => {
  const accuracy = { percent: 40, plies: 3, unproven: 1, cost: 6, stake: 10 };
  assert.equal(
    accuracyText(accuracy, "Marge"),
    "Marge: 40% (cost 6 of 10 seeds at stake in 3 of 4 moves)",
  );
  const none = { percent: null, plies: 0, unproven: 0, cost: 0, stake: 0 };
  assert.equal(accuracyText(none, "Marge", { running: true }), "Marge: not known yet");
  assert.equal(
    accuracyText({ ...none, plies: 2, unproven: 1, cost: 2, stake: 4 }, "Marge"),
    "Marge: no accuracy, since only 2 of 3 moves count",
  );
  assert.equal(
    accuracyText({ ...none, plies: 1 }, "Marge"),
    "Marge: no accuracy, since nothing was at stake",
  );
});

test("the next mistake is the nearest graded ply in a direction", () => {
  const plies = [null, "mistake", null, "blunder"].map((grade, index) =>
    makePly({ ply: index + 1, grade: /** @type {ReviewedPly["grade"]} */ (grade) }),
  );
  assert.equal(nextMistake(plies, 0, 1), 2);
  assert.equal(nextMistake(plies, 2, 1), 4);
  assert.equal(nextMistake(plies, 4, 1), null);
  assert.equal(nextMistake(plies, 4, -1), 2);
  assert.equal(nextMistake(plies, 2, -1), null);
});

/** The proven bounds of moves. @param {Record<string, [number, number]>} bounds */
const analysisOf = (bounds) => ({
  moves: /** @type {any[]} */ (
    Object.entries(bounds).map(([move, [lower, upper]]) => ({
      move,
      lower,
      upper,
      exact: lower === upper,
    }))
  ),
});

test("the text of a ply in the graph has sentences", () => {
  const accuracy = { percent: null, plies: 0, unproven: 0, cost: 0, stake: 0 };
  const grades = { inaccuracy: 0, mistake: 0, blunder: 0 };
  /** @param {Partial<ReviewedPly>} given */
  const label = (given) =>
    graphPoints(
      {
        start_margin: null,
        plies: [makePly(given)],
        accuracy: { south: accuracy, north: accuracy },
        grades: { south: grades, north: grades },
        ...WORDS,
        unproven: 0,
        opening_plies: 0,
      },
      NOTATION,
    )[1]?.label;
  assert.equal(
    label({ after: exact(0), grade: "mistake" }),
    "1. A? (Marge). A mistake, costs 6 seeds. With best play it is now a draw (proven).",
  );
  assert.equal(
    label({
      after: { margin: 3, lower: -2, upper: 9, exact: false, chances: null },
      cost: { lower: 2, upper: 9, exact: false },
      lost_chance: 90,
      grade: null,
    }),
    "1. A (Marge). Estimate: Marge ahead by 3 (not proven).",
  );
  assert.equal(
    label({
      after: {
        margin: 3,
        lower: -2,
        upper: 9,
        exact: false,
        chances: { win: 650, tie: 0, loss: 350 },
      },
      cost: { lower: 0, upper: 9, exact: false },
      lost_chance: 120,
      grade: "inaccuracy",
    }),
    "1. A?! (Marge). An inaccuracy, costs about 12% of a point. Estimate: Marge ahead by 3, wins 65% (not proven).",
  );
});

test("a tried move is judged by its proven bounds", () => {
  const before = analysisOf({
    A: [-2, -2],
    B: [4, 4],
    C: [4, 4],
    D: [0, 0],
    E: [-6, -6],
    F: [-2, -2],
    G: [-9, 4],
  });
  const judge = (/** @type {string} */ move) => judgeMove(makePly(), before, move);
  assert.deepEqual(judge("A"), { kind: "same", cost: 6, isExact: true });
  assert.deepEqual(judge("B"), { kind: "best", cost: 0, isExact: true });
  assert.deepEqual(judge("D"), { kind: "better", cost: 4, isExact: true });
  assert.deepEqual(judge("E"), { kind: "worse", cost: 10, isExact: true });
  assert.deepEqual(judge("F"), { kind: "equal", cost: 6, isExact: true });
  assert.deepEqual(judge("G"), { kind: "unknown", cost: 0, isExact: false });
  assert.deepEqual(judgeMove(makePly(), { moves: [] }, "D"), {
    kind: "unknown",
    cost: 0,
    isExact: false,
  });
  // Another move may gain more than the best proven one.
  const open = analysisOf({ A: [-2, -2], B: [4, 9], E: [-6, -6] });
  assert.deepEqual(judgeMove(makePly(), open, "E"), { kind: "worse", cost: 10, isExact: false });
});

test("no move is called the best while another may be better", () => {
  const judge = (
    /** @type {Record<string, [number, number]>} */ bounds,
    /** @type {string} */ move,
  ) => judgeMove(makePly({ better_moves: ["B"] }), analysisOf(bounds), move).kind;
  const open = /** @type {const} */ ([-9, 5]);
  assert.equal(judge({ A: [-2, -2], B: [4, 4], C: [-9, 4] }, "B"), "best");
  assert.equal(judge({ A: [-2, -2], B: [4, 4], C: [...open] }, "B"), "improvement");
  assert.equal(judge({ A: [-2, -2], B: [4, 9], C: [4, 4] }, "B"), "best");
  assert.equal(judge({}, "B"), "improvement");
  // The move costs nothing that is proven.
  assert.equal(judge({ A: [-2, -2], B: [4, 4], C: [0, 6] }, "C"), "improvement");
  assert.equal(judge({ A: [-2, -2], B: [4, 4], C: [...open] }, "C"), "unknown");
});

test("a sentence describes a try", () => {
  /** @param {import("../../../review/retry.js").VerdictKind | null} kind */
  const text = (
    kind,
    phase = /** @type {"asking" | "shown"} */ ("asking"),
    mistake = makePly(),
    isExact = true,
  ) =>
    retryText(
      {
        mistake,
        tree: newTree(makePosition()),
        tried: kind && "B",
        verdict: kind && { kind, cost: 4, isExact },
        phase,
      },
      NOTATION,
    );
  assert.equal(text(null), "Find a better move for Marge than A. Play it on the board.");
  assert.equal(text("best"), "Right: B is as good as the other best moves.");
  assert.equal(text("better"), "B is better than A, but still costs 4 seeds. Try another move.");
  assert.equal(text("equal"), "B is as good as A and still costs 6 seeds. Try another move.");
  // The cost of the move of the game can be an estimate.
  const open = { margin: 0, lower: -9, upper: 9, exact: false, chances: null };
  const cost = { lower: 0, upper: 9, exact: false };
  const estimated = makePly({ before: open, cost, lost_chance: 239 });
  assert.equal(
    text("same", "asking", estimated),
    "B is the move of the game and costs about 23% of a point. Try another move.",
  );
  assert.equal(
    text("equal", "asking", estimated),
    "B is as good as A and still costs about 23% of a point. Try another move.",
  );
  assert.equal(
    text("improvement"),
    "B is better than A. Whether it is the best move is not proven yet.",
  );
  assert.equal(text("unknown"), "Whether B is better is not proven yet. Try another move.");
  assert.equal(text("worse"), "B is worse than A: it costs 4 seeds. Try another move.");
  assert.equal(
    text("worse", "asking", makePly(), false),
    "B is worse than A: it costs at least 4 seeds. Try another move.",
  );
  assert.equal(text(null, "shown"), "Better: B or C.");
});

test("a review is about a line, which variations do not change", () => {
  const first = addMove(newTree(makePosition()), makeMoveResult("A"));
  const game = addMove(first, makeMoveResult("b"));
  const reviewed = { start: game.start, line: game.children.map((node) => node.moveResult) };
  assert.ok(isAboutLine(reviewed, first));
  assert.ok(!isAboutLine(reviewed, game));
  const varied = addMove(goTo(game, []), makeMoveResult("B"));
  assert.deepEqual(pathOfLine(varied, reviewed.line), [0]);
  assert.equal(pathOfLine(newTree(makePosition()), reviewed.line), null);
});

test("a beautiful move has a shown grade, as moves with a grade have", () => {
  /** @type {ReviewedPly["reasons"][number]} */
  const beautiful = { kind: "beautiful", house: "C", other_house: null, seeds: 4, turns: null };
  assert.equal(shownGrade(makePly({ grade: null, reasons: [beautiful] })), "beautiful");
  assert.equal(shownGrade(makePly()), "blunder");
  const only = { ...beautiful, kind: /** @type {const} */ ("only-win") };
  assert.equal(shownGrade(makePly({ grade: null, reasons: [only] })), null);
});
