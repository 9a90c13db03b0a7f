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
/** @import { AnalyzeResponse, AnalyzedMove, Move, Position } from "../types/api.d.ts" */
/** @import { App, Mark, Settings, State } from "../types/app.d.ts" */

/** The numbers of lines that a person can select. */
const LINE_COUNTS = [1, 2, 3];

/** The marks of a proven score and of the best move. */
const PROVEN_MARK = " \u2713";
const BEST_MARK = " \u2605";

/**
 * The contents of the evaluation. The last results remain visible and inert until new ones arrive,
 * so that the elements below do not move.
 *
 * @typedef {object} ShownEvaluation
 * @property {AnalyzeResponse | null} analysis
 * @property {ReturnType<typeof bestLines>} lines
 * @property {Pick<Settings, "labels" | "lines">} settings
 */

/** @returns {ShownEvaluation} */
const showsNothing = () => ({
  analysis: null,
  lines: [],
  settings: { labels: "letters", lines: 1 },
});

/**
 * The evaluation with its parts.
 *
 * @typedef {object} Evaluation
 * @property {App} app
 * @property {LiveAnalysis} liveAnalysis
 * @property {ReturnType<typeof createElements>} elements
 * @property {ShownEvaluation} shown
 */

/** @param {App} app @param {LiveAnalysis} liveAnalysis */
function createElements(app, liveAnalysis) {
  const south = html("div", { class: "evaluation-south" });
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
  return {
    south,
    bar: html("div", { class: "evaluation-bar", role: "img" }, south),
    sentence: html("p", { class: "summary" }),
    work: html("p", { class: "note work" }),
    progress: html("p", { class: "note" }),
    keepOn,
    lineCount,
    lines: html("div", { class: "best-lines" }),
    moves: html("ul", { class: "move-scores", "aria-label": texts.analysis.scores }),
  };
}

/**
 * Goes along a line. It becomes a variation if the game does not have it.
 *
 * @param {Evaluation} evaluation
 * @param {{ line: number, count: number }} target the index of the line and the number of plies
 */
async function goAlongLine({ app, shown }, { line: index, count }) {
  const { tree } = app.state();
  const { analysis, lines } = shown;
  const line = lines[index]?.line;
  if (!tree || !line || position(tree).position !== analysis?.position) {
    return;
  }
  const { rules, position: from } = analysis;
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
}

/**
 * Returns the label of a move on a board, and its name for screen readers.
 *
 * @param {Move} move
 * @param {number} houses
 * @param {Settings["labels"]} labels
 */
function namesOf(move, houses, labels) {
  const hasColumn = labels === "columns" && parseHouse(move);
  return {
    label: moveLabel(move, houses, labels),
    name: hasColumn ? houseName(move, houses, labels) : move,
  };
}

/** Draws the lines of the best moves. @param {Evaluation} evaluation @param {number} houses */
function drawLines(evaluation, houses) {
  const { elements, shown } = evaluation;
  const rows = keyedChildren(
    elements.lines,
    shown.lines.map((_, index) => String(index)),
    (key) => createLine(Number(key)),
  );
  rows.forEach((row, index) => drawLine(evaluation, row, index, houses));
}

/** @param {number} index the index of the line */
function createLine(index) {
  const title = index === 0 ? texts.analysis.bestLine : texts.analysis.otherLine(index + 1);
  return html(
    "div",
    { class: "best-line", role: "group", "aria-label": title },
    html("span", { class: "note" }, title),
    html("span", { class: "margin-text" }),
    html("span", { class: "plies" }),
  );
}

/**
 * @param {Evaluation} evaluation
 * @param {HTMLElement} row
 * @param {number} index the index of the line
 * @param {number} houses
 */
function drawLine(evaluation, row, index, houses) {
  const { lines, settings } = evaluation.shown;
  const { move, line } = /** @type {ShownEvaluation["lines"][number]} */ (lines[index]);
  const [, score, plies] = /** @type {HTMLElement[]} */ ([...row.children]);
  if (!score || !plies) {
    return;
  }
  setText(score, marginText(move));
  score.classList.toggle("estimated", !move.exact);
  const buttons = keyedChildren(
    plies,
    line.map((_, ply) => String(ply)),
    (ply) =>
      button("", () => void goAlongLine(evaluation, { line: index, count: Number(ply) + 1 }), {
        class: "ply",
      }),
  );
  line.forEach((ply, count) => {
    const { label, name } = namesOf(ply, houses, settings.labels);
    const step = /** @type {HTMLElement} */ (buttons[count]);
    setText(step, label);
    step.setAttribute(
      "aria-label",
      index === 0
        ? texts.analysis.bestLineMove(name, count + 1)
        : texts.analysis.otherLineMove(name, count + 1, index + 1),
    );
  });
}

/** @param {Evaluation} evaluation @param {AnalyzeResponse} analysis @param {number} houses */
function drawMoves({ app, elements, shown }, analysis, houses) {
  const marks = new Map(marksFromAnalysis(analysis).map((mark) => [mark.move, mark]));
  const sorted = movesByScore(analysis);
  const items = keyedChildren(
    elements.moves,
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
    drawMove(item, candidate, mark, namesOf(candidate.move, houses, shown.settings.labels));
  });
}

