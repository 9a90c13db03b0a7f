/** The players: their sides after swaps, and their names. */

import { en } from "../texts/en.js";
import { texts } from "../texts/texts.js";
import { moveResultsTo } from "./tree.js";

/** @import { Game, Side } from "../types/api.d.ts" */
/** @import { GameTree, Player, PlayerOnSide, Players, State } from "../types/app.d.ts" */

/** @type {readonly Side[]} */
export const SIDES = ["south", "north"];

/**
 * @param {Side} side
 * @returns {Side}
 */
export function opposite(side) {
  return side === "south" ? "north" : "south";
}

/**
 * Returns a side's name in a sentence.
 *
 * @param {Side} side
 */
export function sideName(side) {
  return texts.board.sides[side];
}

/** The tags of the players in records. */
export const PLAYER_TAGS = /** @type {const} */ ({ south: "South", north: "North" });

/**
 * Returns the players by their current sides, after the swaps of the game.
 *
 * @param {Players} players at the start
 * @param {GameTree} tree
 * @returns {Players}
 */
export function currentPlayers(players, tree) {
  const swaps = moveResultsTo(tree).filter((moveResult) => moveResult.is_swap).length;
  return swaps % 2 === 0 ? players : { south: players.north, north: players.south };
}

/**
 * Returns a player's name on the page.
 *
 * @param {Player} player
 * @param {Side} side
 * @param {{ isYou: boolean }} options whether the player is the one person at this device
 */
export function displayName(player, side, { isYou }) {
  switch (player.kind) {
    case "person":
      return isYou ? texts.game.you : (player.name ?? sideName(side));
    case "computer":
      return opponentName(player.opponent);
    case "remote":
      return player.name;
  }
}

/**
 * Returns the name of an opponent.
 *
 * @param {string} opponent
 */
export function opponentName(opponent) {
  return opponent === "smart"
    ? texts.game.fullStrength
    : texts.game.computer(opponent.replace("level:", ""));
}

/**
 * Returns a player's name beside a number: a computer player without its level.
 *
 * @param {{ player: Player, name: string }} player
 */
export const shortName = ({ player, name }) =>
  player.kind === "computer" ? texts.newGame.computer : name;

/** Names in records that stand for an unknown player. */
export const ANONYMOUS_NAMES = new Set(["", "?"]);

/**
 * Returns a player's name for a record, which other people read: `You` and `Friend` are no names
 * there, and an opponent has its English name.
 *
 * @param {Player} player
 */
export function recordName(player) {
  switch (player.kind) {
    case "person":
      return player.name ?? "?";
    case "computer":
      return player.opponent === "smart"
        ? en.game.fullStrength
        : en.game.computer(player.opponent.replace("level:", ""));
    case "remote":
      return player.isNamed ? player.name : "?";
  }
}

/**
 * Returns a text of a record without characters that reorder or hide the text around them: control
 * characters, and marks and overrides of the direction. They are written as `\u{202e}`.
 *
 * @param {string} text
 */
export const visibleText = (text) =>
  text.replace(
    /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );

/**
 * Returns the players of a record by its tags.
 *
 * @param {Game["tags"]} tags
 * @returns {Players}
 */
export function playersFromTags(tags) {
  const names = new Map(tags);
  /** @param {Side} side @returns {Player} */
  const person = (side) => {
    const name = visibleText(names.get(PLAYER_TAGS[side])?.trim() ?? "");
    return ANONYMOUS_NAMES.has(name) ? { kind: "person" } : { kind: "person", name };
  };
  return { south: person("south"), north: person("north") };
}

/**
 * Returns the players of the game on the board, which in mode `explore` are those of the suspended
 * game.
 *
 * @param {Pick<State, "players" | "suspendedGame">} state
 * @param {GameTree} tree
 * @returns {{ players: Players }}
 */
export function gamePlayers(state, tree) {
  return state.suspendedGame?.tree.start === tree.start ? state.suspendedGame : state;
}

/**
 * Returns the player on a side, with a name for sentences.
 *
 * @param {Pick<State, "players">} state
 * @param {GameTree} tree
 * @param {Side} side
 * @returns {PlayerOnSide}
 */
export function playerAt({ players }, tree, side) {
  const now = currentPlayers(players, tree);
  const player = now[side];
  const isYou = player.kind === "person" && now[opposite(side)].kind !== "person";
  return { side, player, isYou, name: displayName(player, side, { isYou }) };
}

/**
 * Returns the side of the one person at this device, or `null` if no person or two persons play
 * here.
 *
 * @param {Pick<State, "players">} state
 * @param {GameTree} tree
 * @returns {Side | null}
 */
export function ownSide({ players }, tree) {
  const now = currentPlayers(players, tree);
  const persons = SIDES.filter((side) => now[side].kind === "person");
  return persons.length === 1 ? (persons[0] ?? null) : null;
}

/**
 * Returns the side whose row is at the bottom of the board: that of the person at this device, or
 * South if no person or two persons play here; the other side if the board is flipped.
 *
 * @param {Pick<State, "players" | "suspendedGame" | "flipped">} state
 * @param {GameTree} tree
 * @returns {Side}
 */
export function bottomSide(state, tree) {
  const side = ownSide(gamePlayers(state, tree), tree) ?? "south";
  return state.flipped ? opposite(side) : side;
}
