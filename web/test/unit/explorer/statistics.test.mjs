import assert from "node:assert/strict";
import { test } from "node:test";

import {
  gamesOf,
  ownGames,
  resultsByMove,
  shippedGames,
  statisticsMove,
  totalGames,
} from "../../../explorer/statistics.js";
import { createHistory } from "../../../storage/history.js";
import { memory } from "../storage/storages.mjs";

/** @import { PlayedGame } from "../../../storage/history.js" */
/** @import { Engine } from "../../../types/app.d.ts" */
/** @import { CountRequest } from "../../../types/api.d.ts" */

const START = "<2,0,0,2,2,2,2> s";
const PLACE = { rules: "cs32", position: START, key: START };
const { signal } = new AbortController();

/** @param {Partial<PlayedGame>} given @returns {PlayedGame} */
const makeGame = (given) => ({
  date: "2026-03-01T12:00:00.000Z",
  mode: "play",
  rules: "cs32",
  position: START,
  board: "2x2",
  moves: ["A", "b"],
  players: { south: { kind: "person" }, north: { kind: "computer", opponent: "level:3" } },
  termination: "normal",
  winner: null,
  stores: { south: 5, north: 3 },
  ...given,
});

/** An engine that counts each game as a win with its first move in the start. */
function countingEngine() {
  const requests = /** @type {CountRequest[]} */ ([]);
  const engine = /** @type {Engine} */ ({
    kind: "worker",
    request: async (/** @type {string} */ endpoint, /** @type {any} */ body) => {
      assert.equal(endpoint, "count");
      requests.push(body);
      const moves = body.games.map((/** @type {{ moves: string[] }} */ { moves }) => ({
        move: moves[0],
        wins: 1,
        ties: 0,
        losses: 0,
      }));
      return { games: moves.length, invalid: 0, positions: [{ ...PLACE, moves }] };
    },
  });
  return { engine, requests };
}

test("moves have the letters of South", () => {
  assert.deepEqual(["c", "C", "swap"].map(statisticsMove), ["C", "C", "swap"]);
  const results = resultsByMove([{ move: "c", wins: 1, ties: 2, losses: 3 }]);
  assert.equal(gamesOf(results?.get("C") ?? { wins: 0, ties: 0, losses: 0 }), 6);
  assert.equal(totalGames(results), 6);
  assert.equal(resultsByMove([]), null);
  assert.equal(totalGames(null), 0);
});

test("finished games of this device are counted once until the history changes", async () => {
  const { engine, requests } = countingEngine();
  const history = createHistory({}, { storage: memory(), locks: null });
  const put = (/** @type {PlayedGame} */ game) =>
    history.put({ id: history.newId(), known: null }, game);
  await put(makeGame({}));
  await put(makeGame({ stores: null, termination: "resign", winner: "north" }));
  await put(makeGame({ stores: { south: 4, north: 4 } }));
  await put(makeGame({ stores: null, termination: "unfinished" }));
  await put(makeGame({ stores: null, termination: "aborted" }));
  const own = ownGames(engine, history);
  assert.equal(totalGames(await own.results(PLACE, signal)), 3);
  assert.equal(await own.results({ ...PLACE, key: "other" }, signal), null);
  assert.equal(requests.length, 1);
  const winners = requests[0]?.games.map(({ winner }) => winner).sort();
  assert.deepEqual(winners, ["north", "south", null].sort());
  await put(makeGame({}));
  assert.equal(totalGames(await own.results(PLACE, signal)), 4);
});

test("many games are counted by several requests, and only their first moves are sent", async () => {
  const { engine, requests } = countingEngine();
  const history = createHistory({}, { storage: memory(), locks: null });
  const moves = Array.from({ length: 30 }, () => "A");
  for (let count = 0; count < 401; count += 1) {
    await history.put({ id: history.newId(), known: null }, makeGame({ moves }));
  }
  assert.equal(totalGames(await ownGames(engine, history).results(PLACE, signal)), 401);
  assert.deepEqual(
    requests.map(({ games }) => games.length),
    [400, 1],
  );
  assert.equal(requests[0]?.games[0]?.moves.length, 12);
});

test("the file is loaded once, and again after a failure", async () => {
  let loads = 0;
  const source = shippedGames(async () => {
    loads += 1;
    if (loads === 1) {
      throw new Error("no network");
    }
    return {
      starts: [{ board: "2x2", rules: "cs32", games: 9, positions: { [START]: { A: [4, 3, 2] } } }],
    };
  });
  await assert.rejects(source.results(PLACE, signal), /no network/);
  const results = await source.results(PLACE, signal);
  assert.deepEqual(results?.get("A"), { wins: 4, ties: 3, losses: 2 });
  assert.equal(await source.results({ ...PLACE, rules: "standard" }, signal), null);
  assert.equal(await source.results({ ...PLACE, key: "other" }, signal), null);
  assert.equal(loads, 2);
});
