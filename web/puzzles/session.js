/**
 * The session of puzzles: the puzzle on the board, the tries for its moves, the replies of the
 * opponent, and the line that follows the solution.
 */

import { EngineError, errorText, isAbort } from "../engine/errors.js";
import { newTree } from "../game/tree.js";
import { setFragment } from "../records/address.js";
import { loadLinkedGame } from "../records/records.js";
import { changeStored, load, onOtherTabChange } from "../storage/values.js";
import { texts } from "../texts/texts.js";
import { linkedPuzzle } from "./activities.js";
import { puzzleText } from "./descriptions.js";
import { parseProgress, progressAfter } from "./rating.js";
import { createPuzzleSource } from "./source.js";

/** @import { Move, NoPuzzle } from "../types/api.d.ts" */
/** @import { App, GameTree, Mode, Players, State } from "../types/app.d.ts" */
/** @import { LinkedPuzzle } from "../records/link.js" */
/** @import { ChangeOptions } from "../storage/values.js" */
/** @import { Progress } from "./rating.js" */
/** @import { Run } from "./runs.js" */
/** @import { LoadedPuzzle, PuzzleSource } from "./source.js" */

/** The mode of the board while it shows a puzzle. */
export const PUZZLE_MODE = "puzzle";

/** The name of the stored progress. */
const STORAGE_KEY = "puzzles";

/** The pause between two moves that the page plays, in milliseconds. */
const PAUSE_MS = 600;

/**
 * A way to practise: where its puzzles come from, and what their results mean.
 *
 * @typedef {object} Activity
 * @property {"next" | "daily" | "mistakes" | "link" | "streak" | "storm"} kind
 * @property {(progress: Progress) => Promise<LoadedPuzzle | NoPuzzle | null>} load returns a puzzle,
 *   the reason why a position is none, or `null` if there are no more
 * @property {(isOnBoard: boolean) => void} [onBoard] called when a puzzle is on the board, and when
 *   it no longer waits for a move
 * @property {(result: { isSolved: boolean }) => void} [onEnd] called at the end of each puzzle
 * @property {() => void} [close] called when another activity or game begins
 * @property {() => Run} [run] returns the run of puzzles
 * @property {boolean} isRated whether the results change the rating
 * @property {LinkedPuzzle} [position] the position of a link
 */

/**
 * @typedef {object} PuzzleState
 * @property {"none" | "loading" | "solving" | "solved" | "shown"} phase
 * @property {LoadedPuzzle | null} loaded
 * @property {number} found the number of moves that have been found
 * @property {Move | null} wrong the last wrong try
 * @property {boolean} isCounted whether the first wrong try or the end of the puzzle is counted
 * @property {number} change the change of the rating by the puzzle
 * @property {Progress} progress
 * @property {Activity["kind"] | null} kind
 * @property {Run | null} run
 * @property {string} error
 */

/**
 * The session with its parts.
 *
 * @typedef {object} PuzzleSessionData
 * @property {App} app
 * @property {PuzzleSource} source
 * @property {number} pauseMs
 * @property {ChangeOptions} storageOptions
 * @property {PuzzleState} state
 * @property {Activity | null} activity
 * @property {number} requests the number of requests for a puzzle; only the last one counts
 * @property {number} played the number of plies of the line that have been played
 * @property {GameTree | null} treeBefore the game before a wrong try
 * @property {ReturnType<typeof setTimeout> | undefined} timer of the next move of the line
 * @property {string | null} refused the text about a refused link that is not shown yet
 */

/** Returns the stored progress. @param {ChangeOptions} options */
const storedProgress = ({ storage }) => parseProgress(load(STORAGE_KEY, storage));

/** @param {ChangeOptions} options @returns {PuzzleState} */
const initialState = (options) => ({
  phase: "none",
  loaded: null,
  found: 0,
  wrong: null,
  isCounted: false,
  change: 0,
  progress: storedProgress(options),
  kind: null,
  run: null,
  error: "",
});

/** @param {PuzzleSessionData} session @param {Partial<PuzzleState>} change */
function update(session, change) {
  const { app } = session;
  const run = session.activity?.run?.() ?? null;
  session.state = { ...session.state, kind: session.activity?.kind ?? null, run, ...change };
  const isLocked = session.state.phase === "solving";
  const { analysisLock } = app.state();
  if (isLocked && analysisLock === null) {
    app.actions.setAnalysisLock(texts.puzzles.locked);
  } else if (!isLocked && analysisLock === texts.puzzles.locked) {
    app.actions.setAnalysisLock(null);
  }
  app.actions.refresh();
}

/** Begins an activity with its first puzzle. @param {PuzzleSessionData} session @param {Activity} activity */
function begin(session, activity) {
  session.activity?.close?.();
  session.activity = activity;
  return next(session);
}

