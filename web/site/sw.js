/**
 * Serves the page from what it has kept of it, with or without a network. `cargo xtask site` writes FILES before this:
 * the files of this version, and the SHA-256 of each.
 *
 * A file is kept under its path and its hash, so that a new version fetches only what has changed, and while it does, the
 * version in use finds all of its own. A file whose content is not that of this version, as when a host is being
 * updated, makes the installation fail; the browser tries again another time.
 *
 * A browser may put a new version in the place of the old one at any moment, also between a page and its scripts. So the
 * page is told which version it is of, and asks which one it has come to (offline.js).
 */

/** @type {ServiceWorkerGlobalScope} */
const worker = /** @type {any} */ (self);

/** The folder that the page lies in. */
const FOLDER = new URL("./", worker.location.href);

/** One for each folder: a host may have several copies of the page. */
const CACHE = `kalah ${FOLDER.pathname}`;

/** The page itself, which its folder stands for. */
const INDEX = "index.html";

/**
 * What a file is kept under.
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
 * A file of this version: what the browser already has, if it is that, or else what the host has.
 *
 * @param {string} path
 */
async function fetched(path) {
  for (const cache of /** @type {const} */ (["default", "reload"])) {
    const response = await fetch(new URL(path, FOLDER), { cache });
    const bytes = await response.arrayBuffer();
    if (response.ok && (await sha256(bytes)) === FILES[path]) {
      // Without a trace of redirections, which a page must not be answered with.
      return new Response(bytes, {
        headers: { "content-type": response.headers.get("content-type") ?? "" },
      });
    }
  }
  throw new Error(`${path} is not that of this version`);
}

/** What tells this version from others. */
const version = sha256(new TextEncoder().encode(JSON.stringify(FILES)).buffer);

async function keepAll() {
  const cache = await caches.open(CACHE);
  const keep = async (/** @type {string} */ path) => {
    if (!(await cache.match(key(path)))) {
      await cache.put(key(path), await fetched(path));
    }
  };
  await Promise.all(Object.keys(FILES).map(keep));
}

async function forgetOthers() {
  const cache = await caches.open(CACHE);
  const keys = new Set(Object.keys(FILES).map(key));
  const others = (await cache.keys()).filter((request) => !keys.has(request.url));
  await Promise.all(others.map((request) => cache.delete(request)));
  await worker.clients.claim();
}

/** @param {Request} request */
async function answered(request, /** @type {string} */ path) {
  const cache = await caches.open(CACHE);
  const kept = await cache.match(key(path));
  return kept && path === INDEX ? stamped(kept) : (kept ?? fetch(request));
}

/**
 * The page with its version.
 *
 * @param {Response} page
 */
async function stamped(page) {
  const text = await page.text();
  return new Response(text.replace("<html ", `<html data-version="${await version}" `), {
    headers: page.headers,
  });
}

worker.addEventListener("install", (event) => event.waitUntil(keepAll()));

worker.addEventListener("activate", (event) => event.waitUntil(forgetOthers()));

worker.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  if (event.request.method !== "GET" || !`${url.origin}${url.pathname}`.startsWith(FOLDER.href)) {
    return;
  }
  const path = url.pathname.slice(FOLDER.pathname.length) || INDEX;
  if (Object.hasOwn(FILES, path)) {
    event.respondWith(answered(event.request, path));
  }
});

worker.addEventListener("message", (event) => {
  if (event.data === "take over") {
    event.waitUntil(takeOver(event.source));
  } else if (event.data === "version") {
    const [asking] = event.ports;
    event.waitUntil(version.then((told) => asking?.postMessage(told)));
  }
});

/** Windows are counted so often, with so many milliseconds between: one that is being closed is there for a moment longer. */
const LOOKS = 6;
const BETWEEN_LOOKS_MS = 100;

/**
 * Not while another window of the page is open: it has modules of the old version, and might load the rest from the new.
 * The one that asks loads itself again; if it is closed meanwhile, it has asked for nobody.
 *
 * @param {ExtendableMessageEvent["source"]} asking
 */
async function takeOver(asking) {
  for (let look = 0; look < LOOKS; look += 1) {
    const windows = await worker.clients.matchAll({ type: "window", includeUncontrolled: true });
    if (windows.length === 1 && asking instanceof Client && windows[0]?.id === asking.id) {
      await worker.skipWaiting();
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, BETWEEN_LOOKS_MS));
  }
}
