import assert from "node:assert/strict";
import { test } from "node:test";

import { createHistory, parsePlayedGame } from "../../../storage/history.js";
import { startRecorder } from "../../../storage/recorder.js";
import { initialState } from "../../../game/store.js";
import { goTo, newTree, addMove } from "../../../game/tree.js";
import { detailsText, playersText, resultText } from "../../../panels/games-panel.js";
import { makeMoveResult, makePosition } from "../../positions.mjs";
import { memory, refusing, sharedLocks } from "./storages.mjs";

/** @import { PlayedGame, Recording } from "../../../storage/history.js" */
/** @import { App, State } from "../../../types/app.d.ts" */

/**
 * @param {Partial<PlayedGame>} [given]
 * @returns {PlayedGame}
 */
const makeGame = (given = {}) => ({
  date: "2026-03-01T12:00:00.000Z",
  mode: "play",
  rules: "cs32",
  position: "<2,0,0,2,2,2,2> s",
  board: "2x2",
  moves: ["A", "b"],
  players: { south: { kind: "person" }, north: { kind: "computer", opponent: "level:3" } },
  termination: "unfinished",
  winner: null,
  stores: null,
  ...given,
});

/**
 * @param {{ storage?: Storage, locks?: Pick<LockManager, "request"> | null, maxGames?: number }} options
 */
function makeHistory({ maxGames = 1_000, ...options }) {
  let time = 0;
  const page = new EventTarget();
  const history = createHistory(
    { now: () => (time += 1), random: () => 0.5, maxGames },
    { page, locks: null, ...options },
  );
  /** Reports that another tab has changed a value. @param {string} key */
  const tell = (key) => page.dispatchEvent(Object.assign(new Event("storage"), { key }));
  return Object.assign(history, { tell });
}

/** @param {string} id @returns {Recording} */
const recording = (id) => ({ id, known: null });

test("the history has the latest games first, and removes them", async () => {
  const history = makeHistory({ storage: memory() });
  /** @type {string[]} */
  const ids = [];
  let changes = 0;
  history.subscribe(() => (changes += 1));
  for (const board of ["0x1", "1x1", "2x1"]) {
    const id = history.newId();
    ids.push(id);
    await history.put(recording(id), makeGame({ board }));
  }
  assert.deepEqual(history.ids(), [...ids].reverse());
  await history.put(recording(ids[1] ?? ""), makeGame({ board: "9x9" }));
  assert.equal(history.entry(ids[1] ?? "").game?.board, "9x9");
  await history.remove(ids.slice(0, 2));
  assert.deepEqual(history.ids(), [ids[2]]);
  assert.equal(changes, 5);
});

test("the oldest games make room for new ones", async () => {
  for (const options of [{ storage: memory(), maxGames: 3 }, { storage: memory(3) }]) {
    const history = makeHistory(options);
    const ids = [];
    for (let count = 0; count < 5; count += 1) {
      const id = history.newId();
      ids.push(id);
      await history.put(recording(id), makeGame());
    }
    assert.deepEqual(history.ids(), ids.slice(2).reverse());
  }
});

test("a game is the latest also after the time of day was set back", async () => {
  let time = 1_000_000;
  const history = createHistory(
    { now: () => time, random: () => 0.5 },
    { storage: memory(), locks: null },
  );
  const first = history.newId();
  await history.put(recording(first), makeGame());
  time = 5;
  const second = history.newId();
  await history.put(recording(second), makeGame());
  assert.deepEqual(history.ids(), [second, first]);
});

