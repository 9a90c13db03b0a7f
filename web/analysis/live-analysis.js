/**
 * The live analysis: analyzes the position on the board while scores are shown, puts them on the
 * houses, and keeps the hint in agreement with them.
 */

import { errorText, isAbort } from "../engine/errors.js";
import { delay } from "../engine/retries.js";
import { onWake } from "../engine/wake.js";
import { position } from "../game/tree.js";
import { isProven } from "./cache.js";
import { marksFromAnalysis } from "./margins.js";

/** @import { AnalyzeResponse, Position } from "../types/api.d.ts" */
/** @import { App, Marks, QueuePlace, State } from "../types/app.d.ts" */

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

/** The panels that show the scores of the moves, also while the board does not. */
const PANELS_WITH_SCORES = new Set(["analysis", "openings"]);

/** The delay between two requests for a position, in milliseconds. */
const REPEAT_DELAY_MS = 250;

/**
 * The analysis of the position on the board.
 *
 * @typedef {object} LiveAnalysisState
 * @property {Position | null} position
 * @property {AnalyzeResponse | null} analysis
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
 * The live analysis with its parts.
 *
 * @typedef {object} Live
 * @property {App} app
 * @property {LiveAnalysisState} state
 * @property {AbortController} control aborts the requests
 * @property {Marks | null} ownMarks the marks that the live analysis has set
 * @property {Set<(state: LiveAnalysisState) => void>} listeners
 * @property {(draw: () => void) => void} requestFrame
 * @property {boolean} isFrameRequested
 */

/** @returns {LiveAnalysisState} */
const initialState = () => ({
  position: null,
  analysis: null,
  running: false,
  keepsOn: false,
  queued: null,
  error: null,
});

/**
 * Changes the state, which is published with the next frame.
 *
 * @param {Live} live
 * @param {Partial<LiveAnalysisState>} change
 */
function update(live, change) {
  live.state = { ...live.state, ...change };
  if (!live.isFrameRequested) {
    live.isFrameRequested = true;
    live.requestFrame(() => publish(live));
  }
}

/** @param {Live} live */
function publish(live) {
  live.isFrameRequested = false;
  updateMarks(live);
  for (const listener of live.listeners) {
    listener(live.state);
  }
}

/** Sets or removes the marks on the houses, and updates the hint. @param {Live} live */
function updateMarks(live) {
  const { position: at, analysis } = live.state;
  const { actions } = live.app;
  const { settings, marks, editor, analysisLock, scoresLock } = live.app.state();
  if (settings.margins && !editor && !analysisLock && !scoresLock && analysis) {
    const changed = { position: analysis.position, marks: marksFromAnalysis(analysis) };
    if (at && !areEqual(marks, changed)) {
      live.ownMarks = changed;
      actions.setMarks(changed);
    }
  } else if (marks && marks === live.ownMarks) {
    actions.setMarks(null);
  }
  if (analysis) {
    actions.updateHint(analysis);
  }
}

/** @param {Live} live */
function stop(live) {
  live.control.abort();
  live.control = new AbortController();
  if (live.state.running) {
    update(live, { running: false, queued: null });
  }
}

/**
 * Analyzes a position: once, or until everything is proven.
 *
 * @param {Live} live
 * @param {Position} at
 */
async function analyze(live, at) {
  stop(live);
  const { signal } = live.control;
  update(live, {
    position: at,
    analysis: live.app.analysisCache.cached(at),
    running: true,
    queued: null,
    error: null,
  });
  try {
    await delay(DEBOUNCE_MS, signal);
    await requestAnalyses(live, at, signal);
    update(live, { running: false });
  } catch (error) {
    if (!signal.aborted && !isAbort(error)) {
      update(live, {
        running: false,
        keepsOn: false,
        queued: null,
        error: errorText(error),
      });
    }
  }
}

/**
 * Requests an analysis, and longer ones while the person wants the analysis to go on.
 *
 * @param {Live} live
 * @param {Position} at
 * @param {AbortSignal} signal
 */
