import assert from "node:assert/strict";
import { test } from "node:test";

import { EngineError, isAbort } from "../../../engine/errors.js";
import {
  DEFAULT_SETTINGS,
  load,
  save,
  savedGame,
  parseSavedGame,
  parseSettings,
} from "../../../game/storage.js";
import { createStore } from "../../../game/store.js";
import { fromLine, undo } from "../../../game/tree.js";
import { newGameFromOptions, optionsFromState } from "../../../ui/new-game-form.js";
import { makePosition, makeMoveResult } from "../../positions.mjs";

/** @import { Players, State } from "../../../types/app.d.ts" */

/** @type {Players} */
const PLAYERS = { south: { kind: "person" }, north: { kind: "computer", opponent: "level:3" } };

/**
 * Returns an empty storage.
 *
 * @returns {Storage}
 */
function memory() {
  const items = new Map();
  return /** @type {Storage} */ (
    /** @type {unknown} */ ({
      getItem: (/** @type {string} */ key) => items.get(key) ?? null,
      setItem: (/** @type {string} */ key, /** @type {string} */ value) => items.set(key, value),
    })
  );
}

/**
 * Returns a storage that refuses everything.
 *
 * @returns {Storage}
 */
function broken() {
  const refuse = () => {
    throw new Error("denied");
  };
  return /** @type {Storage} */ (/** @type {unknown} */ ({ getItem: refuse, setItem: refuse }));
}

test("invalid settings have their default", () => {
  assert.deepEqual(parseSettings(null), DEFAULT_SETTINGS);
  assert.deepEqual(parseSettings("nonsense"), DEFAULT_SETTINGS);
  assert.deepEqual(parseSettings({ speed: "warp", labels: "columns", margins: "yes", other: 1 }), {
    ...DEFAULT_SETTINGS,
    labels: "columns",
  });
});

test("saved values are loaded, and storage errors are ignored", () => {
  const storage = memory();
  save("settings", { speed: "fast" }, storage);
  assert.deepEqual(load("settings", storage), { speed: "fast" });
  assert.equal(load("game", storage), null);
  save("settings", {}, broken());
  assert.equal(load("settings", broken()), null);
  storage.setItem("kalah.game", "{not json");
  assert.equal(load("game", storage), null);
});

test("a saved game has the moves that were taken back", () => {
  const tree = undo(fromLine(makePosition(), [makeMoveResult("A"), makeMoveResult("b")]));
  const saved = savedGame(tree, PLAYERS);
  assert.deepEqual(saved.choices, ["A", "b"]);
  assert.equal(saved.made, 1);
  assert.deepEqual(parseSavedGame(JSON.parse(JSON.stringify(saved))), saved);
});

test("invalid saved games are null", () => {
  const saved = savedGame(fromLine(makePosition(), [makeMoveResult("A")]), PLAYERS);
  for (const odd of [
    null,
    7,
    [],
    { ...saved, made: 2 },
    { ...saved, made: -1 },
    { ...saved, choices: "A" },
    { ...saved, choices: [1] },
    { ...saved, players: {} },
    { ...saved, players: { ...PLAYERS, north: { kind: "remote", name: "x" } } },
    { ...saved, players: { ...PLAYERS, south: { kind: "person", name: 7 } } },
    { ...saved, winner: "west" },
    { ...saved, rules: undefined },
  ]) {
    assert.equal(parseSavedGame(odd), null, JSON.stringify(odd));
  }
});

test("the values of the form give a game", () => {
  const wish = /** @type {const} */ ({
    opponent: "computer",
    level: 4,
    side: "north",
    houses: 5,
    seeds: 3,
    rules: "cs32",
  });
  assert.deepEqual(
    newGameFromOptions(wish, () => 0),
    {
      rules: "cs32",
      position: "5x3",
      players: { south: { kind: "computer", opponent: "level:4" }, north: { kind: "person" } },
    },
  );
  assert.equal(
    newGameFromOptions({ ...wish, opponent: "person" }, () => 0).players.south.kind,
    "person",
  );
  assert.deepEqual(newGameFromOptions({ ...wish, opponent: "perfect" }, () => 0).players.south, {
    kind: "computer",
    opponent: "perfect",
  });
  assert.equal(
    newGameFromOptions({ ...wish, side: "random" }, () => 0.4).players.south.kind,
    "person",
  );
  assert.equal(
    newGameFromOptions({ ...wish, side: "random" }, () => 0.6).players.north.kind,
    "person",
  );
});

test("the form shows the game of the state", () => {
  const start = makePosition({
    houses: 3,
    rows: { south: [5, 5, 5], north: [5, 5, 5] },
    rules: "standard",
  });
  const state = /** @type {State} */ (
    /** @type {unknown} */ ({ tree: fromLine(start, []), players: PLAYERS })
  );
  assert.deepEqual(optionsFromState(state), {
    opponent: "computer",
    level: 3,
    side: "south",
    houses: 3,
    seeds: 5,
    rules: "standard",
  });
});

test("the form shows the local game during a game with a friend", () => {
  const start = makePosition({ houses: 3, rows: { south: [5, 5, 5], north: [5, 5, 5] } });
  const localGame = { mode: "play", tree: fromLine(start, []), players: PLAYERS };
  /** @type {Players} */
  const players = { south: { kind: "person" }, north: { kind: "remote", name: "Friend" } };
  const state = /** @type {State} */ (
    /** @type {unknown} */ ({
      mode: "friend",
      tree: fromLine(makePosition(), []),
      players,
      localGame,
    })
  );
  const { opponent, level, houses, seeds } = optionsFromState(state);
  assert.deepEqual(
    { opponent, level, houses, seeds },
    { opponent: "computer", level: 3, houses: 3, seeds: 5 },
  );
});

test("EngineErrors have messages for players", () => {
  const error = EngineError.fromText(
    '{"type":"about:blank","title":"No","status":422,"detail":"`Z` is no house"}',
    500,
    "x",
  );
  assert.equal(error.message, "No: `Z` is no house");
  assert.equal(error.isTemporary, false);
  const odd = EngineError.fromText("<html>", 502, "The server responded with status 502");
  assert.equal(odd.message, "The server responded with status 502");
  assert.equal(odd.isTemporary, true);
  assert.equal(EngineError.unreachable("why").isTemporary, true);
  assert.equal(isAbort(new DOMException("", "AbortError")), true);
  assert.equal(isAbort(odd), false);
});

test("subscribers get several changes in one task as one", async () => {
  const store = createStore({ one: 1, two: 2 });
  /** @type {unknown[]} */
  const error = [];
  const stop = store.subscribe((state, previous) => error.push([state, previous]));
  store.update({ one: 3 });
  store.update({ two: 4 });
  assert.deepEqual(store.get(), { one: 3, two: 4 });
  await Promise.resolve();
  assert.deepEqual(error, [
    [
      { one: 3, two: 4 },
      { one: 1, two: 2 },
    ],
  ]);
  stop();
  store.update({ one: 5 });
  await Promise.resolve();
  assert.equal(error.length, 1);
});
