import assert from "node:assert/strict";
import { test } from "node:test";

import { hasMoved, offerView } from "../../../friends/offers.js";
import { gamePhase } from "../../../friends/state.js";

const NO_TAKEBACK = { offered_by: null, declined_by: null, plies_left: null };
const NO_REMATCH = { offered_by: null, declined_by: null, game: null };

/** @param {Record<string, unknown>} [change] @returns {any} */
const game = (change) => ({
  snapshot: {
    you: "south",
    plies: ["C", "A", "b"],
    names: { south: null, north: "Bob" },
    ending: null,
    takeback: NO_TAKEBACK,
    rematch: NO_REMATCH,
    ...change,
  },
});

test("a player has moved if a ply is the player's own, also after a swap", () => {
  assert.equal(hasMoved([], "south"), false);
  assert.equal(hasMoved(["C"], "south"), true);
  assert.equal(hasMoved(["C"], "north"), false);
  // North swaps and is South then; the first mover is North.
  assert.equal(hasMoved(["C", "swap"], "south"), true);
  assert.equal(hasMoved(["C", "swap"], "north"), true);
});

test("a takeback is offered after the own first move, answered or withdrawn", () => {
  assert.equal(offerView(game({ plies: [] })), null);
  assert.equal(offerView(game({ you: null })), null);
  assert.equal(offerView({ snapshot: null }), null);
  assert.deepEqual(offerView(game())?.actions, ["offer"]);
  const takeback = { ...NO_TAKEBACK, offered_by: "north", plies_left: 2 };
  const friends = offerView(game({ takeback }));
  assert.deepEqual(friends, {
    offer: "takeback",
    text: "Bob asks to take back the last move.",
    actions: ["accept", "decline"],
  });
  const own = offerView(game({ takeback: { ...takeback, offered_by: "south", plies_left: 1 } }));
  assert.deepEqual(own, {
    offer: "takeback",
    text: "You have asked Bob to take back the last 2 moves.",
    actions: ["withdraw"],
  });
  const declined = offerView(game({ takeback: { ...NO_TAKEBACK, declined_by: "north" } }));
  assert.deepEqual(declined?.actions, []);
  // A player who has declined can make an offer.
  const declinedByYou = offerView(game({ takeback: { ...NO_TAKEBACK, declined_by: "south" } }));
  assert.deepEqual(declinedByYou?.actions, ["offer"]);
});

test("an own offer of a rematch can be withdrawn, and the friend's accepted or declined", () => {
  const ending = { termination: "normal", winner: null };
  const rematch = { ...NO_REMATCH, offered_by: "south" };
  assert.deepEqual(offerView(game({ ending, rematch })), {
    offer: "rematch",
    text: "You have offered a rematch. Bob has not answered yet.",
    actions: ["withdraw"],
  });
  const friends = offerView(game({ ending, rematch: { ...rematch, offered_by: "north" } }));
  assert.deepEqual(friends, {
    offer: "rematch",
    text: "Bob offers a rematch.",
    actions: ["accept", "decline"],
  });
  assert.equal(offerView(game({ ending, rematch: { ...rematch, game: "G" } })), null);
  assert.equal(offerView(game({ ending })), null);
});

test("a declined rematch has a phase for the player who offered it", () => {
  const ending = { termination: "normal", winner: null };
  /** @type {any} */
  const rematch = { ...NO_REMATCH, declined_by: "north" };
  assert.equal(gamePhase({ ending, you: "south", rematch }), "rematch-declined");
  assert.equal(gamePhase({ ending, you: "north", rematch }), "over");
  assert.equal(gamePhase({ ending, you: null, rematch }), "over");
});
