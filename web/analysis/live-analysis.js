/** Analyses the position on the board while somebody wants to know its margins, and puts them on the houses. */

import { isAbort } from "../engine/errors.js";
import { position } from "../game/tree.js";
import { isProven } from "./analyzer.js";
import { marksOf } from "./margins.js";

/** @import { Analyst } from "./analyzer.js" */
/** @import { Analysis, Position } from "../types/api.d.ts" */
/** @import { App, State } from "../types/app.d.ts" */

/** How long a position is looked into at first, in seconds: something soon, then something better. */
export const TIMES = [0.25, 1, 4];

/** How long it is looked into if somebody wants to know it more exactly, in seconds. */
const LONGER = 20;

/** How long a position must stay on the board before it is asked about, in milliseconds: stepping through asks little. */
const REST_MS = 120;

/**
 * What is known of the position on the board.
 *
 * @typedef {object} Watched
 * @property {Position | null} position
 * @property {Analysis | null} analysis
 * @property {boolean} running
 * @property {string | null} trouble why there is no more to be known
 */

/**
 * The position that is to be analysed: none while a sowing is shown or an opponent thinks.
 *
 * @param {State} state
 * @returns {Position | null}
 */
function wanted(state) {
  const { tree, busy, motion, closed } = state;
  return !tree || busy || motion || closed ? null : position(tree);
}

/**
 * @param {App} app
 * @param {Analyst} analyst
 */
export function createWatcher(app, analyst) {
  /** @type {Watched} */
  let watched = { position: null, analysis: null, running: false, trouble: null };
  let control = new AbortController();
  /** @type {Set<(watched: Watched) => void>} */
  const listeners = new Set();

  /** @param {Partial<Watched>} change */
  const tell = (change) => {
    watched = { ...watched, ...change };
    for (const listener of listeners) {
      listener(watched);
    }
  };

  const mark = () => {
    const { position: at, analysis } = watched;
    const { settings, marks } = app.state();
    if (settings.margins && at && analysis) {
      app.actions.setMarks({ position: at.position, marks: marksOf(analysis) });
    } else if (marks) {
      app.actions.setMarks(null);
    }
  };

  const stop = () => {
    control.abort();
    control = new AbortController();
    if (watched.running) {
      tell({ running: false });
    }
  };

  /**
   * @param {Position} at
   * @param {number[]} times
   */
  const look = async (at, times) => {
    stop();
    const { signal } = control;
    tell({ position: at, analysis: analyst.known(at), running: true, trouble: null });
    mark();
    try {
      await new Promise((resolve) => void setTimeout(resolve, REST_MS));
      signal.throwIfAborted();
      await analyst.analyse(at, times, signal, (analysis) => {
        tell({ analysis });
        mark();
      });
      tell({ running: false });
    } catch (error) {
      if (!signal.aborted && !isAbort(error)) {
        tell({ running: false, trouble: error instanceof Error ? error.message : String(error) });
      }
    }
  };

  app.subscribe((state, previous) => {
    // Where a review is open, it is the one who asks.
    const wants = (state.settings.margins && state.panel !== "review") || state.panel === "analysis";
    const at = wants ? wanted(state) : null;
    if (at && at !== watched.position) {
      void look(at, TIMES);
    } else if (!at && watched.position) {
      stop();
      // The last margins stay to be seen until there are others.
      tell(wants && !state.closed ? { position: null } : { position: null, analysis: null });
    }
    if (state.settings.margins !== previous.settings.margins || state.closed !== previous.closed) {
      mark();
    }
  });

  return {
    watched: () => watched,
    /** @param {(watched: Watched) => void} listener */
    subscribe: (listener) => void listeners.add(listener),
    /** Whether looking longer may tell more. */
    canGoOn: () =>
      !watched.running && watched.position !== null
      && (watched.trouble !== null || (watched.analysis !== null && !isProven(watched.analysis))),
    /** Looks into the position for longer, or again where it could not. */
    goOn() {
      if (watched.position) {
        void look(watched.position, watched.trouble === null ? [LONGER] : TIMES);
      }
    },
  };
}

/** @typedef {ReturnType<typeof createWatcher>} Watcher */
