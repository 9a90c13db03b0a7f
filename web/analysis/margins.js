/** Margins in signs and in words, as they stand on houses, in the panels and in speech. */

import { formatSigned } from "../game/descriptions.js";

/** @import { Analysis, Bounds, Side } from "../types/api.d.ts" */
/** @import { Mark } from "../types/app.d.ts" */

/** How a player's game ends. @typedef {"win" | "tie" | "loss"} Outcome */

/**
 * A margin of South's in a sentence.
 *
 * @param {number} margin
 * @param {{ south: string, north: string }} [names] who is called how
 */
export function marginSentence(margin, names = { south: "South", north: "North" }) {
  if (margin === 0) {
    return "a tie";
  }
  return `${margin > 0 ? names.south : names.north} ahead by ${Math.abs(margin)}`;
}

/**
 * The margin of a side as South's.
 *
 * @param {number} margin
 * @param {Side} side whose margin it is
 */
export function southMargin(margin, side) {
  // Not -0, which is printed with its sign.
  return side === "south" ? margin : 0 - margin;
}

/**
 * What is known of a margin, in signs: `+8`, `at least` as ≥, `at most` as ≤, or what is only expected as ≈.
 * Bounds that say nothing about what is expected of the position are a question mark.
 *
 * @param {Bounds} bounds
 * @param {number} expected of the position
 * @param {boolean} best whether it is the move that this is expected of
 */
export function marginText({ lower, upper, exact }, expected, best) {
  if (exact) {
    return formatSigned(lower);
  }
  if (best) {
    return `\u2248${formatSigned(expected)}`;
  }
  if (upper <= expected) {
    return `\u2264${formatSigned(upper)}`;
  }
  return lower >= expected ? `\u2265${formatSigned(lower)}` : "?";
}

/**
 * The same, to be spoken.
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
 * What stands on the houses, and at the swap.
 *
 * @param {Analysis} analysis
 * @returns {Mark[]}
 */
export function marksFromAnalysis({ moves, best, margin, exact }) {
  return moves.map((candidate) => {
    // Several may be proven to be as good as the best.
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
