/** The announcements of the live analysis to screen readers. */

import { isProven } from "./cache.js";

/** @import { AnalyzeResponse } from "../types/api.d.ts" */
/** @import { LiveAnalysisState } from "./live-analysis.js" */

/** The least time between two announcements of estimates, in milliseconds. */
export const INTERVAL_MS = 5_000;

/** The delay of the first announcement of a position, in milliseconds: the move is announced first. */
export const FIRST_DELAY_MS = 1_500;

/**
 * Creates the announcements: the evaluation of each position, then changes of it at intervals, and
 * the result at once when everything is proven.
 *
 * @param {object} parts
 * @param {(text: string) => void} parts.announce
 * @param {(analysis: AnalyzeResponse) => string} parts.describe
 * @returns {(state: Pick<LiveAnalysisState, "position" | "analysis">) => void} receives each state
 *   of the live analysis
 */
export function createAnnouncements({ announce, describe }) {
  /** @type {LiveAnalysisState["position"]} */
  let shown = null;
  let isSolved = false;
  /** The last announcement. */
  let last = "";
  let next = "";
  /** @type {ReturnType<typeof setTimeout> | null} */
  let timer = null;

  const clear = () => {
    if (timer !== null) {
      clearTimeout(timer);
      timer = null;
    }
  };

  /** @param {string} text */
  const say = (text) => {
    last = text;
    announce(text);
  };

  /** Announces the last change, and the next one after an interval. @param {number} delayMs */
  const schedule = (delayMs) => {
    timer = setTimeout(() => {
      timer = null;
      if (next !== last) {
        say(next);
        schedule(INTERVAL_MS);
      }
    }, delayMs);
  };

  return ({ position, analysis }) => {
    if (position !== shown) {
      shown = position;
      isSolved = false;
      last = next = "";
      clear();
    }
    if (!position || !analysis || isSolved || analysis.moves.length === 0) {
      return;
    }
    next = describe(analysis);
    if (isProven(analysis)) {
      isSolved = true;
      clear();
      say(next);
    } else if (timer === null && next !== last) {
      schedule(last === "" ? FIRST_DELAY_MS : 0);
    }
  };
}
