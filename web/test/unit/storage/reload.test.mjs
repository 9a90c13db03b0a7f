import assert from "node:assert/strict";
import { test } from "node:test";

import { gamePlayers } from "../../../game/players.js";
import { keepForReload, takeKept } from "../../../storage/reload.js";
import { fromLine, goTo } from "../../../game/tree.js";
import { makeMoveResult, makePosition } from "../../positions.mjs";
import { memory } from "./storages.mjs";

/** @import { Players, State } from "../../../types/app.d.ts" */

/** @type {Players} */
const PLAYERS = { south: { kind: "person" }, north: { kind: "computer", opponent: "level:3" } };

/** @param {Partial<State>} given */
const makeState = (given) =>
  /** @type {State} */ ({
    tree: fromLine(makePosition(), [makeMoveResult("A")]),
    players: PLAYERS,
    mode: "play",
    suspendedGame: null,
    localGame: null,
    panel: "analysis",
    ...given,
  });

test("a reload keeps the tree, the players and the paused game, once", () => {
  const storage = memory();
  const { tree } = makeState({});
  assert.ok(tree);
  const suspendedGame = { tree, players: PLAYERS, mode: "play" };
  const state = makeState({ mode: "explore", tree: goTo(tree, []), suspendedGame });
  keepForReload(state, storage);
  const kept = takeKept(storage);
  assert.deepEqual(kept?.game, state);
  const { game } = kept ?? {};
  assert.ok(game?.tree);
  assert.equal(gamePlayers(game, game.tree), game.suspendedGame, "the trees share their start");
  assert.equal(takeKept(storage), null);
});

test("a game with a friend is not kept, because its address leads back to it", () => {
  const storage = memory();
  keepForReload(makeState({ mode: "friend" }), storage);
  assert.deepEqual(takeKept(storage), { game: null });
});
