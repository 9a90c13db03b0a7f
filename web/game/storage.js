/**
 * Settings and the local game in the browser's storage. The page also works if the browser stores
 * nothing.
 */

import { movesTo, path } from "./tree.js";

/** @import { Move } from "../types/api.d.ts" */
/** @import { GameTree, Players, Settings } from "../types/app.d.ts" */

/**
 * @typedef {object} SavedGame a game as the browser stores it
 * @property {string} rules
 * @property {string} position
 * @property {Move[]} moves the moves of the current line, including those that can be redone
 * @property {number} depth the number of moves before the current node
 * @property {Players} players
 * @property {string} termination
 * @property {"south" | "north" | null} winner
 */

const PREFIX = "kalah.";

/** Upper bound for the moves of a stored game; no game that a person plays is as long. */
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
    // The storage is full or forbidden.
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
    moves: movesTo(tree, tree.line),
    depth: path(tree).length,
    players,
    termination: tree.termination,
    winner: tree.winner,
  };
}

/**
 * Returns a stored value as a saved game, or `null` if it is not one. The engine checks whether its
 * moves are legal.
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
    Array.isArray(game.moves) &&
    game.moves.length <= MAX_MOVES &&
    game.moves.every((move) => typeof move === "string") &&
    Number.isInteger(game.depth) &&
    game.depth >= 0 &&
    game.depth <= game.moves.length &&
    isPlayer(game.players?.south) &&
    isPlayer(game.players?.north) &&
    typeof game.termination === "string" &&
    ["south", "north", null].includes(game.winner);
  return isValid ? /** @type {SavedGame} */ (stored) : null;
}

/**
 * Returns whether a value is a player of a game at this device.
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
 * Returns stored settings, with the default for every value that is not valid.
 *
 * @param {unknown} stored
 * @returns {Settings}
 */
export function parseSettings(stored) {
  const fields = /** @type {Record<string, unknown>} */ (
    typeof stored === "object" && stored !== null ? stored : {}
  );
  const entries = Object.entries(DEFAULT_SETTINGS).map(([name, defaultValue]) => {
    const values = /** @type {readonly unknown[]} */ (
      SETTING_VALUES[/** @type {keyof Settings} */ (name)]
    );
    return [name, values.includes(fields[name]) ? fields[name] : defaultValue];
  });
  return Object.fromEntries(entries);
}
