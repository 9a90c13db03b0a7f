/**
 * The state of the board beside that of the page: its layout, what a running animation shows, and
 * where the person is. The functions change it and draw nothing; `render.js` draws it.
 */

import { houseLetter, parseHouse } from "./labels.js";
import { boardLayout } from "./layout.js";

/** @import { Counts, Step } from "./animation/steps.js" */
/** @import { Layout } from "./layout.js" */
/** @import { MoveResult, Pit, Position } from "../types/api.d.ts" */

/**
 * @typedef {object} BoardState
 * @property {Layout} layout
 * @property {Counts} counts the seeds that each pit shows
 * @property {readonly Pit[]} ringed the pits with a ring
 * @property {{ text: string, isVisible: boolean }} toast the message about a move
 * @property {number} lastAnimationId the id of the last animation that was started
 * @property {Pit} tabStop the house with the tab stop
 * @property {Pit | null} pointed the house at which the person points
 */

/**
 * Returns the state of a board that shows nothing.
 *
 * @returns {BoardState}
 */
export const initialBoardState = () => ({
  layout: boardLayout(1, 0),
  counts: new Map(),
  ringed: [],
  toast: { text: "", isVisible: false },
  lastAnimationId: 0,
  tabStop: "A",
  pointed: null,
});

/**
 * Shows a message about a move.
 *
 * @param {BoardState} state
 * @param {string} text
 */
export function showToast(state, text) {
  state.toast = { text, isVisible: true };
}

/** Hides the message and the rings. Its text stays, because it fades. @param {BoardState} state */
export function hideToast(state) {
  state.toast = { ...state.toast, isVisible: false };
  state.ringed = [];
}

/**
 * Begins a step of an animation: the seeds that fly are not in their pits, and the pits that are
 * captured or swept have rings.
 *
 * @param {BoardState} state
 * @param {Step} step
 * @param {MoveResult} moveResult
 */
export function beginStep(state, step, { move }) {
  const sources = step.flights.map(({ from }) => from);
  const emptied = step.kind === "lift" ? [move] : step.kind === "drop" ? [] : sources;
  state.counts = new Map([
    ...state.counts,
    ...emptied.map((pit) => /** @type {const} */ ([pit, 0])),
  ]);
  state.ringed = step.kind === "capture" || step.kind === "sweep" ? sources : [];
}

/**
 * Moves the tab stop to the first house of the side to move if the board has no such pit.
 *
 * @param {BoardState} state
 * @param {Position} at
 * @param {{ hasStoreButtons: boolean }} options whether the stores have buttons, too
 */
export function keepTabStop(state, at, { hasStoreButtons }) {
  const house = parseHouse(state.tabStop);
  const isOnBoard = house ? house.house <= at.houses : hasStoreButtons;
  if (!isOnBoard) {
    state.tabStop = houseLetter(at.to_move, 1);
  }
}
