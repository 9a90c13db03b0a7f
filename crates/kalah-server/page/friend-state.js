/** What the page makes of the server's words about a game with a friend. Values and their changes; no network. */

/** @import { Side } from "./api.d.ts" */
/** @import { Clock, FriendState, FromServer, Seat, Standing, ToServer } from "./friend.d.ts" */

/** The name of the mode in which a game with a friend is played. */
export const FRIEND_MODE = "friend";

/** Nothing known. @type {Readonly<FriendState>} */
export const NO_FRIEND = {
  seat: null,
  friendToken: null,
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
      const { plies, position, side_to_move: mover, you } = message.state;
      const { pending } = known;
      // What was sent is made, or was never heard: then it is sent again as long as it is still to be answered.
      const stands = pending !== null && plies.length === pending.ply - 1 && mover === you && !position.over;
      return { ...known, standing: message.state, clockAt: now, pending: stands ? pending : null };
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
 * A time in the manner of clocks: minutes and seconds, and tenths in the last ten seconds.
 *
 * @param {number} milliseconds
 */
export function clockText(milliseconds) {
  if (milliseconds < 10_000) {
    return `0:0${(Math.floor(milliseconds / 100) / 10).toFixed(1)}`;
  }
  const seconds = Math.floor(milliseconds / 1_000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/**
 * A clock's setting in words.
 *
 * @param {Pick<Clock, "initial_ms" | "increment_ms">} clock
 */
export function clockInWords({ initial_ms: initial, increment_ms: increment }) {
  const minutes = initial / 60_000;
  return `${minutes} ${minutes === 1 ? "minute" : "minutes"} each, and ${increment / 1_000} seconds more with each turn`;
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
