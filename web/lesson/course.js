/**
 * The course of lessons: the exercise on the board, the judgement of the solver on the moves that the
 * person tries, and the solution played out. It is a mode; the game before it comes back at its end.
 */

import { moveLabel } from "../board/labels.js";
import { errorText, isAbort } from "../engine/errors.js";
import { currentNode, newTree } from "../game/tree.js";
import { reasonsText } from "../review/reasons.js";
import { changeStored, load, onOtherTabChange } from "../storage/values.js";
import { texts } from "../texts/texts.js";
import { COURSE, exerciseId } from "./exercises.js";
import { costOf, parseSolved, solutions } from "./judge.js";
import { LESSON_RULES } from "./steps.js";

/** @import { AnalyzeResponse, Move, MoveResult, Position } from "../types/api.d.ts" */
/** @import { App, Mode, Players, State } from "../types/app.d.ts" */
/** @import { ChangeOptions } from "../storage/values.js" */
/** @import { CourseLesson } from "./exercises.js" */

/** The mode of the board while it shows an exercise. */
export const COURSE_MODE = "course";

/** The name of the stored progress: the list of the ids of solved exercises. */
const STORAGE_KEY = "course";

/** The time limit of the proof of an exercise, in seconds; it takes a fraction of it. */
const PROOF_SECONDS = 10;

/** The pause between two moves of the solution, in milliseconds. */
const PAUSE_MS = 700;

/** The maximum number of moves of the solution that are played out. */
const MAX_PLAYED_MOVES = 8;

/** @type {Players} */
const PLAYERS = {
  south: { kind: "person" },
  north: { kind: "remote", name: texts.lesson.otherPlayer },
};

/**
 * An exercise with the proof of its position.
 *
 * @typedef {object} Exercise
 * @property {CourseLesson} lesson
 * @property {number} index
 * @property {Position} start
 * @property {AnalyzeResponse} proof
 */

/**
 * @typedef {object} CourseState
 * @property {"none" | "loading" | "asking" | "solved" | "shown"} phase
 * @property {Exercise | null} exercise
 * @property {Move | null} tried the last move that the person has tried
 * @property {string} why sentences about that move
 * @property {ReadonlySet<string>} solved the ids of the solved exercises
 * @property {string} error
 */

/**
 * The course with its parts.
 *
 * @typedef {object} CourseData
 * @property {App} app
 * @property {number} pauseMs
 * @property {ChangeOptions} storageOptions
 * @property {CourseState} state
 * @property {AbortController} control aborts the requests of the exercise before
 * @property {Move[]} toPlay the moves of the solution that are still to be played
 * @property {ReturnType<typeof setTimeout> | undefined} timer of the next move of the solution
 */

/** @param {ChangeOptions} options */
const storedSolved = ({ storage }) => parseSolved(load(STORAGE_KEY, storage));

/** @param {CourseData} course @param {Partial<CourseState>} change */
function update(course, change) {
  const { app } = course;
  course.state = { ...course.state, ...change };
  const isLocked = course.state.phase === "asking";
  const { analysisLock } = app.state();
  if (isLocked && analysisLock === null) {
    app.actions.setAnalysisLock(texts.course.locked);
  } else if (!isLocked && analysisLock === texts.course.locked) {
    app.actions.setAnalysisLock(null);
  }
  app.actions.refresh();
}

/** Ends the requests and the played solution of the last exercise. @param {CourseData} course */
function reset(course) {
  course.control.abort();
  course.control = new AbortController();
  clearTimeout(course.timer);
  course.toPlay = [];
  return course.control.signal;
}

