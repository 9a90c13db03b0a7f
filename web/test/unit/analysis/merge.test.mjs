import assert from "node:assert/strict";
import { test } from "node:test";

import { mergeAnalyses } from "../../../analysis/merge.js";
import { makeAnalysis } from "../../positions.mjs";

/** @import { AnalyzeResponse } from "../../../types/api.d.ts" */

test("bounds intersect, and the estimate of the deeper search stays within them", () => {
  const merged = mergeAnalyses(
    makeAnalysis({
      A: { estimate: 5, bounds: [2, 9], depth: 8, line: ["A", "b"] },
      B: { bounds: [1, 1], depth: 8 },
    }),
    makeAnalysis({ A: { estimate: 1, bounds: [0, 4] }, B: { estimate: 7, bounds: [-9, 9] } }),
  );
  assert.deepEqual(
    merged.moves.map(({ move, lower, upper, estimate, depth }) => [
      move,
      lower,
      upper,
      estimate,
      depth,
    ]),
    [
      ["A", 2, 4, 4, 8],
      ["B", 1, 1, 1, 8],
    ],
  );
  assert.equal(merged.best, "A");
  assert.equal(merged.is_best_proven, true);
  assert.equal(merged.margin, 4);
  assert.deepEqual(merged.line, ["A", "b"]);
});

test("the best move of a new search does not replace that of a deeper one", () => {
  const deep = makeAnalysis({ A: { estimate: 2, depth: 12 }, B: { estimate: 6, depth: 12 } });
  const shallow = makeAnalysis({ A: { estimate: 8, depth: 4 }, B: { estimate: 0, depth: 4 } });
  const merged = mergeAnalyses(deep, shallow);
  assert.deepEqual([merged.best, merged.margin, merged.depth], ["B", 6, 12]);
  const deeper = makeAnalysis({ A: { estimate: 8, depth: 13 }, B: { estimate: 0, depth: 4 } });
  assert.deepEqual(mergeAnalyses(deep, deeper).best, "A");
});

test("a proof and its line are kept, and the line never becomes shorter", () => {
  const line = ["A", "b", "B", "a"];
  const proven = makeAnalysis({ A: { bounds: [4, 4], line }, B: { bounds: [-9, 3] } });
  const unproven = makeAnalysis({ A: { estimate: 2, depth: 9 }, B: { estimate: 9, depth: 9 } });
  const merged = mergeAnalyses(proven, unproven);
  assert.deepEqual(
    [merged.margin, merged.exact, merged.best, merged.is_best_proven, merged.line],
    [4, true, "A", true, line],
  );
  const again = makeAnalysis({ A: { bounds: [4, 4], line: ["A", "b"] }, B: { bounds: [1, 1] } });
  assert.deepEqual(mergeAnalyses(proven, again).line, line);
});

test("chances are those within the merged bounds", () => {
  for (const [lower, upper, chances] of /** @type {const} */ ([
    [-2, 6, { win: 580, tie: 40, loss: 380 }],
    [1, 6, { win: 1000, tie: 0, loss: 0 }],
    [-6, -1, { win: 0, tie: 0, loss: 1000 }],
    [0, 0, { win: 0, tie: 1000, loss: 0 }],
    [0, 6, { win: 935, tie: 65, loss: 0 }],
    [-6, 0, { win: 0, tie: 95, loss: 905 }],
  ])) {
    const deep = makeAnalysis({ A: { estimate: 2, bounds: [-8, 8], depth: 9 } });
    const proven = makeAnalysis({ A: { bounds: [lower, upper], depth: 1 } });
    for (const merged of [mergeAnalyses(deep, proven), mergeAnalyses(proven, deep)]) {
      assert.deepEqual([merged.moves[0]?.chances, merged.chances], [chances, chances]);
      assert.deepEqual(mergeAnalyses(merged, merged).chances, chances);
    }
  }
  // Without a tie, a win that is not proven is not certain.
  const noTie = makeAnalysis({ A: { estimate: 2, depth: 9 } });
  const [move] = noTie.moves;
  assert.ok(move);
  const even = { ...noTie, moves: [{ ...move, chances: { win: 600, tie: 0, loss: 400 } }] };
  const noLoss = makeAnalysis({ A: { bounds: [0, 8], depth: 1 } });
  assert.deepEqual(mergeAnalyses(even, noLoss).chances, { win: 999, tie: 1, loss: 0 });
});

