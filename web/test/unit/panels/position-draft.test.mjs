import assert from "node:assert/strict";
import { test } from "node:test";

import {
  draftFromPosition,
  draftText,
  emptyDraft,
  seedsIn,
  totalSeeds,
  withSeeds,
} from "../../../panels/position-draft.js";

/** @type {any} */
const POSITION = {
  side: "north",
  stores: { south: 3, north: 1 },
  rows: { south: [1, 2, 3], north: [4, 5, 6] },
};

test("draftText returns the text of the draft's position", () => {
  assert.equal(draftText(draftFromPosition(POSITION)), "<3,3,1,1,2,3,4,5,6> n");
  assert.equal(draftText(emptyDraft(2)), "<2,0,0,0,0,0,0> s");
});

test("pits have the names of the board", () => {
  const draft = draftFromPosition(POSITION);
  assert.deepEqual(
    ["A", "C", "a", "c", "south", "north", "D", "?"].map((pit) => seedsIn(draft, pit)),
    [1, 3, 4, 6, 3, 1, 0, 0],
  );
});

test("withSeeds changes one pit and not its argument", () => {
  const draft = draftFromPosition(POSITION);
  assert.equal(draftText(withSeeds(draft, "b", 9)), "<3,3,1,1,2,3,4,9,6> n");
  assert.equal(draftText(withSeeds(draft, "south", 0)), "<3,0,1,1,2,3,4,5,6> n");
  assert.equal(draftText(draft), "<3,3,1,1,2,3,4,5,6> n");
  assert.equal(withSeeds(draft, "Z", 1), draft);
});

test("seeds are limited to the valid range", () => {
  const draft = emptyDraft(1);
  assert.deepEqual(
    [-1, 2.7, 1e9, Number.NaN].map((seeds) => seedsIn(withSeeds(draft, "A", seeds), "A")),
    [0, 2, 65_535, 0],
  );
});

test("totalSeeds adds all pits", () => {
  assert.equal(totalSeeds(draftFromPosition(POSITION)), 25);
});
