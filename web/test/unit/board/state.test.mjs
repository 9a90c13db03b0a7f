import assert from "node:assert/strict";
import { test } from "node:test";

import {
  beginStep,
  hideToast,
  initialBoardState,
  keepTabStop,
  showToast,
} from "../../../board/state.js";
import { makeMoveResult, makePosition } from "../../positions.mjs";

/** @import { Step } from "../../../board/animation/steps.js" */

/** @param {Step["kind"]} kind @param {Step["flights"]} flights @returns {Step} */
const makeStep = (kind, flights) => ({ kind, ms: 1, flights, counts: new Map() });

/** Returns the state of a board with 2 seeds in each of three houses. */
const makeState = () => ({
  ...initialBoardState(),
  counts: new Map([
    ["A", 2],
    ["B", 2],
    ["a", 2],
  ]),
});

test("a step empties the pits whose seeds fly, and rings those of a capture", () => {
  const move = makeMoveResult("A");
  const state = makeState();
  beginStep(state, makeStep("lift", []), move);
  assert.deepEqual(Object.fromEntries(state.counts), { A: 0, B: 2, a: 2 });
  assert.deepEqual(state.ringed, []);
  beginStep(state, makeStep("drop", [{ from: "A", to: "B", seeds: 1 }]), move);
  assert.deepEqual(Object.fromEntries(state.counts), { A: 0, B: 2, a: 2 });
  const flights = ["B", "a"].map((from) => ({ from, to: "south", seeds: 2 }));
  beginStep(state, makeStep("capture", flights), move);
  assert.deepEqual(Object.fromEntries(state.counts), { A: 0, B: 0, a: 0 });
  assert.deepEqual(state.ringed, ["B", "a"]);
});

test("a hidden message keeps its text and has no rings", () => {
  const state = { ...makeState(), ringed: ["B"] };
  showToast(state, "Capture");
  assert.deepEqual(state.toast, { text: "Capture", isVisible: true });
  hideToast(state);
  assert.deepEqual(state.toast, { text: "Capture", isVisible: false });
  assert.deepEqual(state.ringed, []);
});

test("the tab stop stays on the board", () => {
  const at = makePosition({ houses: 2, to_move: "north" });
  const tabStopAfter = (/** @type {string} */ tabStop, options = { hasStoreButtons: false }) => {
    const state = { ...makeState(), tabStop };
    keepTabStop(state, at, options);
    return state.tabStop;
  };
  assert.equal(tabStopAfter("B"), "B");
  assert.equal(tabStopAfter("C"), "a");
  assert.equal(tabStopAfter("south"), "a");
  assert.equal(tabStopAfter("south", { hasStoreButtons: true }), "south");
});
