import assert from "node:assert/strict";
import { test } from "node:test";

import {
  annotators,
  gameTitle,
  indexOfPath,
  pathOfIndex,
  startText,
} from "../../../records/records.js";
import { makePosition } from "../../positions.mjs";

/** @import { Position, Preset } from "../../../types/api.d.ts" */

/** Plies by their parents. */
const plies = [null, 0, 0, null, 1, 2, 5, 1].map((parent) => ({ parent, move: "A" }));

test("indexOfPath and pathOfIndex are inverse", () => {
  assert.equal(indexOfPath(plies, []), null);
  assert.equal(indexOfPath(plies, [0, 1, 0, 0]), 6);
  assert.equal(indexOfPath(plies, [0, 0, 1]), 7);
  assert.equal(indexOfPath(plies, [1]), 3);
  for (const at of [null, ...plies.keys()]) {
    assert.equal(indexOfPath(plies, pathOfIndex(plies, at)), at);
  }
});

test("a review keeps the other annotators of a record", () => {
  const program = "kalah/1.2.3";
  assert.equal(annotators("", program), program);
  assert.equal(annotators("?", program), program);
  assert.equal(annotators("Prof. Bob", program), "Prof. Bob; kalah/1.2.3");
  assert.equal(annotators("Ann; kalah/0.9.0;Prof. Bob", program), "Ann; Prof. Bob; kalah/1.2.3");
});

test("a start has a short form if it stands for the same position", () => {
  const presets = /** @type {Preset[]} */ ([
    { name: "cs32", swap: false },
    { name: "mankalah", swap: true },
  ]);
  /** @param {Partial<Position>} given */
  const text = (given) => startText(makePosition(given), presets);
  assert.equal(text({}), "2x2");
  assert.equal(startText(makePosition(), []), "<2,0,0,2,2,2,2> s", "unknown rules");
  // Under rules with a swap, a position without `ply=1` is past the first ply.
  assert.equal(text({ rules: "mankalah" }), "<2,0,0,2,2,2,2> s");
  assert.equal(text({ rules: "mankalah", position: "<2,0,0,2,2,2,2> s ply=1" }), "2x2");
  const own = { rules: "ends=row,capture=always,swap=no,first-bonus=no" };
  assert.equal(text(own), "<2,0,0,2,2,2,2> s");
  assert.equal(text({ ...own, position: "<2,0,0,2,2,2,2> s ply=1" }), "2x2");
  for (const given of [
    { to_move: /** @type {const} */ ("north") },
    { stores: { south: 0, north: 1 } },
    { rows: { south: [2, 2], north: [2, 3] } },
    { rows: { south: [0, 0], north: [0, 0] } },
  ]) {
    assert.equal(text(given), "<2,0,0,2,2,2,2> s", JSON.stringify(given));
  }
});

test("the title of a game has players, date and result", () => {
  const game = {
    tags: [
      ["South", "Marge"],
      ["Date", "2026.11.22"],
      ["Result", "25-23"],
    ],
    plies: [{}, {}],
  };
  assert.equal(
    gameTitle(/** @type {any} */ (game)),
    "Marge \u2013 North, Nov 22, 2026, 25-23, 2 moves",
  );
});

test("a title shows characters that would reorder its text as numbers", () => {
  const game = { tags: [["South", "\u202etpircs\u0007"]], plies: [] };
  const title = gameTitle(/** @type {any} */ (game));
  assert.equal(title, "\\u{202e}tpircs\\u{7} \u2013 North, 0 moves");
});
