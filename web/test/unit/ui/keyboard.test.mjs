import assert from "node:assert/strict";
import { test } from "node:test";

import { commandForKey } from "../../../ui/keyboard.js";
import { makePosition } from "../../positions.mjs";

const KEYS = /** @type {const} */ ([
  ["a", 6, "south", { command: "move", move: "A" }],
  ["F", 6, "north", { command: "move", move: "f" }],
  ["g", 6, "south", null],
  ["1", 6, "south", { command: "move", move: "A" }],
  ["1", 6, "north", { command: "move", move: "f" }],
  ["7", 6, "south", null],
  ["0", 10, "south", { command: "move", move: "J" }],
  ["0", 6, "south", null],
  ["u", 6, "south", { command: "undo" }],
  ["R", 6, "south", { command: "redo" }],
  ["h", 6, "south", { command: "hint" }],
  ["h", 8, "south", { command: "move", move: "H" }],
  ["n", 10, "south", { command: "new-game" }],
  ["?", 6, "south", { command: "help" }],
  ["x", 6, "south", null],
  ["ä", 6, "south", null],
  ["Tab", 6, "south", null],
]);

for (const [key, houses, side, wanted] of KEYS) {
  test(`key ${key} with ${houses} houses, ${side} to move`, () => {
    assert.deepEqual(commandForKey(key, makePosition({ houses, to_move: side })), wanted);
  });
}

test("digits count the columns of a turned board from the left of the viewer", () => {
  const at = makePosition({ houses: 6, to_move: "north" });
  assert.deepEqual(commandForKey("1", at, { fromRight: true }), { command: "move", move: "a" });
  assert.deepEqual(commandForKey("6", at, { fromRight: true }), { command: "move", move: "f" });
  assert.equal(commandForKey("7", at, { fromRight: true }), null);
});

test("Shift+F turns the board, also if f is a house", () => {
  const at = makePosition({ houses: 6 });
  assert.deepEqual(commandForKey("F", at, { shift: true }), { command: "flip" });
  assert.deepEqual(commandForKey("f", at), { command: "move", move: "F" });
  assert.deepEqual(commandForKey("f", makePosition({ houses: 3 })), { command: "flip" });
});

test("Shift+H is the hint if h is a house, and x swaps if that is legal", () => {
  assert.deepEqual(commandForKey("H", makePosition({ houses: 9 }), { shift: true }), {
    command: "hint",
  });
  assert.deepEqual(commandForKey("x", makePosition({ legal_moves: ["a", "swap"] })), {
    command: "move",
    move: "swap",
  });
});
