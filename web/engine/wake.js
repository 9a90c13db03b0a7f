/**
 * The events after which a connection may be lost although the browser still calls it open: a
 * laptop has slept, a phone has changed its network, the page was in the background.
 */

/**
 * `network`: the connections belong to a network that the device has left, or the browser has
 * closed them. `page`: the page goes on after a time in which it may have missed the loss.
 *
 * @typedef {"network" | "page"} WakeCause
 */

/**
 * Returns the kind of the network, such as `wifi`, where the browser names it.
 *
 * @param {(EventTarget & { type?: string }) | undefined} connection
 */
const networkType = (connection) => connection?.type;

/**
 * Calls a listener after each of these events.
 *
 * @param {(cause: WakeCause) => void} listener
 * @returns {() => void} a function that ends the calls
 */
export function onWake(listener) {
  const ending = new AbortController();
  const { signal } = ending;
  window.addEventListener("online", () => listener("network"), { signal });
  window.addEventListener(
    "pageshow",
    (event) => {
      // The page comes back from the browser's cache, without its connections.
      if (event.persisted) {
        listener("network");
      }
    },
    { signal },
  );
  document.addEventListener(
    "visibilitychange",
    () => {
      if (!document.hidden) {
        listener("page");
      }
    },
    { signal },
  );
  document.addEventListener("resume", () => listener("page"), { signal });
  /** @type {(EventTarget & { type?: string }) | undefined} */
  const connection = /** @type {any} */ (globalThis.navigator)?.connection;
  let type = networkType(connection);
  connection?.addEventListener(
    "change",
    () => {
      // Changes of the estimated speed are no changes of the network.
      const before = type;
      type = networkType(connection);
      if (type !== before) {
        listener("network");
      }
    },
    { signal },
  );
  return () => ending.abort();
}
