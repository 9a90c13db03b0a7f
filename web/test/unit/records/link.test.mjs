import assert from "node:assert/strict";
import { test } from "node:test";

import {
  describedPath,
  formatGame,
  friendFragment,
  leaderFragment,
  parseFragment,
  recordFragment,
  puzzleFragment,
  seatFragment,
  sharedFragment,
  withFragment,
  withoutDeviceCode,
} from "../../../records/link.js";

/**
 * Returns plies of moves with parents such as `C` or `b<0`. Without a parent a ply follows the
 * previous one.
 *
 * @param {string} text
 */
function plies(text) {
  return text
    .split(" ")
    .filter(Boolean)
    .map((word, index) => {
      const [move = "", parent] = word.split("<");
      const behind = parent === undefined ? index - 1 : Number(parent || -1);
      return { parent: behind < 0 ? null : behind, move };
    });
}

const ID = "AbCdEfGhIjKlMnOpQrSt-_";
const CODE = "0123456789012345678901";

/** Fragments and their games. @type {[string, any][]} */
const GAMES = [
  ["#line=", { plies: plies(""), at: null }],
  ["#line=CFb", { plies: plies("C F b"), at: 2 }],
  ["#line=*CF", { plies: plies("C F"), at: null }],
  ["#line=C*F", { plies: plies("C F"), at: 0 }],
  ["#rules=mankalah&line=C~b", { rules: "mankalah", plies: plies("C swap b"), at: 2 }],
  ["#position=6x5&line=", { position: "6x5", plies: [], at: null }],
  [
    "#rules=standard&position=2,0,0,4,4,4,4,n&line=a",
    { rules: "standard", position: "<2,0,0,4,4,4,4> n", plies: plies("a"), at: 0 },
  ],
  [
    "#rules=mankalah&position=1,0,0,4,4,n,ply=2&line=~",
    { rules: "mankalah", position: "<1,0,0,4,4> n ply=2", plies: plies("swap"), at: 0 },
  ],
  [
    "#rules=ends=stuck,capture=always,swap=no,first-bonus=yes&line=",
    { rules: "ends=stuck,capture=always,swap=no,first-bonus=yes", plies: [], at: null },
  ],
  // Variations at the start, nested, side by side, and at the end of the line.
  ["#line=A(Bc(de*))(F)b", { plies: plies("A B< c d<1 e F< b<0"), at: 4 }],
  ["#line=A*b(c)", { plies: plies("A b c<0"), at: 0 }],
  ["#line=AB*(C)", { plies: plies("A B C<0"), at: 1 }],
  ["#line=A(Bc)b", { plies: plies("A B< c b<0"), at: 3 }],
];

test("formatting and parsing a game are inverse", () => {
  for (const [fragment, game] of GAMES) {
    assert.deepEqual(parseFragment(fragment), { kind: "game", ...game }, fragment);
    assert.equal(formatGame(game), fragment);
  }
});

test("escaped characters in a fragment are parsed", () => {
  const link = parseFragment("#rules=standard&position=%3C2%2C0,0,4,4,4,4%3E%20n&line=a");
  assert.deepEqual(link, parseFragment("#rules=standard&position=2,0,0,4,4,4,4,n&line=a"));
  assert.deepEqual(parseFragment("#line=A%28B%29b"), parseFragment("#line=A(B)b"));
});

test("plies may have any order in which each follows its parent", () => {
  const game = { plies: plies("A B< b<0 c<1"), at: 2 };
  assert.equal(formatGame(game), "#line=A(Bc)b");
});

test("unknown fields are ignored", () => {
  assert.deepEqual(parseFragment("#line=A&theme=dark"), parseFragment("#line=A"));
});

test("links to games with friends are parsed", () => {
  assert.deepEqual(parseFragment(friendFragment(ID)), { kind: "friend", game: ID });
  assert.deepEqual(parseFragment(seatFragment(ID, CODE)), { kind: "seat", game: ID, code: CODE });
});

test("links for the leader of a room are parsed, in any case of the room's code", () => {
  const link = { kind: "leader", code: "ABCDEF", deviceCode: CODE };
  assert.deepEqual(parseFragment(leaderFragment("ABCDEF", CODE)), link);
  assert.deepEqual(parseFragment(`#leader=abc-def.${CODE}`), link);
  for (const broken of ["", "ABCDEF", `.${CODE}`, `ABCDE.${CODE}`, `ABCDEF.${CODE}x`]) {
    assert.equal(parseFragment(`#leader=${broken}`).kind, "incomplete-room", broken);
  }
  assert.equal(describedPath(leaderFragment("ABCDEF", CODE)), null);
});

test("links to records keep the path of the current node", () => {
  for (const path of [[], [0, 0, 0], [0, 1], [2], [0, 0, 1, 0, 3], Array(300).fill(0)]) {
    const record = parseFragment(recordFragment("aZ0-_", path));
    assert.deepEqual(record, { kind: "record", compressed: "aZ0-_", path });
    const shared = parseFragment(sharedFragment("abcdeFGHI0", path));
    assert.deepEqual(shared, { kind: "shared", id: "abcdeFGHI0", path });
  }
  assert.equal(recordFragment("a", [0, 0, 1, 0]), "#record=a&at=2.1.0");
  for (const broken of [
    "#record=",
    "#record=a+b",
    "#record=a&at=x",
    "#shared=a",
    "#record=a&at=1e9",
  ]) {
    assert.equal(parseFragment(broken).kind, "broken", broken);
  }
  assert.equal(parseFragment("#record=a&at=99999999").kind, "broken");
});

