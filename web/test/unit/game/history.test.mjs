import assert from "node:assert/strict";
import { test } from "node:test";

import { createHistory, parsePlayedGame } from "../../../game/history.js";
import { continues, startRecorder } from "../../../game/recorder.js";
import { initialState } from "../../../game/store.js";
import { goTo, newTree, addMove } from "../../../game/tree.js";
import { detailsText, playersText, resultText } from "../../../panels/games-panel.js";
import { makeMoveResult, makePosition } from "../../positions.mjs";

/** @import { PlayedGame } from "../../../game/history.js" */
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
 * Returns a storage for some entries.
 *
 * @param {number} [room]
 * @returns {Storage}
 */
function memory(room = Infinity) {
  /** @type {Map<string, string>} */
  const items = new Map();
  return /** @type {Storage} */ (
    /** @type {unknown} */ ({
      get length() {
        return items.size;
      },
      key: (/** @type {number} */ index) => [...items.keys()][index] ?? null,
      getItem: (/** @type {string} */ key) => items.get(key) ?? null,
      setItem(/** @type {string} */ key, /** @type {string} */ value) {
        if (!items.has(key) && items.size >= room) {
          throw new DOMException("full", "QuotaExceededError");
        }
        items.set(key, value);
      },
      removeItem: (/** @type {string} */ key) => items.delete(key),
    })
  );
}

/** @param {{ storage?: Storage, maxGames?: number }} options */
function makeHistory(options) {
  let time = 0;
  return createHistory({ now: () => (time += 1), random: () => 0.5, ...options });
}

test("the history has the latest games first, and removes them", () => {
  const history = makeHistory({ storage: memory() });
  const ids = [1, 2, 3].map(() => history.newId());
  let changes = 0;
  history.subscribe(() => (changes += 1));
  ids.forEach((id, index) => history.put(id, makeGame({ board: `${index}x1` })));
  assert.deepEqual(history.ids(), [...ids].reverse());
  history.put(ids[1] ?? "", makeGame({ board: "9x9" }));
  assert.equal(history.entry(ids[1] ?? "").game?.board, "9x9");
  history.remove(ids.slice(0, 2));
  assert.deepEqual(history.ids(), [ids[2]]);
  assert.equal(changes, 5);
});

test("the oldest games make room for new ones", () => {
  for (const options of [{ storage: memory(), maxGames: 3 }, { storage: memory(3) }]) {
    const history = makeHistory(options);
    const ids = [1, 2, 3, 4, 5].map(() => history.newId());
    ids.forEach((id) => history.put(id, makeGame()));
    assert.deepEqual(history.ids(), ids.slice(2).reverse());
  }
});

test("a damaged entry does not affect the others", () => {
  const storage = memory();
  const history = makeHistory({ storage });
  history.put("b", makeGame());
  storage.setItem("kalah.played.a", "{");
  storage.setItem("kalah.played.c", '{"date":"x"}');
  assert.deepEqual(
    history.ids().map((id) => history.entry(id).game !== null),
    [false, true, false],
  );
  history.remove(["a", "c"]);
  assert.deepEqual(history.ids(), ["b"]);
});

test("a storage that refuses everything is an empty history", () => {
  const refuse = () => {
    throw new DOMException("denied", "SecurityError");
  };
  const storage = /** @type {Storage} */ (
    /** @type {unknown} */ ({ key: refuse, getItem: refuse, setItem: refuse, removeItem: refuse })
  );
  const history = makeHistory({ storage });
  history.put("a", makeGame());
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
  assert.equal(resultText(makeGame({ stores: { south: 5, north: 3 } })), "South 5, North 3");
  assert.equal(
    resultText(makeGame({ termination: "resign", winner: "north" })),
    "North wins (resignation).",
  );
  assert.match(detailsText(makeGame()), /2026.*, 2×2, Classroom \(UCLA\), 2 moves$/);
  assert.match(detailsText(makeGame({ board: "<1,0,0,1,1> s" })), /, custom position, /);
});

test("a game continues a stored one with the same players, whose moves it begins with", () => {
  assert.ok(continues(makeGame(), makeGame()));
  assert.ok(continues(makeGame(), makeGame({ moves: ["A", "b", "B"] })));
  assert.ok(!continues(makeGame(), makeGame({ moves: ["A"] })));
  assert.ok(!continues(makeGame(), makeGame({ moves: ["B", "b"] })));
  assert.ok(!continues(makeGame(), makeGame({ rules: "standard" })));
  const players = { ...makeGame().players, south: makeGame().players.north };
  assert.ok(!continues(makeGame(), makeGame({ players })));
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
