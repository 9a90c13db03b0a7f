/**
 * The engine as a page has it: what `cargo xtask site` has written, asked by node.
 *
 *     node --test crates/kalah-wasm/tests/wasm.mjs
 *
 * SITE names the folder of the site; without it, it is target/site.
 */

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { resolve } from "node:path";

const site = resolve(process.env.SITE ?? new URL("../../../target/site", import.meta.url).pathname);
const { default: init, answer } = await import(pathToFileURL(`${site}/wasm/kalah_wasm.js`).href);
await init({ module_or_path: await readFile(`${site}/wasm/kalah_wasm_bg.wasm`) });

/**
 * @param {string} question
 * @param {object} body
 */
const ask = (question, body) => JSON.parse(answer(question, JSON.stringify(body)));

test("sows as the rules say", () => {
  assert.deepEqual(ask("sow", { choice: "C" }).path, ["D", "E", "F", "south"]);
  assert.equal(ask("rules", {})[0].name, "cs32");
});

/** Positions with so many seeds that a proof builds tables, and their margins, as data/values.csv has them or `kalah solve` proves them. */
const MARGINS = [
  ["cs32", "6x3", 2],
  ["standard", "6x3", 2],
  ["cs32", "<6,2,1,5,5,0,1,6,6,5,4,4,4,0,5> s", 4],
  ["standard", "<6,7,1,0,6,5,5,5,0,0,5,5,4,0,5> n", 2],
];

for (const [rules, position, margin] of MARGINS) {
  test(`proves ${position} under ${rules}`, () => {
    const analysis = ask("analyse", { rules, position, moves: "best", time: "1m" });
    assert.equal(analysis.exact, true);
    assert.equal(analysis.margin, margin);
  });
}

test("keeps its time, while it builds a table too", () => {
  // More seeds than can be proven, and a table that would take minutes.
  for (const milliseconds of [100, 1000]) {
    const began = performance.now();
    const analysis = ask("analyse", { position: "7x9", time: `${milliseconds}ms` });
    const took = performance.now() - began;
    assert.equal(analysis.exact, false);
    assert.ok(took < milliseconds + 2000, `${took} ms for ${milliseconds}`);
  }
});

test("a problem is thrown as a document", () => {
  const refused = (/** @type {string} */ question, /** @type {string} */ body) => {
    try {
      answer(question, body);
    } catch (error) {
      assert.equal(typeof error, "string");
      return JSON.parse(/** @type {string} */ (error)).status;
    }
    return 200;
  };
  assert.equal(refused("guess", "{}"), 404);
  assert.equal(refused("sow", "{"), 400);
  assert.equal(refused("sow", '{"choice":"z"}'), 422);
});

test("large boards do not end it", () => {
  const body = { position: "10x10", opponent: "perfect", time: "500ms" };
  assert.equal(ask("choose", body).choice.length, 1);
  assert.equal(ask("sow", { choice: "C" }).choice, "C");
});
