/**
 * The seats in games with friends that this browser has: by them it comes back to games that are not over. Values;
 * where they are stored is for who calls.
 */

import { houseOf } from "../board/labels.js";

/** @import { KeptSeat, Prospect, Standing } from "../types/friend.d.ts" */

/** As many are kept; who plays more games at once has their links. */
const MOST_KEPT = 8;

/**
 * Seats made of anything, the one sat in last first.
 *
 * @param {unknown} stored
 * @returns {KeptSeat[]}
 */
export function seatsFrom(stored) {
  const list = /** @type {any[]} */ (Array.isArray(stored) ? stored : []);
  const isText = (/** @type {unknown} */ value) => typeof value === "string";
  return list
    .filter((seat) => isText(seat?.game) && isText(seat.token))
    .map(({ game, token, friendToken }) => ({ game, token, friendToken: isText(friendToken) ? friendToken : null }))
    .slice(0, MOST_KEPT);
}

/**
 * @param {readonly KeptSeat[]} seats
 * @param {KeptSeat} seat
 * @returns {KeptSeat[]} with it, in front
 */
export const withSeat = (seats, seat) => [seat, ...withoutSeat(seats, seat.game)].slice(0, MOST_KEPT);

/**
 * @param {readonly KeptSeat[]} seats
 * @param {string} game
 * @returns {KeptSeat[]} without the seat in that game
 */
export const withoutSeat = (seats, game) => seats.filter((seat) => seat.game !== game);

/**
 * What may still come of a game, for whoever sits or looks on.
 *
 * @param {Pick<Standing, "over" | "you" | "rematch">} standing
 * @returns {Prospect}
 */
export function prospectOf({ over, you, rematch }) {
  if (!over) {
    return "open";
  }
  if (rematch.game) {
    return "next";
  }
  if (you === null || rematch.offered_by === null) {
    return "over";
  }
  return rematch.offered_by === you ? "awaited" : "asked";
}

/**
 * Whether the other person has been in the game: is there, or has made a ply. Then the link to send has done its work.
 *
 * @param {Pick<Standing, "you" | "plies" | "connected">} standing
 */
export function hasFriendCome({ you, plies, connected }) {
  if (!you) {
    return false;
  }
  // Whoever swapped has been there, and so has the other, who made the ply before.
  const isFriends = (/** @type {string} */ choice) => choice === "swap" || houseOf(choice)?.side !== you;
  return connected[you === "south" ? "north" : "south"] || plies.some(isFriends);
}
