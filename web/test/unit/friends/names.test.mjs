import assert from "node:assert/strict";
import { test } from "node:test";

import { nameProblem, startingPlayers } from "../../../friends/names.js";
import { playersTitle } from "../../../game/descriptions.js";
import { recordName } from "../../../game/players.js";
import { newTree } from "../../../game/tree.js";
import { makePosition } from "../../positions.mjs";

test("a name is counted in characters", () => {
  assert.equal(nameProblem(` ${"\u{1f600}".repeat(24)} `), "");
  assert.equal(nameProblem("x".repeat(25)), "A name has at most 24 characters.");
});

test("names belong to players, who exchange sides", () => {
  const names = { south: "Ann", north: "Bob" };
  const ann = { kind: "person", name: "Ann" };
  const bob = { kind: "remote", name: "Bob", isNamed: true };
  assert.deepEqual(startingPlayers({ you: "south", names }, { isSwapped: false }), {
    south: ann,
    north: bob,
  });
  assert.deepEqual(startingPlayers({ you: "south", names }, { isSwapped: true }), {
    south: bob,
    north: ann,
  });
  assert.deepEqual(
    startingPlayers({ you: "north", names: { south: null, north: null } }, { isSwapped: false }),
    {
      south: { kind: "remote", name: "Friend", isNamed: false },
      north: { kind: "person" },
    },
  );
  assert.deepEqual(
    startingPlayers({ you: null, names: { south: null, north: "Bob" } }, { isSwapped: false }),
    {
      south: { kind: "remote", name: "South", isNamed: false },
      north: bob,
    },
  );
});

test("records and the title have given names only", () => {
  const names = { south: "Ann", north: null };
  const players = startingPlayers({ you: "south", names }, { isSwapped: false });
  assert.equal(recordName(players.south), "Ann");
  assert.equal(recordName(players.north), "?");
  const tree = newTree(makePosition());
  assert.equal(playersTitle({ players }, tree), "Ann \u2013 Friend");
  const unnamed = startingPlayers(
    { you: "south", names: { south: null, north: null } },
    { isSwapped: false },
  );
  assert.equal(playersTitle({ players: unnamed }, tree), "");
  /** @type {any} */
  const computer = { south: players.south, north: { kind: "computer", opponent: "smart" } };
  assert.equal(playersTitle({ players: computer }, tree), "");
});
