/** The review panel: margin graph, graded moves and accuracy of a game. */

import { gamePlayers, PLAYER_TAGS, playerAt, visibleText } from "../game/players.js";
import { createMarginGraph } from "../panels/margin-graph.js";
import { texts } from "../texts/texts.js";
import { button, html, setText } from "../ui/dom.js";
import { graphPoints } from "./descriptions.js";
import {
  currentPly,
  goToMistake,
  linePath,
  listenForMistakeKeys,
  nextMistake,
  showPly,
} from "./navigation.js";
import { createPhases } from "./phases.js";
import { reasonsText } from "./reasons.js";
import {
  createAccuracies,
  createExplanation,
  createHighlights,
  createMistakes,
} from "./results.js";
import { createRetryBox } from "./retry-box.js";
import { createReviewRun, isAboutLine, pathOfLine, reviewedLine } from "./run.js";

/** @import { AnalyzeResponse, Review, ReviewedPly, Side } from "../types/api.d.ts" */
/** @import { App, GameTree, Panel, State } from "../types/app.d.ts" */
/** @import { Notation } from "./descriptions.js" */
/** @import { ReviewParts } from "./navigation.js" */
/** @import { ReviewRun, ReviewState } from "./run.js" */

/**
 * Returns the names of the players by their sides at the start.
 *
 * @param {State} state
 * @param {GameTree} tree
 * @returns {{ south: string, north: string }}
 */
function playerNames(state, tree) {
  const tags = new Map(tree.tags);
  const start = { ...tree, depth: 0 };
  const players = gamePlayers(state, tree);
  /** @param {Side} side */
  const name = (side) =>
    visibleText(tags.get(PLAYER_TAGS[side]) ?? "") || playerAt(players, start, side).name;
  return { south: name("south"), north: name("north") };
}

/** @returns {Panel} */
export function reviewPanel() {
  /** @type {ReviewRun | null} */
  let run = null;
  const runFor = (/** @type {App} */ app) => (run ??= createReviewRun(app));
  return {
    id: "review",
    title: texts.review.title,
    start: (app) => beginWhenOpened(app, runFor(app)),
    create: (element, app) => createReview(element, app, runFor(app)),
  };
}

/**
 * Begins the review of a game when its panel opens, and of another game that opens beside it.
 *
 * @param {App} app
 * @param {ReviewRun} run
 */
function beginWhenOpened(app, run) {
  app.subscribe(({ tree, panel, mode, analysisLock }, previous) => {
    const isOpened =
      panel === "review" &&
      (previous.panel !== "review" || (mode === "explore" && tree?.start !== previous.tree?.start));
    if (!tree || !isOpened || analysisLock !== null || reviewedLine(tree).length === 0) {
      return;
    }
    const { start, line, review, running } = run.state();
    const isKnown = start === tree.start && pathOfLine(tree, line) !== null;
    const now = reviewedLine(tree);
    const goesOn =
      isKnown && line.length < now.length && line.every((result, ply) => result === now[ply]);
    if (!isKnown || goesOn || (!review && !running)) {
      void run.begin(tree);
    }
  });
}

/**
 * Returns the cached analysis of the position before a ply.
 *
 * @param {App} app
 * @param {ReviewState} state
 * @param {ReviewedPly} ply
 * @returns {AnalyzeResponse | null}
 */
function analysisBefore({ analysisCache }, { start, line }, { ply }) {
  const before = ply === 1 ? start : line[ply - 2]?.after;
  return before ? analysisCache.cached(before) : null;
}

/** Begins the review of the game on the board. @param {ReviewParts} parts */
function beginReview({ app, run, retry }) {
  const { tree } = app.state();
  if (tree) {
    retry.end();
    void run.begin(tree);
  }
}

/**
 * The contents of the panel for a game.
 *
 * @typedef {object} ReviewView
 * @property {string} intro the reason why there is no review
 * @property {string} status
 * @property {string | null} begin the text of the button that begins a review; `null` without one
 * @property {boolean} running
 * @property {number} progress
 * @property {Review | null} review the results; `null` if none are shown
 */

/**
 * @param {ReviewState} reviewState
 * @param {State} state
 * @param {GameTree} tree
 * @param {number | null} retried the ply for which the person looks for a better move
 * @returns {ReviewView}
 */
function viewOf({ start, line, running, review, error, progress }, state, tree, retried) {
  const isLocked = state.analysisLock !== null;
  const isThisGame = start === tree.start && pathOfLine(tree, line) !== null;
  const isThisLine = isAboutLine({ start, line }, tree) || retried !== null;
  const isEmpty = reviewedLine(tree).length === 0;
  const isComplete = isThisLine && review !== null && review.unproven === 0;
  const mayBegin = !isLocked && !isEmpty && !isComplete && !(running && isThisLine);
  const again = isThisLine ? texts.review.again : texts.review.reviewLine;
  const isShown = !isLocked && isThisGame;
  return {
    intro: state.analysisLock ?? (isEmpty ? texts.review.noMoves : ""),
    status: isShown ? error || statusOf({ running, review }, line.length) : "",
    begin: !mayBegin ? null : isThisGame && review ? again : texts.review.begin,
    running,
    progress,
    review: isShown ? review : null,
  };
}

/**
 * Describes the progress of a review.
 *
 * @param {Pick<ReviewState, "running" | "review">} reviewState
 * @param {number} count the number of plies
 */
function statusOf({ running, review }, count) {
  if (running) {
    return texts.review.analysing(count);
  }
  return review && review.unproven > 0 ? texts.review.unproven(review.unproven) : "";
}