/** Shows the next puzzle of the activity. @param {PuzzleSessionData} session */
async function next(session) {
  const { app, activity } = session;
  if (!activity) {
    return;
  }
  session.requests += 1;
  const request = session.requests;
  clearTimeout(session.timer);
  update(session, { phase: "loading", wrong: null, error: "" });
  try {
    const loaded = await activity.load(session.state.progress);
    if (request !== session.requests) {
      return;
    }
    if (loaded === null) {
      end(session, texts.puzzleKinds.noMistakes);
    } else if (typeof loaded === "string") {
      await refuse(session, loaded);
    } else {
      show(session, loaded);
    }
  } catch (error) {
    if (request === session.requests && !isAbort(error)) {
      activity.onBoard?.(false);
      const isOnBoard = app.state().mode === PUZZLE_MODE && session.state.loaded !== null;
      const refused = refusedLinkText(activity, error);
      update(session, {
        phase: isOnBoard ? "shown" : "none",
        error: refused ?? errorText(error),
      });
      session.refused = refused;
      if (app.state().tree === null) {
        leave(session);
      }
      showRefused(session);
    }
  }
}

/**
 * Returns what a person can do about a link that the engine refuses, with the reason; `null` for
 * other errors.
 *
 * @param {Activity} activity
 * @param {unknown} error
 */
function refusedLinkText({ position }, error) {
  const isRefused = position && error instanceof EngineError && !error.isTemporary;
  return isRefused ? texts.links.withReason(texts.links.advice.puzzle, error.message) : null;
}

/**
 * Shows that a link is refused as soon as there is a game beside it, which removes earlier errors.
 *
 * @param {PuzzleSessionData} session
 */
function showRefused(session) {
  const { app, refused } = session;
  if (refused !== null && app.state().tree !== null) {
    session.refused = null;
    // On a phone the panel is below the board.
    app.actions.showError(new Error(refused));
  }
}

/** Returns from a position that cannot be opened to the local game. @param {PuzzleSessionData} session */
function leave({ app }) {
  setFragment("");
  app.actions.resumeLocalGame();
}

/** Ends the activity with a message. @param {PuzzleSessionData} session @param {string} error */
function end(session, error) {
  session.activity?.close?.();
  session.activity = null;
  update(session, { phase: "none", loaded: null, error });
  if (session.app.state().mode === PUZZLE_MODE) {
    leave(session);
  }
}

/**
 * Shows the position of a link that is no puzzle, and the reason.
 *
 * @param {PuzzleSessionData} session
 * @param {NoPuzzle} reason
 */
async function refuse(session, reason) {
  const { app, activity } = session;
  const linked = await loadLinkedGame(app, { ...activity?.position, plies: [], at: null });
  session.activity = null;
  update(session, { phase: "none", loaded: null, error: texts.puzzleKinds.refused[reason] });
  if (linked) {
    setFragment("");
    app.actions.openGame(linked.game, linked.path);
  }
  // On a phone the panel is below the board.
  app.actions.showError(new Error(texts.puzzleKinds.refused[reason]));
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
  session.played = 0;
  session.app.actions.enterMode(PUZZLE_MODE, newTree(loaded.start), players);
  session.activity?.onBoard?.(true);
  update(session, {
    phase: "solving",
    loaded,
    found: 0,
    wrong: null,
    isCounted: false,
    change: 0,
  });
}

