import assert from "node:assert/strict";
import { test } from "node:test";

import { EngineError } from "../../../engine/errors.js";
import { findGames, groupGames, isValidGame, readGames } from "../../../records/game-index.js";

/** @import { Engine } from "../../../types/app.d.ts" */
/** @import { FoundGame } from "../../../records/game-index.js" */

const GAMES = [
  '[South "a [b] \\" {c"]\n[Rules "standard"]\n\n1. CF b { [South "not a tag"] } *\n',
  '\n[North "x"]\n\n*\n',
  '[Event "y"] 1. A *',
];

/**
 * @param {string} text
 * @param {Parameters<typeof findGames>[1]} [options]
 */
const findTexts = async (text, options) =>
  (await findGames(text, options)).map((game) => game.text);

/**
 * Returns found games whose places are not needed.
 *
 * @param {string[]} games
 * @returns {FoundGame[]}
 */
const unplaced = (games) => games.map((text) => ({ text, place: { line: 1, column: 1 } }));

/**
 * Returns an engine that reads games of one character and a semicolon. `!` is a game that is not
 * valid, and a text with `?` is refused.
 *
 * @param {string[]} requests receives the texts
 */
const fakeEngine = (requests) =>
  /** @type {Engine} */ (
    /** @type {unknown} */ ({
      async request(/** @type {string} */ _, /** @type {{ text: string }} */ { text }) {
        requests.push(text);
        if (text.includes("?")) {
          throw new EngineError({ type: "", title: "No", status: 422, detail: "“?”" });
        }
        const all = text.split(";").slice(0, -1);
        const games = all.filter((game) => !game.includes("!"));
        const errors = all.flatMap((game, index) => {
          const before = all.slice(0, index).join(";").split("\n");
          const place = { line: before.length, column: (before.at(-1) ?? "").length + 2 };
          return game.includes("!") ? [{ game: index + 1, ...place, message: "`!`" }] : [];
        });
        return { games, errors };
      },
    })
  );

test("the games of a text are found, and no character is lost", async () => {
  const text = GAMES.join("");
  const found = await findTexts(text);
  assert.deepEqual(
    found.map((game) => game.trim()),
    GAMES.map((game) => game.trim()),
  );
  assert.equal(found.join(""), text);
  assert.deepEqual(await findGames(" \n"), []);
});

test("games without tags end with their closing tokens", async () => {
  for (const games of [
    ["1. A a *", "\n1. C C *", "\n1. B b *"],
    ["1. A a *", "\n\n1. C C *", "\n\n1. B b *"],
    ["1. A a*", "1. C 25-23", " 1. B b *"],
    ["1. A {* 1-1} ( 1. B ) 1... a 0-48", "\n*", "*", " 1. CF b"],
  ]) {
    assert.deepEqual(await findTexts(games.join("")), games);
  }
});

test("games with errors end as in the parser of records", async () => {
  for (const games of [
    ['[Event "1"]\n\n1. A a *', "\n\n[Event 2]\n\n1. ? *", '\n\n[Event "3"]\n\n1. B b *'],
    ["1. A { no end\n\n", '[Event "2"]\n\n1. B b *'],
    ["1. A { no end *", "\n1. B b *"],
    ["1. A [no tag] a *", "\n\n[Event no tag\n*"],
    ["1. A a\n\n", "[Event 2]\n\n*"],
    ['[Event "no end]\n\n', '[Event "2"]\n*'],
  ]) {
    assert.deepEqual(await findTexts(games.join("")), games);
  }
});

test("a comment with tags ends with its brace if its game is valid", async () => {
  const games = ['1. A { a\n\n[Event "2"]\n\n1. B { b } b *', ' [Event "3"] *'];
  const asked = (/** @type {boolean} */ valid) => {
    /** @type {string[]} */
    const texts = [];
    const isValid = async (/** @type {string} */ text) => {
      texts.push(text);
      return valid;
    };
    return { isValid, texts };
  };
  const valid = asked(true);
  assert.deepEqual(await findTexts(games.join(""), valid), games);
  assert.deepEqual(valid.texts, games.slice(0, 1));
  const invalid = asked(false);
  const found = await findGames(games.join(""), invalid);
  assert.deepEqual(found, [
    { text: "1. A { a\n\n", place: { line: 1, column: 1 } },
    { text: '[Event "2"]\n\n1. B { b } b *', place: { line: 3, column: 1 } },
    { text: ' [Event "3"] *', place: { line: 5, column: 15 } },
  ]);
  assert.deepEqual(invalid.texts, games.slice(0, 1));
});

