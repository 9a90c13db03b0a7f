import assert from "node:assert/strict";
import { createReadStream } from "node:fs";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join, normalize } from "node:path";
import { after, before, test } from "node:test";

import { houses, isOver, open, playToTheEnd } from "../browser/harness.mjs";
import { publishVersion } from "../browser/loading/versions.mjs";
import { setUpBrowser } from "../browser/stage.mjs";

/** @import { Page } from "playwright" */
/** @import { Server } from "node:http" */

/** The folder that `cargo xtask site` has written. */
const SITE = process.env["SITE"] ?? "";
assert.ok(SITE, "SITE names no folder: cargo xtask site");

/** The media types of the files on a host. */
const TYPES = new Map(
  Object.entries({
    ".css": "text/css",
    ".html": "text/html",
    ".js": "text/javascript",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".wasm": "application/wasm",
    ".webmanifest": "application/manifest+json",
  }),
);

/** The folder of the site on the host. */
const FOLDER = "/games/kalah/";

/** The folder that the host serves; a test replaces it to publish another version. */
let served = SITE;
/** @type {Server} */
let host;
/** @type {string} */
let url;

const stage = setUpBrowser();

before(async () => {
  host = createServer((request, response) => {
    const path = normalize(new URL(request.url ?? "/", "http://localhost").pathname);
    const inside = path.startsWith(FOLDER) ? path.slice(FOLDER.length) || "index.html" : "";
    const file = createReadStream(join(served, inside));
    file.on("error", () => response.writeHead(404).end());
    file.on("open", () =>
      response.writeHead(200, { "content-type": TYPES.get(extname(inside)) ?? "text/plain" }),
    );
    file.pipe(response);
  });
  await /** @type {Promise<void>} */ (
    new Promise((listening) => host.listen(0, "127.0.0.1", listening))
  );
  const address = host.address();
  url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}${FOLDER}`;
});

after(() => host.close());

/**
 * Writes another version of the site in which the page, its script and the worker have a version
 * each.
 *
 * @param {string} folder
 * @param {string} version
 */
async function build(folder, version) {
  const site = join(folder, version);
  await cp(SITE, site, { recursive: true });
  await publishVersion(site, {
    document: (text) => text.replace("<html ", `<html data-page="${version}" `),
    script: (text) => `document.documentElement.dataset.script = "${version}";\n${text}`,
    worker: (text) => `self.name = "${version}";\n${text}`,
  });
  return site;
}

/** The interval in which a page must not change, in milliseconds. */
const REST_MS = 2000;

/** Returns the versions of the parts of a page. @param {Page} page */
async function versions(page) {
  await isOver(page);
  const { page: index, script } = await page.evaluate(() => ({
    ...document.documentElement.dataset,
  }));
  const workers = await Promise.all(
    page.workers().map((worker) => worker.evaluate(() => self.name)),
  );
  return [...new Set([index, script, ...workers])].join();
}

/** Returns the same after the page has stopped reloading. @param {Page} page */
async function stableVersions(page) {
  for (let last = ""; ;) {
    const now = await versions(page).catch(() => "");
    if (now && now === last) {
      return now;
    }
    last = now;
    await new Promise((resolve) => setTimeout(resolve, REST_MS));
  }
}

/** Waits until a new version is installed and waits. @param {Page} page */
const waitForNewVersion = (page) =>
  page.evaluate(async () => {
    const registration = await navigator.serviceWorker.getRegistration();
    while (!registration?.waiting) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  });

test("a reload takes over a new version as a whole", { timeout: 600_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), "kalah-site-"));
  const [old, next] = [await build(folder, "old"), await build(folder, "next")];
  const context = await stage.browser.newContext({ reducedMotion: "reduce" });
  const { page, errors } = await open(context);
  served = old;
  await page.goto(url);
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
  assert.equal(await versions(page), "old");
  const oldScript = await page.locator("head script").getAttribute("src");
  served = next;
  // The host has another version. This load still has the whole old version, and installs the new
  // one.
  await page.reload();
  assert.equal(await versions(page), "old");
  await waitForNewVersion(page);
  // Two open windows keep the version with which they started.
  const second = await open(context);
  await second.page.goto(url);
  assert.equal(await versions(second.page), "old");
  assert.equal(await versions(page), "old");
  await second.page.close();
  // A single window changes to the new version when the browser releases the old worker, and never
  // has parts of both.
  let now = "old";
  while (now === "old") {
    await page.reload();
    now = await stableVersions(page);
  }
  assert.equal(now, "next");
  // A document of the old version would still get its files, which the host does not have.
  assert.equal(
    await page.evaluate(async (path) => (await fetch(path)).ok, String(oldScript)),
    true,
  );
  // The new version needs no network.
  await context.setOffline(true);
  host.closeAllConnections();
  await page.reload();
  assert.equal(await versions(page), "next");
  assert.deepEqual([...errors, ...second.errors], []);
  await context.close();
  served = SITE;
  await rm(folder, { recursive: true });
});

test("the static site works offline after one visit", async () => {
  const context = await stage.browser.newContext({ reducedMotion: "reduce" });
  const { page, errors } = await open(context);
  await page.goto(url);
  await isOver(page);
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready;
  });
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
  await context.setOffline(true);
  host.closeAllConnections();
  await page.reload();
  await isOver(page);
  await page.getByRole("button", { name: "Hint" }).click();
  await page.locator("#event", { hasText: /^Hint: / }).waitFor();
  await page.getByRole("tab", { name: "Openings" }).press("Enter");
  // The start has its scores from the books of the engine, and its games from a file of the site.
  const openings = page.getByRole("tabpanel");
  await openings.getByText("✓").first().waitFor();
  await openings
    .getByText(/^\d{3}$/)
    .first()
    .waitFor();
  await playToTheEnd(page, () => houses(page).last().click());
  assert.deepEqual(errors, []);
  await context.close();
});
