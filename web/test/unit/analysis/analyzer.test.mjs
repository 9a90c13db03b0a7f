import assert from "node:assert/strict";
import { test } from "node:test";

import { createAnalyst, isProven, merge } from "../../../analysis/analyzer.js";
import { EngineError } from "../../../engine/errors.js";

const PLACE = { rules: "cs32", position: "<1,0,0,4,4> s" };

const bounds = (/** @type {number} */ lower, upper = lower) => ({ lower, upper, exact: lower === upper });

/**
 * An analysis of choices with bounds, of which the first is best.
 *
 * @param {Record<string, number | [number, number]>} moves
 * @param {number} margin
 * @returns {any}
 */
function analysis(moves, margin) {
  const listed = Object.entries(moves).map(([choice, of]) => {
    const [lower, upper] = Array.isArray(of) ? of : [of, of];
    return { choice, ...bounds(lower, upper) };
  });
  const all = bounds(Math.max(...listed.map((move) => move.lower)), Math.max(...listed.map((move) => move.upper)));
  const [best] = Object.keys(moves);
  return { ...PLACE, side: "south", ...all, margin, best, line: [best], moves: listed };
}

/**
 * An engine with these answers, one after another; functions throw.
 *
 * @param {any[]} answers
 * @returns {any}
 */
function engineOf(...answers) {
  /** @type {string[]} */
  const asked = [];
  return {
    asked,
    kind: "server",
    async ask(/** @type {string} */ question, /** @type {any} */ body) {
      asked.push(`${question} ${body.time} ${body.moves}`);
      const answer = answers.shift();
      return typeof answer === "function" ? answer() : answer;
    },
  };
}

const signal = () => new AbortController().signal;

test("more and more time is taken until all is proven", async () => {
  const engine = engineOf(analysis({ A: [0, 9], B: [-9, 5] }, 4), analysis({ A: 4, B: 1 }, 4), "never asked");
  /** @type {boolean[]} */
  const heard = [];
  const analyst = createAnalyst(engine);
  const last = await analyst.analyse(PLACE, [0.25, 1, 4], signal(), (found) => heard.push(isProven(found)));
  assert.deepEqual(engine.asked, ["analyse 250ms all", "analyse 1000ms all"]);
  assert.deepEqual(heard, [false, true]);
  assert.equal(last, analyst.known(PLACE));
});

test("what was found is told at once, and asked again only for longer", async () => {
  const open = analysis({ A: [0, 9] }, 4);
  const engine = engineOf(open, open, open);
  const analyst = createAnalyst(engine);
  await analyst.analyse(PLACE, [0.25, 1], signal(), () => {});
  /** @type {number[]} */
  const heard = [];
  await analyst.analyse(PLACE, [0.25, 1, 4], signal(), (found) => heard.push(found.margin));
  assert.deepEqual(engine.asked, ["analyse 250ms all", "analyse 1000ms all", "analyse 4000ms all"]);
  assert.equal(heard.length, 2);
  assert.equal(analyst.known({ ...PLACE, rules: "standard" }), null);
});

test("an analysis that is called off says nothing more", async () => {
  const control = new AbortController();
  const engine = engineOf(() => {
    control.abort();
    return analysis({ A: [0, 9] }, 4);
  });
  const analyst = createAnalyst(engine);
  const found = analyst.analyse(PLACE, [1], control.signal, () => assert.fail("told after it was called off"));
  await assert.rejects(found, { name: "AbortError" });
  assert.equal(analyst.known(PLACE), null);
});

test("a question that is turned away is asked again, and a wrong one is not", async () => {
  const fail = (/** @type {number} */ status) => () => {
    throw new EngineError({ type: "about:blank", title: "no", status, detail: "" });
  };
  const busy = engineOf(fail(429), fail(503), analysis({ A: 4 }, 4));
  const found = await createAnalyst(busy, { pausesMs: [1, 1] }).analyse(PLACE, [1], signal(), () => {});
  assert.equal(found?.margin, 4);
  const down = engineOf(fail(429), fail(429), fail(429));
  await assert.rejects(createAnalyst(down, { pausesMs: [1, 1] }).analyse(PLACE, [1], signal(), () => {}), EngineError);
  const wrong = engineOf(fail(422));
  await assert.rejects(createAnalyst(wrong, { pausesMs: [1] }).analyse(PLACE, [1], signal(), () => {}), EngineError);
  assert.equal(wrong.asked.length, 1);
});

test("what is proven stays proven", () => {
  const one = analysis({ A: [2, 9], B: 1 }, 5);
  const two = analysis({ A: [0, 4], B: [-9, 9] }, 6);
  const merged = merge(one, two);
  assert.deepEqual(merged.moves, [{ choice: "A", ...bounds(2, 4) }, { choice: "B", ...bounds(1) }]);
  assert.deepEqual([merged.lower, merged.upper, merged.margin], [2, 9, 6]);
  const proven = merge(analysis({ A: 4 }, 4), { ...analysis({ A: [0, 9] }, 2), best: "B", line: ["B"] });
  assert.deepEqual([proven.margin, proven.exact, proven.best, proven.line], [4, true, "A", ["A"]]);
});
