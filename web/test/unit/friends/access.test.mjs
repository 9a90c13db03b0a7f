import assert from "node:assert/strict";
import { test } from "node:test";

import {
  parseStoredAccess,
  randomToken,
  withAccess,
  withoutAccess,
} from "../../../friends/session/access.js";

/** @param {string} name @param {boolean} [isJoining] */
const access = (name, isJoining = false) => ({
  game: name.padStart(22, "G"),
  token: name.padStart(22, "T"),
  isJoining,
  hasSeenEnd: false,
});

test("stored access is parsed, and invalid values are ignored", () => {
  const stored = [access("A", true), access("B")];
  assert.deepEqual(parseStoredAccess(JSON.parse(JSON.stringify(stored))), stored);
  const { game, token } = access("A");
  for (const odd of [null, 7, "A", {}, [null], [7], [{ game }], [{ game: 1, token }]]) {
    assert.deepEqual(parseStoredAccess(odd), [], JSON.stringify(odd));
  }
  assert.deepEqual(parseStoredAccess([{ game, token: "short" }]), []);
  assert.deepEqual(parseStoredAccess([{ game, token, isJoining: 7 }]), [access("A")]);
});

test("the list of stored access has each game once, up to a limit", () => {
  const both = withAccess(withAccess([], access("A")), access("B", true));
  assert.deepEqual(both, [access("B", true), access("A")]);
  assert.deepEqual(withAccess(both, access("B")), [access("B"), access("A")]);
  assert.deepEqual(withoutAccess(both, access("B").game), [access("A")]);
  /** @type {ReturnType<typeof access>[]} */
  let many = [];
  for (let index = 0; index < 100; index += 1) {
    many = withAccess(many, access(String(index)));
  }
  assert.equal(many.length, 64);
  assert.deepEqual(many[0], access("99"));
  // A game whose end the player has seen makes room before older ones.
  many = withAccess(many, { ...access("70"), hasSeenEnd: true });
  many = withAccess(many, access("new"));
  assert.ok(!many.some(({ game }) => game === access("70").game));
  assert.deepEqual(many.at(-1), access("36"));
});

test("tokens are random texts that the server accepts", () => {
  const tokens = Array.from({ length: 50 }, randomToken);
  for (const token of tokens) {
    assert.match(token, /^[A-Za-z0-9_-]{22}$/);
  }
  assert.equal(new Set(tokens).size, tokens.length);
});
