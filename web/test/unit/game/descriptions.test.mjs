import assert from "node:assert/strict";
import { test } from "node:test";

import {
  choiceLabel,
  choiceName,
  columnOf,
  houseInColumn,
  houseName,
  houseOf,
  letter,
  shortLabel,
} from "../../../board/labels.js";
import {
  announcement,
  plyText,
  resultText,
  seeds,
  signed,
  sowingText,
  turnText,
} from "../../../game/descriptions.js";
import { ownSide, personsOf, seatAt, seated, whoPlays } from "../../../game/players.js";
import { DEFAULTS } from "../../../game/storage.js";
import { end, fromLine, newTree, result } from "../../../game/tree.js";
import { meaning } from "../../../ui/keyboard.js";
import { aPosition, aSown } from "../../positions.mjs";

/** @import { Sown } from "../../../types/api.d.ts" */
/** @import { Players, State } from "../../../types/app.d.ts" */

/** @type {Players} */
const AGAINST_COMPUTER = { south: { kind: "person" }, north: { kind: "computer", opponent: "level:3" } };
/** @type {Players} */
const TWO_PERSONS = { south: { kind: "person" }, north: { kind: "person" } };

/** @param {Players} players @param {Partial<State["settings"]>} [settings] */
const stateOf = (players, settings = {}) =>
  /** @type {State} */ (/** @type {unknown} */ ({ players, settings: { ...DEFAULTS, ...settings } }));

/** @param {Sown} sown @param {Players} [players] @param {Partial<State["settings"]>} [settings] */
function said(sown, players = AGAINST_COMPUTER, settings = {}) {
  return plyText(stateOf(players, settings), fromLine(aPosition(), [sown]), sown);
}

test("houses have letters, and columns as they are drawn", () => {
  assert.equal(letter("south", 3), "C");
  assert.equal(letter("north", 3), "c");
  assert.deepEqual(houseOf("c"), { side: "north", house: 3 });
  assert.equal(houseOf("south"), null);
  assert.equal(houseOf("swap"), null);
  assert.equal(columnOf("north", 1, 6), 6);
  assert.equal(houseInColumn("north", 6, 6), 1);
  assert.equal(shortLabel("a", 6, "columns"), "6");
  assert.equal(shortLabel("south", 6, "columns"), "south");
  assert.equal(houseName("C", 6, "letters"), "house C");
  assert.equal(houseName("C", 6, "columns"), "column 3");
});

test("lists of choices tell columns and the row that they are in", () => {
  assert.equal(choiceLabel("a", 6, "letters"), "a");
  assert.equal(choiceLabel("a", 6, "columns"), "6\u2191");
  assert.equal(choiceLabel("A", 6, "columns"), "1\u2193");
  assert.equal(choiceLabel("swap", 6, "columns"), "swap");
  assert.equal(choiceName("a", "north", 6, "letters"), "North a");
  assert.equal(choiceName("a", "north", 6, "columns"), "North column 6");
  assert.equal(choiceName("swap", "north", 6, "columns"), "North swap");
});

test("who played a record sits at the side that the record says", () => {
  const players = personsOf([["South", "Marge"], ["North", "You"], ["Event", "x"]]);
  assert.deepEqual(players, { south: { kind: "person", name: "Marge" }, north: { kind: "person" } });
  assert.deepEqual(personsOf([["South", "?"], ["North", " "]]), TWO_PERSONS);
  const sown = aSown("A", { path: ["B"] });
  const swap = aSown("swap", { side: "north", swapped: true });
  assert.equal(said(sown, players), "Marge sows house A, 1 seed.");
  assert.equal(seatAt(stateOf(players), fromLine(aPosition(), [sown]), "north").name, "North");
  assert.equal(seatAt(stateOf(players), fromLine(aPosition(), [sown, swap]), "north").name, "Marge");
});

test("a game that is only looked at has the players that it had", () => {
  const tree = fromLine(aPosition(), [aSown("A")]);
  const parked = { tree, players: AGAINST_COMPUTER, mode: "play" };
  assert.equal(whoPlays({ players: TWO_PERSONS, parked }, { ...tree, depth: 0 }).players, AGAINST_COMPUTER);
  assert.equal(whoPlays({ players: TWO_PERSONS, parked }, newTree(aPosition())).players, TWO_PERSONS);
});

test("numbers are said as people say them", () => {
  assert.equal(seeds(1), "1 seed");
  assert.equal(seeds(0), "0 seeds");
  assert.equal(signed(3), "+3");
  assert.equal(signed(0), "0");
  assert.equal(signed(-3), "\u22123");
});

