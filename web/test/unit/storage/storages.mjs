/** Storages, locks and tabs for tests. */

/**
 * Returns a storage in memory.
 *
 * @param {number} [room] the number of entries for which it has room
 * @returns {Storage}
 */
export function memory(room = Infinity) {
  /** @type {Map<string, string>} */
  const items = new Map();
  return /** @type {Storage} */ (
    /** @type {unknown} */ ({
      get length() {
        return items.size;
      },
      key: (/** @type {number} */ index) => [...items.keys()][index] ?? null,
      getItem: (/** @type {string} */ key) => items.get(key) ?? null,
      setItem(/** @type {string} */ key, /** @type {string} */ value) {
        if (!items.has(key) && items.size >= room) {
          throw new DOMException("full", "QuotaExceededError");
        }
        items.set(key, value);
      },
      removeItem: (/** @type {string} */ key) => items.delete(key),
    })
  );
}

/**
 * Returns a storage that refuses everything.
 *
 * @returns {Storage}
 */
export function refusing() {
  const refuse = () => {
    throw new DOMException("denied", "SecurityError");
  };
  return /** @type {Storage} */ (
    /** @type {unknown} */ ({ key: refuse, getItem: refuse, setItem: refuse, removeItem: refuse })
  );
}

/** Returns locks that all tabs of a test share: one holder at a time, in the order of requests. */
export function sharedLocks() {
  /** @type {Map<string, Promise<unknown>>} */
  const last = new Map();
  /** @type {any} */
  const locks = {
    request(/** @type {string} */ name, /** @type {() => unknown} */ use) {
      const held = (last.get(name) ?? Promise.resolve()).then(use);
      last.set(
        name,
        held.catch(() => {}),
      );
      return held;
    },
  };
  return locks;
}
