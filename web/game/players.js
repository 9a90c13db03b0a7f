/** Who sits where: the players of the start, after the swaps that were made. */

import { moveResultsTo } from "./tree.js";

/** @import { Game, Side } from "../types/api.d.ts" */
/** @import { GameTree, Player, Players, PlayerOnSide, State } from "../types/app.d.ts" */

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
 * A side's name in a sentence.
 *
 * @param {Side} side
 */
export function sideName(side) {
  return side === "south" ? "South" : "North";
}

/**
 * The players, each at the side that they have now.
 *
 * @param {Players} players at the start
 * @param {GameTree} tree
 * @returns {Players}
 */
export function currentPlayers(players, tree) {
  const swaps = moveResultsTo(tree).filter((moveResult) => moveResult.swapped).length;
  return swaps % 2 === 0 ? players : { south: players.north, north: players.south };
}

/**
 * @param {Player} player
 * @param {Side} side
 * @param {boolean} alone whether no other person plays at this device
 */
function displayName(player, side, alone) {
  switch (player.kind) {
    case "person":
      return alone ? "You" : (player.name ?? sideName(side));
    case "computer":
      return opponentName(player.opponent);
    case "remote":
      return player.name;
  }
}

/**
 * What an opponent is called.
 *
 * @param {string} opponent
 */
export function opponentName(opponent) {
  return opponent === "perfect" ? "Perfect" : `Level ${opponent.replace("level:", "")}`;
}

/** What records have for a player whom nobody knows; this page has written `You` for whoever sat at it. */
export const ANONYMOUS_NAMES = new Set(["", "?", "You"]);

/**
 * A player's name in a record, which others read: who is `You` or `Friend` to somebody has none there.
 *
 * @param {Player} player
 */
export function recordName(player) {
  switch (player.kind) {
    case "person":
      return player.name ?? "?";
    case "computer":
      return opponentName(player.opponent);
    case "remote":
      return "?";
  }
}

/**
 * The people of a record, who are looked at and not played against.
 *
 * @param {Game["tags"]} tags
 * @returns {Players}
 */
export function playersFromTags(tags) {
  const names = new Map(tags);
  /** @param {Side} side @returns {Player} */
  const person = (side) => {
    const name = names.get(sideName(side))?.trim() ?? "";
    return ANONYMOUS_NAMES.has(name) ? { kind: "person" } : { kind: "person", name };
  };
  return { south: person("south"), north: person("north") };
}

/**
 * Who plays the game on the board, also while its lines are only looked at.
 *
 * @param {Pick<State, "players" | "suspendedGame">} state
 * @param {GameTree} tree
 * @returns {{ players: Players }}
 */
export function gamePlayers(state, tree) {
  return state.suspendedGame?.tree.start === tree.start ? state.suspendedGame : state;
}

/**
 * Who sits at a side now, with a name fit for a sentence.
 *
 * @param {Pick<State, "players">} state
 * @param {GameTree} tree
 * @param {Side} side
 * @returns {PlayerOnSide}
 */
export function playerAt({ players }, tree, side) {
  const now = currentPlayers(players, tree);
  const alone = now[opposite(side)].kind !== "person";
  return { side, player: now[side], name: displayName(now[side], side, alone) };
}

/**
 * The side of the one person at this device, or `null` where there is none or there are two.
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
