/**
 * The analysis panel: evaluation of the position, best line, list of moves, position form, links
 * and files.
 */

import { marginSentence, marksFromAnalysis, southMargin } from "../analysis/margins.js";
import { houseName, moveLabel, parseHouse } from "../board/labels.js";
import { editInExploreMode } from "../game/modes.js";
import { addMove, goTo, path, position } from "../game/tree.js";
import { startAddress } from "../records/address.js";
import { button, detailsSection, html, setText } from "../ui/dom.js";
import { createGameFiles } from "./game-files.js";
import { createMoveList } from "./move-list.js";
import { createPositionForm } from "./position-form.js";

/** @import { LiveAnalysis, LiveAnalysisState } from "../analysis/live-analysis.js" */
/** @import { Analysis, Move, Position } from "../types/api.d.ts" */
/** @import { App, Panel, Settings, State } from "../types/app.d.ts" */

/**
 * @param {(app: App) => LiveAnalysis} liveAnalysisFor returns the live analysis of an app
 * @returns {Panel}
 */
export function analysisPanel(liveAnalysisFor) {
  return {
    id: "analysis",
    title: "Analysis",
    start(app) {
      liveAnalysisFor(app);
      void startAddress(app);
    },
    create(element, app) {
      const evaluation = createEvaluation(app, liveAnalysisFor(app));
      const moves = createMoveList(app);
      const form = createPositionForm(app);
      const files = createGameFiles(app);
      const list = detailsSection("Moves", moves.element);
      list.open = true;
      element.append(
        evaluation.element,
        list,
        detailsSection("Set up a position", form.element),
        detailsSection("Links and files", files.element),
      );
      return (/** @type {State} */ state) => {
        evaluation.draw(state);
        moves.draw(state);
        form.draw(state);
      };
    },
  };
}

/**
 * Returns the share of all seeds that South has at the end, from 0 to 1, for the evaluation bar.
 *
 * @param {number} margin South's
 * @param {Position} at
 */
export function southShare(margin, { stores, rows }) {
  const seeds = [stores.south, stores.north, ...rows.south, ...rows.north].reduce(
    (sum, one) => sum + one,
    0,
  );
  return seeds === 0 ? 1 / 2 : (seeds + margin) / 2 / seeds;
}

/**
 * Returns the evaluation of a position in a sentence.
 *
 * @param {Analysis} analysis
 */
export function evaluationText({ margin, to_move: side, exact, moves }) {
  const lead = marginSentence(southMargin(margin, side));
  if (moves.length === 0) {
    return `The game is over: ${lead}.`;
  }
  return exact ? `With best play: ${lead} (proven).` : `Estimate: ${lead} (not proven).`;
}

/**
 * Returns the progress of the analysis, or its error, in a sentence.
 *
 * @param {LiveAnalysisState} state
 */
export function progressText({ analysis, running, error }) {
  if (error !== null) {
    return error;
  }
  const proven = analysis?.moves.filter((candidate) => candidate.exact).length ?? 0;
  const of = analysis ? `${proven} of ${analysis.moves.length} moves proven` : "";
  if (running) {
    return analysis ? `Analyzing: ${of}.` : "Analyzing.";
  }
  return analysis && analysis.moves.length > 0 ? `${of[0]?.toUpperCase()}${of.slice(1)}.` : "";
}

/**
 * Creates the evaluation: a bar, a sentence, the best line and the values of all moves.
 *
 * @param {App} app
 * @param {LiveAnalysis} liveAnalysis
 */
