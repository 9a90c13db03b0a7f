/**
 * Tests of the engine of the site that `cargo xtask site` has written, in node.
 *
 *     node --test crates/app/wasm/tests/wasm.mjs
 *
 * SITE is the folder of the site, by default target/site, and KALAH the program whose server has the same
 * puzzles, by default target/debug/kalah.
 */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { resolve } from "node:path";

const target = new URL("../../../../target/", import.meta.url).pathname;
const site = resolve(process.env.SITE ?? `${target}site`);
const kalah = resolve(process.env.KALAH ?? `${target}debug/kalah`);
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

/** Starts a server on a free port, and returns it with the address of its API. */
async function startServer() {
  const options = ["--addr", "127.0.0.1:0", "--tables", "none"];
  const server = spawn(kalah, ["serve", ...options], { stdio: ["ignore", "pipe", "ignore"] });
  for await (const line of createInterface({ input: server.stdout })) {
    const address = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
    if (address) {
      return { server, api: `${address}/api/v1` };
    }
  }
  throw new Error(`${kalah} serve ended without an address`);
}

/** Requests for puzzles, which depend on nothing but the request. @type {[string, object][]} */
const PUZZLES = [
  ["puzzle", { position: "4x3", seed: 1 }],
  ["puzzle", { position: "4x3", seed: 1, rules: "standard", min_moves: 2 }],
  ["puzzle", { position: "4x4", seed: 2, rules: "standard", theme: "capture" }],
  ["puzzle", { position: "4x4", seed: 3, rules: "empty-capture", theme: "bonus-chain" }],
  ["puzzle", { position: "5x3", seed: 4, rules: "mankalah", theme: "only-move" }],
  ["puzzle", { position: "6x4", seed: 5, rules: "standard", min_rating: 1200 }],
  ["puzzle", { position: "1x1", seed: 6 }],
  ["daily_puzzle", { day: 20_000 }],
  ["check_puzzle", { position: "3x2" }],
  ["check_puzzle", { position: "4x3" }],
];

test("has the same puzzles as the server", async () => {
  const { server, api } = await startServer();
  try {
    let found = 0;
    for (const [name, body] of PUZZLES) {
      const response = await fetch(`${api}/${name}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      const puzzle = await response.json();
      assert.equal(response.status, 200, `${name} ${JSON.stringify(puzzle)}`);
      assert.deepEqual(request(name, body), puzzle, `${name} ${JSON.stringify(body)}`);
      found += puzzle.puzzle === null ? 0 : 1;
    }
    assert.ok(found >= PUZZLES.length - 2, `${found} puzzles`);
  } finally {
    server.kill();
  }
});
