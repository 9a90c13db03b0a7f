/** The results of a review: what the grades mean, the accuracies, and the list of mistakes. */

import { SIDES } from "../game/players.js";
import { plyNames } from "../game/turns.js";
import { texts } from "../texts/texts.js";
import { button, html, setText } from "../ui/dom.js";
import {
  accuracyText,
  betterText,
  costText,
  GRADE_SYMBOLS,
  GRADES,
  plyTexts,
} from "./descriptions.js";
import { linePath, playOnFrom, showPly } from "./navigation.js";
import { highlightSymbol, reasonsText } from "./reasons.js";

/** @import { Review, ReviewedPly } from "../types/api.d.ts" */
/** @import { Notation } from "./descriptions.js" */
/** @import { ReviewParts } from "./navigation.js" */

/** Windows of this width show the mistakes at once; others fold them. */
const WIDE = "(width >= 620px)";

/** The accuracy of a player without proven moves. */
const NO_ACCURACY = "\u2013";

/**
 * The results that are drawn.
 *
 * @typedef {{ review: Review, notation: Notation, running: boolean }} Results
 */

/** Creates the explanation of the grades. */
export function createExplanation() {
  const grades = [...GRADES].reverse().map((grade) => {
    const symbol = html("b", { class: `grade-${grade}` }, GRADE_SYMBOLS[grade]);
    return html("li", {}, symbol, ` ${texts.review.thresholds[grade]}`);
  });
  const element = html(
    "details",
    {},
    html("summary", {}, texts.review.gradesTitle),
    html("p", { class: "note" }, texts.review.gradesText),
    html("ul", { class: "note" }, ...grades),
  );
  return {
    element,
    /** Opens the explanation and moves the focus there. */
    open() {
      element.open = true;
      element.querySelector("summary")?.focus();
    },
  };
}

/** Creates the table of accuracies, the explanation of their formula, and a note on openings. */
export function createAccuracies() {
  const rows = html("tbody");
  const gradeColumns = GRADES.map((grade) =>
    html(
      "th",
      { scope: "col" },
      html("span", { "aria-hidden": "true", class: `grade-${grade}` }, GRADE_SYMBOLS[grade]),
      html("span", { class: "visually-hidden" }, texts.review.gradesPlural[grade]),
    ),
  );
  const columns = html(
    "tr",
    {},
    html("th", { scope: "col" }, texts.review.player),
    html("th", { scope: "col" }, texts.review.accuracyColumn),
    ...gradeColumns,
  );
  const details = html("ul", { class: "note" });
  const opening = html("p", { class: "note" });
  return {
    opening,
    table: html("table", { class: "accuracies" }, html("thead", {}, columns), rows),
    formula: html(
      "details",
      {},
      html("summary", {}, texts.review.accuracyTitle),
      details,
      html("p", { class: "note" }, texts.review.accuracyFormula),
    ),
    /** @param {Results} results */
    draw({ review, notation, running }) {
      opening.hidden = review.opening_plies === 0;
      setText(opening, texts.review.opening(review.opening_plies));
      details.replaceChildren(
        ...SIDES.map((side) =>
          html("li", {}, accuracyText(review.accuracy[side], notation.names[side], { running })),
        ),
      );
      rows.replaceChildren(
        ...SIDES.map((side) => {
          const { percent } = review.accuracy[side];
          return html(
            "tr",
            {},
            html("th", { scope: "row" }, notation.names[side]),
            html("td", {}, percent === null ? NO_ACCURACY : texts.review.percent(percent)),
            ...GRADES.map((grade) => html("td", {}, String(review.grades[side][grade]))),
          );
        }),
      );
    },
  };
}

/**
 * Creates the list of mistakes.
 *
 * @param {ReviewParts} parts
 */
export function createMistakes(parts) {
  const title = html("summary", {}, texts.review.mistakes);
  const list = html("ol", { class: "mistakes", "aria-label": texts.review.mistakes });
  const isOpen = window.matchMedia(WIDE).matches;
  return {
    element: html("details", { class: "panel-section", open: isOpen }, title, list),
    /** @param {Results} results */
    draw({ review, notation, running }) {
      const graded = review.plies.filter(({ grade }) => grade);
      setText(title, texts.review.mistakesCount(graded.length));
      const plyLabels = plyTexts(review.plies, notation);
      const names = plyNames(review.plies, notation);
      list.replaceChildren(
        ...graded.map((mistake) =>
          mistakeElement(parts, mistake, {
            notation,
            name: names[mistake.ply - 1] ?? "",
            text: plyLabels[mistake.ply - 1] ?? "",
          }),
        ),
      );
      if (graded.length === 0) {
        const none = running ? texts.review.noneYet : texts.review.noneProven;
        const text = review.unproven > 0 ? none : texts.review.none;
        list.append(html("li", { class: "no-mistakes" }, text));
      }
    },
  };
}

/** The form of sentences that may name the better move. */
const TELLING = { tellsBetterMove: true };

/**
 * Creates the list of the moves that stand out: beautiful ones, and the only ones that win or tie.
 *
 * @param {ReviewParts} parts
 */
export function createHighlights(parts) {
  const title = html("summary");
  const list = html("ol", { class: "mistakes", "aria-label": texts.reasons.highlightsName });
  return {
    element: html("details", { class: "panel-section" }, title, list),
    /** @param {Pick<Results, "review" | "notation">} results */
    draw({ review, notation }) {
      const plies = review.plies.filter((ply) => highlightSymbol(ply) !== "");
      setText(title, texts.reasons.highlights(plies.length));
      const plyLabels = plyTexts(review.plies, notation);
      const items = plies.map((ply) => {
        const text = plyLabels[ply.ply - 1] ?? "";
        const show = button(text, () => showPly(parts, ply.ply), { class: "quiet" });
        return html("li", {}, show, ` ${reasonsText(ply, notation, TELLING)}`);
      });
      const none = html("li", { class: "no-mistakes" }, texts.reasons.noHighlights);
      list.replaceChildren(...(items.length > 0 ? items : [none]));
    },
  };
}

/**
 * @param {ReviewParts} parts
 * @param {ReviewedPly} mistake
 * @param {{ notation: Notation, name: string, text: string }} words the name of the ply and its text
 */
function mistakeElement(parts, mistake, { notation, name, text }) {
  const show = button(text, () => showPly(parts, mistake.ply), { class: "quiet" });
  const better = html(
    "details",
    { class: "better" },
    html("summary", {}, texts.review.showBetter),
    [betterText(mistake.better_moves, notation), reasonsText(mistake, notation, TELLING)]
      .filter((sentence) => sentence !== "")
      .join(" "),
  );
  const tryAgain = button(texts.review.tryAgain, () => beginRetry(parts, mistake), {
    class: "small",
    "aria-label": texts.review.tryAgainLabel(name),
  });
  const playOn = button(texts.review.playOn, () => playOnFrom(parts, mistake.ply), {
    class: "small",
    "aria-label": texts.review.playOnLabel(name),
  });
  const tools = html("div", { class: "tools" }, tryAgain, playOn);
  return html("li", {}, show, ` ${costText(mistake)} `, better, tools);
}

/** @param {ReviewParts} parts @param {ReviewedPly} mistake */
function beginRetry(parts, mistake) {
  const { tree } = parts.app.state();
  if (tree) {
    parts.retry.begin(mistake, linePath(parts, tree));
  }
}
