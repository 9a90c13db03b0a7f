import assert from "node:assert/strict";
import { test } from "node:test";

import { hasFriendCome, prospectOf, seatsFrom, withSeat, withoutSeat } from "../../../friends/seats.js";
import { NO_FRIEND, received } from "../../../friends/state.js";

/** @param {string} game @param {string | null} [friendToken] */
const seat = (game, friendToken = null) => ({ game, token: `right in ${game}`, friendToken });

test("what is stored is read again, and anything else is no seat", () => {
  const seats = [seat("A", "friend's"), seat("B")];
  assert.deepEqual(seatsFrom(JSON.parse(JSON.stringify(seats))), seats);
  for (const odd of [null, 7, "A", {}, [null], [7], [{ game: "A" }], [{ game: 1, token: "t" }]]) {
    assert.deepEqual(seatsFrom(odd), [], JSON.stringify(odd));
  }
  assert.deepEqual(seatsFrom([{ game: "A", token: "right in A", friendToken: 7 }]), [seat("A")]);
});

test("each game has one seat, the last one first, and there is an end to them", () => {
  const both = withSeat(withSeat([], seat("A")), seat("B"));
  assert.deepEqual(withSeat(both, seat("A")).map(({ game }) => game), ["A", "B"]);
  assert.deepEqual(withoutSeat(both, "B"), [seat("A")]);
  const many = Array.from({ length: 20 }, (_, index) => seat(String(index))).reduce(withSeat, /** @type {any[]} */ ([]));
  assert.ok(many.length < 20);
  assert.equal(many[0]?.game, "19");
});

test("what may come of a game is known by its end and by who would like another one", () => {
  const over = { termination: "resign", winner: /** @type {const} */ ("south") };
  /** @param {"south" | "north" | null} you @param {"south" | "north" | null} by @param {string | null} [game] */
  const ended = (you, by, game = null) => prospectOf({ over, you, rematch: { offered_by: by, game } });
  assert.equal(prospectOf({ over: null, you: "south", rematch: { offered_by: null, game: null } }), "open");
  assert.equal(ended("south", null), "over");
  assert.equal(ended("south", "south"), "awaited");
  assert.equal(ended("south", "north"), "asked");
  assert.equal(ended("south", "south", "B"), "next");
  assert.equal(ended(null, "south"), "over", "who watches waits for nothing");
  assert.equal(ended(null, "south", "B"), "next");
});

/** @param {string[]} plies @param {"south" | "north" | null} [you] @param {boolean} [there] */
const come = (plies, you = "south", there = false) => hasFriendCome({ you, plies, connected: { south: you === "north" && there, north: you === "south" && there } });

test("a friend has come who is there, or who has made a ply", () => {
  assert.equal(come([]), false);
  assert.equal(come([], "south", true), true);
  assert.equal(come([], "north", true), true);
  assert.equal(come(["C", "A"]), false, "only the own plies");
  assert.equal(come(["C", "A", "b"]), true);
  assert.equal(come(["C"], "north"), true);
  assert.equal(come(["C", "swap"], "north"), true);
  assert.equal(come(["C"], null), false, "who watches has no friend");
});

test("the friend's right is forgotten once the friend has come", () => {
  const standing = /** @type {any} */ ({
    plies: [], position: {}, side_to_move: "south", you: "south", over: null, rematch: {}, connected: { south: true, north: false },
  });
  const before = received({ ...NO_FRIEND, friendToken: "T" }, { type: "state", state: standing }, 0);
  assert.equal(before.friendToken, "T");
  const there = { ...standing, connected: { south: true, north: true } };
  assert.equal(received(before, { type: "state", state: there }, 0).friendToken, null);
});
