/** Hints from analyses. */

/** @import { AnalyzeResponse } from "../types/api.d.ts" */
/** @import { Hint } from "../types/app.d.ts" */

/**
 * Returns the hint of an analysis; `null` if there is no move.
 *
 * @param {AnalyzeResponse} analysis
 * @returns {Hint | null}
 */
export function hintFromAnalysis({ position, best, is_best_proven, exact, margin, depth }) {
  return best === null
    ? null
    : {
        position,
        move: best,
        isBestProven: is_best_proven,
        margin: exact ? margin : null,
        depth,
      };
}
