/** The forms in which the browser stores settings and games, and which game may replace another. */

import { gameResult, goTo, movesTo, path, UNFINISHED } from "../game/tree.js";

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
 * @property {boolean} [isOver] whether the game is over after its last move
 */

/** Upper bound for the moves of a stored game; no game that a person plays is as long. */
export const MAX_MOVES = 10_000;

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
    isOver: gameResult(goTo(tree, tree.line)) !== null,
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
 * The fields of a stored game that tell whether another one continues it.
 *
 * @typedef {Pick<SavedGame, "rules" | "position" | "moves" | "players" | "termination">} StoredGame
 */

/** @param {unknown} one @param {unknown} other */
export const isEqual = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/** @param {StoredGame} one @param {StoredGame} other */
const hasSameStart = (one, other) =>
  one.rules === other.rules &&
  one.position === other.position &&
  isEqual(one.players, other.players);

/**
 * Returns whether a game is a stored one, or goes on from its last move.
 *
 * @param {StoredGame} stored
 * @param {StoredGame} game
 */
export function continues(stored, game) {
  const isBeginning = stored.moves.every((move, index) => move === game.moves[index]);
  // No move follows the end of a game.
  const isOpen = stored.termination === UNFINISHED || stored.moves.length === game.moves.length;
  return hasSameStart(stored, game) && isBeginning && isOpen;
}

/**
 * Returns whether two stored games have the same moves.
 *
 * @param {StoredGame} one
 * @param {StoredGame} other
 */
export const isSameGame = (one, other) =>
  hasSameStart(one, other) && isEqual(one.moves, other.moves);

/**
 * Returns whether a tab may replace a stored game: its own one with any game, such as after an undo,
 * and that of another tab only with one that continues it and does not reopen it.
 *
 * @param {StoredGame | null} stored
 * @param {StoredGame | null} known the game that this tab has stored or read last
 * @param {StoredGame} game
 */
export function mayReplace(stored, known, game) {
  if (!stored || isEqual(stored, known)) {
    return true;
  }
  const isReopened = stored.termination !== UNFINISHED && game.termination !== stored.termination;
  return continues(stored, game) && !isReopened;
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
  look: "wood",
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
  look: ["wood", "clear", "numbers"],
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
