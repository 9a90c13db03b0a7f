import assert from "node:assert/strict";
import { test } from "node:test";

import {
  columnOf,
  houseInColumn,
  houseLetter,
  houseName,
  moveLabel,
  moveName,
  parseHouse,
  shortLabel,
} from "../../../board/labels.js";

test("houses have letters and columns", () => {
  assert.equal(houseLetter("south", 3), "C");
  assert.equal(houseLetter("north", 3), "c");
  assert.deepEqual(parseHouse("c"), { side: "north", house: 3 });
  assert.equal(parseHouse("south"), null);
  assert.equal(parseHouse("swap"), null);
  assert.equal(columnOf("north", 1, 6), 6);
  assert.equal(houseInColumn("north", 6, 6), 1);
  assert.equal(shortLabel("a", 6, "columns"), "6");
  assert.equal(shortLabel("south", 6, "columns"), "south");
  assert.equal(houseName("C", 6, "letters"), "house C");
  assert.equal(houseName("C", 6, "columns"), "column 3");
});

test("moves in lists have columns with the row", () => {
  assert.equal(moveLabel("a", 6, "letters"), "a");
  assert.equal(moveLabel("a", 6, "columns"), "6\u2191");
  assert.equal(moveLabel("A", 6, "columns"), "1\u2193");
  assert.equal(moveLabel("swap", 6, "columns"), "swap");
  assert.equal(moveName("a", "north", 6, "letters"), "North a");
  assert.equal(moveName("a", "north", 6, "columns"), "North column 6");
  assert.equal(moveName("swap", "north", 6, "columns"), "North swap");
});
