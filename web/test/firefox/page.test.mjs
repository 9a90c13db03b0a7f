/**
 * The page in Firefox, driven by WebDriver BiDi: a game against the computer, an analysis, a puzzle,
 * a game of two friends, and a round in a room. `KALAH` is the path of the program and `FIREFOX` the browser.
 *
 * Playwright drives the browser tests, but no Firefox of a distribution; Puppeteer does.
 *
 * @import { Browser, Page } from "puppeteer-core"
 */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import puppeteer from "puppeteer-core";

import { executable, Server } from "../browser/stage.mjs";

/** The window of a phone in upright format. */
const PHONE = { width: 390, height: 844 };

/** The window of a laptop. */
const LAPTOP = { width: 1440, height: 900 };

/** The time for which the page of a player is in the background, in milliseconds. */
const BACKGROUND_MS = 60_000;

/** The longest wait for an element, in milliseconds. */
const TIMEOUT_MS = 120_000;

/** More plies than any game of 2x1 has. */
const MAX_PLIES = 30;

/** The browser of all tests. @type {Browser} */
let browser;

const server = new Server();

/** The errors of all pages. @type {string[]} */
const errors = [];

before(async () => {
  await server.start();
  browser = await puppeteer.launch({
    browser: "firefox",
    executablePath: executable(process.env["FIREFOX"] ?? "firefox-esr"),
    headless: true,
    extraPrefsFirefox: { "intl.accept_languages": "en-US", "ui.prefersReducedMotion": 1 },
  });
});

after(async () => {
  await browser.close();
  await server.remove();
});

/**
 * Opens a page in its own browser context.
 *
 * @param {string} address
 * @param {{ width: number, height: number }} viewport
 */
async function open(address, viewport) {
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  page.setDefaultTimeout(TIMEOUT_MS);
  page.on("pageerror", (error) => errors.push(String(error)));
  await page.setViewport(viewport);
  await page.goto(address);
  return page;
}

/**
 * Clicks an element, which the page may still have to create.
 *
 * @param {Page} page
 * @param {string} selector
 */
const click = (page, selector) => page.locator(selector).click();

/**
 * Waits until the text of an element matches.
 *
 * @param {Page} page
 * @param {string} selector
 * @param {string} part
 */
const waitForText = (page, selector, part) =>
  page.waitForFunction(
    (found, text) => document.querySelector(found)?.textContent?.includes(text),
    {},
    selector,
    part,
  );

/** Checks that no page had an error, and closes a page. @param {Page[]} pages */
async function close(...pages) {
  assert.deepEqual(errors, []);
  for (const page of pages) {
    await page.browserContext().close();
  }
}

/** Sows the first playable house of a page. @param {Page} page */
async function sowFirst(page) {
  const house = await page.waitForSelector(".house.playable");
  const pit = await house?.evaluate((element) => element.getAttribute("data-pit"));
  await house?.click();
  await page.waitForSelector(`[data-pit="${pit}"][aria-label*=" 0 seeds"]`);
}

/** Plays the game of two pages to its end. @param {Page[]} pages */
async function playOn(pages) {
  for (let ply = 0; ply < MAX_PLIES; ply += 1) {
    const mover = await Promise.race(
      pages.map(async (page) => {
        await page.waitForSelector(".house.playable, #game-end:not([hidden])");
        return page;
      }),
    );
    if (await mover.$("#game-end:not([hidden])")) {
      return;
    }
    await sowFirst(mover);
  }
  assert.fail("the game does not end");
}

test("a game against the computer, its analysis and a puzzle", async () => {
  const page = await open(server.url, LAPTOP);
  await sowFirst(page);
  await waitForText(page, "#turn", "Your turn");
  await click(page, "#tab-analysis");
  await page.waitForSelector("#panels [role=group] button");
  await click(page, "#tab-puzzles");
  await click(page, "#panels button::-p-text(Next puzzle)");
  await page.waitForSelector(".house.playable");
  await close(page);
});

test("two friends on phones play a game and a rematch", async () => {
  const one = await open(server.url, PHONE);
  await click(one, "#tab-friend");
  await one.locator("#friend-houses").fill("2");
  await one.locator("#friend-seeds").fill("1");
  await click(one, "label:has(input[name=friend-side][value=south])");
  await click(one, "button::-p-text(Create game)");
  const link = await one.waitForFunction(() => {
    const selector = "#invitation input[readonly]";
    return /** @type {HTMLInputElement | null} */ (document.querySelector(selector))?.value;
  });
  const two = await open(String(await link.jsonValue()), PHONE);
  await click(two, "#invitation button[type=submit]");
  await one.waitForSelector("#invitation", { hidden: true });
  await sowFirst(one);
  const other = await one.browserContext().newPage();
  await other.bringToFront();
  await new Promise((resolve) => setTimeout(resolve, BACKGROUND_MS));
  await one.bringToFront();
  await playOn([one, two]);
  await click(one, "#rematch");
  await click(two, "#friend-offer button::-p-text(Accept)");
  await waitForText(one, "#plate-north .name", "You");
  await close(one, two);
});

/** Enters a room with a name. @param {string} address @param {string} name */
async function enterRoom(address, name) {
  const page = await open(address, PHONE);
  await page.locator("#room-name").fill(name);
  await click(page, "button::-p-text(Enter)");
  await waitForText(page, "body", "Wait for the first round");
  return page;
}

test("a leader and two members on phones play a round in a room", async () => {
  const leader = await open(server.url, PHONE);
  await click(leader, "#tab-rooms");
  await leader.locator("#room-title").fill("Class 7b");
  await click(leader, "label::-p-text(Swiss)");
  await leader.locator("#room-rules").fill("cs32");
  await leader.locator("#room-houses").fill("2");
  await leader.locator("#room-seeds").fill("2");
  await click(leader, "button::-p-text(Create room)");
  await leader.waitForFunction(() => window.location.hash.startsWith("#room="));
  const members = [await enterRoom(leader.url(), "Ann"), await enterRoom(leader.url(), "Ben")];
  // A click waits for a frame, which pages in the background do not draw.
  await leader.bringToFront();
  await waitForText(leader, "body", "The next round can start");
  await click(leader, "button::-p-text(Start the first round)");
  for (const page of members) {
    await page.bringToFront();
    await page.waitForSelector(".house");
  }
  await playOn(members);
  for (const page of members) {
    await page.bringToFront();
    await click(page, "button::-p-text(Back to the room)");
  }
  await leader.waitForSelector("button::-p-text(Start round 2)");
  await close(leader, ...members);
});
