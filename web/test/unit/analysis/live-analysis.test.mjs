import assert from "node:assert/strict";
import { test } from "node:test";

import { createLiveAnalysis, LONG_TIME_S, TIME_S } from "../../../analysis/live-analysis.js";
import { DEFAULT_SETTINGS } from "../../../storage/formats.js";
import { createStore, initialState } from "../../../game/store.js";
import { newTree } from "../../../game/tree.js";
import { makeAnalysis, makePosition } from "../../positions.mjs";

/** @import { AnalysisRequest } from "../../../analysis/cache.js" */
/** @import { AnalyzeResponse } from "../../../types/api.d.ts" */

const OPEN = makeAnalysis({ A: { estimate: 2 }, B: { estimate: -1 } });
const PROVEN = makeAnalysis({ A: { bounds: [2, 2] }, B: { bounds: [0, 0] } });

/**
 * A request to the cache of analyses, which the test answers.
 *
 * @typedef {AnalysisRequest & {
 *   end(analysis: AnalyzeResponse): void, fail(error: Error): void
 * }} Sent
 */

/** Creates a live analysis of a page without a board; frames are drawn when the test says so. */
function page() {
  const store = createStore({ ...initialState(), tree: newTree(makePosition()) });
  /** @type {Sent[]} */
  const requests = [];
  /** @type {AnalyzeResponse[]} */
  const hints = [];
  /** @type {(() => void)[]} */
  const frames = [];
  /** @type {any} */
  const analysisCache = {
    cached: () => null,
    analyze: (/** @type {any} */ _, /** @type {AnalysisRequest} */ request) =>
      new Promise((resolve, reject) => {
        request.signal.addEventListener("abort", () => reject(request.signal.reason));
        requests.push({ ...request, end: resolve, fail: reject });
      }),
  };
  /** @type {any} */
  const app = {
    state: store.get,
    subscribe: store.subscribe,
    analysisCache,
    actions: {
      setMarks: (/** @type {any} */ marks) => store.update({ marks }),
      updateHint: (/** @type {AnalyzeResponse} */ analysis) => hints.push(analysis),
    },
  };
  let wake = () => {};
  const live = createLiveAnalysis(app, {
    requestFrame: (draw) => frames.push(draw),
    listenForWake: (listener) => (wake = listener),
  });
  const drawFrame = () => frames.splice(0).forEach((draw) => draw());
  return { store, live, requests, hints, frames, drawFrame, wake: () => wake() };
}

/** Lets promises and subscribers run. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

/**
 * Starts the analysis of the position.
 *
 * @param {import("node:test").TestContext} t
 */
async function start(t) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const all = page();
  all.store.update({ settings: { ...DEFAULT_SETTINGS, margins: true } });
  await settle();
  t.mock.timers.tick(120);
  await settle();
  return all;
}

test("several snapshots of a frame are drawn once, and equal marks are not set again", async (t) => {
  const { store, live, requests, hints, frames, drawFrame } = await start(t);
  drawFrame();
  assert.deepEqual([requests.length, requests[0]?.seconds], [1, TIME_S]);
  let draws = 0;
  live.subscribe(() => (draws += 1));
  requests[0]?.onAnalysis?.(OPEN);
  requests[0]?.onAnalysis?.(OPEN);
  assert.equal(frames.length, 1);
  assert.equal(live.state().analysis, OPEN);
  drawFrame();
  assert.equal(draws, 1);
  const { marks } = store.get();
  assert.deepEqual(
    marks?.marks.map((/** @type {any} */ mark) => mark.text),
    ["~+2", "~\u22121"],
  );
  requests[0]?.onAnalysis?.({ ...OPEN, nodes: 200 });
  drawFrame();
  assert.equal(store.get().marks, marks);
  assert.deepEqual(hints.at(-1)?.nodes, 200);
});

test("a position gets one request", async (t) => {
  const { live, requests } = await start(t);
  requests[0]?.onAnalysis?.(OPEN);
  requests[0]?.end(OPEN);
  await settle();
  t.mock.timers.tick(10_000);
  await settle();
  assert.deepEqual([requests.length, live.state().running, live.canContinue()], [1, false, true]);
});

