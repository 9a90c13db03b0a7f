/** Analyses the position on the board while somebody wants to know its margins, and puts them on the houses. */

import { isAbort } from "../engine/errors.js";
import { position } from "../game/tree.js";
import { isProven } from "./analyzer.js";
import { marksFromAnalysis } from "./margins.js";

/** @import { Analyzer } from "./analyzer.js" */
/** @import { Analysis, Position } from "../types/api.d.ts" */
/** @import { App, State } from "../types/app.d.ts" */

/** How long a position is looked into at first, in seconds: something soon, then something better. */
export const TIMES_S = [0.25, 1, 4];

/** How long it is looked into if somebody wants to know it more exactly, in seconds. */
const LONGER_TIME_S = 20;

/** How long a position must stay on the board before it is asked about, in milliseconds: stepping through asks little. */
const DEBOUNCE_MS = 120;

/**
 * What is known of the position on the board.
 *
 * @typedef {object} LiveAnalysisState
 * @property {Position | null} position
 * @property {Analysis | null} analysis
 * @property {boolean} running
 * @property {string | null} error why there is no more to be known
 */

/**
 * The position that is to be analysed: none while a sowing is shown or an opponent thinks.
 *
 * @param {State} state
 * @returns {Position | null}
 */
function positionToAnalyze(state) {
  const { tree, busy, animation, analysisLock } = state;
  return !tree || busy || animation || analysisLock ? null : position(tree);
}

/**
 * @param {App} app
 * @param {Analyzer} analyzer
 */
export function createLiveAnalysis(app, analyzer) {
  /** @type {LiveAnalysisState} */
  let current = { position: null, analysis: null, running: false, error: null };
  let control = new AbortController();
  /** @type {Set<(watched: LiveAnalysisState) => void>} */
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
      await analyzer.analyse(at, times, signal, (analysis) => {
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
    // Where a review is open, it is the one who asks.
    const isWanted =
      (state.settings.margins && state.panel !== "review") || state.panel === "analysis";
    const at = isWanted ? positionToAnalyze(state) : null;
    if (at && at !== current.position) {
      void analyze(at, TIMES_S);
    } else if (!at && current.position) {
      stop();
      // The last margins stay to be seen until there are others.
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
    /** @param {(watched: LiveAnalysisState) => void} listener */
    subscribe: (listener) => void listeners.add(listener),
    /** Whether looking longer may tell more. */
    canContinue: () =>
      !current.running &&
      current.position !== null &&
      (current.error !== null || (current.analysis !== null && !isProven(current.analysis))),
    /** Looks into the position for longer, or again where it could not. */
    continueAnalysis() {
      if (current.position) {
        void analyze(current.position, current.error === null ? [LONGER_TIME_S] : TIMES_S);
      }
    },
  };
}

/** @typedef {ReturnType<typeof createLiveAnalysis>} LiveAnalysis */
