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
export const MAX_MOVES = 10_000;

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
 * Stores a value and returns whether it is stored.
 *
 * @param {string} name
 * @param {unknown} value
 * @param {Storage} [storage]
 */
export function save(name, value, storage = browserStorage()) {
  try {
    storage?.setItem(PREFIX + name, JSON.stringify(value));
    return storage !== undefined;
  } catch {
    // The storage is full or forbidden.
    return false;
  }
}

/**
 * @param {string} name
 * @param {Storage} [storage]
 */
export function removeItem(name, storage = browserStorage()) {
  try {
    storage?.removeItem(PREFIX + name);
  } catch {
    // The storage is forbidden.
  }
}

/**
 * Returns the names of stored values that begin with a text.
 *
 * @param {string} start
 * @param {Storage} [storage]
 * @returns {string[]}
 */
export function storedNames(start, storage = browserStorage()) {
  try {
    return Array.from({ length: storage?.length ?? 0 }, (_, index) => storage?.key(index) ?? "")
      .filter((key) => key.startsWith(PREFIX + start))
      .map((key) => key.slice(PREFIX.length));
  } catch {
    return [];
  }
}

function browserStorage() {
  try {
    return globalThis.localStorage;
  } catch {
    return undefined;
  }
}

/** Returns the storage of this window, which a reload keeps. */
export function windowStorage() {
  try {
    return globalThis.sessionStorage;
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
export function isPlayer(player) {
  const isPerson =
    player?.kind === "person" && ["undefined", "string"].includes(typeof player.name);
  return isPerson || (player?.kind === "computer" && typeof player.opponent === "string");
}

/** @type {Readonly<Settings>} */
export const DEFAULT_SETTINGS = {
  speed: "normal",
  labels: "letters",
  theme: "auto",
  language: "auto",
  margins: false,
  lines: 1,
  keys: true,
  // The sounds are short and soft, each follows a move, and none is before the first click or key.
  // Players expect them from other boards, and the switch beside the board turns them off.
  sound: true,
};

/** @type {Readonly<{ [K in keyof Settings]: readonly Settings[K][] }>} */
const SETTING_VALUES = {
  speed: ["off", "slow", "normal", "fast"],
  labels: ["letters", "columns"],
  theme: ["auto", "light", "dark"],
  language: ["auto", "en", "de"],
  margins: [false, true],
  lines: [1, 2, 3],
  keys: [false, true],
  sound: [false, true],
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
