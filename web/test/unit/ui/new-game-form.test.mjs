import assert from "node:assert/strict";
import { test } from "node:test";

import { initialState } from "../../../game/store.js";
import { fromLine } from "../../../game/tree.js";
import { newGameFromOptions, optionsFromState } from "../../../ui/new-game-form.js";
import { makePosition } from "../../positions.mjs";

/** @import { Players } from "../../../types/app.d.ts" */

/** @type {Players} */
const PLAYERS = { south: { kind: "person" }, north: { kind: "computer", opponent: "level:3" } };

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
  assert.deepEqual(newGameFromOptions({ ...wish, level: 10 }, () => 0).players.south, {
    kind: "computer",
    opponent: "smart",
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

test("without a game the form shows the default rules", () => {
  const presets = /** @type {any} */ ([{ name: "cs32" }, { name: "mankalah", default: true }]);
  assert.equal(optionsFromState({ ...initialState(), presets }).rules, "mankalah");
  assert.equal(optionsFromState(initialState()).rules, "standard");
});

test("the form shows the game of the state", () => {
  const start = makePosition({
    houses: 3,
    rows: { south: [5, 5, 5], north: [5, 5, 5] },
    rules: "standard",
  });
  const state = { ...initialState(), tree: fromLine(start, []), players: PLAYERS };
  assert.deepEqual(optionsFromState(state), {
    opponent: "computer",
    level: 3,
    side: "south",
    houses: 3,
    seeds: 5,
    rules: "standard",
  });
});

test("the strongest level of the form is full strength, and boards have up to 26 houses", () => {
  const row = Array.from({ length: 26 }, () => 3);
  const start = makePosition({ houses: 26, rows: { south: row, north: row } });
  /** @type {Players} */
  const players = { ...PLAYERS, north: { kind: "computer", opponent: "smart" } };
  const state = { ...initialState(), tree: fromLine(start, []), players };
  const { opponent, level, houses, seeds } = optionsFromState(state);
  assert.deepEqual(
    { opponent, level, houses, seeds },
    { opponent: "computer", level: 10, houses: 26, seeds: 3 },
  );
});

test("the form shows the local game during a game with a friend", () => {
  const start = makePosition({ houses: 3, rows: { south: [5, 5, 5], north: [5, 5, 5] } });
  const localGame = { mode: "play", tree: fromLine(start, []), players: PLAYERS };
  /** @type {Players} */
  const players = { south: { kind: "person" }, north: { kind: "remote", name: "Friend" } };
  const state = {
    ...initialState(),
    mode: "friend",
    tree: fromLine(makePosition(), []),
    players,
    localGame,
  };
  const { opponent, level, houses, seeds } = optionsFromState(state);
  assert.deepEqual(
    { opponent, level, houses, seeds },
    { opponent: "computer", level: 3, houses: 3, seeds: 5 },
  );
});