/**
 * Creates the controls of the review: its beginning, its progress and its end.
 *
 * @param {ReviewParts} parts
 */
function createControls(parts) {
  const intro = html("p", { class: "note" });
  const begin = button(texts.review.begin, () => beginReview(parts), { class: "main" });
  const progress = html("progress", { max: 1, value: 0, "aria-label": texts.review.title });
  const stop = button(texts.review.stop, () => parts.run.stop(), { class: "small" });
  const status = html("p", { class: "note", role: "status" });
  return {
    elements: [intro, html("div", { class: "tools" }, begin, progress, stop), status],
    /** @param {ReviewView} view */
    draw(view) {
      setText(intro, view.intro);
      setText(begin, view.begin ?? texts.review.begin);
      begin.hidden = view.begin === null;
      progress.hidden = stop.hidden = !view.running;
      progress.value = view.progress;
      setText(status, view.status);
    },
  };
}

/**
 * Creates the graph with its legend, the buttons to mistakes and the text of the current ply.
 *
 * @param {ReviewParts} parts
 * @param {() => void} onExplain opens the explanation of the grades
 */
function createGraph(parts, onExplain) {
  const graph = createMarginGraph({
    name: texts.review.graph,
    onSelect: (ply) => showPly(parts, ply),
  });
  const legend = html("span");
  const toExplanation = button(texts.review.gradesTitle, onExplain, { class: "text-link" });
  const back = button(texts.review.previousMistake, () => goToMistake(parts, -1), {
    class: "small",
  });
  const ahead = button(texts.review.nextMistake, () => goToMistake(parts, 1), { class: "small" });
  const plyLine = html("p", { class: "summary" });
  const why = html("p", { class: "review-why" });
  const currentPlyBox = html("div", { class: "review-ply", role: "status" }, plyLine, why);
  return {
    elements: [graph.element, html("div", { class: "tools" }, back, ahead), currentPlyBox],
    legend: html("p", { class: "note" }, legend, " ", toExplanation),
    /** @param {Review} review @param {Notation} notation @param {number} current the current ply */
    draw(review, notation, current) {
      const points = graphPoints(review, notation);
      const isRetrying = parts.retry.ply() !== null;
      const isLast = (/** @type {1 | -1} */ direction) =>
        String(nextMistake(review.plies, current, direction) === null);
      graph.show(points, Math.min(current, parts.run.state().line.length));
      setText(legend, texts.review.legend(notation.names.south));
      setText(plyLine, isRetrying ? "" : (points[current]?.label ?? ""));
      const ply = isRetrying ? undefined : review.plies[current - 1];
      // The person may look for the better move.
      const reasons = ply ? reasonsText(ply, notation, { tellsBetterMove: false }) : "";
      setText(why, reasons && texts.reasons.why(reasons));
      back.setAttribute("aria-disabled", isLast(-1));
      ahead.setAttribute("aria-disabled", isLast(1));
    },
  };
}

/**
 * Creates the results of the review.
 *
 * @param {ReviewParts} parts
 */
function createResults(parts) {
  const { retry, run } = parts;
  const explanation = createExplanation();
  const graph = createGraph(parts, explanation.open);
  const accuracies = createAccuracies();
  const phases = createPhases();
  const mistakes = createMistakes(parts);
  const highlights = createHighlights(parts);
  /** The review, the names and the labels that the mistakes and the accuracies show. */
  let drawn = /** @type {{ review: Review | null, text: string }} */ ({ review: null, text: "" });

  /** @param {Review} review @param {State} state @param {GameTree} tree */
  function draw(review, state, tree) {
    const notation = {
      names: playerNames(state, tree),
      houses: tree.start.houses,
      labels: state.settings.labels,
    };
    const current = currentPly(parts, tree);
    graph.draw(review, notation, current);
    const ply = review.plies[current - 1];
    retry.draw(notation, review.plies, {
      mistake: ply?.grade ? ply : null,
      line: linePath(parts, tree),
    });
    const { running } = run.state();
    const text = JSON.stringify([notation, running]);
    if (drawn.review !== review || drawn.text !== text) {
      drawn = { review, text };
      mistakes.draw({ review, notation, running });
      highlights.draw({ review, notation });
      accuracies.draw({ review, notation, running });
      phases.draw({ review, notation });
    }
  }

  const element = html(
    "div",
    { class: "review-results" },
    html("div", { class: "review-part" }, ...graph.elements, retry.element),
    html(
      "div",
      { class: "review-part" },
      mistakes.element,
      highlights.element,
      accuracies.opening,
      accuracies.table,
      phases.element,
      graph.legend,
      explanation.element,
      accuracies.formula,
    ),
  );
  return { element, draw };
}

/**
 * @param {HTMLElement} element
 * @param {App} app
 * @param {ReviewRun} run
 */
function createReview(element, app, run) {
  const retry = createRetryBox(app, {
    analysisBefore: (ply) => analysisBefore(app, run.state(), ply),
    onNext: () => goToMistake(parts, 1),
  });
  /** @type {ReviewParts} */
  const parts = { app, run, retry };
  const controls = createControls(parts);
  const results = createResults(parts);
  element.append(...controls.elements, results.element);
  listenForMistakeKeys(parts, () => !results.element.hidden);

  return (/** @type {State} */ state) => {
    const { tree } = state;
    if (tree) {
      const view = viewOf(run.state(), state, tree, retry.ply());
      controls.draw(view);
      results.element.hidden = view.review === null;
      if (view.review) {
        results.draw(view.review, state, tree);
      }
    }
  };
}
