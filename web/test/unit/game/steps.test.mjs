import assert from "node:assert/strict";
import { test } from "node:test";

import { bottomSide } from "../../../game/players.js";
import { isSuspendedNode, stepPath } from "../../../game/steps.js";
import { fromLine, goTo } from "../../../game/tree.js";
import { makeMoveResult, makePosition } from "../../positions.mjs";

/** @import { Players } from "../../../types/app.d.ts" */

const GAME = fromLine(
  makePosition(),
  ["A", "b", "B"].map((move) => makeMoveResult(move)),
);

test("a step leads to the next node of the line", () => {
  assert.equal(stepPath(GAME, "forward"), null);
  assert.equal(stepPath(GAME, "last"), null);
  assert.deepEqual(stepPath(GAME, "back"), [0, 0]);
  assert.deepEqual(stepPath(GAME, "first"), []);
  const start = goTo(GAME, []);
  assert.equal(stepPath(start, "back"), null);
  assert.equal(stepPath(start, "first"), null);
  assert.deepEqual(stepPath(start, "forward"), [0]);
  assert.deepEqual(stepPath(start, "last"), [0, 0, 0]);
});

test("the current node of the suspended game is recognized", () => {
  /** @type {Players} */
  const players = { south: { kind: "person" }, north: { kind: "person" } };
  const suspendedGame = { mode: "play", players, tree: GAME };
  assert.ok(isSuspendedNode({ tree: goTo(GAME, [0]), suspendedGame }, [0, 0, 0]));
  assert.ok(!isSuspendedNode({ tree: goTo(GAME, [0]), suspendedGame }, [0, 0]));
  assert.ok(!isSuspendedNode({ tree: GAME, suspendedGame: null }, [0, 0, 0]));
  const other = fromLine(makePosition(), [makeMoveResult("A")]);
  assert.ok(!isSuspendedNode({ tree: other, suspendedGame }, [0, 0, 0]));
});

test("the row of the person at this device is at the bottom unless the board is flipped", () => {
  /** @type {Players} */
  const north = { south: { kind: "computer", opponent: "level:1" }, north: { kind: "person" } };
  /** @type {Players} */
  const both = { south: { kind: "person" }, north: { kind: "person" } };
  const state = { players: north, suspendedGame: null, flipped: false };
  assert.equal(bottomSide(state, GAME), "north");
  assert.equal(bottomSide({ ...state, flipped: true }, GAME), "south");
  assert.equal(bottomSide({ ...state, players: both }, GAME), "south");
  // While a game is explored, both sides are played by hand, and the board stays as it is.
  const suspendedGame = { mode: "play", players: north, tree: GAME };
  assert.equal(bottomSide({ players: both, suspendedGame, flipped: false }, GAME), "north");
});
