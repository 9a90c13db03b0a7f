/** What outlives a reload: settings and the unfinished game. A browser that stores nothing is no error. */

import { movesTo, path } from "./tree.js";

/** @import { Move } from "../types/api.d.ts" */
/** @import { GameTree, Players, Settings } from "../types/app.d.ts" */

/**
 * @typedef {object} SavedGame a game in play: the line last walked, since `play` gives it back in one question
 * @property {string} rules
 * @property {string} position
 * @property {Move[]} choices the line, plies taken back included
 * @property {number} made how many of them are made
 * @property {Players} players
 * @property {string} termination
 * @property {"south" | "north" | null} winner
 */

const PREFIX = "kalah.";

/** More plies than any game has that a person plays; what claims more is not ours. */
const MAX_MOVES = 10_000;

/**
 * @param {string} name
 * @param {Storage} [storage]
 * @returns {unknown}
 */
export function load(name, storage = browserStorage()) {
  try {
    return JSON.parse(storage?.getItem(PREFIX + name) ?? "null");
  } catch {
    return null;
  }
}

/**
 * @param {string} name
 * @param {unknown} value
 * @param {Storage} [storage]
 */
export function save(name, value, storage = browserStorage()) {
  try {
    storage?.setItem(PREFIX + name, JSON.stringify(value));
  } catch {
    // Full or forbidden: the page works without.
  }
}

function browserStorage() {
  try {
    return globalThis.localStorage;
  } catch {
    return undefined;
  }
}

/**
 * @param {GameTree} tree
 * @param {Players} players
 * @returns {SavedGame}
 */
export function savedGame(tree, players) {
  return {
    rules: tree.start.rules,
    position: tree.start.position,
    choices: movesTo(tree, tree.line),
    made: path(tree).length,
    players,
    termination: tree.termination,
    winner: tree.winner,
  };
}

/**
 * A saved game made of anything, or `null`. Whether its plies are legal is the engine's to say.
 *
 * @param {unknown} stored
 * @returns {SavedGame | null}
 */
export function parseSavedGame(stored) {
  if (typeof stored !== "object" || stored === null) {
    return null;
  }
  const game = /** @type {Record<string, any>} */ (stored);
  const isValid =
    typeof game.rules === "string" &&
    typeof game.position === "string" &&
    Array.isArray(game.choices) &&
    game.choices.length <= MAX_MOVES &&
    game.choices.every((move) => typeof move === "string") &&
    Number.isInteger(game.made) &&
    game.made >= 0 &&
    game.made <= game.choices.length &&
    isPlayer(game.players?.south) &&
    isPlayer(game.players?.north) &&
    typeof game.termination === "string" &&
    ["south", "north", null].includes(game.winner);
  return isValid ? /** @type {SavedGame} */ (stored) : null;
}

/**
 * Whether a value is a player of a game at this device.
 *
 * @param {any} player
 */
function isPlayer(player) {
  const isPerson =
    player?.kind === "person" && ["undefined", "string"].includes(typeof player.name);
  return isPerson || (player?.kind === "computer" && typeof player.opponent === "string");
}

/** @type {Readonly<Settings>} */
export const DEFAULT_SETTINGS = {
  speed: "normal",
  labels: "letters",
  theme: "auto",
  margins: false,
  keys: true,
};

/** @type {Readonly<{ [K in keyof Settings]: readonly Settings[K][] }>} */
const SETTING_VALUES = {
  speed: ["off", "slow", "normal", "fast"],
  labels: ["letters", "columns"],
  theme: ["auto", "light", "dark"],
  margins: [false, true],
  keys: [false, true],
};

/**
 * Settings made of anything: what is no value of a setting is its default.
 *
 * @param {unknown} stored
 * @returns {Settings}
 */
export function parseSettings(stored) {
  const fields = /** @type {Record<string, unknown>} */ (
    typeof stored === "object" && stored !== null ? stored : {}
  );
  const entries = Object.entries(DEFAULT_SETTINGS).map(([name, usual]) => {
    const values = /** @type {readonly unknown[]} */ (
      SETTING_VALUES[/** @type {keyof Settings} */ (name)]
    );
    return [name, values.includes(fields[name]) ? fields[name] : usual];
  });
  return Object.fromEntries(entries);
}
