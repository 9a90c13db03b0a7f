/** The session of puzzles: the puzzle on the board, its tries, and its solution played out. */

import { errorText, isAbort } from "../engine/errors.js";
import { changeStored, load, onOtherTabChange } from "../storage/values.js";
import { newTree } from "../game/tree.js";
import { texts } from "../texts/texts.js";
import { puzzleText } from "./descriptions.js";
import { parseProgress, progressAfter } from "./rating.js";
import { createPuzzleSource } from "./source.js";

/** @import { Move } from "../types/api.d.ts" */
/** @import { App, Mode, Players, State } from "../types/app.d.ts" */
/** @import { ChangeOptions } from "../storage/values.js" */
/** @import { Progress } from "./rating.js" */
/** @import { LoadedPuzzle, PuzzleChoices } from "./source.js" */

/** The mode of the board while it shows a puzzle. */
export const PUZZLE_MODE = "puzzle";

/** The name of the stored progress. */
const STORAGE_KEY = "puzzles";

/** The pause between two moves of the solution, in milliseconds. */
const PAUSE_MS = 600;

/**
 * @typedef {object} PuzzleState
 * @property {"none" | "loading" | "solving" | "solved" | "shown"} phase
 * @property {LoadedPuzzle | null} loaded
 * @property {Move | null} wrong the last wrong try
 * @property {boolean} isCounted whether the progress includes the puzzle
 * @property {number} change the change of the rating by the puzzle
 * @property {Progress} progress
 * @property {string} error
 */

/**
 * The session with its parts.
 *
 * @typedef {object} PuzzleSessionData
 * @property {App} app
 * @property {ReturnType<typeof createPuzzleSource>} source
 * @property {number} pauseMs
 * @property {ChangeOptions} storageOptions
 * @property {PuzzleState} state
 * @property {number} requests the number of requests for a puzzle; only the last one counts
 * @property {number} played the number of moves of the solution that have been played
 * @property {ReturnType<typeof setTimeout> | undefined} timer of the next move of the solution
 */

/** Returns the stored progress. @param {ChangeOptions} options */
const storedProgress = ({ storage }) => parseProgress(load(STORAGE_KEY, storage));

/** @param {ChangeOptions} options @returns {PuzzleState} */
const initialState = (options) => ({
  phase: "none",
  loaded: null,
  wrong: null,
  isCounted: false,
  change: 0,
  progress: storedProgress(options),
  error: "",
});

/** @param {PuzzleSessionData} session @param {Partial<PuzzleState>} change */
function update(session, change) {
  const { app } = session;
  session.state = { ...session.state, ...change };
  const isLocked = session.state.phase === "solving";
  const { analysisLock } = app.state();
  if (isLocked && analysisLock === null) {
    app.actions.setAnalysisLock(texts.puzzles.locked);
  } else if (!isLocked && analysisLock === texts.puzzles.locked) {
    app.actions.setAnalysisLock(null);
  }
  app.actions.refresh();
}

/** Shows the next puzzle. @param {PuzzleSessionData} session @param {PuzzleChoices} choices */
async function next(session, choices) {
  const { app, source } = session;
  session.requests += 1;
  const request = session.requests;
  clearTimeout(session.timer);
  update(session, { phase: "loading", wrong: null, error: "" });
  try {
    const loaded = await source.next(choices, session.state.progress.rating);
    if (request === session.requests) {
      show(session, loaded);
      source.prefetch(choices, session.state.progress.rating);
    }
  } catch (error) {
    if (request === session.requests && !isAbort(error)) {
      const isOnBoard = app.state().mode === PUZZLE_MODE && session.state.loaded !== null;
      update(session, {
        phase: isOnBoard ? "shown" : "none",
        error: errorText(error),
      });
    }
  }
}

/** @param {PuzzleSessionData} session @param {LoadedPuzzle} loaded */
function show(session, loaded) {
  const { to_move: side } = loaded.puzzle;
  /** @type {Players} */
  const players = {
    south: { kind: "remote", name: texts.board.sides.south },
    north: { kind: "remote", name: texts.board.sides.north },
    [side]: { kind: "person" },
  };
  session.app.actions.enterMode(PUZZLE_MODE, newTree(loaded.start), players);
  update(session, { phase: "solving", loaded, wrong: null, isCounted: false, change: 0 });
}

/** Counts the puzzle once. @param {PuzzleSessionData} session @param {{ isSolved: boolean }} result */
function count(session, { isSolved }) {
  const { loaded, isCounted, progress: before } = session.state;
  if (!loaded || isCounted) {
    return;
  }
  /** @param {Progress} last */
  const countAfter = (last) => {
    const progress = progressAfter(last, loaded.puzzle.rating, { isSolved });
    const isOnBoard = session.state.loaded === loaded;
    update(session, {
      progress,
      ...(isOnBoard && { isCounted: true, change: progress.rating - last.rating }),
    });
    return progress;
  };
  countAfter(before);
  // Another tab may have counted a puzzle meanwhile, and the next puzzle may be on the board when
  // this tab has the lock.
  void changeStored(
    STORAGE_KEY,
    (stored) => countAfter(stored === null ? before : parseProgress(stored)),
    session.storageOptions,
  );
}

