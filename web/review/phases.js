/** The accuracy of each player in the phases of a game, and the estimated levels. */

import { SIDES } from "../game/players.js";
import { texts } from "../texts/texts.js";
import { html } from "../ui/dom.js";

/** @import { LevelEstimate, Review } from "../types/api.d.ts" */
/** @import { Notation } from "./descriptions.js" */

/** The phases in their order. */
const PHASES = /** @type {const} */ (["opening", "middlegame", "endgame"]);

/** The text where there is no accuracy or no level. */
const UNKNOWN = "\u2013";

/** @param {LevelEstimate | null} estimate */
const levelText = (estimate) =>
  estimate ? texts.reasons.levelRange(estimate.level, estimate.lowest, estimate.highest) : UNKNOWN;

/** @param {string} name @param {string[]} cells */
const row = (name, cells) =>
  html("tr", {}, html("th", { scope: "row" }, name), ...cells.map((cell) => html("td", {}, cell)));

/** Creates the table of phases and levels, folded. */
export function createPhases() {
  const head = html("thead");
  const rows = html("tbody");
  return {
    element: html(
      "details",
      {},
      html("summary", {}, texts.reasons.phasesTitle),
      html("table", { class: "accuracies phases" }, head, rows),
      html("p", { class: "note" }, texts.reasons.levelText),
    ),
    /** @param {{ review: Review, notation: Notation }} results */
    draw({ review, notation }) {
      const players = SIDES.map((side) => html("th", { scope: "col" }, notation.names[side]));
      const corner = html("th", { scope: "col" }, texts.reasons.phase);
      head.replaceChildren(html("tr", {}, corner, ...players));
      rows.replaceChildren(
        ...PHASES.map((phase) =>
          row(
            texts.reasons.phases[phase],
            SIDES.map((side) => {
              const accuracy = review.phases[side][phase];
              const { percent } = accuracy;
              return percent === null
                ? UNKNOWN
                : texts.reasons.phaseAccuracy(texts.review.percent(percent), accuracy);
            }),
          ),
        ),
        row(
          texts.reasons.level,
          SIDES.map((side) => levelText(review.levels[side])),
        ),
      );
    },
  };
}
