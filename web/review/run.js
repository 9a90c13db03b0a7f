/**
 * The review of a game: analyzes the positions of a line, the last first, and requests the review
 * with the analyses so far. It runs on while its panel is closed.
 */

import { isProven } from "../analysis/cache.js";
import { errorText, isAbort } from "../engine/errors.js";
import { moveResultsTo } from "../game/tree.js";
import { keepMistakes } from "../puzzles/mistakes.js";
import { texts } from "../texts/texts.js";
import { shownGrade } from "./descriptions.js";

/** @import { MoveResult, Position, Review, ReviewedPly } from "../types/api.d.ts" */
/** @import { App, GameTree, State } from "../types/app.d.ts" */

/**
 * The time limit of each position in the first and in the second round, in seconds. The second
 * round repeats only positions that are not proven.
 */
const ROUND_TIMES_S = [0.25, 3];

/** The tag with the number of plies at the begin of the main line that a tournament made. */
const OPENING_PLIES = "OpeningPlies";

/** The minimum time between two updates of a running review, in milliseconds. */
const UPDATE_INTERVAL_MS = 500;

/**
 * The game that is reviewed, and its review so far.
 *
 * @typedef {object} ReviewState
 * @property {Position | null} start `null` before the first review
 * @property {MoveResult[]} line
 * @property {number} openingPlies the plies at its begin that have no grade
 * @property {boolean} running
 * @property {number} progress the share of the analyses that are done
 * @property {Review | null} review with the analyses so far
 * @property {string} error empty without an error
 */

/** @type {Readonly<ReviewState>} */
const INITIAL_REVIEW = {
  start: null,
  line: [],
  openingPlies: 0,
  running: false,
  progress: 0,
  review: null,
  error: "",
};

/**
 * Returns the grades of the moves of a line that have one.
 *
 * @param {Pick<ReviewedPly, "grade" | "reasons">[]} plies
 * @param {MoveResult[]} line
 * @returns {State["grades"]}
 */
const gradesOf = (plies, line) =>
  new Map(
    plies.flatMap((ply, index) => {
      const grade = shownGrade(ply);
      const moveResult = line[index];
      return grade && moveResult ? [[moveResult, grade]] : [];
    }),
  );

/**
 * Returns the path of a line in a game, or `null` if the game does not have the line.
 *
 * @param {Pick<GameTree, "children">} tree
 * @param {MoveResult[]} line
 * @returns {number[] | null}
 */
export function pathOfLine(tree, line) {
  const indices = [];
  let siblings = tree.children;
  for (const moveResult of line) {
    const index = siblings.findIndex((node) => node.moveResult === moveResult);
    indices.push(index);
    siblings = siblings[index]?.children ?? [];
  }
  return indices.includes(-1) ? null : indices;
}

/**
 * Returns the line of a game that a review is about: the current line to its end.
 *
 * @param {GameTree} tree
 */
export const reviewedLine = (tree) => moveResultsTo(tree, tree.line);

/**
 * Returns the number of plies at the begin of the current line that are the opening of a tournament,
 * which no player chose.
 *
 * @param {Pick<GameTree, "tags" | "line">} tree
 */
export function openingPliesOf({ tags, line }) {
  const text = new Map(tags).get(OPENING_PLIES) ?? "";
  const named = /^[0-9]+$/.test(text) ? Number(text) : 0;
  const branch = line.findIndex((index) => index !== 0);
  return Math.min(named, branch === -1 ? line.length : branch);
}

/**
 * Returns whether a review is about the current line of a game.
 *
 * @param {Pick<ReviewState, "start" | "line">} reviewed
 * @param {GameTree} tree
 */
export function isAboutLine({ start, line }, tree) {
  const now = reviewedLine(tree);
  return (
    start === tree.start &&
    now.length === line.length &&
    now.every((moveResult, index) => moveResult === line[index])
  );
}

/**
 * The parts of a run.
 *
 * @typedef {object} Run
 * @property {App} app
 * @property {ReviewState} state
 * @property {AbortController} control aborts the requests
 * @property {Review | null} gradedReview the review whose grades the game shows
 */