test("a stale tab does not replace the game of another tab", async () => {
  const storage = memory();
  const locks = sharedLocks();
  const [one, two] = [makeHistory({ storage, locks }), makeHistory({ storage, locks })];
  const stored = makeGame();
  const inOne = recording("000000001-a");
  await one.put(inOne, stored);
  const inTwo = { id: inOne.id, known: stored };
  const finished = makeGame({ moves: ["A", "b", "B"], termination: "resign", winner: "north" });
  await one.put(inOne, finished);
  // Both moves wait for the lock; the second one belongs to the new entry.
  await Promise.all([
    two.put(inTwo, makeGame({ moves: ["A", "b", "A"] })),
    two.put(inTwo, makeGame({ moves: ["A", "b", "A", "a"] })),
  ]);
  assert.notEqual(inTwo.id, inOne.id);
  assert.deepEqual(one.entry(inOne.id).game, finished);
  assert.deepEqual(
    one.ids().map((id) => one.entry(id).game?.moves.join("")),
    ["AbAa", "AbB"],
  );
  // A tab that goes on with the same moves shares the entry.
  const inThree = { id: inTwo.id, known: stored };
  await one.put(inThree, makeGame({ moves: ["A", "b", "A", "a", "B"] }));
  assert.equal(inThree.id, inTwo.id);
  assert.equal(one.ids().length, 2);
});

test("a game that could not be stored is not taken for the stored one", async () => {
  const storage = memory();
  const history = makeHistory({ storage });
  const record = recording("a");
  await history.put(record, makeGame({ moves: ["A", "b"] }));
  const { setItem } = storage;
  storage.setItem = () => {
    throw new DOMException("full", "QuotaExceededError");
  };
  await history.put(record, makeGame({ moves: ["A", "b", "B"] }));
  storage.setItem = setItem;
  // The person takes the move back and makes another one.
  await history.put(record, makeGame({ moves: ["A", "a"] }));
  assert.deepEqual(
    history.ids().map((id) => history.entry(id).game?.moves.join("")),
    ["Aa"],
  );
});

test("the changes of other tabs are reported", () => {
  const history = makeHistory({ storage: memory() });
  let changes = 0;
  history.subscribe(() => (changes += 1));
  history.followTabs();
  history.tell("kalah.settings");
  assert.equal(changes, 0);
  history.tell("kalah.played.x");
  assert.equal(changes, 1);
});

test("a damaged entry does not affect the others", async () => {
  const storage = memory();
  const history = makeHistory({ storage });
  await history.put(recording("b"), makeGame());
  storage.setItem("kalah.played.a", "{");
  storage.setItem("kalah.played.c", '{"date":"x"}');
  assert.deepEqual(
    history.ids().map((id) => history.entry(id).game !== null),
    [false, true, false],
  );
  await history.remove(["a", "c"]);
  assert.deepEqual(history.ids(), ["b"]);
});

test("a storage that refuses everything is an empty history", async () => {
  const history = makeHistory({ storage: refusing() });
  await history.put(recording("a"), makeGame());
  assert.deepEqual(history.ids(), []);
});

test("a stored value with a wrong field is no game", () => {
  assert.notEqual(parsePlayedGame(makeGame()), null);
  const friend = { south: { kind: "person" }, north: { kind: "remote", name: "Friend" } };
  assert.notEqual(parsePlayedGame({ ...makeGame(), players: friend }), null);
  for (const wrong of [
    { date: "soon" },
    { rules: 1 },
    { moves: "AB" },
    { moves: [1] },
    { players: {} },
    { winner: "Marge" },
    { stores: { south: "1", north: 2 } },
  ]) {
    assert.equal(parsePlayedGame({ ...makeGame(), ...wrong }), null, JSON.stringify(wrong));
  }
  assert.equal(parsePlayedGame(null), null);
});

