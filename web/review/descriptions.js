/** Texts about a reviewed game: plies, grades, costs, accuracy. */

import { isCertain, knownSentence } from "../analysis/margins.js";
import { moveLabel } from "../board/labels.js";
import { plyNames } from "../game/turns.js";
import { texts } from "../texts/texts.js";
import { BEAUTIFUL_SYMBOL, highlightSymbol, isBeautiful } from "./reasons.js";

/** @import { GraphPoint } from "../panels/margin-graph.js" */
/** @import { Accuracy, Move, MoveGrade, Review, ReviewedPly } from "../types/api.d.ts" */
/** @import { Settings, ShownGrade } from "../types/app.d.ts" */

/**
 * The names of players by their sides at the start, and of houses.
 *
 * @typedef {object} Notation
 * @property {{ south: string, north: string }} names
 * @property {number} houses
 * @property {Settings["labels"]} labels
 */

/** The grades, the mildest first. @type {readonly MoveGrade[]} */
export const GRADES = ["inaccuracy", "mistake", "blunder"];

/** The symbols of shown grades, as `docs/analysis.md` explains them. */
export const GRADE_SYMBOLS = /** @type {const} */ ({
  inaccuracy: "?!",
  mistake: "?",
  blunder: "??",
  beautiful: BEAUTIFUL_SYMBOL,
});

/**
 * Returns the grade of a ply, or `beautiful`; `null` for other moves.
 *
 * @param {Pick<ReviewedPly, "grade" | "reasons">} ply
 * @returns {ShownGrade | null}
 */
export const shownGrade = (ply) => ply.grade ?? (isBeautiful(ply) ? "beautiful" : null);

/** @param {Pick<ReviewedPly, "grade" | "reasons">} ply */
const symbolOf = (ply) => (ply.grade ? GRADE_SYMBOLS[ply.grade] : highlightSymbol(ply));

/**
 * Returns the text of each ply: its name as the list of moves shows it, with its symbol and the name
 * of the player, such as `5. C F?? (Marge)`.
 *
 * @param {readonly ReviewedPly[]} plies the plies of the game
 * @param {Notation} notation
 * @returns {string[]}
 */
export function plyTexts(plies, notation) {
  const names = plyNames(plies, notation);
  return plies.map(
    (ply, index) => `${names[index]}${symbolOf(ply)} (${notation.names[ply.player]})`,
  );
}

/**
 * Returns the points of the margin graph.
 *
 * @param {Review} review
 * @param {Notation} notation
 * @returns {GraphPoint[]}
 */
export function graphPoints({ start_margin: start, plies }, notation) {
  const plyLabels = plyTexts(plies, notation);
  const marginLabel = (/** @type {Review["start_margin"]} */ margin) => {
    if (!margin) {
      return texts.review.notAnalysed;
    }
    return margin.exact && margin.margin === 0
      ? texts.review.provenDraw
      : knownSentence(margin, notation.names);
  };
  return [
    {
      margin: start?.margin ?? null,
      proven: start?.exact ?? false,
      grade: null,
      label: `${texts.review.start} ${marginLabel(start)}`,
    },
    ...plies.map((ply, index) => {
      const parts = [`${plyLabels[index]}.`];
      if (ply.grade) {
        parts.push(texts.review.gradeAndCost(ply.grade, priceText(ply)));
      }
      parts.push(marginLabel(ply.after));
      return {
        margin: ply.after?.margin ?? null,
        proven: ply.after?.exact ?? false,
        grade: shownGrade(ply),
        label: parts.join(" "),
      };
    }),
  ];
}

/** @param {ReviewedPly["before"]} margin */
const isResultProven = (margin) => margin !== null && isCertain(margin.chances);

/**
 * Returns the proven seeds and the estimated part of a point that a graded move costs.
 *
 * @param {ReviewedPly} ply
 */
export function priceText({ cost, before, after, lost_chance: lost }) {
  const isProven = isResultProven(before) && isResultProven(after);
  const percent = isProven ? 0 : Math.floor((lost ?? 0) / 10);
  return [
    ...(cost.lower > 0 ? [texts.review.seedsCost(cost.lower, cost.exact)] : []),
    ...(percent > 0 ? [texts.review.lostChance(percent / 100)] : []),
  ].join(", ");
}

/**
 * Describes the cost of a move.
 *
 * @param {ReviewedPly} ply
 */
export function costText(ply) {
  const change = ply.value_change;
  const cost = texts.review.cost(priceText(ply));
  return `${cost}${change ? texts.review.changed(change.from, change.to) : ""}.`;
}

/**
 * Names the better moves.
 *
 * @param {readonly Move[]} better
 * @param {Notation} notation
 */
export function betterText(better, { houses, labels }) {
  return texts.review.better(better.map((move) => moveLabel(move, houses, labels)));
}

/**
 * Describes a player's accuracy in words.
 *
 * @param {Accuracy} accuracy
 * @param {string} name
 * @param {{ running?: boolean }} [options] whether the review is running
 */
export function accuracyText(accuracy, name, { running = false } = {}) {
  if (accuracy.percent !== null) {
    return texts.review.accuracy(name, Math.floor(accuracy.percent) / 100, accuracy);
  }
  if (running) {
    return texts.review.accuracyUnknown(name);
  }
  return accuracy.unproven > 0
    ? texts.review.accuracyFewMoves(name, accuracy)
    : texts.review.accuracyNoStake(name);
}
