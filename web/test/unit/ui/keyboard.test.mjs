import assert from "node:assert/strict";
import { test } from "node:test";

import { commandForKey } from "../../../ui/keyboard.js";
import { makePosition } from "../../positions.mjs";

const KEYS = /** @type {const} */ ([
  ["a", 6, "south", { does: "choose", move: "A" }],
  ["F", 6, "north", { does: "choose", move: "f" }],
  ["g", 6, "south", null],
  ["1", 6, "south", { does: "choose", move: "A" }],
  ["1", 6, "north", { does: "choose", move: "f" }],
  ["7", 6, "south", null],
  ["0", 10, "south", { does: "choose", move: "J" }],
  ["0", 6, "south", null],
  ["u", 6, "south", { does: "undo" }],
  ["R", 6, "south", { does: "redo" }],
  ["h", 6, "south", { does: "hint" }],
  ["h", 8, "south", { does: "choose", move: "H" }],
  ["n", 10, "south", { does: "new-game" }],
  ["?", 6, "south", { does: "help" }],
  ["s", 6, "south", null],
  ["ä", 6, "south", null],
  ["Tab", 6, "south", null],
]);

for (const [key, houses, side, wanted] of KEYS) {
  test(`key ${key} with ${houses} houses, ${side} to move`, () => {
    assert.deepEqual(commandForKey(key, false, makePosition({ houses, to_move: side })), wanted);
  });
}

test("Shift+H is the hint if h is a house, and s swaps if that is legal", () => {
  assert.deepEqual(commandForKey("H", true, makePosition({ houses: 9 })), { does: "hint" });
  assert.deepEqual(commandForKey("s", false, makePosition({ legal_moves: ["a", "swap"] })), {
    does: "choose",
    move: "swap",
  });
});
