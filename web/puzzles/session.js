/** The session of puzzles: the puzzle on the board, its tries, and its solution played out. */

import { isAbort } from "../engine/errors.js";
import { load, save } from "../game/storage.js";
import { newTree } from "../game/tree.js";
import { texts } from "../texts/texts.js";
import { puzzleText } from "./descriptions.js";
import { parseProgress, progressAfter } from "./rating.js";
import { createPuzzleSource } from "./source.js";

/** @import { Move } from "../types/api.d.ts" */
/** @import { App, Players } from "../types/app.d.ts" */
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
 * @param {App} app
 * @param {{ source?: ReturnType<typeof createPuzzleSource>, pauseMs?: number }} [options]
 */
export function createPuzzleSession(
  app,
  { source = createPuzzleSource(app.engine), pauseMs = PAUSE_MS } = {},
) {
  /** @type {PuzzleState} */
  let now = {
    phase: "none",
    loaded: null,
    wrong: null,
    isCounted: false,
    change: 0,
    progress: parseProgress(load(STORAGE_KEY)),
    error: "",
  };
  /** The number of requests for a puzzle; only the last one counts. */
  let requests = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;

  /** @param {Partial<PuzzleState>} change */
  function update(change) {
    now = { ...now, ...change };
    const isLocked = now.phase === "solving";
    const { analysisLock } = app.state();
    if (isLocked && analysisLock === null) {
      app.actions.setAnalysisLock(texts.puzzles.locked);
    } else if (!isLocked && analysisLock === texts.puzzles.locked) {
      app.actions.setAnalysisLock(null);
    }
    app.actions.refresh();
  }

  /** Shows the next puzzle. @param {PuzzleChoices} choices */
  async function next(choices) {
    requests += 1;
    const request = requests;
    clearTimeout(timer);
    update({ phase: "loading", wrong: null, error: "" });
    try {
      const loaded = await source.next(choices, now.progress.rating);
      if (request === requests) {
        show(loaded);
        source.prefetch(choices, now.progress.rating);
      }
    } catch (error) {
      if (request === requests && !isAbort(error)) {
        const phase = app.state().mode === PUZZLE_MODE && now.loaded ? "shown" : "none";
        update({ phase, error: error instanceof Error ? error.message : String(error) });
      }
    }
  }

  /** @param {LoadedPuzzle} loaded */
  function show(loaded) {
    const { to_move: side } = loaded.puzzle;
    /** @type {Players} */
    const players = {
      south: { kind: "remote", name: texts.board.sides.south },
      north: { kind: "remote", name: texts.board.sides.north },
      [side]: { kind: "person" },
    };
    app.actions.enterMode(PUZZLE_MODE, newTree(loaded.start), players);
    update({ phase: "solving", loaded, wrong: null, isCounted: false, change: 0 });
  }

  /** Counts the puzzle once. @param {boolean} isSolved */
  function count(isSolved) {
    if (now.loaded && !now.isCounted) {
      const progress = progressAfter(now.progress, now.loaded.puzzle.rating, isSolved);
      save(STORAGE_KEY, progress);
      update({
        isCounted: true,
        progress,
        change: progress.rating - now.progress.rating,
      });
    }
  }

  /** The number of moves of the solution that have been played. */
  let played = 0;

  const isPlaying = () =>
    (now.phase === "solved" || now.phase === "shown") && played < (now.loaded?.plies.length ?? 0);

  /** Plays the next move of the solution. */
  function playOn() {
    const result = now.loaded?.plies[played];
    if (result && isPlaying() && app.state().mode === PUZZLE_MODE) {
      played += 1;
      app.actions.applyMove(result);
    }
  }

  /** @param {Move} move */
  async function requestMove(move) {
    const { loaded, phase } = now;
    if (!loaded || phase !== "solving" || app.state().animation) {
      return;
    }
    if (move === loaded.puzzle.solution) {
      count(true);
      played = 0;
      update({ phase: "solved", wrong: null });
      playOn();
    } else if (await app.actions.makeMove(move)) {
      count(false);
      update({ wrong: move });
    }
  }

  function giveUp() {
    if (now.phase === "solving" && now.loaded) {
      count(false);
      played = 0;
      const { start } = now.loaded;
      update({ phase: "shown", wrong: null });
      app.actions.editTree(() => newTree(start));
      playOn();
    }
  }

  app.subscribe(({ tree, mode, animation }, previous) => {
    const { loaded, phase } = now;
    if (phase === "none" || !loaded || !tree) {
      return;
    }
    if (mode !== PUZZLE_MODE) {
      if (phase !== "loading") {
        clearTimeout(timer);
        update({ phase: "none", loaded: null });
      }
      return;
    }
    if (animation || tree.start !== loaded.start) {
      return;
    }
    if (phase === "solving" && now.wrong !== null && tree.depth > 0) {
      app.actions.editTree(() => newTree(loaded.start));
    } else if (isPlaying() && (previous.animation || tree !== previous.tree)) {
      clearTimeout(timer);
      timer = setTimeout(playOn, pauseMs);
    }
  });

  app.registerMode(PUZZLE_MODE, {
    canMove: ({ tree, animation }) =>
      now.phase === "solving" && tree !== null && tree.depth === 0 && !animation,
    requestMove: (move) => void requestMove(move),
    can(what, { tree }) {
      const isShown = (now.phase === "solved" || now.phase === "shown") && !isPlaying();
      switch (what) {
        case "undo":
          return isShown && tree !== null && tree.depth > 0;
        case "redo":
          return isShown && tree !== null && tree.depth < tree.line.length;
        default:
          return false;
      }
    },
    status: ({ settings, animation }) => (animation ? null : puzzleText(now, settings.labels)),
  });

  return { next, giveUp, state: () => now, cancel: source.cancel };
}

/** @typedef {ReturnType<typeof createPuzzleSession>} PuzzleSession */
