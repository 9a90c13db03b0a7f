import assert from "node:assert/strict";
import { test } from "node:test";

import {
  DEFAULT_SETTINGS,
  load,
  parseSavedGame,
  parseSettings,
  save,
  savedGame,
} from "../../../game/storage.js";
import { fromLine, undo } from "../../../game/tree.js";
import { makeMoveResult, makePosition } from "../../positions.mjs";

/** @import { Players } from "../../../types/app.d.ts" */

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

test("a saved game has the moves that were undone", () => {
  const tree = undo(fromLine(makePosition(), [makeMoveResult("A"), makeMoveResult("b")]));
  const saved = savedGame(tree, PLAYERS);
  assert.deepEqual(saved.moves, ["A", "b"]);
  assert.equal(saved.depth, 1);
  assert.deepEqual(parseSavedGame(JSON.parse(JSON.stringify(saved))), saved);
});

test("invalid saved games are null", () => {
  const saved = savedGame(fromLine(makePosition(), [makeMoveResult("A")]), PLAYERS);
  for (const odd of [
    null,
    7,
    [],
    { ...saved, depth: 2 },
    { ...saved, depth: -1 },
    { ...saved, moves: "A" },
    { ...saved, moves: [1] },
    { ...saved, players: {} },
    { ...saved, players: { ...PLAYERS, north: { kind: "remote", name: "x" } } },
    { ...saved, players: { ...PLAYERS, south: { kind: "person", name: 7 } } },
    { ...saved, winner: "west" },
    { ...saved, rules: undefined },
  ]) {
    assert.equal(parseSavedGame(odd), null, JSON.stringify(odd));
  }
});
