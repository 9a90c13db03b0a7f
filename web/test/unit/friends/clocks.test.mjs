import assert from "node:assert/strict";
import { test } from "node:test";

import { isClock } from "../../../friends/create/clocks.js";

test("own times of a clock have ranges", () => {
  for (const [initial, increment] of /** @type {[number, number][]} */ ([
    [1, 0],
    [10, 60],
    [86_400, 3_600],
  ])) {
    assert.ok(isClock(initial, increment), `${initial} ${increment}`);
  }
  for (const [initial, increment] of /** @type {[number, number][]} */ ([
    [0, 0],
    [86_401, 0],
    [60, -1],
    [60, 3_601],
    [1.5, 0],
    [NaN, 0],
  ])) {
    assert.ok(!isClock(initial, increment), `${initial} ${increment}`);
  }
});
