/** Margins as text: signs on houses and in panels, words for screen readers. */

import { formatSigned } from "../game/descriptions.js";
import { texts } from "../texts/texts.js";

/** @import { AnalyzeResponse, AnalyzedMove, Side } from "../types/api.d.ts" */
/** @import { Mark } from "../types/app.d.ts" */

/**
 * Describes South's margin in words.
 *
 * @param {number} margin
 * @param {{ south: string, north: string }} [names] the players' names
 */
export function marginSentence(margin, names = texts.board.sides) {
  if (margin === 0) {
    return texts.analysis.draw;
  }
  return texts.analysis.ahead(margin > 0 ? names.south : names.north, Math.abs(margin));
}

/**
 * Returns a side's margin as South's margin.
 *
 * @param {number} margin
 * @param {Side} side the side of the margin
 */
export function southMargin(margin, side) {
  // The subtraction avoids -0, which would be shown with a sign.
  return side === "south" ? margin : 0 - margin;
}

/**
 * Returns the score of a move in signs: `+8` if it is proven, `~+6` for an estimate.
 *
 * @param {AnalyzedMove} candidate
 */
export function marginText({ lower, exact, estimate }) {
  return exact ? formatSigned(lower) : `~${formatSigned(estimate)}`;
}

/**
 * Returns the same score in words.
 *
 * @param {AnalyzedMove} candidate
 */
function spokenMargin({ lower, exact, estimate }) {
  return exact
    ? texts.analysis.scoreProven(formatSigned(lower))
    : texts.analysis.scoreAbout(formatSigned(estimate));
}

/**
 * Describes how much is known about a move: depth and proven bounds.
 *
 * @param {AnalyzedMove} candidate
 */
export function moveDetails({ lower, upper, exact, depth }) {
  return exact
    ? texts.analysis.proven
    : texts.analysis.moveDetails(depth, formatSigned(lower), formatSigned(upper));
}

/**
 * Returns the moves of an analysis, the best first.
 *
 * @param {AnalyzeResponse} analysis
 */
export function movesByScore({ moves, best }) {
  const isFirst = (/** @type {AnalyzedMove} */ { move }) => Number(move === best);
  return moves.toSorted(
    (one, other) => isFirst(other) - isFirst(one) || other.estimate - one.estimate,
  );
}

/**
 * Returns the mark of each move.
 *
 * @param {AnalyzeResponse} analysis
 * @returns {Mark[]}
 */
export function marksFromAnalysis(analysis) {
  const { moves, best, margin, exact } = analysis;
  return moves.map((candidate) => {
    // Several moves may be proven to be the best.
    const isProvenBest =
      (candidate.move === best && analysis.is_best_proven) ||
      (exact && candidate.exact && candidate.lower === margin);
    const isBest = candidate.move === best || isProvenBest;
    const parts = [
      spokenMargin(candidate),
      ...(isProvenBest ? [texts.analysis.best] : isBest ? [texts.analysis.bestSoFar] : []),
    ];
    return {
      move: candidate.move,
      text: marginText(candidate),
      label: parts.join(", "),
      proven: candidate.exact,
      best: isBest,
    };
  });
}
