/**
 * Positions of the own games in which the person has made a mistake and one move was better. They
 * become puzzles if the solver finds that they are puzzles.
 */

import { changeStored, load } from "../storage/values.js";

/** @import { Position, Review } from "../types/api.d.ts" */
/** @import { Players, State } from "../types/app.d.ts" */
/** @import { ReviewState } from "../review/run.js" */
/** @import { ChangeOptions } from "../storage/values.js" */
/** @import { LinkedPuzzle } from "../records/link.js" */

/** The name of the stored list. */
const NAME = "mistakes";

/** The greatest number of stored positions. */
const MAX_MISTAKES = 100;

/** The longest text of a position, in characters: that of a board of 26 houses a side. */
const MAX_TEXT_LENGTH = 400;

/** @param {unknown} entry @returns {entry is LinkedPuzzle} */
const isPosition = (entry) => {
  const { rules, position } = /** @type {Record<string, unknown>} */ (entry ?? {});
  return [rules, position].every(
    (text) => typeof text === "string" && text.length <= MAX_TEXT_LENGTH,
  );
};

/**
 * Returns a stored value as a list of positions, without what is not valid.
 *
 * @param {unknown} stored
 * @returns {LinkedPuzzle[]}
 */
export const parseMistakes = (stored) =>
  Array.isArray(stored) ? stored.filter(isPosition).slice(-MAX_MISTAKES) : [];

/** @param {LinkedPuzzle} one @param {LinkedPuzzle} other */
const isSame = (one, other) => one.rules === other.rules && one.position === other.position;

/**
 * Returns a list with more positions at its end, each once, the last ones of too many.
 *
 * @param {LinkedPuzzle[]} list
 * @param {LinkedPuzzle[]} more
 */
export const withMistakes = (list, more) =>
  [...list, ...more.filter((entry) => !list.some((other) => isSame(entry, other)))].slice(
    -MAX_MISTAKES,
  );

/**
 * Returns the positions before the graded moves of persons at this device for which one move alone
 * is better.
 *
 * @param {Pick<Review, "plies">} review
 * @param {Pick<Position, "rules" | "position">[]} positions before each ply
 * @param {Players} players at the start
 * @returns {LinkedPuzzle[]}
 */
export const mistakesOf = ({ plies }, positions, players) =>
  plies.flatMap(({ grade, better_moves: better, player }, index) => {
    const before = positions[index];
    const isOwn = players[player].kind === "person";
    return grade && better.length === 1 && isOwn && before
      ? [{ rules: before.rules, position: before.position }]
      : [];
  });

/** Returns the stored positions, the oldest first. @param {ChangeOptions} [options] */
export const storedMistakes = ({ storage } = {}) => parseMistakes(load(NAME, storage));

/** @param {LinkedPuzzle[]} more @param {ChangeOptions} [options] */
export const storeMistakes = (more, options) =>
  changeStored(
    NAME,
    (stored) => (more.length > 0 ? withMistakes(parseMistakes(stored), more) : undefined),
    options,
  );

/**
 * Removes a position from the stored list, or moves it to the end of the list.
 *
 * @param {LinkedPuzzle} position
 * @param {{ isKept: boolean }} choice
 * @param {ChangeOptions} [options]
 */
export const settleMistake = (position, { isKept }, options) =>
  changeStored(
    NAME,
    (stored) => {
      const rest = parseMistakes(stored).filter((entry) => !isSame(entry, position));
      return isKept ? [...rest, position] : rest;
    },
    options,
  );

/**
 * Stores the mistakes of a review as puzzles. While a person explores the reviewed game, its players
 * are those of the game that waits.
 *
 * @param {Pick<State, "players" | "suspendedGame">} state
 * @param {Pick<ReviewState, "start" | "line" | "review">} reviewed
 * @param {ChangeOptions} [options]
 */
export function keepMistakes({ players, suspendedGame }, { start, line, review }, options) {
  if (!start || !review) {
    return;
  }
  const isWaiting = suspendedGame?.tree.start === start;
  const positions = [start, ...line.map(({ after }) => after)];
  const own = mistakesOf(review, positions, isWaiting ? suspendedGame.players : players);
  void storeMistakes(own, options);
}
