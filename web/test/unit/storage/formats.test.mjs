import assert from "node:assert/strict";
import { test } from "node:test";

import {
  continues,
  DEFAULT_SETTINGS,
  mayReplace,
  parseSavedGame,
  parseSettings,
  savedGame,
} from "../../../storage/formats.js";
import { fromLine, undo } from "../../../game/tree.js";
import { makeMoveResult, makePosition } from "../../positions.mjs";

/** @import { Players } from "../../../types/app.d.ts" */

/** @type {Players} */
const PLAYERS = { south: { kind: "person" }, north: { kind: "computer", opponent: "level:3" } };

test("invalid settings have their default", () => {
  assert.deepEqual(parseSettings(null), DEFAULT_SETTINGS);
  assert.deepEqual(parseSettings("nonsense"), DEFAULT_SETTINGS);
  assert.equal(parseSettings({ look: "numbers" }).look, "numbers");
  assert.equal(parseSettings({ look: "glass" }).look, "wood");
  assert.deepEqual(parseSettings({ speed: "warp", labels: "columns", margins: "yes", other: 1 }), {
    ...DEFAULT_SETTINGS,
    labels: "columns",
  });
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

/** @param {Partial<ReturnType<typeof savedGame>>} [change] */
const makeSaved = (change = {}) => ({
  ...savedGame(fromLine(makePosition(), [makeMoveResult("A"), makeMoveResult("b")]), PLAYERS),
  ...change,
});

test("a game continues a stored one with the same players, whose moves it begins with", () => {
  assert.ok(continues(makeSaved(), makeSaved()));
  assert.ok(continues(makeSaved(), makeSaved({ moves: ["A", "b", "B"] })));
  assert.ok(!continues(makeSaved(), makeSaved({ moves: ["A"] })));
  assert.ok(!continues(makeSaved(), makeSaved({ moves: ["B", "b"] })));
  assert.ok(!continues(makeSaved(), makeSaved({ rules: "standard" })));
  const players = { south: PLAYERS.north, north: PLAYERS.south };
  assert.ok(!continues(makeSaved(), makeSaved({ players })));
  const resigned = makeSaved({ termination: "resign", winner: "north" });
  assert.ok(continues(makeSaved(), resigned));
  assert.ok(!continues(resigned, makeSaved({ moves: ["A", "b", "B"] })));
});

test("a game of another tab is replaced only by one that continues it", () => {
  const own = makeSaved();
  const longer = makeSaved({ moves: ["A", "b", "B"] });
  const other = makeSaved({ moves: ["A", "b", "A"] });
  const resigned = makeSaved({ termination: "resign", winner: "north" });
  assert.ok(mayReplace(null, null, own));
  assert.ok(mayReplace(own, null, longer));
  assert.ok(!mayReplace(longer, null, own), "an earlier state");
  assert.ok(!mayReplace(longer, own, other), "other moves");
  assert.ok(!mayReplace(resigned, own, own), "the end of the game is lost");
  assert.ok(!mayReplace(resigned, own, longer));
  assert.ok(mayReplace(resigned, own, resigned));
  // The tab has stored the game itself: the person has taken moves back.
  assert.ok(mayReplace(longer, longer, own));
  assert.ok(mayReplace(resigned, resigned, own));
});
