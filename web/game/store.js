/** State and its listeners: the one place where it changes. */

/**
 * @template T
 * @param {T} initial
 */
export function createStore(initial) {
  let state = initial;
  let told = initial;
  let pending = false;
  /** @type {Set<(state: T, previous: T) => void>} */
  const listeners = new Set();

  function tell() {
    pending = false;
    const previous = told;
    told = state;
    if (told !== previous) {
      for (const listener of listeners) {
        listener(told, previous);
      }
    }
  }

  return {
    get: () => state,

    /** @param {Partial<T>} change */
    update(change) {
      state = { ...state, ...change };
      // Several changes in one task are told as one.
      if (!pending) {
        pending = true;
        queueMicrotask(tell);
      }
    },

    /** @param {(state: T, previous: T) => void} listener called after changes, never during one */
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
