import assert from "node:assert/strict";
import { test } from "node:test";

import { EngineError } from "../../../engine/errors.js";
import { findGames, groupGames, readGames } from "../../../records/game-index.js";

/** @import { Engine } from "../../../types/app.d.ts" */

const GAMES = [
  '[South "a [b] \\" {c"]\n[Rules "standard"]\n\n1. CF b { [South "not a tag"] } *\n',
  '\n[North "x"]\n\n*\n',
  '[Event "y"] 1. A *',
];

test("the games of a text are found, and no character is lost", async () => {
  const text = GAMES.join("");
  const found = await findGames(text);
  assert.deepEqual(
    found.map((game) => game.trim()),
    GAMES.map((game) => game.trim()),
  );
  assert.equal(found.join(""), text);
  assert.deepEqual(await findGames(" \n"), []);
});

test("a text without tags or with invalid tags is one game", async () => {
  for (const text of ["1. CF b *", "{ no end", '[South "no end', "[[[", "]"]) {
    assert.deepEqual(await findGames(text), [text]);
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
  assert.deepEqual(groupGames(["aa", "bb", "c", "dddddddd", "e"], 5), [
    ["aa", "bb", "c"],
    ["dddddddd"],
    ["e"],
  ]);
});

test("a game that cannot be read does not hide the others", async () => {
  /** @type {string[]} */
  const requests = [];
  const engine = /** @type {Engine} */ (
    /** @type {unknown} */ ({
      async request(/** @type {string} */ _, /** @type {{ text: string }} */ { text }) {
        requests.push(text);
        if (text.includes("bad")) {
          throw new EngineError({ type: "", title: "No", status: 422, detail: "`bad`" });
        }
        return { games: text.split(";").filter(Boolean) };
      },
    })
  );
  assert.deepEqual(await readGames(engine, ["a;", "bad;", "c;"]), [
    { game: "a", error: null },
    { game: null, error: "No: “bad”" },
    { game: "c", error: null },
  ]);
  assert.deepEqual(requests, ["a;bad;c;", "a;", "bad;", "c;"]);
});
