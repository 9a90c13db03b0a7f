import assert from "node:assert/strict";
import { test } from "node:test";

import {
  chosenRules,
  FIRST_RULES,
  storeRules,
  withDefaultRules,
} from "../../../storage/chosen-rules.js";
import { save } from "../../../storage/values.js";
import { memory } from "./storages.mjs";

/** @import { Preset } from "../../../types/api.d.ts" */

/** A stored game under the rules of the class. */
const GAME = {
  rules: "cs32",
  position: "6x4",
  moves: [],
  depth: 0,
  players: { south: { kind: "person" }, north: { kind: "person" } },
  termination: "unfinished",
  winner: null,
};

test("a first visit has the standard rules, and a later one those of the game or of the choice", async () => {
  const storage = memory();
  assert.equal(chosenRules(storage), "standard");
  save("game", GAME, storage);
  assert.equal(chosenRules(storage), "cs32");
  await storeRules("mankalah", { storage });
  assert.equal(chosenRules(storage), "mankalah");
  save("rules", 7, storage);
  assert.equal(chosenRules(storage), "cs32");
});

test("the chosen rules are the default of the forms", () => {
  const presets = /** @type {Preset[]} */ (
    ["cs32", "standard", "mankalah"].map((name) => ({ name, default: name === "cs32" }))
  );
  const defaultsOf = (/** @type {string} */ rules) =>
    withDefaultRules(presets, rules)
      .filter((preset) => preset.default)
      .map(({ name }) => name);
  assert.deepEqual(defaultsOf("mankalah"), ["mankalah"]);
  assert.deepEqual(defaultsOf("ends=row,capture=always"), [FIRST_RULES]);
});
