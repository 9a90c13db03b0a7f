import assert from "node:assert/strict";
import { test } from "node:test";

import { NO_FRIEND, clockText, hello, isFriendThere, isOwnTurn, pauseBefore, received, timeLeft } from "../friend-state.js";

/** @param {Record<string, unknown>} [change] @returns {any} */
const standing = (change) => ({
  game: "G",
  plies: [],
  position: { over: false },
  side_to_move: "south",
  you: "south",
  clock: null,
  over: null,
  rematch: { offered_by: null, game: null },
  connected: { south: true, north: false },
  ...change,
});

const clock = { initial_ms: 60_000, increment_ms: 2_000, south_ms: 60_000, north_ms: 50_000, running: "south" };

/** What is known after a state. @param {Record<string, unknown>} [change] @returns {any} */
const known = (change) => received(NO_FRIEND, { type: "state", state: standing(change) }, 100);

/** @param {number} ply @param {string} choice @param {string} side @returns {any} */
const sown = (ply, choice, side) => ({ type: "sown", ply, sown: { choice, after: { side, over: false } } });

test("a sowing is one more ply, and answers what was pending", () => {
  const before = { ...known(), pending: { ply: 1, choice: "C" } };
  assert.equal(isOwnTurn(before), false);
  const after = received(before, sown(1, "C", "south"), 200);
  assert.deepEqual(after.standing?.plies, ["C"]);
  assert.equal(after.pending, null);
  assert.equal(isOwnTurn(after), true);
  assert.equal(isOwnTurn(received(after, sown(2, "A", "north"), 300)), false);
});

test("a sowing that is known, or that comes too early, changes nothing", () => {
  const at = known({ plies: ["C"] });
  assert.equal(received(at, sown(1, "C", "south"), 200), at);
  assert.equal(received(at, sown(3, "C", "south"), 200), at);
});

test("a pending sowing survives a lost connection until the game has gone on without it", () => {
  const pending = { ply: 1, choice: "C" };
  /** @param {Record<string, unknown>} change */
  const after = (change) => received({ ...known(), pending }, { type: "state", state: standing(change) }, 200).pending;
  assert.deepEqual(after({}), pending);
  assert.equal(after({ plies: ["C"], side_to_move: "north" }), null);
  assert.equal(after({ plies: ["C", "F"] }), null);
  assert.equal(after({ side_to_move: "north" }), null);
});

test("what is refused is told, and is no longer pending", () => {
  const problem = { type: "about:blank", title: "Conflict", status: 409, detail: "ply 1 is not the one to be made" };
  const after = received({ ...known(), pending: { ply: 1, choice: "C" } }, { type: "problem", problem, ply: 1 }, 200);
  assert.equal(after.pending, null);
  assert.match(after.trouble ?? "", /ply 1 is not/);
});

test("only the clock that runs goes on", () => {
  const at = known({ clock });
  assert.equal(timeLeft(at, "south", 1_100), 59_000);
  assert.equal(timeLeft(at, "north", 1_100), 50_000);
  assert.equal(timeLeft(at, "south", 900_000), 0);
  assert.equal(timeLeft(known(), "south", 1_100), null);
  assert.deepEqual([600_000, 61_999, 9_999, 0].map(clockText), ["10:00", "1:01", "0:09.9", "0:00.0"]);
});

test("who watches has no turn, no token and no friend", () => {
  const watching = known({ you: null });
  assert.equal(isOwnTurn(watching), false);
  assert.equal(isFriendThere(watching), null);
  assert.equal(isFriendThere(known()), false);
  assert.deepEqual(hello({ game: "G", token: null }, 3), { type: "hello", since: 3 });
  assert.deepEqual(hello({ game: "G", token: "T" }, 0), { type: "hello", token: "T", since: 0 });
});

test("pauses grow, but not without end", () => {
  const pauses = [1, 2, 3, 10, 50].map((tries) => pauseBefore(tries, 1));
  assert.deepEqual(pauses, [500, 1_000, 2_000, 15_000, 15_000]);
  assert.equal(pauseBefore(1, 0), 250);
});
