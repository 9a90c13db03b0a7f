/** The score of the moves of a position: proven by the opening books, or from the analysis. */

import { formatSigned } from "../game/descriptions.js";
import { marginText, spokenMargin } from "../analysis/margins.js";
import { texts } from "../texts/texts.js";

/** @import { AnalyzeResponse, AnalyzedMove, ExploreResponse, Move } from "../types/api.d.ts" */

/**
 * The score of a move: a text in signs, and one in words.
 *
 * @typedef {object} MoveScore
 * @property {string} text
 * @property {string} label
 * @property {boolean} isProven
 */

/** The score of a move about which nothing is known. */
const unknownScore = () => ({ text: "\u2026", label: texts.explorer.unknown, isProven: false });

/** The mark of a proven score. */
const PROVEN_MARK = " \u2713";

/**
 * Returns the score of a proven margin.
 *
 * @param {number} margin
 * @returns {MoveScore}
 */
const provenScore = (margin) => ({
  text: formatSigned(margin) + PROVEN_MARK,
  label: texts.analysis.scoreProven(formatSigned(margin)),
  isProven: true,
});

/**
 * Returns the score of a move of an analysis.
 *
 * @param {AnalyzedMove} candidate
 * @returns {MoveScore}
 */
function analyzedScore(candidate) {
  return candidate.exact
    ? provenScore(candidate.lower)
    : { text: marginText(candidate), label: spokenMargin(candidate), isProven: false };
}

/**
 * Returns the score of each move of a position. A margin of the books precedes the analysis.
 *
 * @param {ExploreResponse} opening
 * @param {AnalyzeResponse | null} analysis of any position
 * @returns {Map<Move, MoveScore>}
 */
export function moveScores(opening, analysis) {
  const isSame = analysis?.position === opening.position && analysis.rules === opening.rules;
  const analyzed = new Map(isSame ? analysis.moves.map((known) => [known.move, known]) : []);
  return new Map(
    opening.moves.map(({ move, margin }) => {
      const candidate = analyzed.get(move);
      const score = candidate ? analyzedScore(candidate) : unknownScore();
      return [move, margin === null ? score : provenScore(margin)];
    }),
  );
}

/**
 * Returns the moves with the greatest proven margin, if the margins of all moves are proven.
 *
 * @param {ExploreResponse} opening
 * @returns {ReadonlySet<Move>}
 */
export function provenBest({ moves, is_from_book: isFromBook }) {
  const best = Math.max(...moves.map(({ margin }) => margin ?? Number.NEGATIVE_INFINITY));
  const isBest = (/** @type {{ margin: number | null }} */ { margin }) => margin === best;
  return new Set(isFromBook ? moves.filter(isBest).map(({ move }) => move) : []);
}
