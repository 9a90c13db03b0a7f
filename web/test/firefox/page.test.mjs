/**
 * The page in Firefox, driven by WebDriver BiDi: a game against the computer, an analysis, a puzzle,
 * a game of two friends, and three rounds in a room. `KALAH` is the path of the program and `FIREFOX` the browser.
 *
 * Playwright drives the browser tests, but no Firefox of a distribution; Puppeteer does.
 *
 * @import { Browser, Page } from "puppeteer-core"
 */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import puppeteer from "puppeteer-core";

import { Bot, MoveRecord } from "../browser/rooms/bots.mjs";
import { executable, Server } from "../browser/stage.mjs";

/** The window of a phone in upright format. */
const PHONE = { width: 390, height: 844 };

/** The window of a laptop. */
const LAPTOP = { width: 1440, height: 900 };

/** The time for which the page of a player is in the background, in milliseconds. */
const BACKGROUND_MS = 60_000;

/** The longest wait for an element, in milliseconds. */
const TIMEOUT_MS = 40_000;

/** The delay between two looks at a page, in milliseconds. */
const POLL_MS = 50;

/** The moves of the second round of a room before the server is killed. */
const MOVES_BEFORE_KILL = 8;

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
  await click(page, "#panel-puzzles .puzzle-ways button");
  await waitForText(page, "#panel-puzzles [role=status]", "find the only move");
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

/**
 * Plays the game of a round in a room, which opens by itself, to its end. The page of a member with a bye
 * says so. The moves are clicks by script: pages in the background draw no frames, for which a real click
 * waits.
 *
 * @param {Page} page
 * @param {number} round
 * @param {() => boolean} [mayMove] whether the member goes on
 */
async function playRound(page, round, mayMove = () => true) {
  const hasBegun = (/** @type {number} */ wanted) => {
    const { body } = document;
    const isOver = !(document.getElementById("game-end")?.hidden ?? true);
    const isPlaying = document.querySelector("#turn")?.textContent?.includes("first move");
    return body.innerText.includes(`You have a bye in round ${wanted}`) || (isPlaying && !isOver);
  };
  await page.waitForFunction(hasBegun, { polling: POLL_MS }, round);
  const step = (/** @type {boolean} */ isAllowed) => {
    const isOver = !(document.getElementById("game-end")?.hidden ?? true);
    const house = document.querySelector(".house.playable");
    if (isAllowed && house instanceof HTMLElement) {
      house.click();
    }
    return isOver || document.body.innerText.includes("You have a bye");
  };
  while (!(await page.evaluate(step, mayMove()))) {
    await sleep(POLL_MS);
  }
}

/**
 * Checks that the exported games have the moves that the members without a page have sent.
 *
 * @param {string} code
 * @param {MoveRecord} record
 */
async function checkExport(code, record) {
  const results = `${server.url}api/v1/rooms/${code}/results?format=json`;
  const { games, byes } = await (await fetch(results)).json();
  // Three rounds of eight, seven and seven members.
  assert.equal(games.length, 4 + 3 + 3);
  assert.equal(byes.length, 2);
  for (const { game, plies, ending } of games) {
    assert.equal(ending.termination, "normal", game);
    for (const [ply, move] of record.plies(game)) {
      assert.equal(plies[ply - 1], move, `ply ${ply} of ${game}`);
    }
  }
}

/** Creates a room for Swiss rounds, and returns the leader's page and the code. */
async function createRoom() {
  const leader = await open(server.url, PHONE);
  await click(leader, "#tab-rooms");
  await leader.locator("#room-title").fill("Class 7b");
  await click(leader, "label::-p-text(Swiss)");
  await leader.locator("#room-rules").fill("cs32");
  await leader.locator("#room-houses").fill("2");
  await leader.locator("#room-seeds").fill("2");
  await click(leader, "button::-p-text(Create room)");
  await leader.waitForFunction(() => window.location.hash.startsWith("#room="));
  return { leader, code: leader.url().slice(-6) };
}

test("a class of eight plays three rounds while a pupil leaves and the server is killed", async () => {
  const { leader, code } = await createRoom();
  const address = `${server.url}room/${code}`;
  const pages = [await enterRoom(address, "Ann"), await enterRoom(address, "Ben")];
  const record = new MoveRecord();
  const bots = Array.from(
    { length: 6 },
    (_, index) => new Bot(server, code, `Pupil ${index + 3}`, record),
  );
  for (const bot of bots) {
    await bot.enter();
  }
  /** @param {number} round @param {string} text of the leader's button @param {() => boolean} [mayMove] */
  const playAll = async (round, text, mayMove) => {
    // A click waits for a frame, which pages in the background do not draw.
    await leader.bringToFront();
    await waitForText(leader, "body", "The next round can start");
    await click(leader, `button::-p-text(${text})`);
    await Promise.all([
      ...pages.map((page) => playRound(page, round, mayMove)),
      ...bots.map((bot) => bot.play(round, mayMove)),
    ]);
  };
  await playAll(1, "Start the first round");
  assert.ok(await bots.pop()?.leave());

  let moves = 0;
  let isKilled = false;
  const second = playAll(2, "Start round 2", () => isKilled || (moves += 1) <= MOVES_BEFORE_KILL);
  while (moves < MOVES_BEFORE_KILL) {
    await sleep(POLL_MS);
  }
  await server.end("SIGKILL");
  await server.start();
  isKilled = true;
  await second;
  await playAll(3, "Start round 3");
  await checkExport(code, record);
  // Firefox reports the connections that ended with the server.
  const isLost = (/** @type {string} */ error) => error.includes(" ws://");
  errors.splice(0, Infinity, ...errors.filter((error) => !isLost(error)));
  await close(leader, ...pages);
});
