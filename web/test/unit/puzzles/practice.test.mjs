/** The puzzle of the day, runs, their clock, and the person's own mistakes. */

import assert from "node:assert/strict";
import { test } from "node:test";

import {
  dailyPuzzle,
  linkedPuzzle,
  ownMistakes,
  puzzleStorm,
  puzzleStreak,
} from "../../../puzzles/activities.js";
import { createCountdown } from "../../../puzzles/countdown.js";
import { dailyAfter, dayOf, parseDaily, rowOn, storedDaily } from "../../../puzzles/daily.js";
import {
  keepMistakes,
  mistakesOf,
  parseMistakes,
  storedMistakes,
  storeMistakes,
  withMistakes,
} from "../../../puzzles/mistakes.js";
import { newRun, parseBest, runAfter, runLimits, storedBest } from "../../../puzzles/runs.js";
import { memory } from "../storage/storages.mjs";
import { PUZZLE } from "./puzzle.mjs";

/** Lets promises run. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

const options = () => ({ storage: memory(), locks: null, page: new EventTarget() });

test("a day begins at midnight in UTC", () => {
  assert.equal(dayOf(Date.UTC(2026, 10, 30)), 20_787);
  assert.equal(dayOf(Date.UTC(2026, 10, 30) - 1), 20_786);
});

test("days in a row count solved puzzles, each day once", () => {
  const none = parseDaily(null);
  const one = dailyAfter(none, 100, { isSolved: true });
  const two = dailyAfter(one, 101, { isSolved: true });
  assert.deepEqual(two, { day: 101, isSolved: true, row: 2, bestRow: 2 });
  assert.equal(dailyAfter(two, 101, { isSolved: false }), two);
  assert.deepEqual(
    [101, 102, 103].map((day) => rowOn(two, day)),
    [2, 2, 0],
  );
  assert.equal(dailyAfter(two, 103, { isSolved: true }).row, 1);
  const failed = dailyAfter(two, 102, { isSolved: false });
  assert.deepEqual(failed, { day: 102, isSolved: false, row: 0, bestRow: 2 });
  assert.equal(dailyAfter(failed, 103, { isSolved: true }).row, 1);
  for (const wrong of [{ day: "1" }, { row: -2 }, { isSolved: 1 }, { bestRow: 0.5 }]) {
    assert.equal(parseDaily({ ...two, ...wrong }).day, -1);
  }
});

/** The address of a puzzle. */
const LINKED = { rules: "standard", position: "<2,0,0,4,1,0,3> s" };

test("the puzzle of the day is stored under the day on which it was opened", async () => {
  const storage = options();
  let time = Date.UTC(2026, 10, 30) - 1;
  /** @type {any} */
  const source = {
    daily: async (/** @type {number} */ day) => ({ day, puzzle: LINKED }),
    check: async () => "checked",
  };
  const activity = dailyPuzzle(source, () => time, storage);
  assert.deepEqual(await activity.load(/** @type {any} */ ({})), { day: 20_786, puzzle: LINKED });
  // A reload opens it by its address, and it is still that of the day.
  await settle();
  const reloaded = linkedPuzzle(source, LINKED, () => time, storage);
  assert.deepEqual(
    [reloaded.kind, await reloaded.load(/** @type {any} */ ({}))],
    ["daily", "checked"],
  );
  assert.equal(linkedPuzzle(source, LINKED, () => time + 1, storage).kind, "link");
  assert.ok(activity.isRated);
  time += 1;
  activity.onEnd?.({ isSolved: true });
  await settle();
  assert.deepEqual([storedDaily(storage).day, storedDaily(storage).row], [20_786, 1]);
  assert.ok(dailyPuzzle(source, () => time, storage).isRated);
  assert.ok(!dailyPuzzle(source, () => time - 1, storage).isRated, "the day is counted already");
});

