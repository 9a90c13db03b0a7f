/** Tests of the files of the page: how many requests a visit needs, and updates of the page. */

import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";

import { houses, isOver, open } from "../harness.mjs";
import { Server, setUpWithOwnServer } from "../stage.mjs";
import { publishVersion } from "./versions.mjs";

/** @import { Page } from "playwright" */

/** The requests of a first visit, those of the service worker included. */
const MAX_REQUESTS = 12;

/** The route of all files but the document. */
const FILE_ROUTE = 'route="/{*path}"';

/** A folder of sources has neither a bundle nor a service worker. */
const options = { skip: process.env["PAGE"] ? "PAGE replaces the embedded page" : false };

const stage = setUpWithOwnServer();

/** Returns the text at a path of a server. @param {{ url: string }} server @param {string} path */
const fetchText = async (server, path) => (await fetch(server.url + path)).text();

/**
 * Returns the number of requests that the server has answered, those for metrics excepted.
 *
 * @param {string} [route] of these requests, by default any
 */
async function answered(route = "") {
  const metrics = await fetchText(stage.server, "metrics");
  const counts = metrics.matchAll(/^kalah_requests_total\{(.*)\} (\d+)$/gm);
  return [...counts]
    .filter(([, labels]) => labels?.includes(route) && !labels.includes("/metrics"))
    .reduce((sum, [, , count]) => sum + Number(count), 0);
}

/** Waits until the service worker has stored the page. @param {Page} page */
async function isStored(page) {
  await isOver(page);
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
}

/** Waits until the active service worker has stored the script of a page. @param {Page} page */
const hasStored = (page) =>
  page.evaluate(async () => {
    const script = document.querySelector("head script")?.getAttribute("src") ?? "";
    const isActive = async () => {
      const registration = await navigator.serviceWorker.getRegistration();
      return !registration?.installing && !registration?.waiting;
    };
    while (!((await caches.match(script)) && (await isActive()))) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  });

/** Returns the versions of the document and of its script. @param {Page} page */
const versions = (page) =>
  page.evaluate(() => {
    const { page: index, script } = document.documentElement.dataset;
    return `${index} ${script}`;
  });

/**
 * Writes the embedded page to a folder.
 *
 * @param {string} folder
 */
async function writePage(folder) {
  const worker = await fetchText(stage.server, "sw.js");
  const paths = [...worker.matchAll(/^ {2}"([^"]+)": "[0-9a-f]{64}",$/gm)].map(([, path]) => path);
  assert.ok(paths.length > 3, worker.slice(0, 500));
  for (const path of ["sw.js", ...paths].map(String)) {
    await writeFile(join(folder, path), await fetchText(stage.server, path));
  }
}

/** Changes the page in a folder to a version. @param {string} folder @param {string} version */
const publish = (folder, version) =>
  publishVersion(folder, {
    document: (text) => text.replace(/<html (data-page="\w+" )?/, `<html data-page="${version}" `),
    script: (text) =>
      `document.documentElement.dataset.script = "${version}";\n${text.replace(/^document.*\n/, "")}`,
  });

test(
  "a first visit needs few requests, and another one only those of the game",
  options,
  async () => {
    const context = await stage.browser.newContext({ reducedMotion: "reduce" });
    const { page, errors } = await open(context);
    await page.goto(stage.server.url);
    await isStored(page);
    const first = await answered();
    assert.ok(first <= MAX_REQUESTS, `${first} requests`);
    /** @type {string[]} */
    const files = [];
    page.on("response", (response) => {
      if (!response.fromServiceWorker() && !response.url().includes("/api/")) {
        files.push(response.url());
      }
    });
    await page.goto(stage.server.url);
    await isStored(page);
    assert.deepEqual(files, []);
    const again = (await answered()) - first;
    assert.ok(again < first, `${again} requests after ${first}`);
    assert.deepEqual(errors, []);
    await context.close();
  },
);

test("a browser without service workers requests no file again", options, async () => {
  const context = await stage.browser.newContext({ serviceWorkers: "block" });
  const { page, errors } = await open(context);
  const before = await answered(FILE_ROUTE);
  await page.goto(stage.server.url);
  await isOver(page);
  const first = await answered(FILE_ROUTE);
  assert.ok(first > before, `${first} requests`);
  await page.goto("about:blank");
  await page.goto(stage.server.url);
  await isOver(page);
  assert.equal(await answered(FILE_ROUTE), first);
  assert.deepEqual(errors, []);
  await context.close();
});

test(
  "a page without its server says so, and goes on when the server is back",
  options,
  async () => {
    const context = await stage.browser.newContext({ reducedMotion: "reduce" });
    const { page } = await open(context);
    await page.goto(stage.server.url);
    await isStored(page);
    await houses(page).last().click();
    await isOver(page);
    await stage.server.end("SIGKILL");
    await page.reload();
    const alert = page.getByRole("alert");
    await alert.getByText("The server cannot be reached").waitFor();
    await stage.server.start();
    await alert.getByRole("button", { name: "Try again" }).click();
    await isOver(page);
    await context.close();
  },
);

test(
  "a visit gets the version of the server as a whole, and an open tab goes on",
  options,
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "kalah-page-"));
    const server = new Server(["--page", folder]);
    after(async () => {
      await server.remove();
      await rm(folder, { recursive: true });
    });
    await writePage(folder);
    await publish(folder, "old");
    await server.start();
    const context = await stage.browser.newContext({ reducedMotion: "reduce" });
    const tab = await open(context);
    await tab.page.goto(server.url);
    await isStored(tab.page);
    assert.equal(await versions(tab.page), "old old");

    await publish(folder, "next");
    const { page, errors } = await open(context);
    await page.goto(server.url);
    await isOver(page);
    assert.equal(await versions(page), "next next");
    await houses(tab.page).last().click();
    await isOver(tab.page);
    assert.equal(await versions(tab.page), "old old");

    await hasStored(page);
    assert.deepEqual([...errors, ...tab.errors], []);
    await server.end("SIGKILL");
    await page.reload();
    await page.getByRole("alert").getByText("The server cannot be reached").waitFor();
    assert.equal(await versions(page), "next next");
    await context.close();
  },
);