test("the place in the queue is shown until the first snapshot", async (t) => {
  const { live, requests } = await start(t);
  const place = { place: 3, expected_seconds: 12 };
  requests[0]?.onQueued?.(place);
  assert.deepEqual(live.state().queued, place);
  requests[0]?.onAnalysis?.(OPEN);
  assert.equal(live.state().queued, null);
});

test("no scores are shown while they are locked", async (t) => {
  const { store, live, requests, drawFrame } = await start(t);
  requests[0]?.onAnalysis?.(OPEN);
  drawFrame();
  assert.notEqual(store.get().marks, null);
  store.update({ scoresLock: "Find a better move." });
  await settle();
  drawFrame();
  await settle();
  assert.deepEqual([store.get().marks, live.state().analysis], [null, null]);
  assert.equal(requests[0]?.signal.aborted, true);
  store.update({ scoresLock: null });
  await settle();
  t.mock.timers.tick(120);
  await settle();
  assert.equal(requests.length, 2);
});

test("analyses go on until everything is proven or the person stops them", async (t) => {
  const { live, requests } = await start(t);
  // The running request goes on.
  live.toggleKeepOn();
  assert.equal(requests.length, 1);
  requests[0]?.onAnalysis?.(OPEN);
  for (const expected of [2, 3]) {
    requests.at(-1)?.end(OPEN);
    await settle();
    t.mock.timers.tick(250);
    await settle();
    assert.equal(requests.length, expected);
    assert.deepEqual([requests.at(-1)?.seconds, requests.at(-1)?.again], [LONG_TIME_S, true]);
  }
  requests.at(-1)?.onAnalysis?.(PROVEN);
  requests.at(-1)?.end(PROVEN);
  await settle();
  t.mock.timers.tick(1_000);
  await settle();
  assert.deepEqual(
    [requests.length, live.state().running, live.state().keepsOn, live.canContinue()],
    [3, false, true, false],
  );
  live.toggleKeepOn();
  assert.equal(live.state().keepsOn, false);
});

test("a stop aborts the request", async (t) => {
  const { live, requests } = await start(t);
  live.toggleKeepOn();
  live.toggleKeepOn();
  assert.equal(requests[0]?.signal.aborted, true);
  await settle();
  assert.deepEqual([live.state().running, live.state().error], [false, null]);
});

test("another position, an editor and a lock abort the request", async (t) => {
  for (const change of [
    { tree: newTree(makePosition({ position: "another" })) },
    { editor: {} },
    { analysisLock: "not now" },
  ]) {
    const { store, requests, drawFrame } = await start(t);
    requests[0]?.onAnalysis?.(OPEN);
    drawFrame();
    assert.ok(store.get().marks);
    store.update(/** @type {any} */ (change));
    await settle();
    drawFrame();
    assert.equal(requests[0]?.signal.aborted, true);
    await settle();
    assert.equal(store.get().marks, null);
    t.mock.timers.reset();
  }
});

test("an error stops the analysis, and the person can start it again", async (t) => {
  const { live, requests } = await start(t);
  live.toggleKeepOn();
  requests[0]?.fail(new Error("too busy"));
  await settle();
  const { error, running, keepsOn } = live.state();
  assert.deepEqual([error, running, keepsOn, live.canContinue()], ["too busy", false, false, true]);
  live.toggleKeepOn();
  t.mock.timers.tick(120);
  await settle();
  assert.deepEqual([requests.length, live.state().error], [2, null]);
});

test("a failed analysis begins again when the network returns, and no other does", async (t) => {
  const { live, requests, wake } = await start(t);
  wake();
  t.mock.timers.tick(120);
  await settle();
  assert.equal(requests.length, 1, "a running analysis goes on");
  requests[0]?.fail(new Error("no network"));
  await settle();
  assert.equal(live.state().error, "no network");
  wake();
  t.mock.timers.tick(120);
  await settle();
  assert.deepEqual([requests.length, live.state().error], [2, null]);
});