test("the puzzles of runs get harder, and a mistake ends a streak", () => {
  assert.deepEqual(runLimits("streak", 0), { min_rating: 800, max_rating: 1000 });
  assert.deepEqual(runLimits("streak", 5), { min_rating: 1100, max_rating: 1300 });
  assert.deepEqual(runLimits("storm", 1_000), { min_rating: 1900, max_rating: 2400 });
  const streak = runAfter(newRun("streak", options()), { isSolved: true });
  assert.deepEqual([streak.solved, streak.isOver], [1, false]);
  assert.ok(runAfter(streak, { isSolved: false }).isOver);
  const storm = runAfter(newRun("storm", options()), { isSolved: false });
  assert.deepEqual([storm.solved, storm.mistakes, storm.isOver], [0, 1, false]);
  assert.deepEqual(parseBest({ streak: 3, storm: "4" }), { streak: 3, storm: 0 });
});

/** Returns a source with a puzzle of each of these positions, in order, and then of new ones. */
function fakeSource(/** @type {string[]} */ positions = []) {
  let requests = 0;
  return /** @type {any} */ ({
    request: async () => {
      requests += 1;
      return { puzzle: { position: positions[requests - 1] ?? String(requests) } };
    },
  });
}

test("the puzzles of a run differ", async () => {
  const activity = puzzleStreak({
    source: fakeSource(["a", "b", "a", "b", "c"]),
    board: { rules: "standard", board: "6x4" },
    storageOptions: options(),
  });
  const load = async () => /** @type {any} */ (await activity.load(/** @type {any} */ ({})));
  assert.equal((await load()).puzzle.position, "a");
  assert.equal((await load()).puzzle.position, "b");
  assert.notEqual((await load()).puzzle.position, "a");
  activity.close?.();
});

test("the best result of a streak is kept", async () => {
  const storageOptions = options();
  for (const solved of [2, 1]) {
    const activity = puzzleStreak({
      source: fakeSource(),
      board: { rules: "standard", board: "6x4" },
      storageOptions,
    });
    for (let count = 0; count < solved; count += 1) {
      activity.onEnd?.({ isSolved: true });
    }
    activity.onEnd?.({ isSolved: false });
    await settle();
    assert.ok(activity.run?.().isOver);
  }
  assert.deepEqual(storedBest(storageOptions), { streak: 2, storm: 0 });
});

test("the clock counts down only while it runs", (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  let time = 0;
  /** @type {number[]} */
  const ticks = [];
  const clock = createCountdown(
    1_000,
    (left) => ticks.push(left),
    () => time,
  );
  /** @param {number} ms */
  const wait = (ms) => {
    time += ms;
    context.mock.timers.tick(ms);
  };
  wait(5_000);
  assert.deepEqual([clock.left(), ticks], [1_000, []]);
  clock.start();
  wait(250);
  clock.stop();
  wait(5_000);
  assert.deepEqual([clock.left(), ticks], [750, [750]]);
  clock.subtract(300);
  clock.start();
  wait(250);
  assert.equal(clock.left(), 200);
  wait(250);
  assert.equal(ticks.at(-1), 0);
  const count = ticks.length;
  wait(5_000);
  clock.start();
  wait(5_000);
  assert.equal(ticks.length, count, "a clock at zero does not run again");
});

test("a storm ends with its time, which waits for puzzles do not use", (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  let time = 0;
  context.mock.method(performance, "now", () => time);
  let isStopped = false;
  /** @type {any} */
  const session = { refresh() {}, stopRun: () => (isStopped = true) };
  const board = { rules: "standard", board: "6x4" };
  const storageOptions = options();
  const storm = puzzleStorm({ session, source: fakeSource(), board, storageOptions });
  /** @param {number} ms */
  const wait = (ms) => {
    time += ms;
    context.mock.timers.tick(ms);
  };
  wait(60_000);
  assert.equal(storm.left(), 180_000);
  storm.onBoard?.(true);
  wait(20_000);
  storm.onBoard?.(false);
  storm.onEnd?.({ isSolved: true });
  wait(60_000);
  storm.onBoard?.(true);
  storm.onBoard?.(false);
  storm.onEnd?.({ isSolved: false });
  assert.equal(storm.left(), 150_000);
  storm.onBoard?.(true);
  wait(149_000);
  assert.ok(!isStopped && !storm.run?.().isOver);
  wait(1_000);
  assert.ok(isStopped && storm.run?.().isOver);
  assert.equal(storedBest(storageOptions).storm, 1);
});

