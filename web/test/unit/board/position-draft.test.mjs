import assert from "node:assert/strict";
import { test } from "node:test";

import { nearestIn } from "../../../board/editing.js";
import {
  draftFromPosition,
  draftPosition,
  draftText,
  emptyDraft,
  seedsIn,
  totalSeeds,
  withHouses,
  withSeeds,
} from "../../../board/position-draft.js";

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

test("a draft is shown as a position without moves", () => {
  const at = draftPosition(draftFromPosition({ ...POSITION, to_move: "north" }), "standard");
  assert.deepEqual(
    [at.rules, at.position, at.houses, at.to_move, at.legal_moves, at.is_over],
    ["standard", "<3,3,1,1,2,3,4,5,6> n", 3, "north", [], false],
  );
});

test("a draft with another number of houses keeps the seeds of the first houses", () => {
  const draft = draftFromPosition(POSITION);
  assert.deepEqual(withHouses(draft, 2).rows, { south: [1, 2], north: [4, 5] });
  assert.deepEqual(withHouses(draft, 4).rows.north, [4, 5, 6, 0]);
  assert.deepEqual(
    [0, 27, NaN].map((houses) => withHouses(draft, houses).rows.south.length),
    [1, 26, 1],
  );
});

test("an arrow key leads to the nearest pit in its direction", () => {
  // A store at the left, two rows of two houses.
  const points = [
    { x: 0, y: 50 },
    { x: 50, y: 0 },
    { x: 100, y: 0 },
    { x: 50, y: 100 },
    { x: 100, y: 100 },
  ];
  const from = (/** @type {number} */ index, /** @type {number} */ x, /** @type {number} */ y) =>
    nearestIn(/** @type {{ x: number, y: number }} */ (points[index]), points, { x, y });
  assert.deepEqual(
    [from(1, 1, 0), from(1, 0, 1), from(1, -1, 0), from(4, -1, 0), from(4, 0, -1), from(2, 1, 0)],
    [2, 3, 0, 3, 2, -1],
  );
});