export function createEvaluation(app, liveAnalysis) {
  const south = html("div", { class: "evaluation-south" });
  const bar = html("div", { class: "evaluation-bar", role: "img" }, south);
  const sentence = html("p", { class: "summary", "aria-live": "polite" });
  const progress = html("p", { class: "note" });
  const continueButton = button("Continue the analysis", () => liveAnalysis.continueAnalysis(), {
    class: "small",
  });
  const line = html("div", { class: "best-line", role: "group", "aria-label": "Best line" });
  const moves = html("ul", { class: "move-values" });
  /** @type {Analysis | null} */
  let drawnAnalysis = null;
  /** @type {Settings["labels"]} */
  let labels = "letters";

  /**
   * Goes along the best line. It becomes a variation if the game does not have it.
   *
   * @param {Analysis} analysis
   * @param {number} count the number of plies
   */
  const stepTo = async ({ rules, position: from, line: expected }, count) => {
    const { tree } = app.state();
    if (!tree || position(tree).position !== from) {
      return;
    }
    try {
      const { plies } = await app.engine.request("play", {
        rules,
        position: from,
        moves: expected.slice(0, count),
      });
      if (app.state().tree === tree) {
        editInExploreMode(app, (grown) => plies.reduce(addMove, goTo(grown, path(tree))));
      }
    } catch (error) {
      app.actions.showError(error);
    }
  };

  /** @param {Analysis} analysis @param {number} houses */
  const drawLine = (analysis, houses) => {
    const label = (/** @type {Move} */ move) => moveLabel(move, houses, labels);
    const name = (/** @type {Move} */ move) =>
      labels === "columns" && parseHouse(move) ? houseName(move, houses, labels) : move;
    line.replaceChildren(
      html("span", { class: "note" }, analysis.line.length > 0 ? "Best line" : ""),
      ...analysis.line.map((move, index) =>
        button(label(move), () => void stepTo(analysis, index + 1), {
          class: "ply",
          "aria-label": `${name(move)}, ply ${index + 1} of the best line`,
        }),
      ),
    );
    moves.replaceChildren(
      ...marksFromAnalysis(analysis).map((mark) =>
        html(
          "li",
          { class: mark.best ? "move-value move-value-best" : "move-value" },
          button(label(mark.move), () => app.actions.requestMove(mark.move), {
            class: "ply",
            "aria-label": `${name(mark.move)}, ${mark.label}`,
          }),
          html(
            "span",
            { class: "margin-text", "aria-hidden": "true" },
            `${mark.text}${mark.proven ? " \u2713" : ""}${mark.best ? " \u2605" : ""}`,
          ),
        ),
      ),
    );
  };

  const draw = () => {
    const { analysis, position: at } = liveAnalysis.state();
    setText(sentence, analysis ? evaluationText(analysis) : "");
    setText(progress, progressText(liveAnalysis.state()));
    continueButton.hidden = !liveAnalysis.canContinue();
    if (analysis && at) {
      const share = southShare(southMargin(analysis.margin, analysis.to_move), at);
      south.style.inlineSize = `${100 * share}%`;
      bar.setAttribute("aria-label", `Evaluation: ${evaluationText(analysis)}`);
    }
    bar.classList.toggle("evaluation-unproven", !analysis?.exact);
    bar.hidden = !analysis && !drawnAnalysis;
    const { settings } = app.state();
    if (analysis && at && (analysis !== drawnAnalysis || settings.labels !== labels)) {
      labels = settings.labels;
      drawLine(analysis, at.houses);
    }
    // The previous results remain visible and inert until new ones arrive, so that the elements
    // below do not move.
    line.inert = moves.inert = !analysis;
    drawnAnalysis = analysis ?? drawnAnalysis;
  };
  liveAnalysis.subscribe(draw);
  draw();

  const margins = html("input", {
    type: "checkbox",
    onchange: () => app.actions.setSettings({ margins: margins.checked }),
  });
  const marginsLabel = html("label", { class: "checkbox" }, margins, " Show margins on the houses");
  const lockNotice = html("p", { class: "note" });
  const results = html(
    "div",
    {},
    bar,
    sentence,
    html("div", { class: "tools" }, progress, continueButton),
    line,
    moves,
  );
  const element = html("div", { class: "evaluation" }, lockNotice, marginsLabel, results);
  return {
    element,
    /** @param {State} state */
    draw(state) {
      if (state.settings.labels !== labels) {
        draw();
      }
      margins.checked = state.settings.margins && !state.analysisLock;
      margins.disabled = results.hidden = state.analysisLock !== null;
      marginsLabel.title = state.analysisLock ?? "";
      lockNotice.hidden = state.analysisLock === null;
      setText(lockNotice, state.analysisLock ?? "");
    },
  };
}
