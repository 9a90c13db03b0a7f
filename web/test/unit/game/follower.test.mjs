import assert from "node:assert/strict";
import { test } from "node:test";

import { startFollower } from "../../../game/follower.js";
import { createStore, initialState } from "../../../game/store.js";
import { fromLine } from "../../../game/tree.js";
import { savedGame } from "../../../storage/formats.js";
import { makeMoveResult, makePosition } from "../../positions.mjs";

/** @import { SavedGame } from "../../../storage/formats.js" */

/** @param {string} line */
const gameAfter = (line) =>
  fromLine(
    makePosition(),
    [...line].map((move) => makeMoveResult(move)),
  );

/** Lets promises and subscribers run. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

/** A page with a game, whose other tab is the test. */
function makePage() {
  const store = createStore({ ...initialState(), tree: gameAfter("A") });
  const other = { game: /** @type {SavedGame | null} */ (null), tell: () => {} };
  /** The moves that the page has asked for, and the response to the next requests. */
  const asked = /** @type {string[]} */ ([]);
  const response = { next: /** @type {Promise<boolean>} */ (Promise.resolve(true)) };
  startFollower({
    store,
    actions: {
      follow(saved) {
        asked.push(saved.moves.join(""));
        return response.next;
      },
    },
    localGame: {
      newer: () => other.game,
      subscribe: (listener) => void (other.tell = listener),
    },
  });
  /** @param {string} line */
  const play = (line) => {
    other.game = savedGame(gameAfter(line), store.get().players);
    other.tell();
  };
  return { store, asked, response, play };
}

test("a move of another tab is shown once", async () => {
  const { store, asked, play } = makePage();
  play("Ab");
  await settle();
  store.update({ hint: null });
  await settle();
  assert.deepEqual(asked, ["Ab"]);
});

test("a move that comes in another mode, or during a move, is shown after that", async () => {
  const { store, asked, play } = makePage();
  for (const [during, after] of /** @type {const} */ ([
    [{ mode: "explore" }, { mode: "play" }],
    [{ busy: { kind: "sow", phrase: "" } }, { busy: null }],
  ])) {
    asked.length = 0;
    store.update(during);
    play("Ab");
    await settle();
    assert.deepEqual(asked, []);
    store.update(after);
    await settle();
    assert.deepEqual(asked, ["Ab"]);
  }
});

test("a move that the page could not show is tried again", async () => {
  const { store, asked, response, play } = makePage();
  response.next = Promise.resolve(false);
  play("Ab");
  await settle();
  assert.deepEqual(asked, ["Ab"], "a failure is not repeated at once");
  store.update({ hint: null });
  await settle();
  assert.deepEqual(asked, ["Ab", "Ab"]);
  // The state changes while the page waits for the engine.
  /** @type {((isShown: boolean) => void)[]} */
  const waiting = [];
  response.next = new Promise((resolve) => waiting.push(resolve));
  store.update({ hint: null });
  await settle();
  store.update({ notice: null });
  await settle();
  response.next = Promise.resolve(true);
  waiting.forEach((respond) => respond(false));
  await settle();
  assert.equal(asked.length, 4);
});
