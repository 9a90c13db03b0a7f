/**
 * Values in the browser's storage, which all tabs of the page share. The page also works if the
 * browser stores nothing.
 *
 * A change reads the value again, under a lock that one tab at a time holds, so that it is based on
 * what other tabs have written.
 */

const PREFIX = "kalah.";

/**
 * The time for which a tab keeps a lock after its change, in milliseconds: a browser may pass the
 * lock on sooner than the changed value.
 */
const SETTLE_MS = 20;

/**
 * The longest wait for a lock, in milliseconds. Tabs keep their locks for a fraction of it, unless the
 * browser has frozen one that is hidden.
 */
const MAX_LOCK_WAIT_MS = 3_000;

/** @returns {Storage | undefined} */
function browserStorage() {
  try {
    return globalThis.localStorage;
  } catch {
    return undefined;
  }
}

/** Returns the storage of this tab, which a reload keeps. */
export function windowStorage() {
  try {
    return globalThis.sessionStorage;
  } catch {
    return undefined;
  }
}

/** Returns the locks of all tabs, which browsers have in secure contexts only. */
const browserLocks = () => globalThis.navigator?.locks;

/** Returns the window; none in unit tests. @returns {EventTarget | undefined} */
const browserWindow = () => globalThis.window;

/**
 * @param {string} name
 * @param {Storage} [storage]
 * @returns {unknown}
 */
export function load(name, storage = browserStorage()) {
  try {
    return JSON.parse(storage?.getItem(PREFIX + name) ?? "null");
  } catch {
    return null;
  }
}

/**
 * Stores a value and returns whether it is stored. Of the storage that tabs share, the caller holds
 * the lock.
 *
 * @param {string} name
 * @param {unknown} value
 * @param {Storage} [storage]
 */
export function save(name, value, storage = browserStorage()) {
  try {
    storage?.setItem(PREFIX + name, JSON.stringify(value));
    return storage !== undefined;
  } catch {
    // The storage is full or forbidden.
    return false;
  }
}

/**
 * Removes a value. The caller holds the lock.
 *
 * @param {string} name
 * @param {Storage} [storage]
 */
export function removeItem(name, storage = browserStorage()) {
  try {
    storage?.removeItem(PREFIX + name);
  } catch {
    // The storage is forbidden.
  }
}

/**
 * Returns the names of stored values that begin with a text.
 *
 * @param {string} start
 * @param {Storage} [storage]
 * @returns {string[]}
 */
export function storedNames(start, storage = browserStorage()) {
  try {
    return Array.from({ length: storage?.length ?? 0 }, (_, index) => storage?.key(index) ?? "")
      .filter((key) => key.startsWith(PREFIX + start))
      .map((key) => key.slice(PREFIX.length));
  } catch {
    return [];
  }
}

/**
 * The parts of the browser that changes need.
 *
 * @typedef {object} ChangeOptions
 * @property {Storage | undefined} [storage]
 * @property {Pick<LockManager, "request"> | null | undefined} [locks] `null` for a browser without locks
 * @property {EventTarget | undefined} [page] the window, which reports that the page ends
 */

/**
 * Calls a function once while no other tab changes values of the same topic. Without locks, when the
 * page ends before the lock is free, and when another tab does not release it, the function is called
 * without the lock: the function itself is never interrupted.
 *
 * @template T
 * @param {string} topic
 * @param {() => T} use
 * @param {ChangeOptions} [options]
 * @returns {Promise<T>}
 */
export async function withLock(
  topic,
  use,
  { locks = browserLocks(), page = browserWindow() } = {},
) {
  /** The only call of the function. @type {Promise<T> | null} */
  let call = null;
  const useOnce = () => (call ??= new Promise((resolve) => resolve(use())));
  if (!locks) {
    return useOnce();
  }
  const waiting = new AbortController();
  const timer = setTimeout(() => waiting.abort(), MAX_LOCK_WAIT_MS);
  page?.addEventListener("pagehide", useOnce, { once: true });
  try {
    await new Promise((resolve, reject) => {
      const held = locks.request(PREFIX + topic, { signal: waiting.signal }, async () => {
        resolve(useOnce());
        await new Promise((settled) => setTimeout(settled, SETTLE_MS));
      });
      held.catch(reject);
    });
  } catch {
    // Either the function has failed, or there is no lock: another tab keeps it, or the browser
    // refuses locks where it refuses to store anything for the page.
  } finally {
    clearTimeout(timer);
    page?.removeEventListener("pagehide", useOnce);
  }
  return useOnce();
}

/**
 * Changes a value: `change` receives the stored value and returns the new one, or `undefined` to
 * leave it.
 *
 * @param {string} name
 * @param {(stored: unknown) => unknown} change
 * @param {ChangeOptions} [options]
 * @returns {Promise<void>}
 */
export function changeStored(name, change, options = {}) {
  const { storage = browserStorage() } = options;
  return withLock(
    name,
    () => {
      const stored = load(name, storage);
      const changed = change(stored);
      if (changed !== undefined && JSON.stringify(changed) !== JSON.stringify(stored)) {
        save(name, changed, storage);
      }
    },
    options,
  );
}

/**
 * Calls a listener with the name of each value that another tab has changed, and with `null` after a
 * change of all values.
 *
 * @param {(name: string | null) => void} listener
 * @param {EventTarget | undefined} [page] the window
 */
export function onOtherTab(listener, page = browserWindow()) {
  page?.addEventListener("storage", (event) => {
    const { key, storageArea } = /** @type {StorageEvent} */ (event);
    if (storageArea && storageArea !== browserStorage()) {
      return;
    }
    if (key === null) {
      listener(null);
    } else if (key.startsWith(PREFIX)) {
      listener(key.slice(PREFIX.length));
    }
  });
}

/**
 * Calls a listener after another tab has changed one value.
 *
 * @param {string} name
 * @param {() => void} listener
 * @param {EventTarget | undefined} [page] the window
 */
export const onOtherTabChange = (name, listener, page = browserWindow()) =>
  onOtherTab((changed) => {
    if (changed === null || changed === name) {
      listener();
    }
  }, page);
