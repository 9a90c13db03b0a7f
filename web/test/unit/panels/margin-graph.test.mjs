import assert from "node:assert/strict";
import { test } from "node:test";

import { indexAfterKey, plotPoints } from "../../../panels/margin-graph.js";

const point = (/** @type {number | null} */ margin, proven = true) => ({
  margin,
  proven,
  grade: null,
  label: "",
});

test("points lie from left to right, with South's margins above the middle", () => {
  const { marks, levels, x } = plotPoints([point(0), point(10), point(-10)], 200, 100);
  const [zero, high, low] = /** @type {any[]} */ (marks);
  assert.ok(zero.x < high.x && high.x < low.x);
  assert.ok(high.y < zero.y && zero.y < low.y);
  assert.equal(zero.y, (high.y + low.y) / 2);
  assert.deepEqual(
    levels.map(({ margin }) => margin),
    [10, 0, -10],
  );
  assert.deepEqual(
    marks.map((mark) => mark.x),
    [x(0), x(1), x(2)],
  );
});

test("a line is proven if both ends are, and unknown points have no lines", () => {
  const { lines } = plotPoints(
    [point(1), point(2), point(3, false), point(null), point(4), point(5)],
    200,
    100,
  );
  assert.deepEqual(
    lines.map(({ proven }) => proven),
    [true, false, true],
  );
});

test("nearest returns the point nearest to the pointer", () => {
  const { nearest, x } = plotPoints([point(0), point(1), point(2)], 200, 100);
  for (const index of [0, 1, 2]) {
    assert.equal(nearest(x(index) + 3), index);
  }
  assert.equal(nearest(-50), 0);
  assert.equal(nearest(900), 2);
});

test("a game without plies has one point, and an empty list has none", () => {
  const one = plotPoints([point(3)], 200, 100);
  assert.equal(one.marks.length, 1);
  assert.equal(one.nearest(150), 0);
  assert.equal(plotPoints([], 200, 100).nearest(150), 0);
  assert.deepEqual(plotPoints([point(null)], 200, 100).marks, []);
});

test("keys stay within the points", () => {
  assert.equal(indexAfterKey("ArrowRight", 3, 3), 3);
  assert.equal(indexAfterKey("ArrowLeft", 3, 30), 2);
  assert.equal(indexAfterKey("PageDown", 3, 30), 0);
  assert.equal(indexAfterKey("PageUp", 3, 30), 13);
  assert.equal(indexAfterKey("End", 3, 30), 30);
  assert.equal(indexAfterKey("Home", 3, 30), 0);
  assert.equal(indexAfterKey("c", 3, 30), null);
});
