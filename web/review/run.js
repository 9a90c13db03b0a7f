/**
 * The review of a game: analyzes the positions of a line, the last first, and requests the review
 * with the analyses so far. It runs on while its panel is closed.
 */

import { isProven } from "../analysis/cache.js";
import { isAbort } from "../engine/errors.js";
import { moveResultsTo } from "../game/tree.js";
import { texts } from "../texts/texts.js";

/** @import { MoveGrade, MoveResult, Position, Review, ReviewedPly } from "../types/api.d.ts" */
/** @import { App, GameTree, State } from "../types/app.d.ts" */

/**
 * The time limit of each position in the first and in the second round, in seconds. The second
 * round repeats only positions that are not proven.
 */
const ROUND_TIMES_S = [0.25, 3];

/** The minimum time between two updates of a running review, in milliseconds. */
const UPDATE_INTERVAL_MS = 500;

/**
 * The game that is reviewed, and its review so far.
 *
 * @typedef {object} ReviewState
 * @property {Position | null} start `null` before the first review
 * @property {MoveResult[]} line
 * @property {boolean} running
 * @property {number} progress the share of the analyses that are done
 * @property {Review | null} review with the analyses so far
 * @property {string} error empty without an error
 */

/** @type {Readonly<ReviewState>} */
const NOTHING = { start: null, line: [], running: false, progress: 0, review: null, error: "" };

/**
 * Returns the grades of the moves of a line that have one.
 *
 * @param {Pick<ReviewedPly, "grade">[]} plies
 * @param {MoveResult[]} line
 * @returns {ReadonlyMap<MoveResult, MoveGrade>}
 */
const gradesOf = (plies, line) =>
  new Map(
    plies.flatMap(({ grade }, index) => {
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

/** @param {App} app */
export function createReviewRun(app) {
  const { analysisCache } = app;
  /** @type {ReviewState} */
  let now = NOTHING;
  let control = new AbortController();

  /** @type {Review | null} */
  let gradedReview = null;

  /** @param {Partial<ReviewState>} change */
  function update(change) {
    now = { ...now, ...change };
    const graded = app.state().analysisLock === null ? now.review : null;
    if (graded !== gradedReview) {
      gradedReview = graded;
      app.actions.setGrades(gradesOf(graded?.plies ?? [], now.line));
    }
    app.actions.refresh();
  }

  function stop() {
    control.abort();
    control = new AbortController();
    update({ running: false });
  }

  /** @param {AbortSignal} signal */
  async function updateReview(signal) {
    if (now.start) {
      const review = await analysisCache.review(now.start, now.line, signal);
      signal.throwIfAborted();
      update({ review });
    }
  }

  /** Reviews the current line of a game, or continues its review. @param {GameTree} tree */
  async function begin(tree) {
    stop();
    const { signal } = control;
    const isSame = isAboutLine(now, tree);
    const line = reviewedLine(tree);
    const positions = [tree.start, ...line.map(({ after }) => after)];
    update({
      ...(isSame ? {} : { ...NOTHING, start: tree.start, line }),
      running: true,
      progress: 0,
      error: "",
    });
    let updatedAt = -Infinity;
    try {
      for (const [round, seconds] of ROUND_TIMES_S.entries()) {
        // Late positions make the analysis of earlier ones faster.
        for (const [index, at] of [...positions].reverse().entries()) {
          const analysis = analysisCache.cached(at);
          if (!analysis || !isProven(analysis)) {
            await analysisCache.analyze(at, { seconds, signal });
          }
          if (performance.now() - updatedAt > UPDATE_INTERVAL_MS) {
            await updateReview(signal);
            updatedAt = performance.now();
          }
          update({
            progress: (round + (index + 1) / positions.length) / ROUND_TIMES_S.length,
          });
        }
      }
      await updateReview(signal);
      update({ running: false });
      app.announce(texts.review.ready);
    } catch (error) {
      if (!signal.aborted && !isAbort(error)) {
        update({ running: false, error: error instanceof Error ? error.message : String(error) });
      }
    }
  }

  app.subscribe((/** @type {State} */ state, previous) => {
    const { tree, mode, analysisLock } = state;
    const isLeft = tree !== null && now.start !== null && tree.start !== now.start;
    const goesOn = tree !== null && mode !== "explore" && !isAboutLine(now, tree);
    if (now.running && (analysisLock || isLeft || goesOn)) {
      stop();
    } else if (analysisLock !== previous.analysisLock) {
      update({});
    }
  });

  return { begin, stop, state: () => now };
}

/** @typedef {ReturnType<typeof createReviewRun>} ReviewRun */
