/**
 * "Find a better move": shows the position before a mistake, and judges the moves that the person
 * tries there.
 */

import { editInExploreMode } from "../game/modes.js";
import { currentNode, goTo, path } from "../game/tree.js";
import { texts } from "../texts/texts.js";

/** @import { Analysis, Move, ReviewedPly } from "../types/api.d.ts" */
/** @import { App, GameTree } from "../types/app.d.ts" */

/**
 * A judgement on a move: `best` if it is proven that no move is better; `improvement` if it is better
 * than the move of the game and may be the best; `better`, `equal` or `worse` than the move of the
 * game by its proven cost; `same` for the move of the game; or `unknown` if nothing of this is proven.
 * `cost` is the least cost of the move, in seeds.
 *
 * @typedef {"best" | "improvement" | "better" | "equal" | "worse" | "same" | "unknown"} VerdictKind
 * @typedef {{ kind: VerdictKind, cost: number }} Verdict
 */

/**
 * Judges a move instead of a mistake.
 *
 * @param {Pick<ReviewedPly, "move" | "better_moves" | "cost">} mistake
 * @param {Pick<Analysis, "moves">} before the analysis of the position before the mistake
 * @param {Move} tried
 * @returns {Verdict}
 */
export function judgeMove({ move: played, better_moves: better, cost }, { moves }, tried) {
  if (tried === played) {
    return { kind: "same", cost: cost.lower };
  }
  const bounds = moves.find(({ move }) => move === tried);
  const game = moves.find(({ move }) => move === played);
  if (bounds && moves.every(({ move, upper }) => move === tried || upper <= bounds.lower)) {
    return { kind: "best", cost: 0 };
  }
  if (better.includes(tried)) {
    return { kind: "improvement", cost: 0 };
  }
  if (!bounds || !game) {
    return { kind: "unknown", cost: 0 };
  }
  const least = Math.max(0, Math.max(...moves.map(({ lower }) => lower)) - bounds.upper);
  if (bounds.lower > game.upper) {
    return { kind: least > 0 ? "better" : "improvement", cost: least };
  }
  if (bounds.upper < game.lower) {
    return { kind: "worse", cost: least };
  }
  const isEqual = bounds.exact && game.exact;
  return { kind: isEqual ? "equal" : "unknown", cost: least };
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
 * @param {App} app
 * @param {(ply: ReviewedPly) => Analysis | null} analysisBefore returns the analysis of the position
 *   before a ply
 */
export function createRetry(app, analysisBefore) {
  /** @type {Retry | null} */
  let now = null;
  /** Whether the board has to return to the position before the mistake after the animation. */
  let takesBack = false;

  /**
   * Sets the retry. The scores would tell the answer while the person looks for it.
   *
   * @param {Retry | null} retry
   */
  function set(retry) {
    now = retry;
    const isAsking = retry?.phase === "asking";
    app.actions.setScoresLock(isAsking ? texts.review.scoresHiddenInRetry : null);
  }

  /** @param {Retry} retry */
  const before = ({ tree, mistake }) => goTo(tree, tree.line.slice(0, mistake.ply - 1));

  /**
   * Shows the position before a mistake.
   *
   * @param {ReviewedPly} mistake
   * @param {number[]} line the path of the reviewed line
   */
  function begin(mistake, line) {
    end();
    const { tree } = app.state();
    if (tree) {
      /** @type {Retry} */
      const retry = {
        mistake,
        tree: goTo(tree, line),
        verdict: null,
        tried: null,
        phase: "asking",
      };
      set(retry);
      const game = before(retry);
      takesBack = false;
      editInExploreMode(app, () => game);
    }
  }

  /** Ends the retry and removes the tries from the game. */
  function end() {
    if (now) {
      const game = before(now);
      set(null);
      if (app.state().tree?.start === game.start) {
        app.actions.editTree(() => game);
      }
    }
  }

  /** Shows the best move. */
  function giveUp() {
    const best = now?.mistake.better_moves[0];
    if (now && best) {
      const game = before(now);
      set({ ...now, phase: "shown" });
      app.actions.editTree(() => game);
      void app.actions.makeMove(best);
    }
  }

  app.subscribe((state, previous) => {
    const { tree, animation } = state;
    if (!now || !tree) {
      return;
    }
    if (tree.start !== now.tree.start || state.mode !== "explore") {
      set(null);
      return;
    }
    if (takesBack && !animation) {
      takesBack = false;
      const game = before(now);
      app.actions.editTree(() => game);
      return;
    }
    const at = path(tree);
    const { ply } = now.mistake;
    const start = now.tree.line.slice(0, ply - 1);
    const isInside = start.every((index, place) => at[place] === index);
    if (tree === previous.tree || (isInside && at.length === start.length)) {
      return;
    }
    if (!isInside || at.length > ply) {
      // The person has gone to another position.
      set(null);
    } else if (now.phase === "asking") {
      const tried = currentNode(tree)?.moveResult.move ?? "";
      const analysis = analysisBefore(now.mistake);
      const verdict = judgeMove(now.mistake, analysis ?? { moves: [] }, tried);
      takesBack = verdict.kind !== "best" && verdict.kind !== "improvement";
      set({ ...now, tried, verdict, phase: takesBack ? "asking" : "solved" });
    }
    app.actions.refresh();
  });

  return { begin, end, giveUp, state: () => now };
}
