/** Texts about puzzles: the task, the last try, rating and streak. */

import { moveLabel } from "../board/labels.js";
import { texts } from "../texts/texts.js";

/** @import { GameValue, Move, Puzzle } from "../types/api.d.ts" */
/** @import { Settings } from "../types/app.d.ts" */
/** @import { Progress } from "./rating.js" */
/** @import { PuzzleState } from "./session.js" */

/**
 * Returns the proven result of a move in a puzzle, or `null`.
 *
 * @param {Pick<Puzzle, "moves">} puzzle
 * @param {Move} move
 * @returns {GameValue | null}
 */
export function valueOf({ moves }, move) {
  const bounds = moves.find((candidate) => candidate.move === move);
  if (!bounds) {
    return null;
  }
  if (bounds.lower > 0) {
    return "win";
  }
  if (bounds.upper < 0) {
    return "loss";
  }
  return bounds.exact ? "tie" : null;
}

/**
 * Describes the puzzle on the board and the last try.
 *
 * @param {Pick<PuzzleState, "phase" | "loaded" | "wrong" | "change" | "isCounted" | "error">} state
 * @param {Settings["labels"]} labels
 * @returns {string}
 */
export function puzzleText({ phase, loaded, wrong, change, isCounted, error }, labels) {
  if (error) {
    return error;
  }
  if (phase === "loading") {
    return texts.puzzles.loading;
  }
  if (!loaded || phase === "none") {
    return texts.puzzles.intro;
  }
  const { puzzle, start } = loaded;
  const label = (/** @type {string} */ move) => moveLabel(move, start.houses, labels);
  const rating = isCounted ? ` ${texts.puzzles.ratingChange(change)}` : "";
  switch (phase) {
    case "solved":
      return texts.puzzles.solved(label(puzzle.solution)) + rating;
    case "shown":
      return texts.puzzles.shown(label(puzzle.solution)) + rating;
    case "solving": {
      const task =
        puzzle.value === "win"
          ? texts.puzzles.findWin(puzzle.to_move)
          : texts.puzzles.findDraw(puzzle.to_move);
      return wrong === null
        ? task
        : texts.puzzles.wrong(label(wrong), valueOf(puzzle, wrong)) + rating;
    }
  }
}

/**
 * Describes rating and streak.
 *
 * @param {Progress} progress
 */
export function progressText({ rating, streak, bestStreak, solved, played }) {
  return played === 0
    ? texts.puzzles.firstRating(rating)
    : texts.puzzles.progress({ rating, streak, bestStreak, solved, played });
}
