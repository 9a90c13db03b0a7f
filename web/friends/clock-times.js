/** The times of clocks in games with friends, as numbers and as texts. */

import { texts } from "../texts/texts.js";

/** @import { BySide, Side } from "../types/api.d.ts" */
/** @import { Clock, ClockTimes, FriendState } from "../types/friend.d.ts" */

/**
 * The units of a duration, in milliseconds, with their names.
 *
 * @type {readonly [number, "day" | "hour" | "minute" | "second"][]}
 */
const UNITS = [
  [86_400_000, "day"],
  [3_600_000, "hour"],
  [60_000, "minute"],
  [1_000, "second"],
];

/**
 * Returns the current time on a clock, in milliseconds: at most the time at the last message of the
 * server, and at least 0.
 *
 * @param {Pick<FriendState, "snapshot" | "clockReceivedAt">} state
 * @param {Side} side
 * @param {number} now
 * @returns {number | null} `null` without a clock
 */
export function timeLeft({ snapshot, clockReceivedAt }, side, now) {
  const clock = snapshot?.clock;
  if (!clock) {
    return null;
  }
  const left = clock[side === "south" ? "south_ms" : "north_ms"];
  // The time for a first move is not on the clock, except by correspondence.
  const isOnClock = clock.first_move_ms === null || clock.by_correspondence;
  const runs = clock.running === side && isOnClock;
  const elapsed = runs ? now - clockReceivedAt : 0;
  return left - Math.min(Math.max(elapsed, 0), left);
}

/** The time below which a clock shows tenths of a second, and a tenth, in milliseconds. */
const TENTHS_BELOW_MS = 10_000;
const TENTH_MS = 100;

/**
 * Formats the time on a clock: days and hours, or hours, minutes and seconds, with tenths for the
 * last ten seconds.
 *
 * @param {number} milliseconds
 */
export function clockText(milliseconds) {
  if (milliseconds < TENTHS_BELOW_MS) {
    // A time is rounded down, so that a clock shows 0 only after its end.
    return `0:0${(Math.floor(milliseconds / TENTH_MS) / 10).toFixed(1)}`;
  }
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = splitDuration(milliseconds);
  if (days > 0) {
    return texts.friends.daysAndHours(days, hours);
  }
  const two = (/** @type {number} */ part) => String(part).padStart(2, "0");
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds)}` : `${minutes}:${two(seconds)}`;
}

/**
 * Splits a duration into days, hours, minutes and seconds.
 *
 * @param {number} milliseconds
 */
function splitDuration(milliseconds) {
  let left = milliseconds;
  return UNITS.map(([unit]) => {
    const count = Math.floor(left / unit);
    left -= count * unit;
    return count;
  });
}

/**
 * Describes a duration in words: `1 day`, `1 minute 30 seconds`.
 *
 * @param {number} milliseconds
 */
export function durationText(milliseconds) {
  const parts = splitDuration(milliseconds).flatMap((count, place) => {
    const unit = UNITS[place]?.[1];
    return count === 0 || !unit ? [] : [texts.friends.unit(count, unit)];
  });
  return parts.join(" ") || texts.friends.unit(0, "second");
}

/**
 * Describes the setting of a clock in words.
 *
 * @param {Pick<Clock, "times" | "by_correspondence">} clock
 * @param {BySide<string>} names the players, to name if their times differ
 */
export function clockSettingText({ times: { south, north }, by_correspondence: isPerMove }, names) {
  if (isPerMove) {
    return texts.friends.timePerMove(durationText(south.initial_ms));
  }
  const isEqual =
    south.initial_ms === north.initial_ms && south.increment_ms === north.increment_ms;
  return isEqual
    ? texts.friends.forEach(clockTimesText(south))
    : texts.friends.bySide(
        `${names.south}: ${clockTimesText(south)}`,
        `${names.north}: ${clockTimesText(north)}`,
      );
}

/** @param {ClockTimes} times */
function clockTimesText({ initial_ms: initial, increment_ms: increment }) {
  return increment > 0
    ? texts.friends.clockSetting(durationText(initial), durationText(increment))
    : durationText(initial);
}