/**
 * @param {HTMLElement} item
 * @param {AnalyzedMove} candidate
 * @param {Mark} mark
 * @param {{ label: string, name: string }} names
 */
function drawMove(item, candidate, mark, { label, name }) {
  const [play, score, depth] = /** @type {HTMLElement[]} */ ([...item.children]);
  if (!play || !score || !depth) {
    return;
  }
  const signs = `${mark.proven ? PROVEN_MARK : ""}${mark.best ? BEST_MARK : ""}`;
  item.classList.toggle("move-score-best", mark.best);
  item.title = moveDetails(candidate);
  setText(play, label);
  play.setAttribute("aria-label", `${name}, ${mark.label}`);
  play.setAttribute("aria-description", candidate.exact ? "" : moveDetails(candidate));
  setText(score, `${mark.text}${signs}`);
  score.classList.toggle("estimated", !mark.proven);
  setText(depth, candidate.exact ? texts.analysis.proven : texts.analysis.depth(candidate.depth));
}

/**
 * Draws the result of an analysis.
 *
 * @param {Evaluation} evaluation
 * @param {AnalyzeResponse} analysis
 * @param {Position} at
 */
function drawResult(evaluation, analysis, at) {
  const { bar, south, sentence, work } = evaluation.elements;
  const share = southShare(southMargin(analysis.margin, analysis.to_move), at);
  setText(sentence, evaluationText(analysis));
  setText(work, workText(analysis));
  south.style.inlineSize = `${100 * share}%`;
  bar.setAttribute("aria-label", texts.analysis.evaluation(evaluationText(analysis)));
  bar.classList.toggle("evaluation-unproven", !analysis.exact);
  drawLines(evaluation, at.houses);
  drawMoves(evaluation, analysis, at.houses);
}

/** Draws the live analysis, and its result if that has changed. @param {Evaluation} evaluation */
function drawAnalysis(evaluation) {
  const { app, liveAnalysis, elements, shown } = evaluation;
  const { progress, keepOn, lineCount, bar, lines, moves } = elements;
  const state = liveAnalysis.state();
  const { analysis, position: at, keepsOn } = state;
  const { labels, lines: wanted } = app.state().settings;
  setText(progress, progressText(state));
  setText(keepOn, keepsOn ? texts.analysis.stop : texts.analysis.keepAnalysing);
  keepOn.ariaDisabled = String(!keepsOn && !liveAnalysis.canContinue());
  lineCount.value = String(wanted);
  const isChanged =
    analysis !== shown.analysis ||
    labels !== shown.settings.labels ||
    wanted !== shown.settings.lines;
  if (analysis && at && isChanged) {
    const settings = { labels, lines: wanted };
    evaluation.shown = { analysis, lines: bestLines(analysis, wanted), settings };
    drawResult(evaluation, analysis, at);
  }
  bar.hidden = evaluation.shown.analysis === null;
  lines.inert = moves.inert = !analysis;
}

/** Creates the switch for the scores on the houses. @param {App} app */
function createScoresSwitch({ actions }) {
  const margins = html("input", {
    type: "checkbox",
    onchange: () => actions.setSettings({ margins: margins.checked }),
  });
  const element = html("label", { class: "checkbox" }, margins, ` ${texts.analysis.showScores}`);
  return {
    element,
    /** @param {State} state @param {string | null} lock */
    draw({ settings }, lock) {
      margins.checked = settings.margins && lock === null;
      margins.disabled = lock !== null;
      element.title = lock ?? "";
    },
  };
}

/** @param {Evaluation["elements"]} elements */
const createResults = ({ bar, sentence, work, progress, keepOn, lineCount, lines, moves }) =>
  html(
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

/**
 * Creates the evaluation.
 *
 * @param {App} app
 * @param {LiveAnalysis} liveAnalysis
 */
export function createEvaluation(app, liveAnalysis) {
  /** @type {Evaluation} */
  const evaluation = {
    app,
    liveAnalysis,
    elements: createElements(app, liveAnalysis),
    shown: showsNothing(),
  };
  const announceAnalysis = createAnnouncements({
    announce: app.announce,
    describe: evaluationText,
  });
  liveAnalysis.subscribe((state) => {
    drawAnalysis(evaluation);
    announceAnalysis(state);
  });
  drawAnalysis(evaluation);

  const lockNotice = html("p", { class: "note" });
  const scoresSwitch = createScoresSwitch(app);
  const results = createResults(evaluation.elements);
  return {
    element: html("div", { class: "evaluation" }, lockNotice, scoresSwitch.element, results),
    /** @param {State} state */
    draw(state) {
      const { labels, lines } = evaluation.shown.settings;
      if (state.settings.labels !== labels || state.settings.lines !== lines) {
        drawAnalysis(evaluation);
      }
      const lock = state.analysisLock ?? state.scoresLock;
      scoresSwitch.draw(state, lock);
      results.hidden = lock !== null || state.editor !== null;
      lockNotice.hidden = lock === null;
      setText(lockNotice, lock ?? "");
    },
  };
}