async function requestAnalyses(live, at, signal) {
  const { analysisCache, state } = live.app;
  const { lines } = state().settings;
  /** @param {{ seconds: number, again: boolean }} options */
  const request = ({ seconds, again }) =>
    analysisCache.analyze(at, {
      seconds,
      signal,
      lines,
      again,
      onAnalysis: (analysis) => update(live, { analysis, queued: null }),
      onQueued: (queued) => update(live, { queued }),
    });
  const { keepsOn } = live.state;
  let last = await request({ seconds: keepsOn ? LONG_TIME_S : TIME_S, again: keepsOn });
  while (live.state.keepsOn && !isProven(last)) {
    await delay(REPEAT_DELAY_MS, signal);
    last = await request({ seconds: LONG_TIME_S, again: true });
  }
}

/**
 * Follows the state of the page: analyzes another position, or stops.
 *
 * @param {Live} live
 * @param {State} state
 * @param {State} previous
 */
function follow(live, state, previous) {
  const { settings, panel, analysisLock, scoresLock, editor } = state;
  // The review panel requests analyses itself while it is open.
  const isWanted = (settings.margins && panel !== "review") || PANELS_WITH_SCORES.has(panel ?? "");
  const at = isWanted ? positionToAnalyze(state) : null;
  const needsLines = settings.lines > previous.settings.lines;
  if (at && (at !== live.state.position || needsLines)) {
    void analyze(live, at);
  } else if (!at && live.state.position) {
    stop(live);
    // The last results remain visible until new ones arrive.
    const keepsResults = isWanted && !analysisLock && !scoresLock;
    update(live, keepsResults ? { position: null } : { position: null, analysis: null });
  }
  if (
    settings.margins !== previous.settings.margins ||
    analysisLock !== previous.analysisLock ||
    scoresLock !== previous.scoresLock ||
    editor !== previous.editor
  ) {
    updateMarks(live);
  }
}

/** Analyzes a position again whose analysis has failed. @param {Live} live */
function retryFailed(live) {
  const { position: at, error } = live.state;
  if (at && error !== null) {
    void analyze(live, at);
  }
}

/**
 * Analyzes this position and later ones until everything is proven, or stops that.
 *
 * @param {Live} live
 */
function toggleKeepOn(live) {
  const { keepsOn, position: at, running } = live.state;
  if (keepsOn) {
    stop(live);
    update(live, { keepsOn: false });
    return;
  }
  update(live, { keepsOn: true });
  // A running analysis goes on with the next request.
  if (at && !running) {
    void analyze(live, at);
  }
}

/**
 * Creates the live analysis.
 *
 * @param {App} app
 * @param {object} [options]
 * @param {(draw: () => void) => void} [options.requestFrame] calls a function before the next frame;
 *   several snapshots of one frame are drawn once
 * @param {(listener: () => void) => void} [options.listenForWake]
 */
export function createLiveAnalysis(
  app,
  {
    requestFrame = (draw) => void requestAnimationFrame(draw),
    listenForWake = (listener) => void onWake(listener),
  } = {},
) {
  /** @type {Live} */
  const live = {
    app,
    state: initialState(),
    control: new AbortController(),
    ownMarks: null,
    listeners: new Set(),
    requestFrame,
    isFrameRequested: false,
  };
  app.subscribe((state, previous) => follow(live, state, previous));
  listenForWake(() => retryFailed(live));
  return {
    state: () => live.state,
    /** @param {(state: LiveAnalysisState) => void} listener */
    subscribe: (listener) => void live.listeners.add(listener),
    /** Returns whether a longer analysis may prove more. */
    canContinue: () =>
      live.state.position !== null &&
      (live.state.error !== null || live.state.analysis === null || !isProven(live.state.analysis)),
    /** Analyzes this position and later ones until everything is proven, or stops that. */
    toggleKeepOn: () => toggleKeepOn(live),
  };
}

/** @typedef {ReturnType<typeof createLiveAnalysis>} LiveAnalysis */