test("the chances of the position are those within its bounds, which can be tighter", () => {
  const open = makeAnalysis({ A: { estimate: 2, bounds: [-8, 8], depth: 9 } });
  const merged = mergeAnalyses({ ...open, lower: 2 }, open);
  assert.deepEqual(merged.chances, { win: 1000, tie: 0, loss: 0 });
});

test("results before the damage of a table are left out", () => {
  const wrong = makeAnalysis({ A: { bounds: [9, 9] }, B: { bounds: [0, 0] } });
  const damage = { table_damage: "'a.table' is damaged" };
  const later = makeAnalysis({ A: { bounds: [1, 5] }, B: { bounds: [-9, 9] } }, damage);
  assert.equal(mergeAnalyses(wrong, later), later);
  const last = makeAnalysis({ A: { bounds: [1, 9] }, B: { bounds: [2, 2] } }, damage);
  assert.deepEqual(
    mergeAnalyses(later, last).moves.map(({ lower, upper }) => [lower, upper]),
    [
      [1, 5],
      [2, 2],
    ],
  );
});

test("an analysis of a finished game stays", () => {
  const over = makeAnalysis({}, { margin: 4, lower: 4, upper: 4, exact: true, depth: 0 });
  assert.equal(mergeAnalyses(over, over), over);
});

/**
 * Returns a generator of whole numbers below a limit that depends only on the seed.
 *
 * @param {number} seed
 */
function numbers(seed) {
  let state = seed;
  return (/** @type {number} */ limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

/**
 * Returns an analysis that is true for some margins, as far as a search has come.
 *
 * @param {number[]} margins of the moves A, B and C
 * @param {(limit: number) => number} next
 */
function trueAnalysis(margins, next) {
  const moves = margins.map((margin) => {
    /** @type {[number, number]} */
    const bounds = [margin - next(4), margin + next(4)];
    const estimate = bounds[0] + next(bounds[1] - bounds[0] + 1);
    return { bounds, estimate, depth: next(9) };
  });
  const analysis = makeAnalysis(Object.fromEntries(moves.map((move, i) => ["ABC"[i], move])));
  const margin = Math.max(...margins);
  const lower = Math.max(analysis.lower, margin - next(3));
  const upper = Math.min(analysis.upper, margin + next(3));
  return {
    ...analysis,
    lower,
    upper,
    exact: lower === upper,
    margin: Math.min(Math.max(analysis.margin, lower), upper),
  };
}

test("merged analyses agree with themselves and keep all facts", () => {
  for (let seed = 0; seed < 2_000; seed += 1) {
    const next = numbers(seed);
    const margins = [next(9) - 4, next(9) - 4, next(9) - 4];
    /** @type {AnalyzeResponse | undefined} */
    let merged;
    for (let step = 0; step < 6; step += 1) {
      const before = merged;
      const later = trueAnalysis(margins, next);
      const after = mergeAnalyses(before, later);
      merged = after;
      if (!before) {
        continue;
      }
      const failure = `seed ${seed}: ${JSON.stringify({ before, later, after })}`;
      assert.ok(after.lower >= before.lower && after.upper <= before.upper, failure);
      assert.ok(!before.exact || after.exact, failure);
      assert.ok(!before.is_best_proven || after.is_best_proven, failure);
      assert.ok(after.margin >= after.lower && after.margin <= after.upper, failure);
      assert.equal(after.line[0], after.best, failure);
      const best = after.moves.find(({ move }) => move === after.best);
      after.moves.forEach((candidate, index) => {
        const margin = /** @type {number} */ (margins[index]);
        assert.ok(candidate.lower <= margin && margin <= candidate.upper, failure);
        assert.ok(candidate.estimate >= candidate.lower, failure);
        assert.ok(candidate.estimate <= candidate.upper, failure);
        assert.ok(candidate.estimate <= /** @type {any} */ (best).estimate, failure);
        assert.ok(candidate.depth >= /** @type {any} */ (before.moves[index]).depth, failure);
        if (after.is_best_proven) {
          assert.ok(
            candidate.upper <= /** @type {any} */ (best).lower || candidate === best,
            failure,
          );
        }
      });
    }
  }
});
