/**
 * "Find a better move": shows the position before a mistake, and judges the moves that the person
 * tries there.
 */

import { editInExploreMode } from "../game/modes.js";
import { currentNode, goTo, path } from "../game/tree.js";
import { texts } from "../texts/texts.js";

/** @import { AnalyzeResponse, Move, ReviewedPly } from "../types/api.d.ts" */
/** @import { App, GameTree, State } from "../types/app.d.ts" */

/**
 * A judgement on a move: `best` if it is proven that no move is better; `improvement` if it is better
 * than the move of the game and may be the best; `better`, `equal` or `worse` than the move of the
 * game by its proven cost; `same` for the move of the game; or `unknown` if nothing of this is proven.
 * `cost` is the least cost of the move, in seeds, and `isExact` tells whether it costs no more.
 *
 * @typedef {"best" | "improvement" | "better" | "equal" | "worse" | "same" | "unknown"} VerdictKind
 * @typedef {{ kind: VerdictKind, cost: number, isExact: boolean }} Verdict
 */

/**
 * Judges a move instead of a mistake.
 *
 * @param {Pick<ReviewedPly, "move" | "better_moves" | "cost">} mistake
 * @param {Pick<AnalyzeResponse, "moves">} before the analysis of the position before the mistake
 * @param {Move} tried
 * @returns {Verdict}
 */
export function judgeMove({ move: played, better_moves: better, cost }, { moves }, tried) {
  if (tried === played) {
    return { kind: "same", cost: cost.lower, isExact: cost.exact };
  }
  const bounds = moves.find(({ move }) => move === tried);
  const game = moves.find(({ move }) => move === played);
  if (bounds && moves.every(({ move, upper }) => move === tried || upper <= bounds.lower)) {
    return { kind: "best", cost: 0, isExact: true };
  }
  if (better.includes(tried)) {
    return { kind: "improvement", cost: 0, isExact: false };
  }
  if (!bounds || !game) {
    return { kind: "unknown", cost: 0, isExact: false };
  }
  const [lower, upper] = [
    Math.max(...moves.map((move) => move.lower)),
    Math.max(...moves.map((move) => move.upper)),
  ];
  const least = Math.max(0, lower - bounds.upper);
  const isExact = bounds.exact && lower === upper;
  if (bounds.lower > game.upper) {
    return { kind: least > 0 ? "better" : "improvement", cost: least, isExact };
  }
  if (bounds.upper < game.lower) {
    return { kind: "worse", cost: least, isExact };
  }
  const isEqual = bounds.exact && game.exact;
  return { kind: isEqual ? "equal" : "unknown", cost: least, isExact };
}

/**
 * @typedef {object} Retry
 * @property {ReviewedPly} mistake
 * @property {GameTree} tree the game before the tries
 * @property {Verdict | null} verdict on the last try
 * @property {Move | null} tried
 * @property {"asking" | "solved" | "shown"} phase
 */

/**
 * The parts of a retry that the page knows.
 *
 * @typedef {object} RetryParts
 * @property {App} app
 * @property {(ply: ReviewedPly) => AnalyzeResponse | null} analysisBefore returns the analysis of
 *   the position before a ply
 * @property {Retry | null} retry
 * @property {boolean} mustReturn whether the board has to return to the position before the mistake
 *   after the animation
 */

/**
 * Sets the retry. The scores would tell the answer while the person looks for it.
 *
 * @param {RetryParts} parts
 * @param {Retry | null} retry
 */
function setRetry(parts, retry) {
  parts.retry = retry;
  const isAsking = retry?.phase === "asking";
  parts.app.actions.setScoresLock(isAsking ? texts.review.scoresHiddenInRetry : null);
}

/** Returns the game at the position before the mistake. @param {Retry} retry */
const gameBefore = ({ tree, mistake }) => goTo(tree, tree.line.slice(0, mistake.ply - 1));

