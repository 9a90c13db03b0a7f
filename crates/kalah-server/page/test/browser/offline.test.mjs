import assert from "node:assert/strict";
import { createReadStream } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { after, before, test } from "node:test";

import { houses, isOver, launch, open, playToTheEnd } from "./harness.mjs";

/** @import { Browser } from "playwright-core" */
/** @import { Server } from "node:http" */

/** The folder that `cargo xtask site` has written. */
const SITE = process.env["SITE"];
const skip = SITE ? false : "SITE names no folder: cargo xtask site";

/** What a plain host of files calls them. */
const TYPES = new Map(Object.entries({
  ".css": "text/css",
  ".html": "text/html",
  ".js": "text/javascript",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
  ".webmanifest": "application/manifest+json",
}));

/** The folder on the host in which the site lies. */
const FOLDER = "/games/kalah/";

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
    const file = createReadStream(join(SITE ?? "", inside));
    file.on("error", () => response.writeHead(404).end());
    file.on("open", () => response.writeHead(200, { "content-type": TYPES.get(extname(inside)) ?? "text/plain" }));
    file.pipe(response);
  });
  await /** @type {Promise<void>} */ (new Promise((listening) => host.listen(0, "127.0.0.1", listening)));
  const address = host.address();
  url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}${FOLDER}`;
  browser = await launch();
});

after(async () => {
  await browser.close();
  host.close();
});

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
