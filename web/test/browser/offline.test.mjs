import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join, normalize } from "node:path";
import { after, before, test } from "node:test";

import { houses, isOver, launch, open, playToTheEnd } from "./harness.mjs";

/** @import { Browser, Page } from "playwright-core" */
/** @import { Server } from "node:http" */

/** The folder that `cargo xtask site` has written. */
const SITE = process.env["SITE"];
const skip = SITE ? false : "SITE names no folder: cargo xtask site";

/** What a plain host of files calls them. */
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

/** The folder on the host in which the site lies. */
const FOLDER = "/games/kalah/";

/** The folder that the host serves; another one is another version that has been put there. */
let served = SITE ?? "";
/** @type {Server} */
let host;
/** @type {string} */
let url;
/** @type {Browser} */
let browser;

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
  browser = await launch();
});

after(async () => {
  await browser.close();
  host.close();
});

/**
 * Writes another version of the site: the page, its script and the worker each say which one they are of.
 *
 * @param {string} folder
 * @param {string} version
 */
async function build(folder, version) {
  const site = join(folder, version);
  await cp(SITE ?? "", site, { recursive: true });
  /** @type {[string, (text: string) => string][]} */
  const stamps = [
    ["index.html", (text) => text.replace("<html ", `<html data-page="${version}" `)],
    ["app.js", (text) => `document.documentElement.dataset.script = "${version}";\n${text}`],
    ["engine/worker.js", (text) => `self.name = "${version}";\n${text}`],
  ];
  let list = await readFile(join(site, "sw.js"), "utf8");
  for (const [name, stamp] of stamps) {
    const path = join(site, name);
    const before = await readFile(path, "utf8");
    const after = stamp(before);
    assert.notEqual(after, before);
    await writeFile(path, after);
    const hash = (/** @type {string} */ text) => createHash("sha256").update(text).digest("hex");
    assert.ok(list.includes(hash(before)), `${name} is not in the list of the site's files`);
    list = list.replace(hash(before), hash(after));
  }
  await writeFile(join(site, "sw.js"), list);
  return site;
}

/** How long a page must stay as it is to have come to rest, in milliseconds. */
const REST_MS = 700;

/** A browser that is being watched is slow to let a worker go: so many loads may pass. */
const MAX_LOADS = 4;

/** Which versions the parts of a page in use are of. @param {Page} page */
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

/** The same for a page that may load itself again meanwhile, once it has come to rest. @param {Page} page */
async function versionsInTheEnd(page) {
  for (let told = ""; ;) {
    const now = await versions(page).catch(() => "");
    if (now && now === told) {
      return now;
    }
    told = now;
    await new Promise((resolve) => setTimeout(resolve, REST_MS));
  }
}

/** Waits until a new version has come and waits for its turn. @param {Page} page */
const newOneWaits = (page) =>
  page.evaluate(async () => {
    const registration = await navigator.serviceWorker.getRegistration();
    while (!registration?.waiting) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  });

test(
  "a new version is taken over when the page is loaded again, and only as a whole",
  { skip, timeout: 60_000 },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "kalah-site-"));
    const [old, next] = [await build(folder, "old"), await build(folder, "next")];
    const context = await browser.newContext({ reducedMotion: "reduce" });
    const { page, complaints } = await open(context);
    served = old;
    await page.goto(url);
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
    assert.equal(await versions(page), "old");
    served = next;
    // The host has another version: this load is of the old one still, whole, and brings the other one in.
    await page.reload();
    assert.equal(await versions(page), "old");
    await newOneWaits(page);
    // While two windows are open, both stay at the version that they have begun with.
    const second = await open(context);
    await second.page.goto(url);
    assert.equal(await versions(second.page), "old");
    assert.equal(await versions(page), "old");
    await second.page.close();
    // Alone, it goes over to the new version as soon as the browser lets the old worker go, and at no time has parts of both.
    let now = "old";
    for (let load = 0; now === "old" && load < MAX_LOADS; load += 1) {
      await page.reload();
      now = await versionsInTheEnd(page);
    }
    assert.equal(now, "next");
    // And it needs no network for that.
    await context.setOffline(true);
    host.closeAllConnections();
    await page.reload();
    assert.equal(await versions(page), "next");
    assert.deepEqual([...complaints, ...second.complaints], []);
    await context.close();
    served = SITE ?? "";
    await rm(folder, { recursive: true });
  },
);

test("the static site plays without a network once it was visited", { skip }, async () => {
  const context = await browser.newContext({ reducedMotion: "reduce" });
  const { page, complaints } = await open(context);
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
  await page.locator("#event", { hasText: "Hint: sow" }).waitFor();
  await playToTheEnd(page, () => houses(page).last().click());
  assert.deepEqual(complaints, []);
  await context.close();
});
