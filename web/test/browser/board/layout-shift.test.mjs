import assert from "node:assert/strict";
import { test } from "node:test";

import { open } from "../harness.mjs";
import { setUp } from "../stage.mjs";

/** @import { Page } from "playwright" */

const stage = setUp();

/** Windows for each layout of the page. */
const VIEWPORTS = [
  { width: 390, height: 844 },
  { width: 320, height: 568 },
  { width: 667, height: 375 },
  { width: 1440, height: 900 },
  { width: 1280, height: 720 },
];

/**
 * Returns whether a page shows the list of moves only with the first move, because it would push the
 * tabs below it out of view.
 *
 * @param {{ width: number, height: number }} viewport
 */
const hidesMoves = ({ width, height }) => width < 1000 || height < 500;

/** The largest sum of layout shifts while the page loads, and during the moves and their answers. */
const MAX_LAYOUT_SHIFT = 0.02;

/**
 * Starts to collect the layout shifts of a page.
 * Shifts soon after an input count, too: a fast machine would otherwise excuse what a slow one shows.
 *
 * @param {Page} page
 */
function collectShifts(page) {
  return page.addInitScript(() => {
    let sum = 0;
    /** @param {PerformanceEntry[]} entries */
    const add = (entries) => {
      for (const entry of entries) {
        sum += /** @type {any} */ (entry).value;
      }
    };
    const observer = new PerformanceObserver((list) => add(list.getEntries()));
    observer.observe({ type: "layout-shift", buffered: true });
    Object.assign(window, {
      takeShifts() {
        add(observer.takeRecords());
        const taken = sum;
        sum = 0;
        return taken;
      },
    });
  });
}

/** Returns the sum of the layout shifts since the last call. @param {Page} page */
const takeShifts = (page) => page.evaluate("takeShifts()").then(Number);

/** Waits until the page has been painted. @param {Page} page */
const waitForPaint = (page) =>
  page.evaluate(async () => {
    while (performance.getEntriesByType("paint").length === 0) {
      await new Promise(requestAnimationFrame);
    }
    // The second frame begins after the first one has been painted.
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  });

/**
 * Holds the requests of a page for some addresses, and returns a function that continues them.
 *
 * @param {Page} page
 * @param {string} addresses
 */
async function holdRequests(page, addresses) {
  let release = () => {};
  const isReleased = /** @type {Promise<void>} */ (new Promise((resolve) => (release = resolve)));
  await page.route(addresses, async (route) => {
    await isReleased;
    await route.continue();
  });
  return release;
}

/** A move of the person that ends the turn, and an answer of the computer that ends the turn. */
const FIRST_MOVE = { house: "A", answer: "a" };

/** The next move of the person and its answer, which end the turn, too. */
const SECOND_MOVE = { house: "C", answer: "c" };

/**
 * Pins the answers of the computer, so that their texts do not depend on chance.
 *
 * @param {Page} page
 */
function pinAnswers(page) {
  const answers = [FIRST_MOVE.answer, SECOND_MOVE.answer];
  return page.route("**/api/v1/choose", (route) =>
    route.fulfill({
      contentType: "text/event-stream",
      body: `event: done\ndata: ${JSON.stringify({ move: answers.shift(), bounds: null, is_best: false })}\n\n`,
    }),
  );
}

/**
 * Makes a move and waits for the answer.
 *
 * @param {Page} page
 * @param {typeof FIRST_MOVE} move
 */
async function play(page, { house, answer }) {
  await page.locator(`button.house[data-pit="${house}"]`).click();
  await page
    .getByRole("log")
    .getByText(`Computer (level 2) plays house ${answer},`)
    .first()
    .waitFor();
  await page.locator("#turn", { hasText: "Your turn" }).waitFor();
  await waitForPaint(page);
}

test("nothing moves while the page loads and a move is answered", async () => {
  for (const viewport of VIEWPORTS) {
    const context = await stage.browser.newContext({ viewport, reducedMotion: "reduce" });
    const { page, errors } = await open(context);
    await collectShifts(page);
    // The page is painted without its modules, then without a game, then with both.
    const releaseModules = await holdRequests(page, "**/*.js");
    const releaseGame = await holdRequests(page, "**/api/**");
    // The route that is added last has precedence.
    await pinAnswers(page);
    await page.goto(stage.server.url, { waitUntil: "commit" });
    await waitForPaint(page);
    releaseModules();
    await page.getByRole("tab", { name: "Puzzles" }).waitFor({ state: "attached" });
    await waitForPaint(page);
    releaseGame();
    await page.locator(".house.playable").first().waitFor();
    await waitForPaint(page);
    const loading = await takeShifts(page);
    assert.ok(loading < MAX_LAYOUT_SHIFT, `${viewport.width}: ${loading} while the page loads`);

    await page.getByRole("button", { name: "No, thanks" }).click();
    await waitForPaint(page);
    await takeShifts(page);
    await play(page, FIRST_MOVE);
    if (hidesMoves(viewport)) {
      await takeShifts(page);
    }
    await play(page, SECOND_MOVE);
    const playing = await takeShifts(page);
    assert.ok(playing < MAX_LAYOUT_SHIFT, `${viewport.width}: ${playing} during a move`);
    assert.deepEqual(errors, []);
    await context.close();
  }
});