test("an entry has players, result, board, rules and number of moves", () => {
  assert.equal(playersText(makeGame()), "You \u2013 Computer (level 3)");
  assert.equal(resultText(makeGame()), "Not finished");
  assert.equal(resultText(makeGame({ stores: { south: 5, north: 3 } })), "You 5, Computer 3");
  assert.equal(
    resultText(makeGame({ termination: "resign", winner: "north" })),
    "Computer (level 3) wins (resignation).",
  );
  // After a swap the sides belong to the other players.
  const swapped = makeGame({ moves: ["A", "swap"], stores: { south: 5, north: 3 } });
  assert.equal(resultText(swapped), "You 3, Computer 5");
  const friend = { south: { kind: "person" }, north: { kind: "person" } };
  const byTwo = { ...makeGame({ stores: { south: 5, north: 3 } }), players: friend };
  assert.equal(resultText(/** @type {any} */ (byTwo)), "South 5, North 3");
  assert.match(detailsText(makeGame()), /2026.*, 2×2, Classroom \(UCLA\), 2 moves$/);
  assert.match(detailsText(makeGame({ board: "<1,0,0,1,1> s" })), /, custom position, /);
});

/** Returns an app whose state the test changes. */
function makeApp() {
  /** @type {State} */
  let state = { ...initialState(), players: makeGame().players };
  /** @type {Parameters<App["subscribe"]>[0]} */
  let listener = () => {};
  const app = /** @type {App} */ (
    /** @type {unknown} */ ({ subscribe: (/** @type {any} */ listen) => (listener = listen) })
  );
  return {
    app,
    /** @param {Partial<State>} change */
    update(change) {
      const previous = state;
      state = { ...state, ...change };
      listener(state, previous);
    },
  };
}

test("the recorder keeps a game from its first move on, and each game once", () => {
  const history = makeHistory({ storage: memory() });
  const movesOf = () => history.ids().map((id) => history.entry(id).game?.moves.join(""));
  const { app, update } = makeApp();
  startRecorder(app, history, new Set(["play"]));
  const start = newTree(makePosition());
  update({ tree: start });
  assert.deepEqual(movesOf(), []);
  const one = addMove(start, makeMoveResult("A"));
  const two = addMove(one, makeMoveResult("b"));
  update({ tree: one });
  update({ tree: two });
  assert.deepEqual(movesOf(), ["Ab"]);

  // Variations in mode `explore` do not change the game, and its return does not add one.
  const suspendedGame = { tree: two, players: makeGame().players, mode: "play" };
  const variation = addMove(goTo(two, [0]), makeMoveResult("a"));
  update({ tree: variation, mode: "explore", suspendedGame });
  update({ tree: two, mode: "play", suspendedGame: null });
  assert.deepEqual(movesOf(), ["Ab"]);

  // A game that goes on from a variation is another game.
  update({ tree: variation, mode: "explore", suspendedGame });
  update({ tree: variation, mode: "play", suspendedGame: null });
  assert.deepEqual(movesOf(), ["Aa", "Ab"]);

  // After a reload the game has another start, with the same text.
  const { app: reloaded, update: updateReloaded } = makeApp();
  startRecorder(reloaded, history, new Set(["play"]));
  const again = addMove(addMove(newTree(makePosition()), makeMoveResult("A")), makeMoveResult("b"));
  updateReloaded({ tree: again });
  updateReloaded({ tree: addMove(again, makeMoveResult("B")) });
  assert.deepEqual(movesOf(), ["Aa", "AbB"]);
});

test("a game that goes on keeps its entry, however old it is", async () => {
  const history = makeHistory({ storage: memory() });
  const old = makeGame({ moves: ["A", "b"] });
  await history.put(recording("old"), old);
  const { app, update } = makeApp();
  const recordAs = startRecorder(app, history, new Set(["play"]));
  const tree = addMove(addMove(newTree(makePosition()), makeMoveResult("A")), makeMoveResult("b"));
  const other = addMove(newTree(makePosition()), makeMoveResult("B"));
  update({ tree: other, mode: "explore" });
  recordAs({ id: "old", game: old }, tree);
  update({ tree, mode: "play" });
  update({ tree: addMove(tree, makeMoveResult("B")) });
  assert.deepEqual(history.ids(), ["old"]);
  assert.deepEqual(history.entry("old").game?.moves, ["A", "b", "B"]);
  assert.equal(history.entry("old").game?.date, old.date);
});