/** Shows an exercise. @param {CourseData} course @param {CourseLesson} lesson @param {number} index */
async function open(course, lesson, index) {
  const { app } = course;
  const signal = reset(course);
  const position = lesson.positions[index];
  if (position === undefined) {
    return;
  }
  update(course, { phase: "loading", tried: null, why: "", error: "" });
  try {
    const body = { rules: LESSON_RULES, position };
    const start = await app.engine.request("position", body, signal);
    const proof = await app.analysisCache.analyze(start, { seconds: PROOF_SECONDS, signal });
    signal.throwIfAborted();
    app.actions.enterMode(COURSE_MODE, newTree(start), PLAYERS);
    update(course, { phase: "asking", exercise: { lesson, index, start, proof } });
  } catch (error) {
    if (!isAbort(error)) {
      update(course, { phase: "none", exercise: null, error: errorText(error) });
    }
  }
}

/** Counts the exercise as solved. @param {CourseData} course @param {Exercise} exercise */
function count(course, { lesson, index }) {
  const add = (/** @type {ReadonlySet<string>} */ solved) =>
    new Set([...solved, exerciseId(lesson, index)]);
  update(course, { solved: add(course.state.solved) });
  void changeStored(STORAGE_KEY, (stored) => [...add(parseSolved(stored))], course.storageOptions);
}

/**
 * Returns the sentences about a move: those of a review of this move alone.
 *
 * @param {CourseData} course
 * @param {Position} start
 * @param {MoveResult} moveResult
 */
async function explain({ app, control }, start, moveResult) {
  const { signal } = control;
  const { after } = moveResult;
  await app.analysisCache.analyze(after, { seconds: PROOF_SECONDS, signal });
  const game = { start, line: [moveResult], openingPlies: 0 };
  const review = await app.analysisCache.review(game, signal);
  signal.throwIfAborted();
  const [ply] = review.plies;
  const notation = { houses: start.houses, labels: app.state().settings.labels };
  return ply ? reasonsText(ply, notation, { tellsBetterMove: false }) : "";
}

/** Judges a move and shows it on the board. @param {CourseData} course @param {Move} move */
async function requestMove(course, move) {
  const { app } = course;
  const { exercise, phase } = course.state;
  if (!exercise || phase !== "asking" || app.state().animation) {
    return;
  }
  const { lesson, proof, start } = exercise;
  const isSolved = solutions(lesson.goal, proof).includes(move);
  const isMade = await app.actions.makeMove(move);
  if (!isMade || course.state.exercise !== exercise) {
    return;
  }
  if (isSolved) {
    count(course, exercise);
    course.toPlay = proof.line[0] === move ? proof.line.slice(1, MAX_PLAYED_MOVES) : [];
  }
  update(course, { phase: isSolved ? "solved" : "asking", tried: move, why: "" });
  const { tree } = app.state();
  const result = tree ? currentNode(tree)?.moveResult : undefined;
  try {
    const why = result ? await explain(course, start, result) : "";
    if (course.state.exercise === exercise && course.state.tried === move) {
      update(course, { why });
    }
  } catch (error) {
    // The judgement stands without the sentences.
    if (!isAbort(error)) {
      update(course, { error: errorText(error) });
    }
  }
}

/** Shows the solution. @param {CourseData} course */
function giveUp(course) {
  const { phase, exercise } = course.state;
  if (phase === "asking" && exercise) {
    const { line, best } = exercise.proof;
    update(course, { phase: "shown", tried: null, why: "" });
    course.app.actions.editTree(() => newTree(exercise.start));
    course.toPlay = line.length > 0 ? line.slice(0, MAX_PLAYED_MOVES) : best ? [best] : [];
    playOn(course);
  }
}

/** Plays the next move of the solution. @param {CourseData} course */
function playOn(course) {
  const [move, ...rest] = course.toPlay;
  if (move && course.app.state().mode === COURSE_MODE) {
    course.toPlay = rest;
    void course.app.actions.makeMove(move);
  }
}

/**
 * Follows the board: takes a wrong move back, plays the solution, or ends with the mode.
 *
 * @param {CourseData} course
 * @param {State} state
 * @param {State} previous
 */