/** Counts the puzzle once. @param {PuzzleSessionData} session @param {{ isSolved: boolean }} result */
function count(session, { isSolved }) {
  const { loaded, isCounted, progress: before } = session.state;
  if (!loaded || isCounted) {
    return;
  }
  if (!session.activity?.isRated) {
    update(session, { isCounted: true });
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

/** Returns whether the activity goes on by itself. @param {PuzzleState} state */
const isInRun = ({ run }) => run !== null && !run.isOver;

/**
 * Returns the number of plies after which the page stops to play: before the next move to find, or
 * at the end of the line.
 *
 * @param {PuzzleState} state
 */
function stopAfter({ phase, loaded, found, run }) {
  if (!loaded) {
    return 0;
  }
  const { to_find: toFind } = loaded.puzzle;
  if (phase === "solved" && run && !run.isOver) {
    return (toFind.at(-1) ?? 0) + 1;
  }
  return phase === "solving" ? (toFind[found] ?? 0) : loaded.plies.length;
}

/** Returns whether the page has still to play plies. @param {PuzzleSessionData} session */
const isPlaying = ({ state, played }) =>
  (state.phase === "solving" || isEnded(state)) && played < stopAfter(state);

/** Plays the next ply of the line. @param {PuzzleSessionData} session */
function playOn(session) {
  const { app, state, played } = session;
  const result = state.loaded?.plies[played];
  if (result && isPlaying(session) && app.state().mode === PUZZLE_MODE) {
    session.played += 1;
    app.actions.applyMove(result);
  }
}

/** Ends the puzzle. @param {PuzzleSessionData} session @param {"solved" | "shown"} phase */
function finish(session, phase) {
  const isSolved = phase === "solved";
  count(session, { isSolved });
  session.activity?.onBoard?.(false);
  session.activity?.onEnd?.({ isSolved });
  update(session, { phase, wrong: null });
}

/** @param {PuzzleSessionData} session @param {Move} move */
async function requestMove(session, move) {
  const { actions, state } = session.app;
  const { loaded, phase, found } = session.state;
  if (!loaded || phase !== "solving" || state().animation || isPlaying(session)) {
    return;
  }
  const { to_find: toFind, line } = loaded.puzzle;
  if (move === line[toFind[found] ?? 0]) {
    const isLast = found + 1 === toFind.length;
    session.state = { ...session.state, found: found + 1 };
    if (isLast) {
      finish(session, "solved");
    } else {
      update(session, { wrong: null });
    }
    playOn(session);
  } else if (isInRun(session.state)) {
    session.state = { ...session.state, wrong: move };
    finishRunWithMistake(session);
  } else {
    session.treeBefore = state().tree;
    if (await actions.makeMove(move)) {
      count(session, { isSolved: false });
      update(session, { wrong: move });
    }
  }
}

/** Ends a puzzle of a run with a mistake. @param {PuzzleSessionData} session */
function finishRunWithMistake(session) {
  const { wrong } = session.state;
  finish(session, "shown");
  if (isInRun(session.state)) {
    void next(session);
  } else {
    update(session, { wrong });
    playOn(session);
  }
}

/** Shows the solution. @param {PuzzleSessionData} session */
function giveUp(session) {
  const { phase, loaded, wrong } = session.state;
  if (phase !== "solving" || !loaded) {
    return;
  }
  if (isInRun(session.state)) {
    finishRunWithMistake(session);
    return;
  }
  if (wrong !== null && session.treeBefore) {
    const { treeBefore } = session;
    session.app.actions.editTree(() => treeBefore);
  }
  finish(session, "shown");
  playOn(session);
}

/**
 * Follows the board: takes a wrong move back, plays the replies and the line, or ends with the mode.
 *
 * @param {PuzzleSessionData} session
 * @param {State} state
 * @param {State} previous
 */
function follow(session, { tree, mode, animation }, previous) {
  const { loaded, phase, wrong, run } = session.state;
  if (phase === "none") {
    return;
  }
  if (mode !== PUZZLE_MODE) {
    if (phase !== "loading" || previous.mode === PUZZLE_MODE) {
      clearTimeout(session.timer);
      session.requests += 1;
      session.activity?.close?.();
      session.activity = null;
      update(session, { phase: "none", loaded: null, error: "" });
    }
    return;
  }
  if (animation || !tree || !loaded || tree.start !== loaded.start) {
    return;
  }
  const hasMoved = previous.animation || tree !== previous.tree;
  if (phase === "solving" && wrong !== null && tree.depth > session.played) {
    const { treeBefore } = session;
    session.app.actions.editTree(() => treeBefore ?? newTree(loaded.start));
  } else if (isPlaying(session) && hasMoved) {
    clearTimeout(session.timer);
    session.timer = setTimeout(() => playOn(session), session.pauseMs);
  } else if (phase === "solved" && run && !run.isOver && hasMoved) {
    void next(session);
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
    session.state.phase === "solving" &&
    tree !== null &&
    tree.depth === session.played &&
    !isPlaying(session) &&
    !animation,
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
  hidesControls: () => true,
  status: ({ settings, animation }) =>
    animation ? null : puzzleText(session.state, settings.labels),
});

/**
 * Opens the puzzle of a link.
 *
 * @param {PuzzleSessionData} session
 * @param {LinkedPuzzle} position
 */
function openLink(session, position) {
  const { app, source } = session;
  /** @type {Players} */
  const players = { south: { kind: "person" }, north: { kind: "person" } };
  app.actions.enterMode(PUZZLE_MODE, null, players);
  void begin(session, linkedPuzzle(source, position, Date.now, session.storageOptions));
}

/**
 * @param {App} app
 * @param {{ source?: PuzzleSource, pauseMs?: number, storageOptions?: ChangeOptions }} [options]
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
    activity: null,
    requests: 0,
    played: 0,
    treeBefore: null,
    timer: undefined,
    refused: null,
  };
  app.subscribe((state, previous) => {
    showRefused(session);
    follow(session, state, previous);
  });
  const followTabs = () => update(session, { progress: storedProgress(storageOptions) });
  onOtherTabChange(STORAGE_KEY, followTabs, storageOptions.page);
  app.registerMode(PUZZLE_MODE, puzzleMode(session));
  return {
    source,
    /** Begins an activity. @param {Activity} activity */
    begin: (activity) => begin(session, activity),
    /** Shows the next puzzle of the activity. */
    next: () => next(session),
    /** Opens the puzzle of a link. @param {LinkedPuzzle} position */
    open: (position) => openLink(session, position),
    giveUp: () => giveUp(session),
    /** Ends the puzzle on the board because the time of its run is over. */
    stopRun: () => {
      if (session.state.phase !== "none") {
        session.requests += 1;
        clearTimeout(session.timer);
        session.played = session.state.loaded?.plies.length ?? 0;
        update(session, { phase: "shown", wrong: null });
      }
    },
    /** Draws the results of a run again. */
    refresh: () => update(session, {}),
    state: () => session.state,
  };
}

/** @typedef {ReturnType<typeof createPuzzleSession>} PuzzleSession */
