/**
 * The rules by which the person plays: the forms show them first. They are those of the last game
 * that the person has chosen, or else of the stored game.
 */

import { parseSavedGame } from "./formats.js";
import { GAME_NAME } from "./local-game.js";
import { changeStored, load } from "./values.js";

/** @import { Preset } from "../types/api.d.ts" */
/** @import { ChangeOptions } from "./values.js" */

/** The name of the stored rules. */
const NAME = "rules";

/**
 * The rules of a first visit: most sites and Wikipedia end a game as they do. The API and links
 * without rules mean `cs32`.
 */
export const FIRST_RULES = "standard";

/**
 * Returns the rules by which the person plays.
 *
 * @param {Storage} [storage]
 * @returns {string}
 */
export function chosenRules(storage) {
  const chosen = load(NAME, storage);
  return typeof chosen === "string"
    ? chosen
    : (parseSavedGame(load(GAME_NAME, storage))?.rules ?? FIRST_RULES);
}

/**
 * Stores the rules by which the person plays.
 *
 * @param {string} rules
 * @param {ChangeOptions} [options]
 */
export const storeRules = (rules, options) => changeStored(NAME, () => rules, options);

/**
 * Returns presets of which those of some rules are the default, or {@link FIRST_RULES} if no preset
 * has their name.
 *
 * @param {readonly Preset[]} presets
 * @param {string} rules
 * @returns {Preset[]}
 */
export function withDefaultRules(presets, rules) {
  const first = presets.some(({ name }) => name === rules) ? rules : FIRST_RULES;
  return presets.map((preset) => ({ ...preset, default: preset.name === first }));
}
