/**
 * The live analysis: analyzes the position on the board while scores are shown, puts them on the
 * houses, and keeps the hint in agreement with them.
 */

import { isAbort } from "../engine/errors.js";
import { delay } from "../engine/retries.js";
import { position } from "../game/tree.js";
import { isProven } from "./cache.js";
import { marksFromAnalysis } from "./margins.js";

/** @import { AnalysisCache } from "./cache.js" */
/** @import { Analysis, Position, QueuePlace } from "../types/api.d.ts" */
/** @import { App, Marks, State } from "../types/app.d.ts" */

/** The time limit of the analysis of a position, in seconds. */
export const TIME_S = 5;

/**
 * The time limit of each request while the person wants the analysis to go on, in seconds: the most
 * that the server accepts.
 */
export const LONG_TIME_S = 30;

/**
 * The delay before a new position is analyzed, in milliseconds, so that stepping through a game
 * sends few requests.
 */
const DEBOUNCE_MS = 120;

/** The delay between two requests for a position, in milliseconds. */
const REPEAT_DELAY_MS = 250;

/**
 * The analysis of the position on the board.
 *
 * @typedef {object} LiveAnalysisState
 * @property {Position | null} position
 * @property {Analysis | null} analysis
 * @property {boolean} running
 * @property {boolean} keepsOn whether analyses go on until everything is proven
 * @property {QueuePlace | null} queued the place while the analysis waits for an engine
 * @property {string | null} error the reason why the analysis failed
 */

/**
 * Returns the position to analyze: none during an animation, while the computer searches, while a
 * position is edited, and while no scores may be shown.
 *
 * @param {State} state
 * @returns {Position | null}
 */
function positionToAnalyze(state) {
  const { tree, busy, animation, editor } = state;
  const isLocked = state.analysisLock !== null || state.scoresLock !== null;
  return !tree || busy || animation || isLocked || editor ? null : position(tree);
}

/**
 * Returns whether two marks look the same.
 *
 * @param {Marks | null} one
 * @param {Marks | null} other
 */
const areEqual = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/**
 * Creates the live analysis.
 *
 * @param {App} app
 * @param {AnalysisCache} analysisCache
 * @param {{ requestFrame?: (draw: () => void) => void }} [options] calls a function before the next
 *   frame; several snapshots of one frame are drawn once
 */
export function createLiveAnalysis(
  app,
  analysisCache,
  { requestFrame = (draw) => void requestAnimationFrame(draw) } = {},
) {
  /** @type {LiveAnalysisState} */
  let current = {
    position: null,
    analysis: null,
    running: false,
    keepsOn: false,
    queued: null,
    error: null,
  };
  let control = new AbortController();
  let isFrameRequested = false;
  /** The marks that the live analysis has set. @type {Marks | null} */
  let ownMarks = null;
  /** @type {Set<(state: LiveAnalysisState) => void>} */
  const listeners = new Set();

  const draw = () => {
    isFrameRequested = false;
    updateMarks();
    for (const listener of listeners) {
      listener(current);
    }
  };

  /** @param {Partial<LiveAnalysisState>} change */
  const update = (change) => {
    current = { ...current, ...change };
    if (!isFrameRequested) {
      isFrameRequested = true;
      requestFrame(draw);
    }
  };

  const updateMarks = () => {
    const { position: at, analysis } = current;
    const { settings, marks, editor, analysisLock, scoresLock } = app.state();
    if (settings.margins && !editor && !analysisLock && !scoresLock && analysis) {
      const changed = { position: analysis.position, marks: marksFromAnalysis(analysis) };
      if (at && !areEqual(marks, changed)) {
        ownMarks = changed;
        app.actions.setMarks(changed);
      }
    } else if (marks && marks === ownMarks) {
      app.actions.setMarks(null);
    }
    if (analysis) {
      app.actions.updateHint(analysis);
    }
  };

  const stop = () => {
    control.abort();
    control = new AbortController();
    if (current.running) {
      update({ running: false, queued: null });
    }
  };

  /**
   * Analyzes a position: once, or until everything is proven.
   *
   * @param {Position} at
   */
  const analyze = async (at) => {
    stop();
    const { signal } = control;
    update({
      position: at,
      analysis: analysisCache.cached(at),
      running: true,
      queued: null,
      error: null,
    });
    try {
      await delay(DEBOUNCE_MS, signal);
      const { lines } = app.state().settings;
      const request = (/** @type {number} */ seconds, /** @type {boolean} */ again) =>
        analysisCache.analyze(at, {
          seconds,
          signal,
          lines,
          again,
          onAnalysis: (analysis) => update({ analysis, queued: null }),
          onQueued: (queued) => update({ queued }),
        });
      let last = await request(current.keepsOn ? LONG_TIME_S : TIME_S, current.keepsOn);
      while (current.keepsOn && !isProven(last)) {
        await delay(REPEAT_DELAY_MS, signal);
        last = await request(LONG_TIME_S, true);
      }
      update({ running: false });
    } catch (error) {
      if (!signal.aborted && !isAbort(error)) {
        update({
          running: false,
          keepsOn: false,
          queued: null,
          error: error instanceof Error ? error.message : String(error),
        });
      }
    }
  };

  app.subscribe((state, previous) => {
    // The review panel requests analyses itself while it is open.
    const isWanted =
      (state.settings.margins && state.panel !== "review") || state.panel === "analysis";
    const at = isWanted ? positionToAnalyze(state) : null;
    const needsLines = state.settings.lines > previous.settings.lines;
    if (at && (at !== current.position || needsLines)) {
      void analyze(at);
    } else if (!at && current.position) {
      stop();
      // The last results remain visible until new ones arrive.
      update(
        isWanted && !state.analysisLock && !state.scoresLock
          ? { position: null }
          : { position: null, analysis: null },
      );
    }
    if (
      state.settings.margins !== previous.settings.margins ||
      state.analysisLock !== previous.analysisLock ||
      state.scoresLock !== previous.scoresLock ||
      state.editor !== previous.editor
    ) {
      updateMarks();
    }
  });

  return {
    state: () => current,
    /** @param {(state: LiveAnalysisState) => void} listener */
    subscribe: (listener) => void listeners.add(listener),
    /** Returns whether a longer analysis may prove more. */
    canContinue: () =>
      current.position !== null &&
      (current.error !== null || current.analysis === null || !isProven(current.analysis)),
    /** Analyzes this position and later ones until everything is proven, or stops that. */
    toggleKeepOn() {
      const { keepsOn, position: at, running } = current;
      if (keepsOn) {
        stop();
        update({ keepsOn: false });
        return;
      }
      update({ keepsOn: true });
      // A running analysis goes on with the next request.
      if (at && !running) {
        void analyze(at);
      }
    },
  };
}

/** @typedef {ReturnType<typeof createLiveAnalysis>} LiveAnalysis */
