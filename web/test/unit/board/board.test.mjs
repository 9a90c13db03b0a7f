import assert from "node:assert/strict";
import { test } from "node:test";

import { animationSteps, countsOf } from "../../../board/animation/steps.js";
import { MAX_DRAWN_SEEDS, seedPlacement } from "../../../board/drawing.js";
import { boardLayout, neighbour } from "../../../board/layout.js";
import { makeMoveResult, makePosition } from "../../positions.mjs";

/** Typical widths and heights of the space for the board. */
const SPACES = [
  [336, Infinity],
  [336, 300],
  [640, 170],
  [780, 900],
  [1380, 710],
];

test("pits do not overlap and lie on the board", () => {
  for (let houses = 1; houses <= 10; houses += 1) {
    for (const [space, height] of SPACES) {
      const { pits, width, height: high } = boardLayout(houses, Number(space), height);
      assert.equal(pits.size, 2 * houses + 2);
      assert.ok(width <= Number(space) + 0.01, `${houses} houses are ${width} wide in ${space}`);
      const boxes = [...pits];
      for (const [pit, { centre, rx, ry }] of boxes) {
        const where = `${pit} of ${houses} in ${space}x${height}`;
        assert.ok(centre.x - rx >= 0 && centre.x + rx <= width, where);
        assert.ok(centre.y - ry >= 0 && centre.y + ry <= high, where);
        for (const [other, box] of boxes) {
          const apart =
            Math.abs(centre.x - box.centre.x) >= rx + box.rx ||
            Math.abs(centre.y - box.centre.y) >= ry + box.ry;
          assert.ok(pit === other || apart, `${where} and ${other}`);
        }
      }
    }
  }
});

/** The smallest width of a target for touch, in pixels (WCAG 2.2, 2.5.8). */
const FINGER_PX = 24;

test("every house is wide enough to touch", () => {
  for (const space of [336, 640, 720]) {
    for (let houses = 1; houses <= 26; houses += 1) {
      const { pitch, pits, width } = boardLayout(houses, space);
      const widths = [...pits].filter(([pit]) => pit.length === 1).map(([, { rx }]) => 2 * rx);
      assert.ok(Math.min(...widths) >= FINGER_PX, `${houses} in ${space}: ${widths[0]}`);
      assert.ok(
        houses > 10 || (pitch >= 32 && width <= space + 0.01),
        `${houses} in ${space}: ${pitch} of ${width}`,
      );
    }
  }
});

test("houses have room for the digits of their counts", () => {
  for (const [houses = 0, seeds = 0, pitch = 0] of [
    [26, 1_000, 40],
    [26, 4, 30],
    [20, 100, 30],
    [12, 12, 30],
  ]) {
    assert.equal(boardLayout(houses, 336, 400, "south", 2 * houses * seeds).pitch, pitch);
  }
  assert.ok(boardLayout(1, 336, 400, "south", 2_000).pitch > 40);
});

test("no pit of a very narrow board has a negative width", () => {
  for (const space of [0, 40, 92, 120]) {
    for (const [pit, { rx, ry }] of boardLayout(6, space).pits) {
      assert.ok(rx >= 0 && ry >= 0, `${pit} in ${space}: ${rx} x ${ry}`);
    }
  }
});

test("stores between the rows do not make the board higher and keep their sides", () => {
  const { height, pits, width } = boardLayout(10, 336, 440);
  assert.ok(height <= boardLayout(6, 336, 440).height, `${height}`);
  const at = (/** @type {string} */ pit) =>
    /** @type {import("../../../board/layout.js").PitBox} */ (pits.get(pit)).centre;
  assert.ok(at("north").x < width / 2 && at("south").x > width / 2);
  assert.ok(at("a").y < at("north").y && at("south").y < at("A").y);
});

