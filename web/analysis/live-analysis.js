/**
 * The live analysis: analyzes the position on the board while its margins are shown, and puts them
 * on the houses.
 */

import { isAbort } from "../engine/errors.js";
import { position } from "../game/tree.js";
import { isProven } from "./analyzer.js";
import { marksFromAnalysis } from "./margins.js";

/** @import { Analyzer } from "./analyzer.js" */
/** @import { Analysis, Position } from "../types/api.d.ts" */
/** @import { App, State } from "../types/app.d.ts" */

/** The time limits of an analysis, in seconds, from a quick result to a better one. */
export const TIMES_S = [0.25, 1, 4];

/** The time limit of an analysis that the person continues, in seconds. */
const LONGER_TIME_S = 20;

/**
 * The delay before a new position is analyzed, in milliseconds, so that stepping through a game
 * sends few requests.
 */
const DEBOUNCE_MS = 120;

/**
 * The analysis of the position on the board.
 *
 * @typedef {object} LiveAnalysisState
 * @property {Position | null} position
 * @property {Analysis | null} analysis
 * @property {boolean} running
 * @property {string | null} error the reason why the analysis failed
 */

/**
 * Returns the position to analyze: none during an animation or while the computer searches.
 *
 * @param {State} state
 * @returns {Position | null}
 */
function positionToAnalyze(state) {
  const { tree, busy, animation, analysisLock } = state;
  return !tree || busy || animation || analysisLock ? null : position(tree);
}

/**
 * Creates the live analysis.
 *
 * @param {App} app
 * @param {Analyzer} analyzer
 */
export function createLiveAnalysis(app, analyzer) {
  /** @type {LiveAnalysisState} */
  let current = { position: null, analysis: null, running: false, error: null };
  let control = new AbortController();
  /** @type {Set<(state: LiveAnalysisState) => void>} */
  const listeners = new Set();

  /** @param {Partial<LiveAnalysisState>} change */
  const update = (change) => {
    current = { ...current, ...change };
    for (const listener of listeners) {
      listener(current);
    }
  };

  const updateMarks = () => {
    const { position: at, analysis } = current;
    const { settings, marks } = app.state();
    if (settings.margins && at && analysis) {
      app.actions.setMarks({ position: at.position, marks: marksFromAnalysis(analysis) });
    } else if (marks) {
      app.actions.setMarks(null);
    }
  };

  const stop = () => {
    control.abort();
    control = new AbortController();
    if (current.running) {
      update({ running: false });
    }
  };

  /**
   * @param {Position} at
   * @param {number[]} times
   */
  const analyze = async (at, times) => {
    stop();
    const { signal } = control;
    update({ position: at, analysis: analyzer.cached(at), running: true, error: null });
    updateMarks();
    try {
      await new Promise((resolve) => void setTimeout(resolve, DEBOUNCE_MS));
      signal.throwIfAborted();
      await analyzer.analyze(at, times, signal, (analysis) => {
        update({ analysis });
        updateMarks();
      });
      update({ running: false });
    } catch (error) {
      if (!signal.aborted && !isAbort(error)) {
        update({ running: false, error: error instanceof Error ? error.message : String(error) });
      }
    }
  };

  app.subscribe((state, previous) => {
    // The review panel requests analyses itself while it is open.
    const isWanted =
      (state.settings.margins && state.panel !== "review") || state.panel === "analysis";
    const at = isWanted ? positionToAnalyze(state) : null;
    if (at && at !== current.position) {
      void analyze(at, TIMES_S);
    } else if (!at && current.position) {
      stop();
      // The last margins remain visible until new ones arrive.
      update(
        isWanted && !state.analysisLock ? { position: null } : { position: null, analysis: null },
      );
    }
    if (
      state.settings.margins !== previous.settings.margins ||
      state.analysisLock !== previous.analysisLock
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
      !current.running &&
      current.position !== null &&
      (current.error !== null || (current.analysis !== null && !isProven(current.analysis))),
    /** Analyzes the position for longer, or again after an error. */
    continueAnalysis() {
      if (current.position) {
        void analyze(current.position, current.error === null ? [LONGER_TIME_S] : TIMES_S);
      }
    },
  };
}

/** @typedef {ReturnType<typeof createLiveAnalysis>} LiveAnalysis */
