/** The puzzle of the day: its number, and the days on which the person has solved it. */

/** @import { ChangeOptions } from "../storage/values.js" */

import { changeStored, load } from "../storage/values.js";

/** The name of the stored value. */
const NAME = "daily-puzzle";

const DAY_MS = 24 * 60 * 60 * 1_000;

/**
 * The last puzzle of a day that the person has ended. A day counts from 1970-01-01, in UTC.
 *
 * @typedef {object} DailyRecord
 * @property {number} day of the last puzzle that was ended
 * @property {boolean} isSolved whether the person found its solution
 * @property {number} row the number of days in a row with a solved puzzle, up to this one
 * @property {number} bestRow
 */

/** @type {Readonly<DailyRecord>} */
const NO_RECORD = { day: -1, isSolved: false, row: 0, bestRow: 0 };

/** Returns the number of a day. @param {number} time in milliseconds since 1970-01-01 */
export const dayOf = (time) => Math.floor(time / DAY_MS);

/**
 * Returns a stored value as a record; an empty one if it is not valid.
 *
 * @param {unknown} stored
 * @returns {DailyRecord}
 */
export function parseDaily(stored) {
  const { day, isSolved, row, bestRow } = /** @type {Record<string, unknown>} */ (stored ?? {});
  const isValid =
    [day, row, bestRow].every((value) => Number.isSafeInteger(value) && Number(value) >= -1) &&
    typeof isSolved === "boolean";
  return isValid ? /** @type {DailyRecord} */ (stored) : NO_RECORD;
}

/**
 * Returns the record after a puzzle of a day. A day counts once, unless a puzzle that was given up
 * is solved later: then it stays unsolved.
 *
 * @param {DailyRecord} before
 * @param {number} day
 * @param {{ isSolved: boolean }} result
 * @returns {DailyRecord}
 */
export function dailyAfter(before, day, { isSolved }) {
  if (day <= before.day) {
    return before;
  }
  const row = isSolved ? 1 + rowOn(before, day) : 0;
  return { day, isSolved, row, bestRow: Math.max(before.bestRow, row) };
}

/**
 * Returns the number of days in a row with a solved puzzle, up to a day or the day before it.
 *
 * @param {DailyRecord} record
 * @param {number} day
 */
export const rowOn = ({ day: last, row }, day) => (last >= day - 1 ? row : 0);

/** The name of the stored address of the puzzle of a day. */
const ADDRESS = "daily-address";

/**
 * Stores the address of the puzzle of a day, by which it is recognized after a reload.
 *
 * @param {number} day
 * @param {string} fragment
 * @param {ChangeOptions} [options]
 */
export const storeDailyAddress = (day, fragment, options) =>
  changeStored(ADDRESS, () => ({ day, fragment }), options);

/**
 * Returns whether an address is that of the puzzle of a day, which the person has seen here.
 *
 * @param {number} day
 * @param {string} fragment
 * @param {ChangeOptions} [options]
 */
export function isDailyAddress(day, fragment, { storage } = {}) {
  const stored = /** @type {Record<string, unknown>} */ (load(ADDRESS, storage) ?? {});
  return stored["day"] === day && stored["fragment"] === fragment;
}

/** Returns the stored record. @param {ChangeOptions} [options] */
export const storedDaily = ({ storage } = {}) => parseDaily(load(NAME, storage));

/**
 * Stores the result of a puzzle of a day.
 *
 * @param {number} day
 * @param {{ isSolved: boolean }} result
 * @param {ChangeOptions} [options]
 */
export const storeDaily = (day, result, options) =>
  changeStored(NAME, (stored) => dailyAfter(parseDaily(stored), day, result), options);