function follow(course, { tree, mode, animation, busy }, previous) {
  const { exercise, phase, tried } = course.state;
  if (phase === "none" || phase === "loading" || !exercise || !tree) {
    return;
  }
  if (mode !== COURSE_MODE) {
    reset(course);
    update(course, { phase: "none", exercise: null, tried: null, why: "" });
    return;
  }
  if (animation || busy || tree.start !== exercise.start) {
    return;
  }
  if (phase === "asking" && tried !== null && tree.depth > 0) {
    course.app.actions.editTree(() => newTree(exercise.start));
  } else if (course.toPlay.length > 0 && (previous.animation || tree !== previous.tree)) {
    clearTimeout(course.timer);
    course.timer = setTimeout(() => playOn(course), course.pauseMs);
  }
}

/** @param {CourseData} course @returns {Mode} */
const courseMode = (course) => ({
  canMove: ({ tree, animation, busy }) =>
    course.state.phase === "asking" &&
    tree !== null &&
    tree.depth === 0 &&
    !animation &&
    busy?.kind !== "sow",
  requestMove: (move) => void requestMove(course, move),
  undo() {},
  redo() {},
  can: () => false,
  hidesControls: () => true,
  status: ({ settings, animation }) =>
    animation ? null : courseText(course.state, settings.labels),
});

/**
 * Describes the exercise on the board and the last try.
 *
 * @param {Pick<CourseState, "phase" | "exercise" | "tried" | "error">} state
 * @param {State["settings"]["labels"]} labels
 */
export function courseText({ phase, exercise, tried, error }, labels) {
  if (error) {
    return error;
  }
  if (phase === "loading") {
    return texts.course.loading;
  }
  if (!exercise) {
    return texts.course.intro;
  }
  const { lesson, proof, start } = exercise;
  const label = (/** @type {Move} */ move) => moveLabel(move, start.houses, labels);
  if (phase === "shown") {
    return texts.course.solution(solutions(lesson.goal, proof).map(label));
  }
  if (tried === null) {
    return texts.course.goals[lesson.goal];
  }
  if (phase === "solved") {
    return lesson.goal === "win"
      ? texts.course.wins(label(tried))
      : texts.course.isBest(label(tried));
  }
  return lesson.goal === "win"
    ? texts.course.winsNot(label(tried))
    : texts.course.costs(label(tried), costOf(proof, tried));
}

/**
 * Creates the course and registers its mode.
 *
 * @param {App} app
 * @param {{ pauseMs?: number, storageOptions?: ChangeOptions }} [options]
 */
export function createCourse(app, { pauseMs = PAUSE_MS, storageOptions = {} } = {}) {
  /** @type {CourseData} */
  const course = {
    app,
    pauseMs,
    storageOptions,
    state: {
      phase: "none",
      exercise: null,
      tried: null,
      why: "",
      solved: storedSolved(storageOptions),
      error: "",
    },
    control: new AbortController(),
    toPlay: [],
    timer: undefined,
  };
  app.subscribe((state, previous) => follow(course, state, previous));
  const followTabs = () => update(course, { solved: storedSolved(storageOptions) });
  onOtherTabChange(STORAGE_KEY, followTabs, storageOptions.page);
  app.registerMode(COURSE_MODE, courseMode(course));
  return {
    /** Shows an exercise. @param {CourseLesson} lesson @param {number} index */
    open: (lesson, index) => open(course, lesson, index),
    giveUp: () => giveUp(course),
    state: () => course.state,
  };
}

/**
 * Returns the exercise after this one, in the same lesson or the next; `null` after the last.
 *
 * @param {Pick<Exercise, "lesson" | "index">} exercise
 * @returns {{ lesson: CourseLesson, index: number } | null}
 */
export function exerciseAfter({ lesson, index }) {
  if (index + 1 < lesson.positions.length) {
    return { lesson, index: index + 1 };
  }
  const next = COURSE[COURSE.indexOf(lesson) + 1];
  return next ? { lesson: next, index: 0 } : null;
}

/** @typedef {ReturnType<typeof createCourse>} Course */
