/**
 * The service worker: keeps the page in a cache, for visits without a network. `crates/app/page`
 * prepends the constants of this version: its files with their SHA-256, and whether the page needs
 * the server.
 *
 * A document names its scripts and styles with their hashes, so it never gets those of another
 * version. Each version has a cache of its own, and the one before it stays: a document that an older
 * version has sent finds its files there. The installation fails if a file has another hash, as
 * during an update of the host; the browser tries again later.
 *
 * A page with its own engine comes from the cache at once, and a new version waits until no other
 * window is open. A page that needs the server is the one that the server sends, and comes from the
 * cache only if the server does not respond: then it says so.
 *
 * Requests other than those for the page's own files do not pass through the worker.
 */

/** @type {ServiceWorkerGlobalScope} */
const worker = /** @type {any} */ (self);

/** The URL of the page's folder. */
const FOLDER = new URL("./", worker.location.href);

/** The beginning of the caches' names; a host may have several copies of the page. */
const CACHE_PREFIX = `kalah ${FOLDER.pathname} `;

/** The cache of this version. */
const CACHE = CACHE_PREFIX + VERSION;

/** The number of versions whose files stay in the cache. */
const KEPT_VERSIONS = 2;

/** The document that the folder's URL stands for. */
const INDEX = "index.html";

/** The paths that contain a hash of the file: they name the same content in all versions. */
const HASHED_PATH = /^[^/]*-[0-9a-f]{16}[./]/;

/** The first HTTP status with which a proxy reports that the server does not respond. */
const SERVER_ERROR_STATUS = 500;

/**
 * Returns the URL of a file, which is also its key in a cache.
 *
 * @param {string} path
 */
const fileUrl = (path) => new URL(path === INDEX ? "./" : path, FOLDER).href;

/** @param {ArrayBuffer} bytes */
async function sha256(bytes) {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * Returns a file of this version from another version's cache, the browser's HTTP cache or the host.
 *
 * @param {string} path
 */
async function fetchFile(path) {
  const known = HASHED_PATH.test(path) && (await caches.match(fileUrl(path)));
  if (known) {
    return known;
  }
  for (const cache of /** @type {const} */ (["default", "reload"])) {
    const response = await fetch(fileUrl(path), { cache });
    const bytes = await response.arrayBuffer();
    if (response.ok && (await sha256(bytes)) === FILES[path]) {
      // A new response has no mark of a redirect; browsers reject redirected responses for
      // documents.
      return new Response(bytes, { headers: keptHeaders(response) });
    }
  }
  throw new Error(`${path} is not a file of this version`);
}

/**
 * Returns the headers of a response that a browser needs when it comes from the cache. The server
 * sends the policy of the page as a header.
 *
 * @param {Response} response
 */
function keptHeaders({ headers }) {
  const names = [
    "content-type",
    "content-security-policy",
    "cross-origin-opener-policy",
    "referrer-policy",
  ];
  return names.flatMap((name) => {
    const value = headers.get(name);
    return value === null ? [] : [/** @type {[string, string]} */ ([name, value])];
  });
}

async function cacheFiles() {
  const cache = await caches.open(CACHE);
  const cacheFile = async (/** @type {string} */ path) =>
    cache.put(fileUrl(path), await fetchFile(path));
  await Promise.all(Object.keys(FILES).map(cacheFile));
  if (NEEDS_SERVER) {
    await worker.skipWaiting();
  }
}

async function deleteOldFiles() {
  // The names come in the order in which the caches were created.
  const names = (await caches.keys()).filter((name) => name.startsWith(CACHE_PREFIX));
  const others = names.filter((name) => name !== CACHE);
  const old = others.slice(0, Math.max(0, names.length - KEPT_VERSIONS));
  await Promise.all(old.map((name) => caches.delete(name)));
  await worker.clients.claim();
}

/**
 * Returns a file of this version, or of an older one whose document asks for it.
 *
 * @param {Request} request
 * @param {string} path
 */
async function respond(request, path) {
  const cache = await caches.open(CACHE);
  const cached = (await cache.match(fileUrl(path))) ?? (await olderFile(path));
  return cached ?? fetch(request);
}

/** Returns a file with this name from the cache of any version. @param {string} path */
const olderFile = async (path) =>
  HASHED_PATH.test(path) ? caches.match(fileUrl(path)) : undefined;

/**
 * Returns the document of the server, or that of this version if the server does not respond.
 *
 * @param {Request} request
 */
async function respondFromServer(request) {
  const response = await fetch(request).catch(() => null);
  if (response && response.status < SERVER_ERROR_STATUS) {
    return response;
  }
  const cached = await caches.match(fileUrl(INDEX), { cacheName: CACHE });
  return cached ?? response ?? Response.error();
}

worker.addEventListener("install", (event) => event.waitUntil(cacheFiles()));

worker.addEventListener("activate", (event) => event.waitUntil(deleteOldFiles()));

worker.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  if (event.request.method !== "GET" || !`${url.origin}${url.pathname}`.startsWith(FOLDER.href)) {
    return;
  }
  const path = url.pathname.slice(FOLDER.pathname.length) || INDEX;
  if (NEEDS_SERVER && path === INDEX) {
    event.respondWith(respondFromServer(event.request));
  } else if (Object.hasOwn(FILES, path) || HASHED_PATH.test(path)) {
    event.respondWith(respond(event.request, path));
  }
});

worker.addEventListener("message", (event) => {
  if (event.data === "take over") {
    event.waitUntil(takeOver(event.source));
  }
});

/**
 * The number of times that windows are counted, and the interval between them in milliseconds: a
 * closing window is counted for a moment.
 */
const WINDOW_COUNTS = 6;
const WINDOW_COUNT_DELAY_MS = 100;

/**
 * Takes over if the page that asks is in the only open window. Another window may load more files of
 * an old version later. The page reloads itself after the change.
 *
 * @param {ExtendableMessageEvent["source"]} client
 */
async function takeOver(client) {
  for (let count = 0; count < WINDOW_COUNTS; count += 1) {
    const windows = await worker.clients.matchAll({ type: "window", includeUncontrolled: true });
    if (windows.length === 1 && client instanceof Client && windows[0]?.id === client.id) {
      await worker.skipWaiting();
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, WINDOW_COUNT_DELAY_MS));
  }
}
