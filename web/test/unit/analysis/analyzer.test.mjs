import assert from "node:assert/strict";
import { test } from "node:test";

import { createAnalyzer, isProven, mergeAnalyses } from "../../../analysis/analyzer.js";
import { EngineError } from "../../../engine/errors.js";

const POSITION = { rules: "cs32", position: "<1,0,0,4,4> s" };

const bounds = (/** @type {number} */ lower, upper = lower) => ({
  lower,
  upper,
  exact: lower === upper,
});

/**
 * Returns an analysis of moves with bounds, of which the first is best.
 *
 * @param {Record<string, number | [number, number]>} moves
 * @param {number} margin
 * @returns {any}
 */
function analysis(moves, margin) {
  const listed = Object.entries(moves).map(([move, of]) => {
    const [lower, upper] = Array.isArray(of) ? of : [of, of];
    return { move, ...bounds(lower, upper) };
  });
  const all = bounds(
    Math.max(...listed.map((candidate) => candidate.lower)),
    Math.max(...listed.map((candidate) => candidate.upper)),
  );
  const [best] = Object.keys(moves);
  return { ...POSITION, to_move: "south", ...all, margin, best, line: [best], moves: listed };
}

/**
 * Returns an engine that responds with these values in order. It calls functions, which may throw.
 *
 * @param {any[]} answers
 * @returns {any}
 */
function engineOf(...answers) {
  /** @type {string[]} */
  const requests = [];
  return {
    requests,
    kind: "server",
    async request(/** @type {string} */ endpoint, /** @type {any} */ body) {
      requests.push(`${endpoint} ${body.time} ${body.prove}`);
      const answer = answers.shift();
      return typeof answer === "function" ? answer() : answer;
    },
  };
}

const signal = () => new AbortController().signal;

test("time limits grow until everything is proven", async () => {
  const engine = engineOf(
    analysis({ A: [0, 9], B: [-9, 5] }, 4),
    analysis({ A: 4, B: 1 }, 4),
    "never requests",
  );
  /** @type {boolean[]} */
  const received = [];
  const analyzer = createAnalyzer(engine);
  const last = await analyzer.analyze(POSITION, [0.25, 1, 4], signal(), (found) =>
    received.push(isProven(found)),
  );
  assert.deepEqual(engine.requests, ["analyze 250ms all", "analyze 1000ms all"]);
  assert.deepEqual(received, [false, true]);
  assert.equal(last, analyzer.cached(POSITION));
});

test("cached results are reported at once, and only longer analyses are requested", async () => {
  const open = analysis({ A: [0, 9] }, 4);
  const engine = engineOf(open, open, open);
  const analyzer = createAnalyzer(engine);
  await analyzer.analyze(POSITION, [0.25, 1], signal(), () => {});
  /** @type {number[]} */
  const received = [];
  await analyzer.analyze(POSITION, [0.25, 1, 4], signal(), (found) => received.push(found.margin));
  assert.deepEqual(engine.requests, [
    "analyze 250ms all",
    "analyze 1000ms all",
    "analyze 4000ms all",
  ]);
  assert.equal(received.length, 2);
  assert.equal(analyzer.cached({ ...POSITION, rules: "standard" }), null);
});

test("an aborted analysis reports nothing", async () => {
  const control = new AbortController();
  const engine = engineOf(() => {
    control.abort();
    return analysis({ A: [0, 9] }, 4);
  });
  const analyzer = createAnalyzer(engine);
  const found = analyzer.analyze(POSITION, [1], control.signal, () =>
    assert.fail("told after it was called off"),
  );
  await assert.rejects(found, { name: "AbortError" });
  assert.equal(analyzer.cached(POSITION), null);
});

test("a refused request is retried, and an invalid one is not", async () => {
  const fail = (/** @type {number} */ status) => () => {
    throw new EngineError({ type: "about:blank", title: "no", status, detail: "" });
  };
  const busy = engineOf(fail(429), fail(503), analysis({ A: 4 }, 4));
  const found = await createAnalyzer(busy, { retryDelaysMs: [1, 1] }).analyze(
    POSITION,
    [1],
    signal(),
    () => {},
  );
  assert.equal(found?.margin, 4);
  const down = engineOf(fail(429), fail(429), fail(429));
  await assert.rejects(
    createAnalyzer(down, { retryDelaysMs: [1, 1] }).analyze(POSITION, [1], signal(), () => {}),
    EngineError,
  );
  const wrong = engineOf(fail(422));
  await assert.rejects(
    createAnalyzer(wrong, { retryDelaysMs: [1] }).analyze(POSITION, [1], signal(), () => {}),
    EngineError,
  );
  assert.equal(wrong.requests.length, 1);
});

test("merging keeps proven bounds", () => {
  const one = analysis({ A: [2, 9], B: 1 }, 5);
  const two = analysis({ A: [0, 4], B: [-9, 9] }, 6);
  const merged = mergeAnalyses(one, two);
  assert.deepEqual(merged.moves, [
    { move: "A", ...bounds(2, 4) },
    { move: "B", ...bounds(1) },
  ]);
  assert.deepEqual([merged.lower, merged.upper, merged.margin], [2, 9, 6]);
  const proven = mergeAnalyses(analysis({ A: 4 }, 4), {
    ...analysis({ A: [0, 9] }, 2),
    best: "B",
    line: ["B"],
  });
  assert.deepEqual([proven.margin, proven.exact, proven.best, proven.line], [4, true, "A", ["A"]]);
});

test("a review has the cached analyses, and null for other positions", async () => {
  const bodies = /** @type {any[]} */ ([]);
  /** @type {any} */
  const engine = {
    kind: "server",
    async request(/** @type {string} */ endpoint, /** @type {any} */ body) {
      if (endpoint === "analyze") {
        return analysis({ A: 4 }, 4);
      }
      bodies.push(body);
      return "the review";
    },
  };
  const analyzer = createAnalyzer(engine);
  await analyzer.analyze(POSITION, [1], signal(), () => {});
  const start = /** @type {any} */ (POSITION);
  const ply = /** @type {any} */ ({ move: "A", after: { rules: "cs32", position: "unknown" } });
  assert.equal(await analyzer.review(start, [ply], signal()), "the review");
  const known = { margin: 4, lower: 4, upper: 4, moves: [{ move: "A", lower: 4, upper: 4 }] };
  assert.deepEqual(bodies, [{ ...POSITION, moves: ["A"], analyses: [known, null] }]);
});