test("games with friends, rooms and shared records have addresses for messengers", () => {
  assert.equal(describedPath(friendFragment(ID)), `play/${ID}`);
  assert.equal(describedPath("#room=ABCDEF"), "room/ABCDEF");
  assert.equal(describedPath(sharedFragment("abcdeFGHI0", [])), "shared/abcdeFGHI0");
  assert.equal(describedPath(sharedFragment("abcdeFGHI0", [0, 1])), "shared/abcdeFGHI0/1.1");
  assert.equal(describedPath("#puzzle=2,0,4,1,n"), "puzzle/2,0,4,1,n");
  assert.equal(describedPath("#puzzle=2,0,4,1&rules=standard"), "puzzle/2,0,4,1/standard");
  for (const other of ["", "#line=A", recordFragment("a", [0]), seatFragment(ID, CODE)]) {
    assert.equal(describedPath(other), null, other);
  }
});

test("withFragment replaces the fragment", () => {
  assert.equal(
    withFragment("https://kalah.example/page#line=A", "#line=B"),
    "https://kalah.example/page#line=B",
  );
  assert.equal(
    withFragment("https://kalah.example/", "#friend=1"),
    "https://kalah.example/#friend=1",
  );
});

test("an empty fragment has no game", () => {
  assert.deepEqual(parseFragment(""), { kind: "none" });
  assert.deepEqual(parseFragment("#"), { kind: "none" });
});

test("an invalid fragment is reported with a reason", () => {
  /** @type {[string, string][]} */
  const nonsense = [
    ["#board", "“board” is not a game"],
    ["#line=A1", "“1” is not a move"],
    ["#line=A b", "“ ” is not a move"],
    ["#line=(A)", "precedes the move that it replaces"],
    ["#line=A()", "a variation is empty"],
    ["#line=A((B))", "precedes the move that it replaces"],
    ["#line=A)", "closing parenthesis has no opening one"],
    ["#line=A(B", "is not closed"],
    ["#line=%E0%A4%A", "not a valid part of an address"],
    [`#line=${"A(B".repeat(70)}${")".repeat(70)}`, "too deep"],
    [`#line=${"A".repeat(20_000)}`, "longer than"],
  ];
  for (const [fragment, said] of nonsense) {
    const link = parseFragment(fragment);
    assert.equal(link.kind, "broken", fragment);
    const message = link.kind === "broken" ? link.message : "";
    assert.ok(message.startsWith("This link to a game is incomplete or wrong. Ask "), message);
    assert.ok(message.includes(said), `${fragment}: ${message}`);
  }
});

test("a part of a link of a game with a friend is incomplete", () => {
  const players =
    "This link to a game with a friend is incomplete. Ask for the link again, or create a game yourself.";
  const device =
    "This link for another device is incomplete. Copy it again on the device with your game.";
  for (const [fragment, message] of [
    ["#friend=abc.def", players],
    [`#friend=${ID}A`, players],
    ["#seat=", device],
    [`#seat=${ID}`, device],
    [`#seat=${ID}.${CODE.slice(1)}`, device],
  ]) {
    assert.deepEqual(parseFragment(String(fragment)), { kind: "incomplete", message });
  }
});

test("random fragments parse without an exception, and their games are formatted consistently", () => {
  // A small generator of pseudo-random numbers, so that a failure repeats.
  let state = 1;
  const next = (/** @type {number} */ below) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
  const alphabet = "#ABab~*()=&,.%line rules=position<>6x4\u{1F600}";
  for (let round = 0; round < 2_000; round += 1) {
    const text = Array.from({ length: next(24) }, () => alphabet[next(alphabet.length)]).join("");
    const link = parseFragment(round % 2 ? `#line=${text}` : text);
    if (link.kind === "game") {
      // A fragment may have unknown fields or several marks, so the formatted fragment is compared.
      const again = parseFragment(formatGame(link));
      assert.deepEqual(again.kind === "game" && formatGame(again), formatGame(link), text);
    }
  }
});

test("the address of a puzzle has its position and its rules", () => {
  const position = "<3,9,4,0,1,2,1,0,1> n";
  const cases = [
    ["#puzzle=3,9,4,0,1,2,1,0,1,n", { rules: "cs32", position }],
    ["#puzzle=3,9,4,0,1,2,1,0,1,n&rules=standard", { rules: "standard", position }],
    [
      "#puzzle=2,1,1,0,1,1,0,s,ply=2&rules=mankalah",
      { rules: "mankalah", position: "<2,1,1,0,1,1,0> s ply=2" },
    ],
  ];
  for (const [fragment, puzzle] of /** @type {[string, any][]} */ (cases)) {
    assert.deepEqual(parseFragment(fragment), { kind: "puzzle", ...puzzle });
    assert.equal(puzzleFragment(puzzle), fragment);
  }
  for (const fragment of ["#puzzle=", "#puzzle=6x4", "#puzzle=3,9,x", "#puzzle=3,9,4,e"]) {
    const link = parseFragment(fragment);
    assert.equal(link.kind, "broken", fragment);
    const message = link.kind === "broken" ? link.message : "";
    assert.match(message, /^This link to a puzzle .* open another puzzle\. The reason: /);
    assert.ok(!message.includes("“”"), message);
  }
});

test("a link for another device is shortened to the part that others may see", () => {
  for (const [fragment, rest] of [
    [seatFragment(ID, CODE), `#seat=${ID}`],
    ["#seat=short", "#seat=short"],
    [`#leader=ABCDEF.${CODE.slice(0, -5)}`, "#leader=ABCDEF"],
    ["#leader=ABCDEF%2Ecode", "#leader=ABCDEF"],
    ["#room=AB", "#room=AB"],
    ["#friend=A.b", "#friend=A.b"],
  ]) {
    assert.equal(withoutDeviceCode(String(fragment)), rest);
  }
});
