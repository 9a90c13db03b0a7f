/**
 * Tests of the engine of the site that `cargo xtask site` has written, in node.
 *
 *     node --test crates/app/wasm/tests/wasm.mjs
 *
 * SITE is the folder of the site, by default target/site.
 */

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { resolve } from "node:path";

const site = resolve(process.env.SITE ?? new URL("../../../../target/site", import.meta.url).pathname);
const [, folder] = /data-worker="([^"]+)\/engine\/worker.js"/.exec(await readFile(`${site}/index.html`, "utf8"));
const wasm = `${site}/${folder}/wasm`;
const { default: init, handleRequest } = await import(pathToFileURL(`${wasm}/kalah_wasm.js`).href);
await init({ module_or_path: await readFile(`${wasm}/kalah_wasm_bg.wasm`) });

/**
 * @param {string} name
 * @param {object} body
 */
const request = (name, body) => JSON.parse(handleRequest(name, JSON.stringify(body)));

test("sows by the rules", () => {
  assert.deepEqual(request("move", { move: "C" }).path, ["D", "E", "F", "south"]);
  assert.equal(request("rules", {})[0].name, "cs32");
});

/**
 * Positions with enough seeds that a proof builds endgame tables, and their margins, from
 * data/values.csv or `kalah solve`.
 */
const MARGINS = [
  ["cs32", "7x3", 4],
  ["standard", "7x3", 4],
  ["cs32", "<6,2,1,5,5,0,1,6,6,5,4,4,4,0,5> s", 4],
  ["standard", "<6,7,1,0,6,5,5,5,0,0,5,5,4,0,5> n", 2],
];

for (const [rules, position, margin] of MARGINS) {
  test(`proves ${position} under ${rules}`, () => {
    const analysis = request("analyze", { rules, position, prove: "best", time: "1m" });
    assert.equal(analysis.exact, true);
    assert.equal(analysis.margin, margin);
  });
}

test("passes snapshots with an estimate for every move", () => {
  const snapshots = [];
  const body = JSON.stringify({ position: "7x5", time: "300ms" });
  const last = JSON.parse(handleRequest("analyze", body, (json) => snapshots.push(JSON.parse(json))));
  assert.ok(snapshots.length > 10, `${snapshots.length} snapshots`);
  for (const { moves, margin, best, line } of [...snapshots, last]) {
    assert.equal(moves.length, 7);
    assert.equal(Math.max(...moves.map(({ estimate }) => estimate)), margin);
    assert.equal(line[0], best);
  }
  assert.ok(last.moves.every(({ depth }) => depth >= 6));
});

test("keeps the time limit while it builds a table", () => {
  // A margin that cannot be proven, and an endgame table that takes minutes.
  for (const milliseconds of [100, 1000]) {
    const start = performance.now();
    const analysis = request("analyze", { position: "7x9", time: `${milliseconds}ms` });
    const took = performance.now() - start;
    assert.equal(analysis.exact, false);
    assert.ok(took < milliseconds + 2000, `${took} ms for ${milliseconds}`);
  }
});

test("throws problem documents as text", () => {
  const status = (/** @type {string} */ name, /** @type {string} */ body) => {
    try {
      handleRequest(name, body);
    } catch (error) {
      assert.equal(typeof error, "string");
      return JSON.parse(/** @type {string} */ (error)).status;
    }
    return 200;
  };
  assert.equal(status("guess", "{}"), 404);
  assert.equal(status("move", "{"), 400);
  assert.equal(status("move", '{"move":"z"}'), 422);
});

test("handles large boards", () => {
  const body = { position: "10x10", opponent: "smart", time: "500ms" };
  assert.equal(request("choose", body).move.length, 1);
  assert.equal(request("move", { move: "C" }).move, "C");
});
