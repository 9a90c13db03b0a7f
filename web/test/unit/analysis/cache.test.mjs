import assert from "node:assert/strict";
import { test } from "node:test";

import { createAnalysisCache, hasLines, isProven } from "../../../analysis/cache.js";
import { EngineError } from "../../../engine/errors.js";
import { makeAnalysis } from "../../positions.mjs";

/** @import { AnalyzeResponse } from "../../../types/api.d.ts" */

const POSITION = { rules: "cs32", position: "<1,0,0,4,4> s" };

/** An analysis that proves a part of the margins, and one that proves all. */
const OPEN = makeAnalysis({
  A: { estimate: 4, bounds: [0, 9], line: ["A", "b"] },
  B: { estimate: 1, bounds: [-9, 5] },
});
const PROVEN = makeAnalysis({ A: { bounds: [4, 4], line: ["A", "b"] }, B: { bounds: [1, 1] } });

/**
 * Returns an engine whose analyses are these: each is a list of snapshots, of which the last is the
 * result, or a function, which may throw.
 *
 * @param {(AnalyzeResponse[] | (() => AnalyzeResponse[]))[]} answers
 * @returns {any}
 */
function engineOf(...answers) {
  /** @type {string[]} */
  const requests = [];
  return {
    requests,
    kind: "server",
    async analyze(/** @type {any} */ { time, prove, lines }, /** @type {any} */ options) {
      requests.push(`${time} ${prove} ${lines}`);
      const answer = answers.shift();
      const snapshots = (typeof answer === "function" ? answer() : answer) ?? [];
      snapshots.slice(0, -1).forEach(options.onSnapshot);
      return snapshots.at(-1);
    },
  };
}

const signal = () => new AbortController().signal;

test("snapshots are reported, merged and cached", async () => {
  const engine = engineOf([OPEN, PROVEN, OPEN]);
  const analysisCache = createAnalysisCache(engine);
  /** @type {boolean[]} */
  const received = [];
  const last = await analysisCache.analyze(POSITION, {
    seconds: 5,
    signal: signal(),
    lines: 1,
    onAnalysis: (analysis) => received.push(isProven(analysis)),
  });
  assert.deepEqual(engine.requests, ["5000ms all 1"]);
  assert.deepEqual(received, [false, true, true]);
  assert.equal(last, analysisCache.cached(POSITION));
  assert.deepEqual(last.line, ["A", "b"]);
});

test("the cache replaces a request with the same time limit", async () => {
  const engine = engineOf([OPEN], [OPEN], [OPEN], [PROVEN]);
  const analysisCache = createAnalysisCache(engine);
  /** @type {number[]} */
  const nodes = [];
  const analyze = (/** @type {object} */ options) =>
    analysisCache.analyze(POSITION, {
      seconds: 1,
      signal: signal(),
      onAnalysis: (analysis) => nodes.push(analysis.nodes),
      ...options,
    });
  await analyze({});
  await analyze({});
  assert.equal(engine.requests.length, 1);
  // A longer analysis, a repeated one, and one with more lines send a request.
  await analyze({ seconds: 4 });
  await analyze({ again: true });
  await analyze({ lines: 2 });
  assert.deepEqual(engine.requests.slice(1), ["4000ms all 0", "1000ms all 0", "1000ms all 2"]);
  // The nodes of all requests are counted.
  assert.deepEqual(nodes, [100, 100, 100, 200, 200, 300, 300, 400]);
  await analyze({ seconds: 30, again: true });
  assert.equal(engine.requests.length, 4);
  assert.equal(analysisCache.cached({ ...POSITION, rules: "standard" }), null);
});

test("an analysis of the best move does not replace one of all moves", async () => {
  const engine = engineOf([OPEN], [OPEN]);
  const analysisCache = createAnalysisCache(engine);
  await analysisCache.analyze(POSITION, { seconds: 2, prove: "best", signal: signal() });
  await analysisCache.analyze(POSITION, { seconds: 1, signal: signal() });
  assert.deepEqual(engine.requests, ["2000ms best 0", "1000ms all 0"]);
});

test("an aborted analysis keeps its snapshots", async () => {
  const control = new AbortController();
  const engine = engineOf(() => {
    control.abort();
    return [OPEN];
  });
  const analysisCache = createAnalysisCache(engine);
  await assert.rejects(analysisCache.analyze(POSITION, { seconds: 1, signal: control.signal }), {
    name: "AbortError",
  });
  assert.equal(analysisCache.cached(POSITION), null);
  /** @type {any} */
  const broken = {
    kind: "server",
    async analyze(/** @type {any} */ _, /** @type {any} */ { onSnapshot }) {
      onSnapshot(OPEN);
      throw new DOMException("aborted", "AbortError");
    },
  };
  const other = createAnalysisCache(broken);
  await assert.rejects(other.analyze(POSITION, { seconds: 1, signal: signal() }), {
    name: "AbortError",
  });
  assert.equal(other.cached(POSITION)?.lower, OPEN.lower);
});

test("a refused request is retried, and an invalid one is not", async () => {
  const fail = (/** @type {number} */ status) => () => {
    throw new EngineError({ type: "about:blank", title: "no", status, detail: "" });
  };
  const analyze = (/** @type {any} */ engine) =>
    createAnalysisCache(engine, { retryDelaysMs: [1, 1] }).analyze(POSITION, {
      seconds: 1,
      signal: signal(),
    });
  const found = await analyze(engineOf(fail(429), fail(503), [PROVEN]));
  assert.equal(found.margin, 4);
  await assert.rejects(analyze(engineOf(fail(429), fail(429), fail(429))), EngineError);
  const wrong = engineOf(fail(422));
  await assert.rejects(analyze(wrong), EngineError);
  assert.equal(wrong.requests.length, 1);
});

test("hasLines compares the number of lines with that of the moves", () => {
  assert.deepEqual(
    [0, 1, 2].map((count) => hasLines(OPEN, count)),
    [true, true, false],
  );
  const one = makeAnalysis({ A: { estimate: 1, line: ["A"] } });
  assert.equal(hasLines(one, 3), true);
});

test("a review has the cached analyses, and null for other positions", async () => {
  const bodies = /** @type {any[]} */ ([]);
  const engine = {
    ...engineOf([PROVEN]),
    async request(/** @type {string} */ _, /** @type {any} */ body) {
      bodies.push(body);
      return "the review";
    },
  };
  const analysisCache = createAnalysisCache(engine);
  await analysisCache.analyze(POSITION, { seconds: 1, signal: signal() });
  const start = /** @type {any} */ (POSITION);
  const ply = /** @type {any} */ ({ move: "A", after: { rules: "cs32", position: "unknown" } });
  const game = { start, line: [ply], openingPlies: 1 };
  assert.equal(await analysisCache.review(game, signal()), "the review");
  const known = {
    margin: 4,
    best: "A",
    lower: 4,
    upper: 4,
    line: PROVEN.line,
    moves: [
      { move: "A", lower: 4, upper: 4 },
      { move: "B", lower: 1, upper: 1 },
    ],
  };
  const sent = { ...POSITION, moves: ["A"], analyses: [known, null], opening_plies: 1 };
  assert.deepEqual(bodies, [sent]);
});