/** Returns whether the solution is or was shown. @param {PuzzleState} state */
const isEnded = ({ phase }) => phase === "solved" || phase === "shown";

/** Returns whether moves of the solution have still to be played. @param {PuzzleSessionData} session */
const isPlaying = ({ state, played }) =>
  isEnded(state) && played < (state.loaded?.plies.length ?? 0);

/** Plays the next move of the solution. @param {PuzzleSessionData} session */
function playOn(session) {
  const { app, state, played } = session;
  const result = state.loaded?.plies[played];
  if (result && isPlaying(session) && app.state().mode === PUZZLE_MODE) {
    session.played += 1;
    app.actions.applyMove(result);
  }
}

/** @param {PuzzleSessionData} session @param {Move} move */
async function requestMove(session, move) {
  const { actions, state } = session.app;
  const { loaded, phase } = session.state;
  if (!loaded || phase !== "solving" || state().animation) {
    return;
  }
  if (move === loaded.puzzle.solution) {
    count(session, { isSolved: true });
    session.played = 0;
    update(session, { phase: "solved", wrong: null });
    playOn(session);
  } else if (await actions.makeMove(move)) {
    count(session, { isSolved: false });
    update(session, { wrong: move });
  }
}

/** Shows the solution. @param {PuzzleSessionData} session */
function giveUp(session) {
  const { phase, loaded } = session.state;
  if (phase === "solving" && loaded) {
    count(session, { isSolved: false });
    session.played = 0;
    update(session, { phase: "shown", wrong: null });
    session.app.actions.editTree(() => newTree(loaded.start));
    playOn(session);
  }
}

/**
 * Follows the board: takes a wrong move back, plays the solution, or ends with the mode.
 *
 * @param {PuzzleSessionData} session
 * @param {State} state
 * @param {State} previous
 */
function follow(session, { tree, mode, animation }, previous) {
  const { loaded, phase, wrong } = session.state;
  if (phase === "none" || !loaded || !tree) {
    return;
  }
  if (mode !== PUZZLE_MODE) {
    if (phase !== "loading") {
      clearTimeout(session.timer);
      update(session, { phase: "none", loaded: null });
    }
    return;
  }
  if (animation || tree.start !== loaded.start) {
    return;
  }
  if (phase === "solving" && wrong !== null && tree.depth > 0) {
    session.app.actions.editTree(() => newTree(loaded.start));
  } else if (isPlaying(session) && (previous.animation || tree !== previous.tree)) {
    clearTimeout(session.timer);
    session.timer = setTimeout(() => playOn(session), session.pauseMs);
  }
}

/**
 * Returns the mode of puzzles.
 *
 * @param {PuzzleSessionData} session
 * @returns {Mode}
 */
const puzzleMode = (session) => ({
  canMove: ({ tree, animation }) =>
    session.state.phase === "solving" && tree !== null && tree.depth === 0 && !animation,
  requestMove: (move) => void requestMove(session, move),
  can(what, { tree }) {
    const isShown = isEnded(session.state) && !isPlaying(session);
    switch (what) {
      case "undo":
        return isShown && tree !== null && tree.depth > 0;
      case "redo":
        return isShown && tree !== null && tree.depth < tree.line.length;
      default:
        return false;
    }
  },
  status: ({ settings, animation }) =>
    animation ? null : puzzleText(session.state, settings.labels),
});

/**
 * @param {App} app
 * @param {{ source?: ReturnType<typeof createPuzzleSource>, pauseMs?: number, storageOptions?:
 *   ChangeOptions }} [options]
 */
export function createPuzzleSession(
  app,
  { source = createPuzzleSource(app.engine), pauseMs = PAUSE_MS, storageOptions = {} } = {},
) {
  /** @type {PuzzleSessionData} */
  const session = {
    app,
    source,
    pauseMs,
    storageOptions,
    state: initialState(storageOptions),
    requests: 0,
    played: 0,
    timer: undefined,
  };
  app.subscribe((state, previous) => follow(session, state, previous));
  const followTabs = () => update(session, { progress: storedProgress(storageOptions) });
  onOtherTabChange(STORAGE_KEY, followTabs, storageOptions.page);
  app.registerMode(PUZZLE_MODE, puzzleMode(session));
  return {
    /** Shows the next puzzle. @param {PuzzleChoices} choices */
    next: (choices) => next(session, choices),
    giveUp: () => giveUp(session),
    state: () => session.state,
  };
}

/** @typedef {ReturnType<typeof createPuzzleSession>} PuzzleSession */
