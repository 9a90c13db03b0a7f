import assert from "node:assert/strict";
import { test } from "node:test";

import { parseFragment, projectorFragment, roomFragment } from "../../../records/link.js";
import { parseCode, shownCode } from "../../../rooms/codes.js";
import {
  parseStoredRooms,
  withoutRoom,
  withoutToken,
  withRoom,
} from "../../../rooms/session/access.js";

/** @import { RoomAccess } from "../../../types/room.d.ts" */

/** The letters of codes. */
const LETTERS = "ABCDEFGHJKMNPQRSTVWXYZ23456789";

/** @param {number} index @param {boolean} [isLeader] @returns {RoomAccess} */
const access = (index, isLeader = false) => ({
  code: `AAAA${LETTERS[Math.trunc(index / LETTERS.length)]}${LETTERS[index % LETTERS.length]}`,
  name: `Room ${index}`,
  token: "T".repeat(22),
  leader: isLeader ? "L".repeat(22) : null,
  isEntering: false,
});

test("a code is read in any case, with spaces and dashes", () => {
  for (const text of [
    "http://localhost:8080/room/ABCDEF",
    "http://localhost:8080/room/ABCDEF?lang=de",
    "https://kalah.example/#room=abc-def",
    "ABCDEF",
    "abc def",
    " abc-def ",
    "A B C D E F",
    "abc\u2013def",
  ]) {
    assert.equal(parseCode(text), "ABCDEF", text);
  }
  assert.equal(parseCode("lobby"), "LOBBY");
  for (const text of [
    "",
    "ABCDE",
    "ABCDEFG",
    "ABCDE0",
    "ABCDE1",
    "ABCDEI",
    "ABCDEO",
    "ABCDEU",
    "ABCDEL",
  ]) {
    assert.equal(parseCode(text), null, text);
  }
  assert.equal(shownCode("ABCDEF"), "ABC DEF");
  assert.equal(shownCode("LOBBY"), "LOBBY");
});

test("a link names a room or its projector page", () => {
  assert.deepEqual(parseFragment("#room=abcdef"), { kind: "room", code: "ABCDEF" });
  assert.deepEqual(parseFragment(roomFragment("LOBBY")), { kind: "room", code: "LOBBY" });
  assert.deepEqual(parseFragment(projectorFragment("ABCDEF")), {
    kind: "projector",
    code: "ABCDEF",
  });
  assert.equal(parseFragment("#room=AB").kind, "incomplete-room");
});

test("stored rooms are parsed, and invalid values are ignored", () => {
  const stored = [access(0), access(1, true)];
  assert.deepEqual(parseStoredRooms(JSON.parse(JSON.stringify(stored))), stored);
  const { code, token } = access(0);
  for (const odd of [null, 7, "A", {}, [null], [7], [{ code }], [{ code: "ABC", token }]]) {
    assert.deepEqual(parseStoredRooms(odd), [], JSON.stringify(odd));
  }
  assert.deepEqual(parseStoredRooms([{ code, token: "short" }]), []);
  assert.deepEqual(parseStoredRooms([{ code, token, name: 7, leader: "x", isEntering: 1 }]), [
    { ...access(0), name: "" },
  ]);
});

test("the list of rooms has each room once, up to a limit, and keeps those that one leads", () => {
  const both = withRoom(withRoom([], access(0)), access(1));
  assert.deepEqual(both, [access(1), access(0)]);
  assert.deepEqual(withRoom(both, access(0, true)), [access(1), access(0, true)]);
  assert.deepEqual(withoutRoom(both, access(1).code), [access(0)]);
  // A person who enters the room that the person leads leads it further.
  const leading = withRoom([], { ...access(0, true), token: null });
  assert.deepEqual(withRoom(leading, access(0)), [access(0, true)]);
  let many = [access(0, true)];
  for (let index = 1; index < 100; index += 1) {
    many = withRoom(many, access(index));
  }
  assert.equal(many.length, 32);
  assert.deepEqual(many.at(-1), access(0, true));
  assert.deepEqual(many[0], access(99));
});

test("a refused token is forgotten, and a room without tokens", () => {
  const leading = access(0, true);
  const list = [leading, { ...access(1), token: "U".repeat(22) }];
  assert.deepEqual(withoutToken(list, "T".repeat(22)), [{ ...leading, token: null }, list[1]]);
  assert.deepEqual(withoutToken(list, "U".repeat(22)), [leading]);
  assert.deepEqual(withoutToken(list, "X".repeat(22)), list);
});
