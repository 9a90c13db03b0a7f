/** What the page makes of the server's words about a game with a friend. Values and their changes; no network. */

import { houseOf } from "../board/labels.js";

/** @import { Side } from "../types/api.d.ts" */
/** @import { Clock, FriendState, FromServer, KeptSeat, Prospect, Seat, Standing, ToServer } from "../types/friend.d.ts" */

/** The name of the mode in which a game with a friend is played. */
export const FRIEND_MODE = "friend";

/** Nothing known. @type {Readonly<FriendState>} */
export const NO_FRIEND = {
  seat: null,
  friendToken: null,
  waits: null,
  standing: null,
  clockAt: 0,
  contact: "off",
  pending: null,
  trouble: null,
};

/** Why a connection that ends so is not tried again: no such game, and no such right. */
export const CLOSED_FOR_GOOD = new Map([
  [4404, "There is no such game on this server."],
  [4403, "This link gives no seat in the game: it may be cut short."],
]);

/** Pauses between tries to connect: the first, and the longest, in milliseconds. */
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 15_000;

/**
 * How long to wait before the next try: twice as long each time, and not all browsers at the same moment.
 *
 * @param {number} tries that failed one after another, from 1
 * @param {number} chance from 0 to 1
 */
export function pauseBefore(tries, chance) {
  const full = Math.min(FIRST_PAUSE_MS * 2 ** (tries - 1), LONGEST_PAUSE_MS);
  return full * (1 / 2 + chance / 2);
}

/**
 * What is known after a message.
 *
 * @param {FriendState} known
 * @param {FromServer} message
 * @param {number} now in milliseconds
 * @returns {FriendState}
 */
export function received(known, message, now) {
  switch (message.type) {
    case "state": {
      const { plies, over, side_to_move: mover, you } = message.state;
      const { pending } = known;
      // A choice waits on for as long as it can still be made: its ply is the next one, and the own side's.
      const stands = pending !== null && plies.length === pending.ply - 1 && mover === you && !over;
      return {
        ...known,
        standing: message.state,
        friendToken: hasFriendCome(message.state) ? null : known.friendToken,
        clockAt: now,
        pending: stands ? pending : null,
      };
    }
    case "sown":
      return sown(known, message, now);
    case "problem": {
      const { problem, ply } = message;
      const ours = ply !== undefined && known.pending?.ply === ply;
      const text = problem.detail || problem.title;
      return {
        ...known,
        ...(problem.state && { standing: /** @type {Standing} */ (problem.state), clockAt: now }),
        pending: ours ? null : known.pending,
        trouble: `The server says: ${text}.`,
      };
    }
  }
}

/**
 * @param {FriendState} known
 * @param {Extract<FromServer, { type: "sown" }>} message
 * @param {number} now
 * @returns {FriendState}
 */
function sown(known, { ply, sown: done, clock }, now) {
  const { standing, pending } = known;
  if (!standing || ply !== standing.plies.length + 1) {
    // Known already, or not to be understood without a state, which follows.
    return known;
  }
  return {
    ...known,
    standing: {
      ...standing,
      plies: [...standing.plies, done.choice],
      position: done.after,
      side_to_move: done.after.side,
      clock: clock ?? standing.clock,
    },
    clockAt: clock ? now : known.clockAt,
    pending: pending && pending.ply <= ply ? null : pending,
    trouble: null,
  };
}

/**
 * What is said first over a new connection.
 *
 * @param {Seat} seat
 * @param {number} since plies that are known
 * @returns {ToServer}
 */
export function hello({ token }, since) {
  return { type: "hello", ...(token && { token }), since };
}

/**
 * Whether a message answers what was said. A refusal that names no ply may mean anything that was.
 *
 * @param {ToServer} said
 * @param {FromServer} message
 */
export function answers(said, message) {
  switch (message.type) {
    case "state":
      return said.type !== "sow" || message.state.plies.length >= said.ply;
    case "sown":
      return said.type === "sow" && message.ply >= said.ply;
    case "problem":
      return message.ply === undefined || (said.type === "sow" && message.ply === said.ply);
  }
}

/**
 * Whether the person here is to sow now.
 *
 * @param {FriendState} known
 */
export function isOwnTurn({ standing, pending }) {
  return standing !== null && !standing.over && standing.you === standing.side_to_move && pending === null;
}

/**
 * What a clock shows by now, in milliseconds.
 *
 * @param {Pick<FriendState, "standing" | "clockAt">} known
 * @param {Side} side
 * @param {number} now
 * @returns {number | null} `null` without a clock
 */
export function timeLeft({ standing, clockAt }, side, now) {
  const clock = standing?.clock;
  if (!clock) {
    return null;
  }
  const left = clock[side === "south" ? "south_ms" : "north_ms"];
  return clock.running === side ? Math.max(0, left - (now - clockAt)) : left;
}

/**
 * A time in the manner of clocks: days and hours, or hours, minutes and seconds, and tenths in the last ten seconds.
 *
 * @param {number} milliseconds
 */
export function clockText(milliseconds) {
  if (milliseconds < 10_000) {
    return `0:0${(Math.floor(milliseconds / 100) / 10).toFixed(1)}`;
  }
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = partsOf(milliseconds);
  if (days > 0) {
    return `${days} d ${hours} h`;
  }
  const two = (/** @type {number} */ part) => String(part).padStart(2, "0");
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds)}` : `${minutes}:${two(seconds)}`;
}

/** What a time is told in: milliseconds of each, and its name. @type {readonly [number, string][]} */
const UNITS = [
  [86_400_000, "day"],
  [3_600_000, "hour"],
  [60_000, "minute"],
  [1_000, "second"],
];

/**
 * A time in whole days, hours, minutes and seconds.
 *
 * @param {number} milliseconds
 */
function partsOf(milliseconds) {
  let left = milliseconds;
  return UNITS.map(([unit]) => {
    const count = Math.floor(left / unit);
    left -= count * unit;
    return count;
  });
}

/**
 * A time as people say it: `1 day`, `1 minute 30 seconds`.
 *
 * @param {number} milliseconds
 */
export function timeInWords(milliseconds) {
  const said = partsOf(milliseconds).flatMap((count, place) => {
    const name = UNITS[place]?.[1];
    return count === 0 ? [] : [`${count} ${name}${count === 1 ? "" : "s"}`];
  });
  return said.join(" ") || "0 seconds";
}

/**
 * A clock's setting in words.
 *
 * @param {Pick<Clock, "initial_ms" | "increment_ms">} clock
 */
export function clockInWords({ initial_ms: initial, increment_ms: increment }) {
  const each = `${timeInWords(initial)} each`;
  return increment > 0 ? `${each}, and ${timeInWords(increment)} more with each turn` : each;
}

/**
 * Whether the other person is connected; `null` for who watches.
 *
 * @param {FriendState} known
 */
export function isFriendThere({ standing }) {
  if (!standing?.you) {
    return null;
  }
  return standing.connected[standing.you === "south" ? "north" : "south"];
}

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