/**
 * Shows the position before a mistake.
 *
 * @param {RetryParts} parts
 * @param {ReviewedPly} mistake
 * @param {number[]} line the path of the reviewed line
 */
function begin(parts, mistake, line) {
  end(parts);
  const { tree } = parts.app.state();
  if (tree) {
    /** @type {Retry} */
    const retry = {
      mistake,
      tree: goTo(tree, line),
      verdict: null,
      tried: null,
      phase: "asking",
    };
    setRetry(parts, retry);
    parts.mustReturn = false;
    editInExploreMode(parts.app, () => gameBefore(retry));
  }
}

/**
 * Shows the position before the mistake, in the game without the tries. A move that is requested
 * does not follow.
 *
 * @param {App} app
 * @param {Retry} retry
 */
function returnToMistake({ actions }, retry) {
  const game = gameBefore(retry);
  actions.editTree(() => game);
  actions.goTo(path(game));
}

/** Ends the retry and removes the tries from the game. @param {RetryParts} parts */
function end(parts) {
  const { app, retry } = parts;
  if (retry) {
    setRetry(parts, null);
    if (app.state().tree?.start === retry.tree.start) {
      returnToMistake(app, retry);
    }
  }
}

/** Shows the best move. @param {RetryParts} parts */
function giveUp(parts) {
  const { app, retry } = parts;
  const best = retry?.mistake.better_moves[0];
  if (retry && best) {
    setRetry(parts, { ...retry, phase: "shown" });
    returnToMistake(app, retry);
    void app.actions.makeMove(best);
  }
}

/**
 * Judges the move that the person has tried.
 *
 * @param {RetryParts} parts
 * @param {Retry} retry
 * @param {GameTree} tree the game after the move
 */
function judgeTry(parts, retry, tree) {
  const tried = currentNode(tree)?.moveResult.move ?? "";
  const analysis = parts.analysisBefore(retry.mistake);
  const verdict = judgeMove(retry.mistake, analysis ?? { moves: [] }, tried);
  const isSolved = verdict.kind === "best" || verdict.kind === "improvement";
  parts.mustReturn = !isSolved;
  setRetry(parts, { ...retry, tried, verdict, phase: isSolved ? "solved" : "asking" });
}

/**
 * Follows the game on the board: judges a move, takes it back, or ends the retry.
 *
 * @param {RetryParts} parts
 * @param {State} state
 * @param {State} previous
 */
function updateRetry(parts, { tree, animation, mode }, previous) {
  const { app, retry } = parts;
  if (!retry || !tree) {
    return;
  }
  if (tree.start !== retry.tree.start || mode !== "explore") {
    setRetry(parts, null);
    return;
  }
  if (parts.mustReturn && !animation) {
    parts.mustReturn = false;
    returnToMistake(app, retry);
    return;
  }
  const at = path(tree);
  const { ply } = retry.mistake;
  const pathToMistake = retry.tree.line.slice(0, ply - 1);
  const isAfterPath = pathToMistake.every((index, place) => at[place] === index);
  if (tree === previous.tree || (isAfterPath && at.length === pathToMistake.length)) {
    return;
  }
  if (!isAfterPath || at.length > ply) {
    // The person has gone to another position.
    setRetry(parts, null);
  } else if (retry.phase === "asking") {
    judgeTry(parts, retry, tree);
  }
  app.actions.refresh();
}

/**
 * @param {App} app
 * @param {RetryParts["analysisBefore"]} analysisBefore
 */
export function createRetry(app, analysisBefore) {
  /** @type {RetryParts} */
  const parts = { app, analysisBefore, retry: null, mustReturn: false };
  app.subscribe((state, previous) => updateRetry(parts, state, previous));
  return {
    /** @param {ReviewedPly} mistake @param {number[]} line the path of the reviewed line */
    begin: (mistake, line) => begin(parts, mistake, line),
    end: () => end(parts),
    giveUp: () => giveUp(parts),
    state: () => parts.retry,
  };
}
