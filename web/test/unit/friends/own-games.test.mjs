import assert from "node:assert/strict";
import { test } from "node:test";

import { addressForOthers } from "../../../friends/network-address.js";
import { sortedGames, turnText } from "../../../friends/my-games.js";
import { saidText } from "../../../friends/phrases.js";
import { isWaiting, waitingCount } from "../../../friends/session/own-games.js";
import { iconWithCount, titleWithCount } from "../../../friends/tab.js";

const noOffer = { offered_by: null, declined_by: null };

/** @param {Record<string, unknown>} [change] @returns {any} */
const summary = (change) => ({
  game: "G",
  rules: "cs32",
  plies: 3,
  to_move: "south",
  you: "south",
  names: { south: null, north: "Bob" },
  free_seat: null,
  ending: null,
  takeback: { ...noOffer, plies_left: null },
  rematch: { ...noOffer, game: null },
  ...change,
});

/** @param {string} game @param {Record<string, unknown>} [change] @returns {any} */
const ownGame = (game, change) => ({
  access: { game, token: "T" },
  summary: summary({ game, ...change }),
});

test("a game waits for a move or for the answer to an offer", () => {
  /** @type {[Record<string, unknown>, boolean, RegExp][]} */
  const cases = [
    [{}, true, /^Your turn/],
    [{ to_move: "north" }, false, /^Bob is to move/],
    [{ free_seat: "north" }, false, /has not joined/],
    [
      { to_move: "north", takeback: { offered_by: "north", declined_by: null, plies_left: 1 } },
      true,
      /^Bob asks to take back/,
    ],
    [
      { ending: {}, rematch: { offered_by: "north", declined_by: null, game: null } },
      true,
      /^Bob offers a rematch/,
    ],
  ];
  for (const [change, waits, text] of cases) {
    assert.equal(isWaiting(summary(change)), waits, JSON.stringify(change));
    assert.match(turnText(summary(change)), text);
  }
});

test("the count of waiting games has the last state of the game on the board", () => {
  const ownGames = [ownGame("A"), ownGame("B", { to_move: "north" }), ownGame("C")];
  assert.equal(waitingCount({ ownGames, snapshot: null }), 2);
  const played = { ...summary({ to_move: "north" }), game: "A" };
  assert.equal(waitingCount({ ownGames, snapshot: played }), 1);
  const watched = { ...summary({ you: null }), game: "D" };
  assert.equal(waitingCount({ ownGames, snapshot: watched }), 2);
  assert.deepEqual(
    sortedGames(ownGames).map(({ access }) => access.game),
    ["A", "C", "B"],
  );
});

test("title and icon have the number of waiting games", () => {
  assert.equal(titleWithCount("Kalah", 0), "Kalah");
  assert.equal(titleWithCount("Kalah", 2), "(2) Kalah");
  assert.match(
    iconWithCount("<svg><path/></svg>\n", 3),
    /^<svg><path\/><circle .*>3<\/text><\/svg>$/,
  );
  assert.match(iconWithCount("<svg></svg>", 12), />9\+<\/text>/);
});

test("an invitation from this machine has its address in the network", () => {
  const at = (/** @type {string} */ host) => ({ href: `http://${host}:8080/#x`, hostname: host });
  const network = ["http://192.0.2.7:8080/", "http://198.51.100.3:8080/"];
  assert.deepEqual(addressForOthers(at("localhost"), network), {
    address: "http://192.0.2.7:8080/",
    isReachable: true,
  });
  assert.equal(addressForOthers(at("127.0.0.1"), []).isReachable, false);
  assert.equal(addressForOthers(at("[::1]"), null).isReachable, false);
  assert.deepEqual(addressForOthers(at("kalah.example"), network), {
    address: "http://kalah.example:8080/#x",
    isReachable: true,
  });
});

test("a phrase has the name of its speaker", () => {
  const names = { south: null, north: "Bob" };
  /** @param {"south" | "north"} side @param {"south" | "north" | null} you */
  const said = (side, you) => saidText({ side, phrase: "good-luck" }, { you, names });
  assert.equal(said("north", "south"), "Bob: Good luck!");
  assert.equal(said("south", "south"), "You: Good luck!");
  assert.equal(said("south", "north"), "Your friend: Good luck!");
  assert.equal(said("south", null), "South: Good luck!");
});
