import assert from "node:assert/strict";
import { test } from "node:test";

import {
  announcementText,
  formatSigned,
  moveText,
  previewText,
  refusalText,
  resultText,
  sowingText,
  turnText,
} from "../../../game/descriptions.js";
import {
  currentPlayers,
  gamePlayers,
  ownSide,
  playerAt,
  playersFromTags,
} from "../../../game/players.js";
import { DEFAULT_SETTINGS } from "../../../storage/formats.js";
import { initialState } from "../../../game/store.js";
import { endGame, fromLine, gameResult, newTree } from "../../../game/tree.js";
import { makeMoveResult, makePosition } from "../../positions.mjs";

/** @import { MoveResult } from "../../../types/api.d.ts" */
/** @import { Players, State } from "../../../types/app.d.ts" */

/** @type {Players} */
const AGAINST_COMPUTER = {
  south: { kind: "person" },
  north: { kind: "computer", opponent: "level:3" },
};
/** @type {Players} */
const TWO_PERSONS = { south: { kind: "person" }, north: { kind: "person" } };

/** @param {Players} players @param {Partial<State["settings"]>} [settings] */
const stateOf = (players, settings = {}) => ({
  ...initialState(),
  players,
  settings: { ...DEFAULT_SETTINGS, ...settings },
});

/**
 * @param {MoveResult} moveResult
 * @param {Players} [players]
 * @param {Partial<State["settings"]>} [settings]
 */
function textOf(moveResult, players = AGAINST_COMPUTER, settings = {}) {
  return moveText(stateOf(players, settings), fromLine(makePosition(), [moveResult]), moveResult);
}

test("the players of a record have the names and sides of its tags", () => {
  const players = playersFromTags([
    ["South", "Marge"],
    ["North", "?"],
    ["Event", "x"],
  ]);
  assert.deepEqual(players, {
    south: { kind: "person", name: "Marge" },
    north: { kind: "person" },
  });
  assert.deepEqual(
    playersFromTags([
      ["South", "?"],
      ["North", " "],
    ]),
    TWO_PERSONS,
  );
  assert.deepEqual(playersFromTags([["North", "\u202ennA"]]).north, {
    kind: "person",
    name: "\\u{202e}nnA",
  });
  const moveResult = makeMoveResult("A", { path: ["B"] });
  const swap = makeMoveResult("swap", { side: "north", is_swap: true });
  assert.equal(textOf(moveResult, players), "Marge plays house A, 1 seed.");
  assert.equal(
    playerAt(stateOf(players), fromLine(makePosition(), [moveResult]), "north").name,
    "North",
  );
  assert.equal(
    playerAt(stateOf(players), fromLine(makePosition(), [moveResult, swap]), "north").name,
    "Marge",
  );
});

test("gamePlayers returns the players of the suspended game", () => {
  const tree = fromLine(makePosition(), [makeMoveResult("A")]);
  const suspendedGame = { tree, players: AGAINST_COMPUTER, mode: "play" };
  assert.equal(
    gamePlayers({ players: TWO_PERSONS, suspendedGame }, { ...tree, depth: 0 }).players,
    AGAINST_COMPUTER,
  );
  assert.equal(
    gamePlayers({ players: TWO_PERSONS, suspendedGame }, newTree(makePosition())).players,
    TWO_PERSONS,
  );
});

test("formatSigned formats margins", () => {
  assert.equal(formatSigned(3), "+3");
  assert.equal(formatSigned(0), "0");
  assert.equal(formatSigned(-3), "\u22123");
});

test("moveText describes each kind of move", () => {
  assert.equal(
    textOf(makeMoveResult("A", { path: ["B", "south"], effect: "bonus-turn" })),
    "You play house A, 2 seeds. Bonus turn.",
  );
  assert.equal(
    textOf(makeMoveResult("a", { path: ["b"] })),
    "Computer (level 3) plays house a, 1 seed.",
  );
  assert.equal(
    textOf(
      makeMoveResult("A", {
        path: ["B"],
        effect: "capture",
        capture: { house: "B", from: "a", seeds: 4 },
      }),
    ),
    "You play house A, 1 seed. Capture of house a: 4 seeds to your store.",
  );
  assert.equal(
    textOf(
      makeMoveResult("a", {
        path: ["b"],
        effect: "capture",
        capture: { house: "b", from: "A", seeds: 4 },
      }),
      TWO_PERSONS,
    ),
    "North plays house a, 1 seed. Capture of house A: 4 seeds to North's store.",
  );
  assert.equal(
    textOf(
      makeMoveResult("B", { path: ["south"], swept: { south: 1, north: 2 } }),
      AGAINST_COMPUTER,
      { labels: "columns" },
    ),
    "You play column 2, 1 seed. The rows are swept: 1 to your store, 2 to the other store.",
  );
});

test("sowingText omits the result", () => {
  const moveResult = makeMoveResult("A", { path: ["B", "south"], effect: "bonus-turn" });
  assert.equal(
    sowingText(stateOf(AGAINST_COMPUTER), fromLine(makePosition(), [moveResult]), moveResult),
    "You play house A",
  );
});

