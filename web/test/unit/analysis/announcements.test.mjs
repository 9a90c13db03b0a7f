import assert from "node:assert/strict";
import { test } from "node:test";

import {
  createAnnouncements,
  FIRST_DELAY_MS,
  INTERVAL_MS,
} from "../../../analysis/announcements.js";
import { makeAnalysis, makePosition } from "../../positions.mjs";

/** @param {number} estimate */
const open = (estimate) => makeAnalysis({ A: { estimate } });

const PROVEN = makeAnalysis({ A: { bounds: [7, 7] } });

/** @param {import("node:test").TestContext} t */
function start(t) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  /** @type {string[]} */
  const said = [];
  const show = createAnnouncements({
    announce: (text) => said.push(text),
    describe: ({ margin, exact }) => `${margin}${exact ? "!" : ""}`,
  });
  return { said, show };
}

test("estimates are announced at intervals, and a proof at once and only once", (t) => {
  const { said, show } = start(t);
  const position = makePosition();
  for (let estimate = 1; estimate <= 5; estimate += 1) {
    show({ position, analysis: open(estimate) });
  }
  assert.deepEqual(said, []);
  t.mock.timers.tick(FIRST_DELAY_MS);
  assert.deepEqual(said, ["5"]);
  show({ position, analysis: open(6) });
  t.mock.timers.tick(INTERVAL_MS - 1);
  assert.deepEqual(said, ["5"]);
  t.mock.timers.tick(1);
  assert.deepEqual(said, ["5", "6"]);
  show({ position, analysis: PROVEN });
  show({ position, analysis: PROVEN });
  t.mock.timers.tick(2 * INTERVAL_MS);
  assert.deepEqual(said, ["5", "6", "7!"]);
});

test("an evaluation that stays is announced once, also much later", (t) => {
  const { said, show } = start(t);
  const position = makePosition();
  show({ position, analysis: open(1) });
  t.mock.timers.tick(FIRST_DELAY_MS + 3 * INTERVAL_MS);
  show({ position, analysis: open(1) });
  t.mock.timers.tick(INTERVAL_MS);
  assert.deepEqual(said, ["1"]);
  show({ position, analysis: open(2) });
  t.mock.timers.tick(0);
  assert.deepEqual(said, ["1", "2"]);
});

test("positions that are left at once are not announced", (t) => {
  const { said, show } = start(t);
  show({ position: makePosition(), analysis: open(1) });
  show({ position: null, analysis: open(1) });
  t.mock.timers.tick(INTERVAL_MS);
  assert.deepEqual(said, []);
});