test("a text without an end of a game or with invalid tags is one game", async () => {
  for (const text of ["1. CF b *", "1. CF b", "{ no end", '[South "no end', "[[[", "]", "1. 3-."]) {
    assert.deepEqual(await findTexts(text), [text]);
  }
});

test("a search in a large text has steps with progress, and can be cancelled", async () => {
  const text = '[Event "y"] 1. A *\n'.repeat(1_000);
  /** @type {number[]} */
  const shares = [];
  const onProgress = (/** @type {number} */ share) => void shares.push(share);
  assert.equal((await findGames(text, { onProgress, tokensPerStep: 400 })).length, 1_000);
  assert.equal(shares.length, 10);
  assert.ok(shares.every((share, index) => share > (shares[index - 1] ?? 0) && share < 1));
  const control = new AbortController();
  const cancelled = findGames(text, {
    signal: control.signal,
    onProgress: () => control.abort(),
    tokensPerStep: 400,
  });
  await assert.rejects(cancelled, { name: "AbortError" });
});

test("games are joined to parts of a limited length", () => {
  assert.deepEqual(groupGames([], 5), []);
  assert.deepEqual(groupGames(unplaced(["aa", "bb", "c", "dddddddd", "e"]), 5), [
    unplaced(["aa", "bb", "c"]),
    unplaced(["dddddddd"]),
    unplaced(["e"]),
  ]);
});

test("an error belongs to one game, and has its place in the whole text", async () => {
  /** @type {string[]} */
  const requests = [];
  const games = [
    { text: "a;", place: { line: 10, column: 5 } },
    { text: "!;", place: { line: 10, column: 7 } },
    { text: "\nc;", place: { line: 10, column: 9 } },
    { text: "!;", place: { line: 11, column: 3 } },
  ];
  assert.deepEqual(await readGames(fakeEngine(requests), games), [
    { game: "a", error: null },
    { game: null, error: "Invalid record: line 10, column 7, from “!;” on: “!”" },
    { game: "\nc", error: null },
    { game: null, error: "Invalid record: line 11, column 3, from “!;” on: “!”" },
  ]);
  assert.deepEqual(requests, ["a;!;\nc;!;"]);
});

test("a game that the engine refuses does not hide the others", async () => {
  /** @type {string[]} */
  const requests = [];
  assert.deepEqual(await readGames(fakeEngine(requests), unplaced(["a;", "?;", "c;"])), [
    { game: "a", error: null },
    { game: null, error: "No: “?”" },
    { game: "c", error: null },
  ]);
  assert.deepEqual(requests, ["a;?;c;", "a;", "?;", "c;"]);
});

test("texts with other numbers of games are read one by one", async () => {
  const engine = fakeEngine([]);
  const error = "Invalid record: line 1, column 3, from “!;” on: “!”";
  assert.deepEqual(await readGames(engine, unplaced(["a;!;", "c;"])), [
    { game: null, error },
    { game: "c", error: null },
  ]);
  assert.deepEqual(await readGames(engine, unplaced([" "])), [
    { game: null, error: "The text contains no game." },
  ]);
  assert.equal(await isValidGame(engine, "a;"), true);
  assert.equal(await isValidGame(engine, "a;!;"), false);
});

test("the message about a text that is no record quotes it", async () => {
  const error = { game: 1, line: 1, column: 1, message: "turn 1: sowing `h`: it is South's turn" };
  const engine = /** @type {Engine} */ (
    /** @type {unknown} */ ({ request: async () => ({ games: [], errors: [error] }) })
  );
  const read = async (/** @type {string} */ text, change = {}) => {
    Object.assign(error, change);
    return (await readGames(engine, unplaced([text])))[0]?.error;
  };
  assert.equal(
    await read("  hello world, this is a long text"),
    "This text is not a record of a game; it begins with “hello world, this is a l…”: in turn 1 it is South's turn, and “h” is a house of the other side",
  );
  assert.equal(
    await read("1. C hello", { column: 6 }),
    "Invalid record: line 1, column 6, from “hello” on: in turn 1 it is South's turn, and “h” is a house of the other side",
  );
  assert.equal(
    await read("\n1. C", { line: 2, column: 5, message: "this game has no closing" }),
    "Invalid record: line 2, column 5, the end of the line: this game has no closing",
  );
});