const position = (/** @type {number} */ seeds) => ({
  rules: "standard",
  position: `<2,0,0,${seeds},2,2,2> s`,
});

test("the own graded moves with one better move are mistakes", () => {
  const ply = { grade: "mistake", better_moves: ["B"], player: "south" };
  const review = {
    plies: [
      ply,
      { ...ply, grade: null },
      { ...ply, better_moves: ["B", "C"] },
      { ...ply, player: "north" },
      ply,
    ],
  };
  const positions = [1, 2, 3, 4, 5].map(position);
  /** @type {any} */
  const players = { south: { kind: "person" }, north: { kind: "computer" } };
  assert.deepEqual(mistakesOf(/** @type {any} */ (review), positions, players), [
    position(1),
    position(5),
  ]);
});

test("a review stores the mistakes of the person, also while its game is explored", async () => {
  const storage = options();
  const review = {
    plies: ["south", "north"].map((player) => ({ grade: "mistake", better_moves: ["B"], player })),
  };
  /** @type {any} */
  const start = position(1);
  /** @type {any} */
  const game = { south: { kind: "person" }, north: { kind: "computer" } };
  /** @type {any} */
  const persons = { south: { kind: "person" }, north: { kind: "person" } };
  /** @type {any} */
  const reviewed = { start, line: [{ after: position(2) }, { after: position(3) }], review };
  /** @type {any} */
  const suspendedGame = { tree: { start }, players: game, mode: "play" };
  keepMistakes({ players: persons, suspendedGame }, reviewed, storage);
  await settle();
  assert.deepEqual(storedMistakes(storage), [position(1)]);
  keepMistakes({ players: persons, suspendedGame: null }, reviewed, storage);
  await settle();
  assert.deepEqual(storedMistakes(storage), [position(1), position(2)]);
  keepMistakes({ players: game, suspendedGame: null }, { ...reviewed, review: null }, storage);
  await settle();
  assert.equal(storedMistakes(storage).length, 2);
});

test("at most a hundred mistakes are kept, each once", () => {
  const list = Array.from({ length: 100 }, (_, seeds) => position(seeds));
  assert.equal(withMistakes(list, [position(5)]).length, 100);
  const more = withMistakes(list, [position(100), position(101)]);
  assert.deepEqual([more.length, more[0], more.at(-1)], [100, position(2), position(101)]);
  assert.deepEqual(parseMistakes([position(1), { rules: 1 }, null, "x"]), [position(1)]);
  assert.deepEqual(parseMistakes({}), []);
});

test("a mistake that is no puzzle, or is solved, is removed", async () => {
  const storage = options();
  await storeMistakes([1, 2, 3].map(position), storage);
  /** @type {any} */
  const source = {
    check: async (/** @type {any} */ at) =>
      at.position === position(1).position ? "lost" : { puzzle: PUZZLE, at },
  };
  const activity = ownMistakes(source, storage);
  const load = async () => /** @type {any} */ (await activity.load(/** @type {any} */ ({})));
  assert.deepEqual((await load()).at, position(2));
  assert.deepEqual(storedMistakes(storage), [position(2), position(3)]);
  activity.onEnd?.({ isSolved: false });
  await settle();
  assert.deepEqual(storedMistakes(storage), [position(3), position(2)]);
  assert.deepEqual((await load()).at, position(3));
  activity.onEnd?.({ isSolved: true });
  await settle();
  assert.deepEqual(storedMistakes(storage), [position(2)]);
  await load();
  activity.onEnd?.({ isSolved: true });
  await settle();
  assert.equal(await load(), null);
});