/**
 * Changes the state, and the grades that the game shows.
 *
 * @param {Run} run
 * @param {Partial<ReviewState>} change
 */
function update(run, change) {
  const { app } = run;
  run.state = { ...run.state, ...change };
  const { review, line } = run.state;
  const graded = app.state().analysisLock === null ? review : null;
  if (graded !== run.gradedReview) {
    run.gradedReview = graded;
    app.actions.setGrades(gradesOf(graded?.plies ?? [], line));
  }
  app.actions.refresh();
}

/** @param {Run} run */
function stop(run) {
  run.control.abort();
  run.control = new AbortController();
  update(run, { running: false });
}

/**
 * Requests the review with the analyses so far.
 *
 * @param {Run} run
 * @param {AbortSignal} signal
 */
async function updateReview(run, signal) {
  const { start, line, openingPlies } = run.state;
  if (start) {
    const game = { start, line, openingPlies };
    const review = await run.app.analysisCache.review(game, signal);
    signal.throwIfAborted();
    update(run, { review });
  }
}

/**
 * Analyzes all positions in rounds and updates the review meanwhile.
 *
 * @param {Run} run
 * @param {Position[]} positions
 * @param {AbortSignal} signal
 */
async function analyzeAll(run, positions, signal) {
  const { analysisCache } = run.app;
  let updatedAt = -Infinity;
  for (const [round, seconds] of ROUND_TIMES_S.entries()) {
    // Late positions make the analysis of earlier ones faster.
    for (const [index, at] of [...positions].reverse().entries()) {
      const analysis = analysisCache.cached(at);
      if (!analysis || !isProven(analysis)) {
        await analysisCache.analyze(at, { seconds, signal });
      }
      if (performance.now() - updatedAt > UPDATE_INTERVAL_MS) {
        await updateReview(run, signal);
        updatedAt = performance.now();
      }
      const share = (index + 1) / positions.length;
      update(run, { progress: (round + share) / ROUND_TIMES_S.length });
    }
  }
  await updateReview(run, signal);
}

/**
 * Reviews the current line of a game, or continues its review.
 *
 * @param {Run} run
 * @param {GameTree} tree
 */
async function begin(run, tree) {
  stop(run);
  const { signal } = run.control;
  const line = reviewedLine(tree);
  const positions = [tree.start, ...line.map(({ after }) => after)];
  update(run, {
    ...(isAboutLine(run.state, tree) ? {} : { ...INITIAL_REVIEW, start: tree.start, line }),
    openingPlies: openingPliesOf(tree),
    running: true,
    progress: 0,
    error: "",
  });
  try {
    await analyzeAll(run, positions, signal);
    update(run, { running: false });
    run.app.announce(texts.review.ready);
    keepMistakes(run.app.state(), run.state);
  } catch (error) {
    if (!signal.aborted && !isAbort(error)) {
      const message = errorText(error);
      update(run, { running: false, error: message });
    }
  }
}

/**
 * Follows the game on the board: stops the review of a game that goes on or is left.
 *
 * @param {Run} run
 * @param {State} state
 * @param {State} previous
 */
function follow(run, { tree, mode, analysisLock }, previous) {
  const { start, running } = run.state;
  const isLeft = tree !== null && start !== null && tree.start !== start;
  const goesOn = tree !== null && mode !== "explore" && !isAboutLine(run.state, tree);
  if (running && (analysisLock || isLeft || goesOn)) {
    stop(run);
  } else if (analysisLock !== previous.analysisLock) {
    update(run, {});
  }
}

/** @param {App} app */
export function createReviewRun(app) {
  /** @type {Run} */
  const run = { app, state: INITIAL_REVIEW, control: new AbortController(), gradedReview: null };
  app.subscribe((state, previous) => follow(run, state, previous));
  return {
    /** Reviews the current line of a game, or continues its review. @param {GameTree} tree */
    begin: (tree) => begin(run, tree),
    stop: () => stop(run),
    state: () => run.state,
  };
}

/** @typedef {ReturnType<typeof createReviewRun>} ReviewRun */
