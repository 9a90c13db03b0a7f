/** Margins as text: signs on houses and in panels, words for screen readers. */

import { formatSigned } from "../game/descriptions.js";

/** @import { Analysis, Bounds, Side } from "../types/api.d.ts" */
/** @import { Mark } from "../types/app.d.ts" */

/**
 * Describes South's margin in words.
 *
 * @param {number} margin
 * @param {{ south: string, north: string }} [names] the players' names
 */
export function marginSentence(margin, names = { south: "South", north: "North" }) {
  if (margin === 0) {
    return "a tie";
  }
  return `${margin > 0 ? names.south : names.north} ahead by ${Math.abs(margin)}`;
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
 * Returns a margin in signs: `+8` if it is proven, with ≥ or ≤ for a bound, with ~ for an estimate.
 * A question mark stands for bounds that do not compare with the expected margin of the position.
 *
 * @param {Bounds} bounds
 * @param {number} expected the expected margin of the position
 * @param {boolean} best whether the move is the best one
 */
export function marginText({ lower, upper, exact }, expected, best) {
  if (exact) {
    return formatSigned(lower);
  }
  if (best) {
    return `~${formatSigned(expected)}`;
  }
  if (upper <= expected) {
    return `\u2264${formatSigned(upper)}`;
  }
  return lower >= expected ? `\u2265${formatSigned(lower)}` : "?";
}

/**
 * Returns the same margin in words.
 *
 * @param {Bounds} bounds
 * @param {number} expected
 * @param {boolean} best
 */
export function spokenMargin({ lower, upper, exact }, expected, best) {
  if (exact) {
    return `margin ${formatSigned(lower)}, proven`;
  }
  if (best) {
    return `margin about ${formatSigned(expected)}, not proven`;
  }
  if (upper <= expected) {
    return `margin at most ${formatSigned(upper)}`;
  }
  return lower >= expected ? `margin at least ${formatSigned(lower)}` : "margin not known";
}

/**
 * Returns the marks of all moves.
 *
 * @param {Analysis} analysis
 * @returns {Mark[]}
 */
export function marksFromAnalysis({ moves, best, margin, exact }) {
  return moves.map((candidate) => {
    // Several moves may be proven to be the best.
    const isBest =
      candidate.move === best || (exact && candidate.exact && candidate.lower === margin);
    const parts = [
      spokenMargin(candidate, margin, candidate.move === best),
      ...(isBest ? ["best"] : []),
    ];
    return {
      move: candidate.move,
      text: marginText(candidate, margin, candidate.move === best),
      label: parts.join(", "),
      proven: candidate.exact,
      best: isBest,
    };
  });
}
