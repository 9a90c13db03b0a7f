/** The reasons why a move of a review is bad or good, as sentences. */

import { houseName } from "../board/labels.js";
import { texts } from "../texts/texts.js";

/** @import { Reason, ReasonKind, ReviewedPly } from "../types/api.d.ts" */
/** @import { Notation } from "./descriptions.js" */

/** The symbol of beautiful moves. */
export const BEAUTIFUL_SYMBOL = "!!";

/**
 * The symbols of moves that stand out: beautiful ones, and the only ones that win or tie.
 *
 * @type {Readonly<Partial<Record<ReasonKind, string>>>}
 */
const HIGHLIGHT_SYMBOLS = { beautiful: BEAUTIFUL_SYMBOL, "only-win": "!", "only-tie": "!" };

/**
 * The form of sentences. Those that do not tell the better move leave out its house.
 *
 * @typedef {{ tellsBetterMove: boolean, sentences?: typeof texts.reasons }} SentenceForm
 */

/**
 * Returns the sentence of a reason.
 *
 * @param {Reason} reason
 * @param {Pick<Notation, "houses" | "labels">} notation
 * @param {SentenceForm} form
 */
export function reasonText(reason, { houses, labels }, form) {
  const { tellsBetterMove, sentences = texts.reasons } = form;
  const house = houseName(reason.house ?? "", houses, labels);
  const seeds = reason.seeds ?? 0;
  const turns = reason.turns ?? 0;
  switch (reason.kind) {
    case "gave-last-seeds":
      return sentences.gaveLastSeeds(seeds);
    case "missed-capture":
      if (!tellsBetterMove) {
        return sentences.missedACapture(seeds);
      }
      return reason.other_house === reason.house
        ? sentences.missedCapture(house, seeds)
        : sentences.missedLaterCapture(
            house,
            seeds,
            houseName(reason.other_house ?? "", houses, labels),
          );
    case "left-capture":
      return sentences.leftCapture(house, seeds);
    case "missed-bonus-turn":
      return tellsBetterMove ? sentences.missedBonusTurn(house) : sentences.missedABonusTurn;
    case "gave-bonus-turns":
      return sentences.gaveBonusTurns(turns);
    case "beautiful":
      return reason.seeds === null
        ? sentences.beautifulOverBonus(house)
        : sentences.beautifulOverCapture(house, seeds);
    case "only-win":
      return sentences.onlyWin;
    case "only-tie":
      return sentences.onlyTie;
    case "starved":
      return sentences.starved(seeds);
    case "captured":
      return sentences.captured(seeds);
    case "bonus-turns":
      return sentences.bonusTurns(turns);
  }
}

/**
 * Returns the sentences about a ply; empty without a reason. Reasons of a cost that is not proven
 * are estimates.
 *
 * @param {Pick<ReviewedPly, "reasons" | "cost" | "grade">} ply
 * @param {Pick<Notation, "houses" | "labels">} notation
 * @param {SentenceForm} form
 */
export function reasonsText({ reasons, cost, grade }, notation, form) {
  const { sentences = texts.reasons } = form;
  const text = reasons.map((reason) => reasonText(reason, notation, form)).join(" ");
  const isEstimate = grade !== null && cost.lower === 0;
  return text && isEstimate ? sentences.byEstimate(text) : text;
}

/**
 * Returns whether a move is beautiful.
 *
 * @param {Pick<ReviewedPly, "reasons">} ply
 */
export const isBeautiful = ({ reasons }) => reasons.some(({ kind }) => kind === "beautiful");

/**
 * Returns the symbol of a move that stands out, or nothing.
 *
 * @param {Pick<ReviewedPly, "reasons">} ply
 */
export function highlightSymbol({ reasons }) {
  const symbols = reasons.map(({ kind }) => HIGHLIGHT_SYMBOLS[kind]);
  return symbols.find((symbol) => symbol !== undefined) ?? "";
}
