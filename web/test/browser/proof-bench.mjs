/**
 * A benchmark: how many positions of 6x4 the engine in a browser proves within five seconds. It is
 * no test; docs/performance.md has its results.
 *
 * PAGE=target/site KALAH=target/release/kalah CHROMIUM=chromium node test/browser/proof-bench.mjs
 *
 * `PLY=7` is the ply to search, the first one that no book has, `EVERY=150` takes one of 150
 * positions, and `COLD=1` omits the warm-up. `AGAIN=FILE` takes the positions that an earlier run
 * with the output FILE has not proven. Each position has a new engine.
 */

import { readFile } from "node:fs/promises";
import { test } from "node:test";

import { WARMUP_TIME } from "../../game/warmup.js";
import { setUp } from "./stage.mjs";

/** @import { Page } from "playwright" */

const PLY = Number(process.env["PLY"] ?? 7);
const EVERY = Number(process.env["EVERY"] ?? 150);
const AGAIN = process.env["AGAIN"] ?? "";
const COLD = Boolean(process.env["COLD"]);
const RULES = ["cs32", "standard"];

const stage = setUp();

/**
 * Gives a page the function `engineRequest`, which sends a request to a worker of its own.
 *
 * @param {Page} page
 */
function addEngine(page) {
  return page.addInitScript(() => {
    /** @type {Worker | undefined} */
    let worker;
    /** @type {any} */ (globalThis).engineRequest = (
      /** @type {string} */ endpoint,
      /** @type {object} */ body,
    ) => {
      const script = document.documentElement.dataset.worker ?? "engine/worker.js";
      const current = (worker ??= new Worker(script, { type: "module" }));
      return new Promise((resolve, reject) => {
        current.onmessage = ({ data: { response, problem, failure } }) =>
          response ? resolve(JSON.parse(response)) : reject(new Error(problem ?? failure));
        current.postMessage({ id: 0, endpoint, body: JSON.stringify(body) });
      });
    };
  });
}

/**
 * Returns the positions before a ply, each once.
 *
 * @param {Page} page
 * @param {string} rules
 */
function reached(page, rules) {
  return page.evaluate(
    async ([preset, plies]) => {
      const { engineRequest } = /** @type {any} */ (globalThis);
      let level = [await engineRequest("position", { rules: preset, position: "6x4" })];
      for (let ply = 0; ply < Number(plies); ply += 1) {
        const next = new Map();
        for (const { position, legal_moves: moves } of level) {
          for (const move of moves) {
            const mv = { rules: preset, position, move };
            const { after } = await engineRequest("move", mv);
            next.set(after.position, after);
          }
        }
        level = [...next.values()];
      }
      return level.map(({ position }) => String(position));
    },
    /** @type {const} */ ([rules, PLY - 1]),
  );
}

/**
 * Returns the move of the player `smart` of a new engine, whether it is proven to be best, and the
 * time of the search.
 *
 * @param {Page} page
 * @param {string} rules
 * @param {string} position
 */
async function chosen(page, rules, position) {
  // Loading a page terminates the workers of the previous one.
  await page.goto(stage.server.url);
  return page.evaluate(async ([preset, place, cold, ready]) => {
    const { engineRequest } = /** @type {any} */ (globalThis);
    const prepared = cold
      ? { seeds: 0 }
      : await engineRequest("prepare", { rules: preset, position: "6x4", time: ready });
    const began = performance.now();
    const { move, is_best: isBest } = await engineRequest("choose", {
      ...{ rules: preset, position: place, opponent: "smart", time: "5s" },
    });
    return {
      move: String(move),
      isProven: Boolean(isBest),
      seeds: Number(prepared.seeds),
      ms: performance.now() - began,
    };
  }, /** @type {const} */ ([rules, position, COLD, WARMUP_TIME]));
}

/**
 * Returns the positions to search.
 *
 * @param {Page} page
 * @returns {Promise<[rules: string, position: string][]>}
 */
async function positions(page) {
  if (AGAIN) {
    const lines = (await readFile(AGAIN, "utf8")).matchAll(/^(\S+) (<.*> [sn]) \S+ open /gm);
    return [...lines].map(([, rules, position]) => [rules ?? "", position ?? ""]);
  }
  /** @type {[string, string][]} */
  const all = [];
  for (const rules of RULES) {
    const some = (await reached(page, rules)).filter((_, index) => index % EVERY === 0);
    all.push(...some.map((position) => /** @type {[string, string]} */ ([rules, position])));
  }
  return all;
}

test("proofs within five seconds", async () => {
  const page = await stage.browser.newPage();
  await addEngine(page);
  await page.goto(stage.server.url);
  const times = [];
  const among = await positions(page);
  for (const [rules, position] of among) {
    const { move, isProven, seeds, ms } = await chosen(page, rules, position);
    console.log(
      rules,
      position,
      move,
      isProven ? "proven" : "open",
      `${seeds} seeds`,
      `${ms.toFixed(0)} ms`,
    );
    if (isProven) {
      times.push(ms);
    }
  }
  const median = times.sort((one, other) => one - other)[Math.floor(times.length / 2)] ?? 0;
  console.log(
    `proven: ${times.length} of ${among.length}, half of them within ${median.toFixed(0)} ms`,
  );
});
