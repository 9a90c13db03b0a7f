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
    /** @param {string} name @param {{ signal?: AbortSignal }} options @param {() => unknown} use */
    request(name, { signal }, use) {
      const held = (last.get(name) ?? Promise.resolve()).then(() => {
        signal?.throwIfAborted();
        return use();
      });
      last.set(
        name,
        held.catch(() => {}),
      );
      return Promise.race([
        held,
        new Promise((_, reject) => {
          signal?.addEventListener("abort", () => reject(signal.reason));
        }),
      ]);
    },
  };
  return locks;
}

/**
 * Holds a lock, as a tab that the browser has frozen, and returns a function that releases it.
 *
 * @param {Pick<LockManager, "request">} locks
 * @param {string} name
 */
export function holdLock(locks, name) {
  let release = () => {};
  void locks.request(name, {}, () => new Promise((free) => (release = () => free(null))));
  return () => release();
}