test("each kind of ply has its words", () => {
  assert.equal(said(aSown("A", { path: ["B", "south"], effect: "bonus-turn" })), "You sow house A, 2 seeds. Bonus turn.");
  assert.equal(said(aSown("a", { path: ["b"] })), "Level 3 sows house a, 1 seed.");
  assert.equal(
    said(aSown("A", { path: ["B"], effect: "capture", capture: { house: "B", from: "a", seeds: 4 } })),
    "You sow house A, 1 seed. Capture of house a: 4 seeds to your store.",
  );
  assert.equal(
    said(aSown("a", { path: ["b"], effect: "capture", capture: { house: "b", from: "A", seeds: 4 } }), TWO_PERSONS),
    "North sows house a, 1 seed. Capture of house A: 4 seeds to North's store.",
  );
  assert.equal(
    said(aSown("B", { path: ["south"], swept: { south: 1, north: 2 } }), AGAINST_COMPUTER, { labels: "columns" }),
    "You sow column 2, 1 seed. The rows are swept: 1 to South's store, 2 to North's.",
  );
});

test("a ply that is being shown is told without its end", () => {
  const sown = aSown("A", { path: ["B", "south"], effect: "bonus-turn" });
  assert.equal(sowingText(stateOf(AGAINST_COMPUTER), fromLine(aPosition(), [sown]), sown), "You sow house A");
});

test("who swapped sits at the other side afterwards", () => {
  const swap = aSown("swap", { side: "north", swapped: true });
  const tree = fromLine(aPosition(), [aSown("A"), swap]);
  assert.deepEqual(seated(AGAINST_COMPUTER, tree), { south: AGAINST_COMPUTER.north, north: AGAINST_COMPUTER.south });
  assert.equal(ownSide(stateOf(AGAINST_COMPUTER), tree), "north");
  assert.equal(seatAt(stateOf(AGAINST_COMPUTER), tree, "south").name, "Level 3");
  assert.equal(plyText(stateOf(AGAINST_COMPUTER), tree, swap), "Level 3 swaps sides.");
});

test("with two persons sides have their own names", () => {
  const tree = newTree(aPosition());
  assert.equal(ownSide(stateOf(TWO_PERSONS), tree), null);
  assert.equal(turnText(stateOf(TWO_PERSONS), tree), "South to move.");
  assert.equal(turnText(stateOf(AGAINST_COMPUTER), tree), "Your turn.");
});

test("a game ends by its seeds or by what is said of it", () => {
  const over = (/** @type {number} */ south, /** @type {number} */ north) =>
    newTree(aPosition({ over: true, choices: [], stores: { south, north } }));
  const state = stateOf(AGAINST_COMPUTER);
  assert.equal(resultText(state, newTree(aPosition())), "");
  assert.equal(resultText(state, over(5, 3)), "You win 5 to 3.");
  assert.equal(resultText(state, over(3, 5)), "Level 3 wins 5 to 3.");
  assert.equal(resultText(state, over(4, 4)), "A tie, 4 all.");
  const resigned = end(newTree(aPosition()), "resign", "north");
  assert.equal(resultText(state, resigned), "Level 3 wins by resignation.");
  assert.equal(result(resigned)?.termination, "resign");
  assert.equal(result(newTree(aPosition())), null);
});

test("a game that was given up goes on before its end", () => {
  const ended = end(fromLine(aPosition(), [aSown("A")]), "resign", "north");
  assert.notEqual(result(ended), null);
  assert.equal(result({ ...ended, depth: 0 }), null);
});

test("an announcement says the ply, the stores and the turn", () => {
  const sown = aSown("A", { path: ["B", "south"], effect: "bonus-turn", after: aPosition({ stores: { south: 1, north: 0 } }) });
  assert.equal(
    announcement(stateOf(AGAINST_COMPUTER), fromLine(aPosition(), [sown]), sown),
    "You sow house A, 2 seeds. Bonus turn. Stores: South 1, North 0. Your turn.",
  );
});

const KEYS_AND_MEANINGS = /** @type {const} */ ([
  ["a", 6, "south", { does: "choose", choice: "A" }],
  ["F", 6, "north", { does: "choose", choice: "f" }],
  ["g", 6, "south", null],
  ["1", 6, "south", { does: "choose", choice: "A" }],
  ["1", 6, "north", { does: "choose", choice: "f" }],
  ["7", 6, "south", null],
  ["0", 10, "south", { does: "choose", choice: "J" }],
  ["0", 6, "south", null],
  ["u", 6, "south", { does: "undo" }],
  ["R", 6, "south", { does: "redo" }],
  ["h", 6, "south", { does: "hint" }],
  ["h", 8, "south", { does: "choose", choice: "H" }],
  ["n", 10, "south", { does: "new-game" }],
  ["?", 6, "south", { does: "help" }],
  ["s", 6, "south", null],
  ["ä", 6, "south", null],
  ["Tab", 6, "south", null],
]);

for (const [key, houses, side, wanted] of KEYS_AND_MEANINGS) {
  test(`key ${key} with ${houses} houses, ${side} to move`, () => {
    assert.deepEqual(meaning(key, false, aPosition({ houses, side })), wanted);
  });
}

test("the hint has a key where h is a house, and swap has one where it is a choice", () => {
  assert.deepEqual(meaning("H", true, aPosition({ houses: 9 })), { does: "hint" });
  assert.deepEqual(meaning("s", false, aPosition({ choices: ["a", "swap"] })), { does: "choose", choice: "swap" });
});