test("South is below North, with its first house at the left and its store at the right", () => {
  const { pits } = boardLayout(6, 900);
  const at = (/** @type {string} */ pit) =>
    /** @type {import("../../../board/layout.js").PitBox} */ (pits.get(pit)).centre;
  assert.ok(at("A").y > at("a").y);
  assert.ok(at("A").x < at("F").x && at("F").x < at("south").x);
  assert.ok(at("north").x < at("f").x && at("f").x < at("a").x);
  assert.equal(at("A").x, at("f").x);
});

test("arrow keys lead to the neighbouring house", () => {
  assert.deepEqual(neighbour(6, "south", 2, "right"), { side: "south", house: 3 });
  assert.deepEqual(neighbour(6, "north", 2, "right"), { side: "north", house: 1 });
  assert.deepEqual(neighbour(6, "south", 1, "left"), { side: "south", house: 1 });
  assert.deepEqual(neighbour(6, "south", 1, "up"), { side: "north", house: 6 });
  assert.deepEqual(neighbour(6, "north", 6, "down"), { side: "south", house: 1 });
  assert.deepEqual(neighbour(6, "north", 6, "up"), { side: "north", house: 6 });
});

test("North's row is at the bottom of a turned board, and its first house at the left", () => {
  const { bottom, height, pits, width } = boardLayout(6, 900, 600, "north");
  assert.equal(bottom, "north");
  const plain = boardLayout(6, 900, 600).pits;
  for (const [pit, { centre, count, label }] of pits) {
    const { centre: at, ...other } = /** @type {import("../../../board/layout.js").PitBox} */ (
      plain.get(pit)
    );
    assert.deepEqual(centre, { x: width - at.x, y: height - at.y }, pit);
    assert.deepEqual(count, { x: width - other.count.x, y: height - other.count.y }, pit);
    assert.deepEqual(label, { x: width - other.label.x, y: height - other.label.y }, pit);
  }
  const x = (/** @type {string} */ pit) => pits.get(pit)?.centre.x ?? 0;
  assert.ok(x("a") < x("f") && x("f") < x("north"));
});

test("the stores of a board that scrolls lie in its visible part", () => {
  for (const bottom of /** @type {const} */ (["south", "north"])) {
    const { pits, scrolls, width } = boardLayout(26, 366, 500, bottom);
    assert.ok(scrolls && width > 700);
    for (const side of ["south", "north"]) {
      const { centre, rx, count } = /** @type {import("../../../board/layout.js").PitBox} */ (
        pits.get(side)
      );
      assert.ok(centre.x - rx >= 0 && centre.x + rx <= 366, `${side} of ${bottom}`);
      assert.ok(count.x > 0 && count.x < 366, `${side} of ${bottom}`);
    }
  }
  assert.equal(boardLayout(10, 336).scrolls, false);
});

test("arrow keys follow a turned board", () => {
  assert.deepEqual(neighbour(6, "north", 2, "right", "north"), { side: "north", house: 3 });
  assert.deepEqual(neighbour(6, "south", 2, "right", "north"), { side: "south", house: 1 });
  assert.deepEqual(neighbour(6, "north", 1, "up", "north"), { side: "south", house: 6 });
  assert.deepEqual(neighbour(6, "south", 6, "down", "north"), { side: "north", house: 1 });
});

test("the placement of a seed is stable and inside its pit", () => {
  const box = { rx: 48, ry: 55 };
  for (const pit of ["A", "f", "south"]) {
    for (let index = 0; index < MAX_DRAWN_SEEDS.store; index += 1) {
      const seed = seedPlacement(pit, index, box, 9);
      assert.deepEqual(seed, seedPlacement(pit, index, box, 9));
      assert.ok(
        (seed.x / box.rx) ** 2 + (seed.y / box.ry) ** 2 <= 1,
        `${pit} ${index}: ${seed.x}, ${seed.y}`,
      );
    }
  }
});

