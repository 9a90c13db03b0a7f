/** The game that is reviewed. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { openingPliesOf } from "../../../review/run.js";

test("an opening has the plies of its tag, as far as the line follows the main line", () => {
  const plies = (/** @type {string} */ text, /** @type {number[]} */ line) =>
    openingPliesOf({ tags: [["OpeningPlies", text]], line });
  assert.equal(plies("2", [0, 0, 0]), 2);
  assert.equal(plies("2", [0, 1, 0]), 1);
  assert.equal(plies("99", [0, 0]), 2);
  assert.equal(plies("-1", [0, 0]), 0);
  assert.equal(plies("two", [0, 0]), 0);
  assert.equal(openingPliesOf({ tags: [], line: [0, 0] }), 0);
});