test("a swap exchanges the players' sides", () => {
  const swap = makeMoveResult("swap", { side: "north", is_swap: true });
  const tree = fromLine(makePosition(), [makeMoveResult("A"), swap]);
  assert.deepEqual(currentPlayers(AGAINST_COMPUTER, tree), {
    south: AGAINST_COMPUTER.north,
    north: AGAINST_COMPUTER.south,
  });
  assert.equal(ownSide(stateOf(AGAINST_COMPUTER), tree), "north");
  assert.equal(playerAt(stateOf(AGAINST_COMPUTER), tree, "south").name, "Computer (level 3)");
  assert.equal(moveText(stateOf(AGAINST_COMPUTER), tree, swap), "Computer (level 3) swaps sides.");
});

test("two persons have the names of their sides", () => {
  const tree = newTree(makePosition());
  assert.equal(ownSide(stateOf(TWO_PERSONS), tree), null);
  assert.equal(turnText(stateOf(TWO_PERSONS), tree), "South to move.");
  assert.equal(turnText(stateOf(AGAINST_COMPUTER), tree), "Your turn.");
});

test("resultText describes the end by seeds and by resignation", () => {
  const over = (/** @type {number} */ south, /** @type {number} */ north) =>
    newTree(makePosition({ is_over: true, legal_moves: [], stores: { south, north } }));
  const state = stateOf(AGAINST_COMPUTER);
  assert.equal(resultText(state, newTree(makePosition())), "");
  assert.equal(resultText(state, over(5, 3)), "You win 5-3.");
  assert.equal(resultText(state, over(3, 5)), "Computer (level 3) wins 5-3.");
  assert.equal(resultText(state, over(4, 4)), "Draw, 4-4.");
  const resigned = endGame(newTree(makePosition()), "resign", "north");
  assert.equal(resultText(state, resigned), "Computer (level 3) wins by resignation.");
  assert.equal(gameResult(resigned)?.termination, "resign");
  assert.equal(gameResult(newTree(makePosition())), null);
});

test("a resigned game has no result before its end", () => {
  const ended = endGame(fromLine(makePosition(), [makeMoveResult("A")]), "resign", "north");
  assert.notEqual(gameResult(ended), null);
  assert.equal(gameResult({ ...ended, depth: 0 }), null);
});

test("an announcement has the move, the stores and the turn", () => {
  const moveResult = makeMoveResult("A", {
    path: ["B", "south"],
    effect: "bonus-turn",
    after: makePosition({ stores: { south: 1, north: 0 } }),
  });
  assert.equal(
    announcementText(stateOf(AGAINST_COMPUTER), fromLine(makePosition(), [moveResult]), moveResult),
    "You play house A, 2 seeds. Bonus turn. Stores: You 1, Computer 0. Your turn.",
  );
});

test("a preview names the last house, the capture, the bonus turn and the end", () => {
  const tree = fromLine(makePosition(), []);
  const players = /** @type {const} */ ({ south: { kind: "person" }, north: { kind: "person" } });
  const state = stateOf(players);
  const text = (/** @type {Partial<MoveResult>} */ given) =>
    previewText(state, tree, makeMoveResult("A", given));
  assert.equal(text({ path: ["B"] }), "From house A the last seed falls into house B.");
  assert.equal(
    text({ path: ["B", "south"], effect: "bonus-turn" }),
    "From house A the last seed falls into South's store. Bonus turn.",
  );
  assert.equal(
    text({ path: ["B"], effect: "capture", capture: { house: "B", from: "a", seeds: 3 } }),
    "From house A the last seed falls into house B and captures house a: 3 seeds.",
  );
  const after = makePosition({ is_over: true, stores: { south: 5, north: 3 }, legal_moves: [] });
  assert.equal(
    text({ path: ["B", "south"], effect: "bonus-turn", after }),
    "From house A the last seed falls into South's store. The game ends: South 5, North 3.",
  );
  // The path of a very large sowing is cut, so its last pit is unknown.
  assert.equal(text({ path: ["B"], seeds: 900 }), "");
});

test("a refusal says why a house cannot be played", () => {
  const at = makePosition({ rows: { south: [0, 2], north: [2, 2] }, legal_moves: ["B"] });
  const tree = fromLine(at, []);
  const players = /** @type {const} */ ({
    south: { kind: "person" },
    north: { kind: "computer", opponent: "level:1" },
  });
  const state = stateOf(players);
  assert.equal(refusalText(state, tree, "B", { canMove: true }), null);
  assert.match(refusalText(state, tree, "A", { canMove: true }) ?? "", /^House A is empty/);
  assert.match(
    refusalText(state, tree, "a", { canMove: true }) ?? "",
    /^House a is not in your row/,
  );
  assert.match(refusalText(state, tree, "B", { canMove: false }) ?? "", /^Wait/);
  const theirs = fromLine({ ...at, to_move: "north", legal_moves: ["a", "b"] }, []);
  assert.match(
    refusalText(state, theirs, "B", { canMove: false }) ?? "",
    /^It is not your turn: Computer/,
  );
  const both = { ...state, players: { south: players.south, north: players.south } };
  assert.match(refusalText(both, theirs, "B", { canMove: true }) ?? "", /not in the row of North/);
  const over = fromLine({ ...at, is_over: true, legal_moves: [] }, []);
  assert.equal(refusalText(state, over, "B", { canMove: false }), "The game is over.");
});
