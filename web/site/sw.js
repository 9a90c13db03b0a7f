/**
 * The service worker: serves the page from a cache, with or without a network. `cargo xtask site`
 * prepends the constant FILES with the files of this version and their SHA-256.
 *
 * The key of a file in the cache is its path with its hash. So a new version fetches only changed
 * files, and the active version keeps its own files. The installation fails if a file has another
 * hash, as during an update of the host; the browser tries again later.
 *
 * A browser can activate a new version at any time, even between the document and its scripts. So
 * the worker writes its version into the document, and the page asks the active worker for its
 * version (offline.js).
 */

/** @type {ServiceWorkerGlobalScope} */
const worker = /** @type {any} */ (self);

/** The URL of the page's folder. */
const FOLDER = new URL("./", worker.location.href);

/** The name of the cache; a host may have several copies of the page in different folders. */
const CACHE = `kalah ${FOLDER.pathname}`;

/** The document that the folder's URL stands for. */
const INDEX = "index.html";

/**
 * Returns the key of a file in the cache.
 *
 * @param {string} path
 */
const key = (path) => new URL(`${path}?sha256=${FILES[path]}`, FOLDER).href;

/** @param {ArrayBuffer} bytes */
async function sha256(bytes) {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * Returns a file of this version from the browser's HTTP cache or from the host.
 *
 * @param {string} path
 */
async function fetchFile(path) {
  for (const cache of /** @type {const} */ (["default", "reload"])) {
    const response = await fetch(new URL(path, FOLDER), { cache });
    const bytes = await response.arrayBuffer();
    if (response.ok && (await sha256(bytes)) === FILES[path]) {
      // A new response has no mark of a redirect; browsers reject redirected responses for
      // documents.
      return new Response(bytes, {
        headers: { "content-type": response.headers.get("content-type") ?? "" },
      });
    }
  }
  throw new Error(`${path} is not a file of this version`);
}

/** The version: a hash of FILES. */
const version = sha256(new TextEncoder().encode(JSON.stringify(FILES)).buffer);

async function cacheFiles() {
  const cache = await caches.open(CACHE);
  const cacheFile = async (/** @type {string} */ path) => {
    if (!(await cache.match(key(path)))) {
      await cache.put(key(path), await fetchFile(path));
    }
  };
  await Promise.all(Object.keys(FILES).map(cacheFile));
}

async function deleteOldFiles() {
  const cache = await caches.open(CACHE);
  const keys = new Set(Object.keys(FILES).map(key));
  const oldRequests = (await cache.keys()).filter((request) => !keys.has(request.url));
  await Promise.all(oldRequests.map((request) => cache.delete(request)));
  await worker.clients.claim();
}

/** @param {Request} request */
async function respond(request, /** @type {string} */ path) {
  const cache = await caches.open(CACHE);
  const cached = await cache.match(key(path));
  return cached && path === INDEX ? withVersion(cached) : (cached ?? fetch(request));
}

/**
 * Returns the document with the version.
 *
 * @param {Response} page
 */
async function withVersion(page) {
  const text = await page.text();
  return new Response(text.replace("<html ", `<html data-version="${await version}" `), {
    headers: page.headers,
  });
}

worker.addEventListener("install", (event) => event.waitUntil(cacheFiles()));

worker.addEventListener("activate", (event) => event.waitUntil(deleteOldFiles()));

worker.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  if (event.request.method !== "GET" || !`${url.origin}${url.pathname}`.startsWith(FOLDER.href)) {
    return;
  }
  const path = url.pathname.slice(FOLDER.pathname.length) || INDEX;
  if (Object.hasOwn(FILES, path)) {
    event.respondWith(respond(event.request, path));
  }
});

worker.addEventListener("message", (event) => {
  if (event.data === "take over") {
    event.waitUntil(takeOver(event.source));
  } else if (event.data === "version") {
    const [port] = event.ports;
    event.waitUntil(version.then((value) => port?.postMessage(value)));
  }
});

/**
 * The number of times that windows are counted, and the interval between them in milliseconds: a
 * closing window is counted for a moment.
 */
const WINDOW_COUNTS = 6;
const WINDOW_COUNT_DELAY_MS = 100;

/**
 * Takes over if the page that asks is in the only open window. Another window has modules of the
 * old version and may load more modules later. The page reloads itself after the change.
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
