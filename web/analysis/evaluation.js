/** The evaluation of the position: a bar, a sentence, lines, and the scores of all moves. */

import { houseName, moveLabel, parseHouse } from "../board/labels.js";
import { editInExploreMode } from "../game/modes.js";
import { addMove, goTo, path, position } from "../game/tree.js";
import { texts } from "../texts/texts.js";
import { button, html, keyedChildren, setText } from "../ui/dom.js";
import { createAnnouncements } from "./announcements.js";
import {
  marginText,
  marksFromAnalysis,
  moveDetails,
  movesByScore,
  southMargin,
} from "./margins.js";
import { bestLines, evaluationText, progressText, southShare, workText } from "./summary.js";

/** @import { LiveAnalysis } from "./live-analysis.js" */
/** @import { Analysis, Move } from "../types/api.d.ts" */
/** @import { App, Mark, Settings, State } from "../types/app.d.ts" */

/** The numbers of lines that a person can select. */
const LINE_COUNTS = [1, 2, 3];

/**
 * Creates the evaluation.
 *
 * @param {App} app
 * @param {LiveAnalysis} liveAnalysis
 */
export function createEvaluation(app, liveAnalysis) {
  const south = html("div", { class: "evaluation-south" });
  const bar = html("div", { class: "evaluation-bar", role: "img" }, south);
  const sentence = html("p", { class: "summary" });
  const progress = html("p", { class: "note" });
  const work = html("p", { class: "note work" });
  const keepOn = button(
    texts.analysis.keepAnalysing,
    () => {
      if (keepOn.ariaDisabled !== "true") {
        liveAnalysis.toggleKeepOn();
      }
    },
    { class: "small" },
  );
  const lineCount = html(
    "select",
    { onchange: () => app.actions.setSettings({ lines: Number(lineCount.value) }) },
    ...LINE_COUNTS.map((count) => html("option", { value: count }, String(count))),
  );
  const lines = html("div", { class: "best-lines" });
  const moves = html("ul", { class: "move-scores", "aria-label": texts.analysis.scores });
  /** @type {Analysis | null} */
  let drawnAnalysis = null;
  /** @type {ReturnType<typeof bestLines>} */
  let drawnLines = [];
  /** @type {Pick<Settings, "labels" | "lines">} */
  let settings = { labels: "letters", lines: 1 };

  /**
   * Goes along a line. It becomes a variation if the game does not have it.
   *
   * @param {number} index the line
   * @param {number} count the number of plies
   */
  const stepTo = async (index, count) => {
    const { tree } = app.state();
    const line = drawnLines[index]?.line;
    if (!tree || !line || position(tree).position !== drawnAnalysis?.position) {
      return;
    }
    const { rules, position: from } = drawnAnalysis;
    try {
      const { plies } = await app.engine.request("play", {
        rules,
        position: from,
        moves: line.slice(0, count),
      });
      if (app.state().tree === tree) {
        editInExploreMode(app, (grown) => plies.reduce(addMove, goTo(grown, path(tree))));
      }
    } catch (error) {
      app.actions.showError(error);
    }
  };

  /** @param {number} houses */
  const naming = (houses) => ({
    label: (/** @type {Move} */ move) => moveLabel(move, houses, settings.labels),
    name: (/** @type {Move} */ move) =>
      settings.labels === "columns" && parseHouse(move)
        ? houseName(move, houses, settings.labels)
        : move,
  });

  /** @param {number} houses */
  const drawLines = (houses) => {
    const { label, name } = naming(houses);
    const rows = keyedChildren(
      lines,
      drawnLines.map((_, index) => String(index)),
      (key) => {
        const title =
          key === "0" ? texts.analysis.bestLine : texts.analysis.otherLine(Number(key) + 1);
        return html(
          "div",
          { class: "best-line", role: "group", "aria-label": title },
          html("span", { class: "note" }, title),
          html("span", { class: "margin-text" }),
          html("span", { class: "plies" }),
        );
      },
    );
    drawnLines.forEach(({ move, line }, index) => {
      const row = /** @type {HTMLElement} */ (rows[index]);
      const [, score, plies] = /** @type {HTMLElement[]} */ ([...row.children]);
      if (!score || !plies) {
        return;
      }
      setText(score, marginText(move));
      score.classList.toggle("estimated", !move.exact);
      const buttons = keyedChildren(
        plies,
        line.map((_, ply) => String(ply)),
        (ply) => button("", () => void stepTo(index, Number(ply) + 1), { class: "ply" }),
      );
      line.forEach((ply, count) => {
        const step = /** @type {HTMLElement} */ (buttons[count]);
        setText(step, label(ply));
        step.setAttribute(
          "aria-label",
          index === 0
            ? texts.analysis.bestLineMove(name(ply), count + 1)
            : texts.analysis.otherLineMove(name(ply), count + 1, index + 1),
        );
      });
    });
  };

  /** @param {Analysis} analysis @param {number} houses */
  const drawMoves = (analysis, houses) => {
    const { label, name } = naming(houses);
    const marks = new Map(marksFromAnalysis(analysis).map((mark) => [mark.move, mark]));
    const sorted = movesByScore(analysis);
    const items = keyedChildren(
      moves,
      sorted.map(({ move }) => move),
      (move) =>
        html(
          "li",
          { class: "move-score" },
          button("", () => app.actions.requestMove(move), { class: "ply" }),
          html("span", { class: "margin-text", "aria-hidden": "true" }),
          html("span", { class: "note", "aria-hidden": "true" }),
        ),
    );
    sorted.forEach((candidate, index) => {
      const item = /** @type {HTMLElement} */ (items[index]);
      const mark = /** @type {Mark} */ (marks.get(candidate.move));
      const [play, score, depth] = /** @type {HTMLElement[]} */ ([...item.children]);
      if (!play || !score || !depth) {
        return;
      }
      item.classList.toggle("move-score-best", mark.best);
      item.title = moveDetails(candidate);
      setText(play, label(candidate.move));
      play.setAttribute("aria-label", `${name(candidate.move)}, ${mark.label}`);
      play.setAttribute("aria-description", candidate.exact ? "" : moveDetails(candidate));
      setText(score, `${mark.text}${mark.proven ? " \u2713" : ""}${mark.best ? " \u2605" : ""}`);
      score.classList.toggle("estimated", !mark.proven);
      setText(
        depth,
        candidate.exact ? texts.analysis.proven : texts.analysis.depth(candidate.depth),
      );
    });
  };

  const draw = () => {
    const state = liveAnalysis.state();
    const { analysis, position: at, keepsOn } = state;
    const { labels, lines: wanted } = app.state().settings;
    setText(progress, progressText(state));
    setText(keepOn, keepsOn ? texts.analysis.stop : texts.analysis.keepAnalysing);
    keepOn.ariaDisabled = String(!keepsOn && !liveAnalysis.canContinue());
    lineCount.value = String(wanted);
    const isChanged =
      analysis !== drawnAnalysis || labels !== settings.labels || wanted !== settings.lines;
    if (analysis && at && isChanged) {
      settings = { labels, lines: wanted };
      drawnAnalysis = analysis;
      drawnLines = bestLines(analysis, wanted);
      setText(sentence, evaluationText(analysis));
      setText(work, workText(analysis));
      const share = southShare(southMargin(analysis.margin, analysis.to_move), at);
      south.style.inlineSize = `${100 * share}%`;
      bar.setAttribute("aria-label", texts.analysis.evaluation(evaluationText(analysis)));
      bar.classList.toggle("evaluation-unproven", !analysis.exact);
      drawLines(at.houses);
      drawMoves(analysis, at.houses);
    }
    bar.hidden = !drawnAnalysis;
    // The previous results remain visible and inert until new ones arrive, so that the elements
    // below do not move.
    lines.inert = moves.inert = !analysis;
  };
  const announceAnalysis = createAnnouncements({
    announce: app.announce,
    describe: evaluationText,
  });
  liveAnalysis.subscribe((state) => {
    draw();
    announceAnalysis(state);
  });
  draw();

  const margins = html("input", {
    type: "checkbox",
    onchange: () => app.actions.setSettings({ margins: margins.checked }),
  });
  const marginsLabel = html(
    "label",
    { class: "checkbox" },
    margins,
    ` ${texts.analysis.showScores}`,
  );
  const lockNotice = html("p", { class: "note" });
  const results = html(
    "div",
    { class: "evaluation-results" },
    bar,
    sentence,
    work,
    progress,
    html(
      "div",
      { class: "tools" },
      html("label", {}, `${texts.analysis.lines} `, lineCount),
      keepOn,
    ),
    lines,
    moves,
  );
  const element = html("div", { class: "evaluation" }, lockNotice, marginsLabel, results);
  return {
    element,
    /** @param {State} state */
    draw(state) {
      if (state.settings.labels !== settings.labels || state.settings.lines !== settings.lines) {
        draw();
      }
      const lock = state.analysisLock ?? state.scoresLock;
      margins.checked = state.settings.margins && lock === null;
      margins.disabled = lock !== null;
      results.hidden = lock !== null || state.editor !== null;
      marginsLabel.title = lock ?? "";
      lockNotice.hidden = lock === null;
      setText(lockNotice, lock ?? "");
    },
  };
}
