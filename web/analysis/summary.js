/** Summaries of an analysis: sentences about its result and its progress, and its lines. */

import { detailText } from "../texts/from-server.js";
import { texts } from "../texts/texts.js";
import { knownSentence, marginSentence, movesByScore, southKnown } from "./margins.js";

/** @import { LiveAnalysisState } from "./live-analysis.js" */
/** @import { AnalyzeResponse, AnalyzedMove, Move, Position } from "../types/api.d.ts" */

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
 * @param {AnalyzeResponse} analysis
 */
export function evaluationText(analysis) {
  const south = southKnown(analysis, analysis.to_move);
  return analysis.moves.length === 0
    ? texts.analysis.gameOver(marginSentence(south.margin))
    : knownSentence(south);
}

/**
 * Returns the progress of the analysis, its place in the queue, or its error, in a sentence.
 *
 * @param {LiveAnalysisState} state
 */
export function progressText({ analysis, running, queued, error }) {
  if (error !== null) {
    return error;
  }
  if (queued) {
    return texts.analysis.queued(queued.place, Math.ceil(queued.expected_seconds));
  }
  if (!analysis) {
    return running ? texts.analysis.analysing : "";
  }
  const all = analysis.moves.length;
  const solved = analysis.moves.filter((candidate) => candidate.exact).length;
  if (running) {
    return texts.analysis.analysingMoves(solved, all);
  }
  return all > 0 ? texts.analysis.solvedMoves(solved, all) : "";
}

/**
 * Returns depth, nodes and speed of an analysis, or that it comes from a book, and the damage of an
 * endgame table that it could not use; empty if the game is over.
 *
 * @param {AnalyzeResponse} analysis
 */
export function workText(analysis) {
  const { moves, depth, nodes, nodes_per_second: speed, table_damage: damage } = analysis;
  if (moves.length === 0) {
    return "";
  }
  const work = analysis.is_from_book
    ? texts.analysis.fromBook
    : texts.analysis.work(depth, nodes, speed);
  return damage ? `${work} \u00b7 ${texts.analysis.tableDamage(detailText(damage))}` : work;
}

/**
 * Returns the lines of the best moves, the best line first.
 *
 * @param {AnalyzeResponse} analysis
 * @param {number} count
 * @returns {{ move: AnalyzedMove, line: Move[] }[]}
 */
export function bestLines(analysis, count) {
  return movesByScore(analysis)
    .map((move) => ({
      move,
      line: move.move === analysis.best ? analysis.line : (move.line ?? []),
    }))
    .filter(({ line }) => line.length > 0)
    .slice(0, count);
}
