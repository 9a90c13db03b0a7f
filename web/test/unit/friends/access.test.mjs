import assert from "node:assert/strict";
import { test } from "node:test";

import {
  parseStoredAccess,
  randomToken,
  withAccess,
  withoutAccess,
} from "../../../friends/session/access.js";

/** @param {string} game @param {boolean} [isJoining] */
const access = (game, isJoining = false) => ({ game, token: `right in ${game}`, isJoining });

test("stored access is parsed, and invalid values are ignored", () => {
  const stored = [access("A", true), access("B")];
  assert.deepEqual(parseStoredAccess(JSON.parse(JSON.stringify(stored))), stored);
  for (const odd of [null, 7, "A", {}, [null], [7], [{ game: "A" }], [{ game: 1, token: "t" }]]) {
    assert.deepEqual(parseStoredAccess(odd), [], JSON.stringify(odd));
  }
  assert.deepEqual(parseStoredAccess([{ game: "A", token: "right in A", isJoining: 7 }]), [
    access("A"),
  ]);
});

test("the list of stored access has each game once, up to a limit", () => {
  const both = withAccess(withAccess([], access("A")), access("B", true));
  assert.deepEqual(both, [access("B", true), access("A")]);
  assert.deepEqual(withAccess(both, access("B")), [access("B"), access("A")]);
  assert.deepEqual(withoutAccess(both, "B"), [access("A")]);
  /** @type {ReturnType<typeof access>[]} */
  let many = [];
  for (let index = 0; index < 100; index += 1) {
    many = withAccess(many, access(String(index)));
  }
  assert.equal(many.length, 64);
  assert.equal(many[0]?.game, "99");
});

test("tokens are random texts that the server accepts", () => {
  const tokens = Array.from({ length: 50 }, randomToken);
  for (const token of tokens) {
    assert.match(token, /^[A-Za-z0-9_-]{22}$/);
  }
  assert.equal(new Set(tokens).size, tokens.length);
});
