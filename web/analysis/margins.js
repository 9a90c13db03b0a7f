/** Margins in signs and in words, as they stand on houses, in the panels and in speech. */

import { signed } from "../game/descriptions.js";

/** @import { Analysis, Bounds, Side } from "../types/api.d.ts" */
/** @import { Mark } from "../types/app.d.ts" */

/** How a player's game ends. @typedef {"win" | "tie" | "loss"} Result */

/**
 * A margin of South's in a sentence.
 *
 * @param {number} margin
 * @param {{ south: string, north: string }} [names] who is called how
 */
export function ahead(margin, names = { south: "South", north: "North" }) {
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
export function forSouth(margin, side) {
  // Not -0, which is printed with its sign.
  return side === "south" ? margin : 0 - margin;
}

/**
 * What is known of a margin, in signs: `+8`, `at least` as ≥, `at most` as ≤, or what is only expected as ≈.
 * Bounds that say nothing about what is expected of the position are a question mark.
 *
 * @param {Bounds} bounds
 * @param {number} expected of the position
 * @param {boolean} best whether it is the choice that this is expected of
 */
export function marginText({ lower, upper, exact }, expected, best) {
  if (exact) {
    return signed(lower);
  }
  if (best) {
    return `\u2248${signed(expected)}`;
  }
  if (upper <= expected) {
    return `\u2264${signed(upper)}`;
  }
  return lower >= expected ? `\u2265${signed(lower)}` : "?";
}

/**
 * The same, to be spoken.
 *
 * @param {Bounds} bounds
 * @param {number} expected
 * @param {boolean} best
 */
export function marginInWords({ lower, upper, exact }, expected, best) {
  if (exact) {
    return `margin ${signed(lower)}, proven`;
  }
  if (best) {
    return `margin about ${signed(expected)}, not proven`;
  }
  if (upper <= expected) {
    return `margin at most ${signed(upper)}`;
  }
  return lower >= expected ? `margin at least ${signed(lower)}` : "margin not known";
}

/**
 * What stands on the houses, and at the swap.
 *
 * @param {Analysis} analysis
 * @returns {Mark[]}
 */
export function marksOf({ moves, best, margin, exact }) {
  return moves.map((move) => {
    // Several may be proven to be as good as the best.
    const isBest = move.choice === best || (exact && move.exact && move.lower === margin);
    const parts = [marginInWords(move, margin, move.choice === best), ...(isBest ? ["best"] : [])];
    return {
      choice: move.choice,
      text: marginText(move, margin, move.choice === best),
      label: parts.join(", "),
      proven: move.exact,
      best: isBest,
    };
  });
}
