import assert from "node:assert/strict";
import { test } from "node:test";

import {
  clockSettingText,
  clockText,
  durationText,
  timeLeft,
} from "../../../friends/clock-times.js";

const [SECOND, MINUTE, HOUR, DAY] = [1_000, 60_000, 3_600_000, 86_400_000];

const times = { initial_ms: MINUTE, increment_ms: 0 };

/** @param {Record<string, unknown>} [change] @returns {any} */
const at = (change) => ({
  clockReceivedAt: 100,
  snapshot: {
    clock: {
      times: { south: times, north: times },
      by_correspondence: false,
      south_ms: 60_000,
      north_ms: 50_000,
      running: "south",
      first_move_ms: null,
      ...change,
    },
  },
});

test("only the running clock advances", () => {
  assert.equal(timeLeft(at(), "south", 1_100), 59_000);
  assert.equal(timeLeft(at(), "north", 1_100), 50_000);
  assert.equal(timeLeft(at(), "south", 900_000), 0);
  assert.equal(
    timeLeft(at(), "south", -900_000),
    60_000,
    "a clock never has more time than before",
  );
  assert.equal(timeLeft({ clockReceivedAt: 0, snapshot: null }, "south", 1_100), null);
});

test("the time for a first move is not on the clock", () => {
  assert.equal(timeLeft(at({ first_move_ms: 600_000 }), "south", 90_100), 60_000);
});

test("clockSettingText describes equal and unequal clocks and correspondence", () => {
  /** @param {[number, number]} south @param {[number, number]} north @param {boolean} [perMove] */
  const text = ([initial, increment], [other, otherIncrement], perMove = false) =>
    clockSettingText(
      {
        times: {
          south: { initial_ms: initial, increment_ms: increment },
          north: { initial_ms: other, increment_ms: otherIncrement },
        },
        by_correspondence: perMove,
      },
      { south: "You", north: "Bob" },
    );
  assert.equal(text([HOUR, MINUTE], [HOUR, MINUTE]), "Each player: 1 hour plus 1 minute per turn");
  assert.equal(
    text([3 * MINUTE, 0], [HOUR, SECOND]),
    "You: 3 minutes; Bob: 1 hour plus 1 second per turn",
  );
  assert.equal(text([3 * DAY, 0], [3 * DAY, 0], true), "3 days for each move");
});

test("clockText formats times from milliseconds to days", () => {
  /** @type {[number, string][]} */
  const shown = [
    [0, "0:00.0"],
    [9_999, "0:09.9"],
    [10 * SECOND, "0:10"],
    [61_999, "1:01"],
    [10 * MINUTE, "10:00"],
    [HOUR - 1, "59:59"],
    [HOUR, "1:00:00"],
    [23 * HOUR + 59 * MINUTE + 12 * SECOND, "23:59:12"],
    [DAY, "1 d 0 h"],
    [3 * DAY + 23 * HOUR + 59 * MINUTE, "3 d 23 h"],
  ];
  for (const [left, text] of shown) {
    assert.equal(clockText(left), text);
  }
});

test("durationText describes durations in words", () => {
  /** @type {[number, string][]} */
  const said = [
    [0, "0 seconds"],
    [SECOND, "1 second"],
    [90 * SECOND, "1 minute 30 seconds"],
    [HOUR, "1 hour"],
    [DAY, "1 day"],
    [2 * DAY + 5 * MINUTE, "2 days 5 minutes"],
  ];
  for (const [time, text] of said) {
    assert.equal(durationText(time), text);
  }
});
