/** Margins as text: signs on houses and in panels, words for screen readers. */

import { formatSigned } from "../game/descriptions.js";
import { texts } from "../texts/texts.js";

/** @import { AnalyzeResponse, AnalyzedMove, Chances, Side } from "../types/api.d.ts" */
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
 * Returns a side's chances as South's chances.
 *
 * @param {Chances | null} chances
 * @param {Side} side the side of the chances
 */
export function southChances(chances, side) {
  return chances && side === "north"
    ? { ...chances, win: chances.loss, loss: chances.win }
    : chances;
}

/** The probability of a result that is proven, in thousandths. */
export const CERTAIN = 1000;

/**
 * Returns the share of wins in words.
 *
 * @param {number} win in thousandths
 * @param {string} name of the player who wins
 */
function winsText(win, name) {
  // Only a result that is excluded has 0 %.
  const share = Math.max(Math.floor(win / 10), Math.min(win, 1)) / 100;
  return texts.analysis.wins(name, share);
}

/**
 * Returns whether the result is proven.
 *
 * @param {Chances | null} chances
 */
export const isCertain = (chances) =>
  chances !== null && Math.max(chances.win, chances.tie, chances.loss) === CERTAIN;

/**
 * Describes South's estimated margin in words, with the share of games that the side ahead wins:
 * `South ahead by 5, wins 79%`.
 *
 * @param {number} margin
 * @param {Chances | null} chances South's
 * @param {{ south: string, north: string }} [names] the players' names
 */
export function estimateSentence(margin, chances, names = texts.board.sides) {
  const lead = marginSentence(margin, names);
  if (!chances || isCertain(chances)) {
    return lead;
  }
  const [win, name] = margin < 0 ? [chances.loss, names.north] : [chances.win, names.south];
  const wins = winsText(win, name);
  return margin === 0 ? `${lead}, ${name} ${wins}` : `${lead}, ${wins}`;
}

/**
 * A margin with the bounds that are proven, from the view of one side.
 *
 * @typedef {{ lower: number, upper: number, exact: boolean }} Bounds
 */

/**
 * Returns which bound of a margin its estimate equals, so that the margin is proven to be at least
 * or at most the estimate; `null` if it equals both or none.
 *
 * @param {Bounds} bounds
 * @param {number} estimate
 * @returns {"lower" | "upper" | null}
 */
export function boundAt({ lower, upper, exact }, estimate) {
  if (exact) {
    return null;
  }
  return estimate === lower ? "lower" : estimate === upper ? "upper" : null;
}

/**
 * Describes a bound of South's margin in words: `South ahead by at least 8`.
 *
 * @param {"lower" | "upper"} bound
 * @param {number} margin South's
 * @param {{ south: string, north: string }} [names] the players' names
 */
function boundSentence(bound, margin, names = texts.board.sides) {
  if (margin === 0) {
    return texts.analysis.drawAtLeast(bound === "lower" ? names.south : names.north);
  }
  const name = margin > 0 ? names.south : names.north;
  // A lower bound of South's margin is an upper bound of North's.
  return margin > 0 === (bound === "lower")
    ? texts.analysis.aheadAtLeast(name, Math.abs(margin))
    : texts.analysis.aheadAtMost(name, Math.abs(margin));
}

/**
 * Describes what is known about South's margin in a sentence: the margin if it is proven, or else a
 * proven bound that equals the estimate, a proven win, or the estimate.
 *
 * @param {Bounds & { margin: number, chances: Chances | null }} known South's
 * @param {{ south: string, north: string }} [names] the players' names
 */
export function knownSentence(known, names = texts.board.sides) {
  const { margin, exact, chances } = known;
  if (exact) {
    return texts.analysis.bestPlay(marginSentence(margin, names));
  }
  const bound = boundAt(known, margin);
  if (bound) {
    return texts.analysis.bestPlay(boundSentence(bound, margin, names));
  }
  const estimate = estimateSentence(margin, chances, names);
  return isCertain(chances) && margin !== 0
    ? texts.analysis.provenWin(margin > 0 ? names.south : names.north, estimate)
    : texts.analysis.estimate(estimate);
}

/**
 * Returns the margin of a side, with its bounds and chances, as that of South.
 *
 * @param {Bounds & { margin: number, chances: Chances | null }} known
 * @param {Side} side the side of the margin
 */
export function southKnown({ margin, lower, upper, exact, chances }, side) {
  const [low, high] = side === "south" ? [lower, upper] : [upper, lower];
  return {
    margin: southMargin(margin, side),
    lower: southMargin(low, side),
    upper: southMargin(high, side),
    exact,
    chances: southChances(chances, side),
  };
}

/** The signs before a score that is not exact. */
const ABOUT_SIGNS = { lower: "\u2265", upper: "\u2264", none: "~" };

/**
 * Returns the score of a move in signs: `+8` if it is proven, `≥+8` or `≤+8` for a proven bound,
 * and `~+6` for an estimate.
 *
 * @param {AnalyzedMove} candidate
 */
export function marginText(candidate) {
  const { lower, exact, estimate } = candidate;
  const sign = ABOUT_SIGNS[boundAt(candidate, estimate) ?? "none"];
  return exact ? formatSigned(lower) : `${sign}${formatSigned(estimate)}`;
}

/**
 * Returns the same score in words.
 *
 * @param {AnalyzedMove} candidate
 */
export function spokenMargin(candidate) {
  const { lower, exact, estimate } = candidate;
  if (exact) {
    return texts.analysis.scoreProven(formatSigned(lower));
  }
  const score = formatSigned(estimate);
  switch (boundAt(candidate, estimate)) {
    case "lower":
      return texts.analysis.scoreAtLeast(score);
    case "upper":
      return texts.analysis.scoreAtMost(score);
    default:
      return texts.analysis.scoreAbout(score);
  }
}

/**
 * Describes how much is known about a move: depth and proven bounds.
 *
 * @param {AnalyzedMove} candidate
 */
export function moveDetails({ lower, upper, exact, depth, chances }) {
  if (exact) {
    return texts.analysis.proven;
  }
  const details = texts.analysis.moveDetails(depth, formatSigned(lower), formatSigned(upper));
  return isCertain(chances) ? details : `${winsText(chances.win, "")}; ${details}`;
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
