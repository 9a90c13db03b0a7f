/** Texts about puzzles: the task, the last try, rating and streak. */

import { moveLabel } from "../board/labels.js";
import { texts } from "../texts/texts.js";

/** @import { GameValue, Move, Puzzle } from "../types/api.d.ts" */
/** @import { Run } from "./runs.js" */
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
 * The parts of the state of puzzles that are described.
 *
 * @typedef {Pick<PuzzleState, "phase" | "loaded" | "found" | "wrong" | "change" | "isCounted" |
 *   "error" | "run" | "kind" | "progress">} Described
 */

/**
 * Describes the puzzle on the board and the last try.
 *
 * @param {Described} state
 * @param {Settings["labels"]} labels
 * @returns {string}
 */
export function puzzleText(state, labels) {
  const { phase, loaded, error, run } = state;
  if (error) {
    return error;
  }
  if (phase === "loading") {
    return state.kind === "link" ? texts.puzzleKinds.checking : texts.puzzles.loading;
  }
  if (!loaded || phase === "none") {
    return texts.puzzles.intro;
  }
  if (run?.isOver) {
    return overText(run, state, labels);
  }
  return phase === "solving" ? taskText(state, labels) : endText(state, labels);
}

/** Returns how a house is named. @param {Described} state @param {Settings["labels"]} labels */
const labelOf =
  ({ loaded }, labels) =>
  (/** @type {Move} */ move) =>
    moveLabel(move, loaded?.start.houses ?? 0, labels);

/** Describes the change of the rating. @param {Described} state */
const ratingText = ({ isCounted, change }) =>
  isCounted && change !== 0 ? ` ${texts.puzzles.ratingChange(change)}` : "";

/** Describes what the person has to find. @param {Described} state @param {Settings["labels"]} labels */
function taskText(state, labels) {
  const { loaded, wrong, found } = state;
  if (!loaded) {
    return "";
  }
  const { puzzle } = loaded;
  const count = puzzle.to_find.length;
  if (wrong !== null) {
    const value = found === 0 ? valueOf(puzzle, wrong) : null;
    return texts.puzzles.wrong(labelOf(state, labels)(wrong), value) + ratingText(state);
  }
  if (found > 0) {
    return texts.puzzleKinds.findNext(found + 1, count);
  }
  const task =
    puzzle.value === "win"
      ? texts.puzzles.findWin(puzzle.to_move)
      : texts.puzzles.findDraw(puzzle.to_move);
  return count > 1 ? `${task} ${texts.puzzleKinds.movesToFind(count)}` : task;
}

/** Describes the solution. @param {Described} state @param {Settings["labels"]} labels */
function endText(state, labels) {
  const { phase, loaded } = state;
  if (!loaded) {
    return "";
  }
  const { to_find: toFind, line } = loaded.puzzle;
  const moves = toFind.map((index) => labelOf(state, labels)(line[index] ?? ""));
  const first = moves[0] ?? "";
  const text =
    phase === "solved"
      ? moves.length > 1
        ? texts.puzzleKinds.solvedAll(moves.join(", "))
        : texts.puzzles.solved(first)
      : moves.length > 1
        ? texts.puzzleKinds.shownAll(moves.join(", "))
        : texts.puzzles.shown(first);
  return text + ratingText(state);
}

/**
 * Describes the result of a run.
 *
 * @param {Run} run
 * @param {Described} state
 * @param {Settings["labels"]} labels
 */
function overText({ kind, solved, best }, state, labels) {
  const result =
    solved > best ? texts.puzzleKinds.newBest(solved) : texts.puzzleKinds.result(solved, best);
  return kind === "storm"
    ? `${texts.puzzleKinds.timeUp} ${result}`
    : `${endText({ ...state, change: 0 }, labels)} ${texts.puzzleKinds.streakOver} ${result}`;
}

/** Describes the run so far. @param {Run} run */
export const runText = ({ kind, solved, best }) =>
  kind === "streak"
    ? texts.puzzleKinds.streakProgress(solved, best)
    : texts.puzzleKinds.stormProgress(solved, best);

/** Returns a time as minutes and seconds, such as `2:05`. @param {number} ms */
export function timeText(ms) {
  const seconds = Math.ceil(ms / 1_000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
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
