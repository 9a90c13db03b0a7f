import assert from "node:assert/strict";
import { test } from "node:test";

import { createLocalGame, firstGame } from "../../../storage/local-game.js";
import { load } from "../../../storage/values.js";
import { memory, sharedLocks } from "./storages.mjs";

/** @import { SavedGame } from "../../../storage/formats.js" */

/** @param {string} moves a letter each @param {Partial<SavedGame>} [change] @returns {SavedGame} */
const makeGame = (moves, change = {}) => ({
  rules: "cs32",
  position: "6x4",
  moves: [...moves],
  depth: moves.length,
  players: { south: { kind: "person" }, north: { kind: "computer", opponent: "level:2" } },
  termination: "unfinished",
  winner: null,
  isOver: false,
  ...change,
});

/** The end by a resignation. */
const RESIGNED = { termination: "resign", winner: /** @type {const} */ ("north"), isOver: true };

/** Returns the tabs of a browser. */
function makeTabs() {
  const storage = memory();
  const locks = sharedLocks();
  return {
    open: () => createLocalGame({ storage, locks, page: new EventTarget(), ownStorage: memory() }),
    shared: () => /** @type {SavedGame} */ (load("game", storage)),
  };
}

test("a stale tab does not replace a game that another tab has finished", async () => {
  const { open, shared } = makeTabs();
  const [a, b] = [open(), open()];
  await a.store(makeGame("Ab"));
  assert.deepEqual(b.load(), makeGame("Ab"));
  await a.store(makeGame("AbC", RESIGNED));
  await b.store(makeGame("AbF"));
  assert.deepEqual(shared(), makeGame("AbC", RESIGNED));
  // The other tab has its own game after a reload, and a third tab begins with the shared one.
  assert.deepEqual(b.load(), makeGame("AbF"));
  assert.deepEqual(open().load(), makeGame("AbC", RESIGNED));
  // A new game begins after the end of the shared one.
  await b.store(makeGame(""));
  assert.deepEqual(shared(), makeGame(""));
});

test("a reload does not replace the game of another tab", async () => {
  const { open, shared } = makeTabs();
  const [a, b] = [open(), open()];
  await a.store(makeGame("Ab"));
  b.load();
  await a.store(makeGame("AbC", RESIGNED));
  await b.store(makeGame("AbF"));
  // The page stores the game with which it begins after a reload.
  const own = b.load();
  assert.deepEqual(own, makeGame("AbF"));
  await b.store(makeGame("AbF"));
  await b.store(makeGame("AbFa"));
  assert.deepEqual(shared(), makeGame("AbC", RESIGNED));
});

test("a game that could not be stored is not taken for the stored one", async () => {
  const storage = memory();
  const tab = createLocalGame({
    storage,
    locks: null,
    page: new EventTarget(),
    ownStorage: memory(),
  });
  await tab.store(makeGame("Ab"));
  const { setItem } = storage;
  storage.setItem = () => {
    throw new DOMException("full", "QuotaExceededError");
  };
  await tab.store(makeGame("AbC"));
  storage.setItem = setItem;
  // The person takes the move back and makes another one.
  await tab.store(makeGame("AF"));
  assert.deepEqual(load("game", storage), makeGame("AF"));
});

test("two tabs that play the same game in turn have one game", async () => {
  const { open, shared } = makeTabs();
  const [a, b] = [open(), open()];
  await a.store(makeGame("Ab"));
  b.load();
  await b.store(makeGame("AbCd"));
  assert.deepEqual(a.newer(makeGame("Ab")), makeGame("AbCd"));
  assert.equal(a.newer(makeGame("AbCd")), null);
  assert.equal(a.newer(makeGame("AF")), null, "it is another game");
  await a.store(makeGame("AbCdE"));
  assert.deepEqual(shared(), makeGame("AbCdE"));
  assert.deepEqual(b.newer(makeGame("AbCd")), makeGame("AbCdE"));
});

test("a tab takes back the moves that it has made", async () => {
  const { open, shared } = makeTabs();
  const a = open();
  await a.store(makeGame("AbCd"));
  await a.store(makeGame("AbCd", { depth: 2 }));
  await a.store(makeGame("AbE"));
  assert.deepEqual(shared(), makeGame("AbE"));
});

test("a tab begins with its own game, unless another tab has gone on with it", () => {
  const own = makeGame("Ab");
  assert.equal(firstGame(null, null), null);
  assert.equal(firstGame(own, null), own);
  const shared = makeGame("AbC");
  assert.equal(firstGame(own, shared), shared);
  assert.equal(firstGame(null, shared), shared);
  assert.equal(firstGame(own, makeGame("AF")), own);
});
