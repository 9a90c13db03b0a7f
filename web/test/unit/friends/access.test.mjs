import assert from "node:assert/strict";
import { test } from "node:test";

import { parseStoredAccess, withAccess, withoutAccess } from "../../../friends/session/access.js";

/** @param {string} game @param {string | null} [friendToken] */
const access = (game, friendToken = null) => ({ game, token: `right in ${game}`, friendToken });

test("stored access is parsed, and invalid values are ignored", () => {
  const stored = [access("A", "friend's"), access("B")];
  assert.deepEqual(parseStoredAccess(JSON.parse(JSON.stringify(stored))), stored);
  for (const odd of [null, 7, "A", {}, [null], [7], [{ game: "A" }], [{ game: 1, token: "t" }]]) {
    assert.deepEqual(parseStoredAccess(odd), [], JSON.stringify(odd));
  }
  assert.deepEqual(parseStoredAccess([{ game: "A", token: "right in A", friendToken: 7 }]), [
    access("A"),
  ]);
});

test("the list of stored access has each game once, the latest first, up to a limit", () => {
  const both = withAccess(withAccess([], access("A")), access("B"));
  assert.deepEqual(
    withAccess(both, access("A")).map(({ game }) => game),
    ["A", "B"],
  );
  assert.deepEqual(withoutAccess(both, "B"), [access("A")]);
  const many = Array.from({ length: 20 }, (_, index) => access(String(index))).reduce(
    withAccess,
    /** @type {any[]} */ ([]),
  );
  assert.ok(many.length < 20);
  assert.equal(many[0]?.game, "19");
});
