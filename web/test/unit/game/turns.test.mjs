import assert from "node:assert/strict";
import { test } from "node:test";

import { plyNames } from "../../../game/turns.js";

/** @import { Side } from "../../../types/api.d.ts" */

/**
 * Returns the names of the plies of a line of letters; `~` is a swap of North.
 *
 * @param {string} line
 * @param {"letters" | "columns"} [labels]
 */
function namesOf(line, labels = "letters") {
  /** @param {string} letter @returns {Side} */
  const sideOf = (letter) => (letter >= "A" && letter <= "Z" ? "south" : "north");
  const plies = [...line].map((letter) => ({
    side: sideOf(letter),
    move: letter === "~" ? "swap" : letter,
  }));
  return plyNames(plies, { houses: 6, labels });
}

test("a ply has the number of its turn and the moves of the turn up to it", () => {
  assert.deepEqual(namesOf("CFbAcd"), ["1. C", "1. C F", "1… b", "2. A", "2… c", "2… c d"]);
  assert.deepEqual(namesOf("CF", "columns"), ["1. 3↓", "1. 3↓ 6↓"]);
  assert.deepEqual(namesOf(""), []);
});

test("the number of North's first turn is that of the record when North begins", () => {
  assert.deepEqual(namesOf("bA"), ["1… b", "2. A"]);
});

test("a swap belongs to North's turn", () => {
  assert.deepEqual(namesOf("C~bA"), ["1. C", "1… swap", "1… swap b", "2. A"]);
});
