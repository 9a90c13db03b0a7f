/**
 * A benchmark: how long the page takes to load on a slow phone, and how many requests it needs. It is
 * no test; docs/performance.md has its results.
 *
 *     KALAH=../target/release/kalah CHROMIUM=chromium node test/browser/loading-bench.mjs
 *
 * `RUNS=5` is the number of measurements, and `PAGE=../target/site` measures a folder instead of the
 * embedded page. The processor is four times slower, and the network has 1.6 Mbit/s and adds 150 ms
 * to each request ("slow 4G"), also to those of the service worker. A visit ends when the page is
 * playable: when a house can be sown.
 *
 * - `cold`: a first visit
 * - `again`: a visit to a page that the browser has visited before
 * - `again, no worker`: the same without service workers, as over plain HTTP in a local network
 */

import { setTimeout as delay } from "node:timers/promises";
import { test } from "node:test";

import { setUp } from "./stage.mjs";

/** @import { BrowserContext, CDPSession } from "playwright" */

const RUNS = Number(process.env["RUNS"] ?? 5);
const VIEWPORT = { width: 390, height: 844 };
const CPU_SLOWDOWN = 4;
const LATENCY_MS = 150;
const BITS_PER_BYTE = 8;
const DOWN_BITS_PER_S = 1_600_000;
const UP_BITS_PER_S = 750_000;

/** The time after which a visited page has stored its files, in milliseconds. */
const SETTLING_MS = 3_000;

const NETWORK = {
  offline: false,
  latency: LATENCY_MS,
  downloadThroughput: DOWN_BITS_PER_S / BITS_PER_BYTE,
  uploadThroughput: UP_BITS_PER_S / BITS_PER_BYTE,
};

/**
 * The measurements of a visit, in milliseconds, requests and bytes.
 *
 * @typedef {Record<"painted" | "playable" | "requests" | "bytes" | "late", number>} Visit
 */

const stage = setUp();

/**
 * Slows the network of the service workers that start.
 *
 * @param {CDPSession} browser
 */
async function slowServiceWorkers(browser) {
  browser.on("Target.targetCreated", ({ targetInfo: { targetId, type } }) => {
    if (type === "service_worker") {
      void slowTarget(browser, targetId).catch(() => {});
    }
  });
  await browser.send("Target.setDiscoverTargets", { discover: true });
}

/**
 * Slows the network of a target. Playwright has no sessions for service workers.
 *
 * @param {CDPSession} browser
 * @param {string} targetId
 */
async function slowTarget(browser, targetId) {
  const { sessionId } = await browser.send("Target.attachToTarget", { targetId });
  const message = { id: 1, method: "Network.emulateNetworkConditions", params: NETWORK };
  await browser.send("Target.sendMessageToTarget", { sessionId, message: JSON.stringify(message) });
}

/**
 * Counts the requests of a page, and the bytes that it receives.
 *
 * @param {CDPSession} session
 */
function countTraffic(session) {
  const traffic = { requests: 0, bytes: 0 };
  /** The requests that a cache has answered. @type {Set<string>} */
  const cached = new Set();
  session.on("Network.requestServedFromCache", ({ requestId }) => cached.add(requestId));
  session.on("Network.responseReceived", ({ requestId, response }) => {
    if (response.fromServiceWorker || response.fromDiskCache) {
      cached.add(requestId);
    }
    traffic.requests += cached.has(requestId) || !response.url.startsWith("http") ? 0 : 1;
  });
  session.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    traffic.bytes += cached.has(requestId) ? 0 : encodedDataLength;
  });
  return traffic;
}

/**
 * Visits the page.
 *
 * @param {BrowserContext} context
 * @returns {Promise<Visit>}
 */
async function visit(context) {
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send("Network.enable");
  await session.send("Network.emulateNetworkConditions", NETWORK);
  await session.send("Emulation.setCPUThrottlingRate", { rate: CPU_SLOWDOWN });
  const traffic = countTraffic(session);
  await page.addInitScript(() => {
    new MutationObserver((_, observer) => {
      if (document.querySelector(".house.playable")) {
        observer.disconnect();
        requestAnimationFrame(() => performance.mark("playable"));
      }
    }).observe(document, { subtree: true, childList: true, attributes: true });
  });
  await page.goto(stage.server.url, { waitUntil: "commit" });
  const playable = await page.waitForFunction(
    () => performance.getEntriesByName("playable")[0]?.startTime,
  );
  const now = { ...traffic };
  const painted = await page.evaluate(
    () => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0,
  );
  await delay(SETTLING_MS);
  const result = {
    painted: Math.round(painted),
    playable: Math.round(Number(await playable.jsonValue())),
    requests: now.requests,
    bytes: now.bytes,
    late: traffic.requests - now.requests,
  };
  await page.close();
  return result;
}

/**
 * Returns the median of numbers.
 *
 * @param {number[]} numbers
 */
const median = (numbers) => numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;

/**
 * Prints the visits of a kind.
 *
 * @param {string} kind
 * @param {Visit[]} visits
 */
function print(kind, visits) {
  const times = visits.map(({ playable }) => playable);
  console.log(
    `${kind}: playable after ${median(times)} ms (${Math.min(...times)} to ${Math.max(...times)}),`,
    `first paint ${median(visits.map(({ painted }) => painted))} ms,`,
    `${median(visits.map(({ requests }) => requests))} requests,`,
    `${median(visits.map(({ bytes }) => bytes))} bytes,`,
    `${median(visits.map(({ late }) => late))} requests later`,
  );
}

test("visits of a slow phone", async () => {
  await slowServiceWorkers(await stage.browser.newBrowserCDPSession());
  /** @type {Record<"cold" | "again" | "again, no worker", Visit[]>} */
  const visits = { cold: [], again: [], "again, no worker": [] };
  for (let run = 0; run < RUNS; run += 1) {
    for (const serviceWorkers of /** @type {const} */ (["allow", "block"])) {
      const context = await stage.browser.newContext({ viewport: VIEWPORT, serviceWorkers });
      const first = await visit(context);
      visits.cold.push(first);
      const kind = serviceWorkers === "allow" ? "again" : "again, no worker";
      visits[kind].push(await visit(context));
      await context.close();
    }
  }
  Object.entries(visits).forEach(([kind, of]) => print(kind, of));
});
