/** The store: holds the state and notifies subscribers of changes. */

import { DEFAULT_SETTINGS } from "../storage/formats.js";

/** @import { State } from "../types/app.d.ts" */

/**
 * Returns the state of the page before the first game.
 *
 * @returns {State}
 */
export const initialState = () => ({
  tree: null,
  players: { south: { kind: "person" }, north: { kind: "person" } },
  mode: "play",
  suspendedGame: null,
  localGame: null,
  discardedGame: null,
  analysisLock: null,
  scoresLock: null,
  animation: null,
  busy: null,
  hint: null,
  marks: null,
  premove: null,
  preview: null,
  notice: null,
  grades: new Map(),
  hasOwnGrades: false,
  editor: null,
  error: null,
  flipped: false,
  settings: DEFAULT_SETTINGS,
  presets: [],
  panel: null,
});

/**
 * Creates a store.
 *
 * @template T
 * @param {T} initial
 */
export function createStore(initial) {
  let state = initial;
  let published = initial;
  let pending = false;
  /** @type {Set<(state: T, previous: T) => void>} */
  const listeners = new Set();

  function notify() {
    pending = false;
    const previous = published;
    published = state;
    if (published !== previous) {
      for (const listener of listeners) {
        listener(published, previous);
      }
    }
  }

  return {
    get: () => state,

    /** @param {Partial<T>} change */
    update(change) {
      state = { ...state, ...change };
      // Subscribers get several changes in one task as one.
      if (!pending) {
        pending = true;
        queueMicrotask(notify);
      }
    },

    /** @param {(state: T, previous: T) => void} listener called after changes, never during one */
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