test("neighbouring seeds do not cover each other", () => {
  const size = 9;
  const seeds = Array.from({ length: 6 }, (_, index) =>
    seedPlacement("C", index, { rx: 48, ry: 55 }, size),
  );
  seeds.forEach((one, index) => {
    for (const other of seeds.slice(index + 1)) {
      assert.ok(Math.hypot(one.x - other.x, one.y - other.y) > size * 0.9);
    }
  });
});

/** A move of each kind with its result. */
const PLIES = [
  {
    what: "a bonus turn",
    before: makePosition(),
    moveResult: makeMoveResult("A", {
      path: ["B", "south"],
      effect: "bonus-turn",
      after: makePosition({
        rows: { south: [0, 3], north: [2, 2] },
        stores: { south: 1, north: 0 },
      }),
    }),
    kinds: ["lift", "drop", "drop"],
  },
  {
    what: "a capture",
    before: makePosition({ rows: { south: [1, 0], north: [3, 2] } }),
    moveResult: makeMoveResult("A", {
      path: ["B"],
      effect: "capture",
      capture: { house: "B", from: "a", seeds: 4 },
      after: makePosition({
        rows: { south: [0, 0], north: [0, 2] },
        stores: { south: 4, north: 0 },
      }),
    }),
    kinds: ["lift", "drop", "rest", "capture"],
  },
  {
    what: "an empty capture and a sweep",
    before: makePosition({
      rows: { south: [1, 0], north: [0, 2] },
      stores: { south: 5, north: 0 },
    }),
    moveResult: makeMoveResult("A", {
      path: ["B"],
      effect: "capture",
      capture: { house: "B", from: "a", seeds: 1 },
      swept: { south: 0, north: 2 },
      after: makePosition({
        rows: { south: [0, 0], north: [0, 0] },
        stores: { south: 6, north: 2 },
        is_over: true,
      }),
    }),
    kinds: ["lift", "drop", "rest", "capture", "rest", "sweep"],
  },
  {
    what: "a lap into its own house",
    before: makePosition({ rows: { south: [5, 0], north: [0, 0] } }),
    moveResult: makeMoveResult("A", {
      path: ["B", "south", "a", "b", "A"],
      after: makePosition({
        rows: { south: [1, 1], north: [1, 1] },
        stores: { south: 1, north: 0 },
      }),
    }),
    kinds: ["lift", "drop", "drop", "drop", "drop", "drop"],
  },
  {
    what: "a swap",
    before: makePosition(),
    moveResult: makeMoveResult("swap", { is_swap: true, after: makePosition() }),
    kinds: [],
  },
];

for (const { what, before, moveResult, kinds } of PLIES) {
  test(`the animation of ${what} ends at the position of the engine`, () => {
    const list = animationSteps(before, moveResult, "normal");
    assert.deepEqual(
      list.map(({ kind }) => kind),
      kinds,
    );
    assert.deepEqual(list.at(-1)?.counts ?? countsOf(before), countsOf(moveResult.after));
    assert.deepEqual(
      list.filter(({ kind }) => kind === "drop").map(({ flights }) => flights[0]?.to),
      moveResult.path,
    );
  });
}

test("no seed is lost between sowings, captures and sweeps", () => {
  const total = (/** @type {Map<string, number>} */ counts) =>
    [...counts.values()].reduce((sum, seeds) => sum + seeds);
  for (const { before, moveResult } of PLIES) {
    for (const { kind, counts } of animationSteps(before, moveResult, "fast")) {
      if (kind === "rest" || kind === "capture" || kind === "sweep") {
        assert.equal(total(counts), total(countsOf(before)));
      }
    }
  }
});

test("a long sowing takes at most five seconds", () => {
  const long = makeMoveResult("A", { path: Array.from({ length: 100 }, () => "B") });
  const ms = animationSteps(makePosition(), long, "normal").reduce((sum, step) => sum + step.ms, 0);
  assert.ok(ms < 5000, `${ms} ms`);
});
