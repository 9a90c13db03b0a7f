import assert from "node:assert/strict";
import { test } from "node:test";

import {
  check,
  expect,
  installClock,
  open,
  setView,
  stopClock,
  visit as visitPage,
} from "../harness.mjs";
import { setUp } from "../stage.mjs";

/** @import { BrowserContextOptions, Page } from "playwright" */

const stage = setUp();

/** The smallest size of a target for touch, in pixels (WCAG 2.2, 2.5.8). */
const FINGER_PX = 24;

/** The time between two looks at an animation, in milliseconds: less than that of a slow drop. */
const STEP_MS = 100;

/**
 * The options of the form for a new game.
 *
 * @typedef {object} Wanted
 * @property {number} [houses]
 * @property {number} [seeds]
 * @property {string} [rules]
 * @property {string} [against]
 * @property {string} [play]
 */

/**
 * Opens the page.
 *
 * @param {BrowserContextOptions} [options]
 * @param {Wanted} [wanted] the game to start in place of the first one
 */
async function visit(options = {}, wanted) {
  const visited = await visitPage(stage, options);
  if (wanted) {
    await newGame(visited.page, wanted);
  }
  return visited;
}

/** @param {Page} page @param {Wanted} wanted */
async function newGame(
  page,
  { houses = 6, seeds = 4, rules = "cs32", against = "Computer", play },
) {
  await page.keyboard.press("n");
  const dialog = page.getByRole("dialog", { name: "New game" });
  await dialog.getByRole("radio", { name: against }).check();
  if (play) {
    await dialog.getByRole("radio", { name: play }).check();
  }
  await dialog.getByLabel("Houses a side").selectOption(String(houses));
  await dialog.getByLabel("Seeds in each").selectOption(String(seeds));
  await dialog.locator(`input[name=rules][value="${rules}"]`).check();
  const hasStarted = page.waitForResponse("**/api/v1/position");
  await dialog.getByRole("button", { name: "Start" }).click();
  await dialog.waitFor({ state: "hidden" });
  await hasStarted;
  await page.locator("#turn", { hasText: "Setting up the board" }).waitFor({ state: "hidden" });
}

/**
 * Returns the counts on the board: South's row and store, North's row and store.
 *
 * @param {Page} page
 */
async function counts(page) {
  const read = (/** @type {string} */ row) =>
    page
      .getByRole("list", { name: row })
      .getByRole("listitem")
      .evaluateAll((items) =>
        items.map((item) => {
          const text =
            item.querySelector("button")?.getAttribute("aria-label") ?? item.textContent ?? "";
          return Number(/, (\d+) seed/.exec(text)?.[1]);
        }),
      );
  return [...(await read("South's row")), ...(await read("North's row"))];
}

test("boards of every size fit a phone, a phone in landscape and a desktop", async () => {
  const { page, errors, leave } = await visit();
  for (const viewport of [
    { width: 360, height: 640 },
    { width: 740, height: 360 },
    { width: 1440, height: 900 },
  ]) {
    await setView(page, { viewport });
    for (const [houses, seeds] of [
      [10, 10],
      [1, 1],
      [3, 8],
    ]) {
      await newGame(page, { houses, seeds });
      await page.waitForFunction(
        (wanted) => document.querySelectorAll(".house").length === wanted,
        2 * Number(houses),
      );
      await check(page, `board-${houses}x${seeds}-${viewport.width}`);
      const narrowest = await page
        .locator(".house")
        .evaluateAll((all) => Math.min(...all.map((house) => house.getBoundingClientRect().width)));
      assert.ok(narrowest >= FINGER_PX, `${houses} houses at ${viewport.width}: ${narrowest}`);
    }
    if (viewport.height > viewport.width) {
      // On a phone all controls are above the lower edge.
      await newGame(page, { houses: 10, seeds: 10 });
      const bottom = await page
        .locator("#controls")
        .evaluate((controls) => controls.getBoundingClientRect().bottom);
      assert.ok(bottom <= viewport.height, `the controls end at ${bottom}`);
    }
  }
  assert.deepEqual(errors, []);
  await leave();
});

test("a board that is wider than the window scrolls", async () => {
  const { page, errors, leave } = await visit({ viewport: { width: 360, height: 740 } });
  await page.goto(`${stage.server.url}#position=20x4&line=A`);
  const last = page.getByRole("button", { name: "house a, 4 seeds", exact: true });
  await last.click();
  await page.getByRole("button", { name: "house a, 0 seeds", exact: true }).waitFor();
  await check(page, "board-20x4-360");
  assert.deepEqual(errors, []);
  await leave();
});

test("a sowing is animated seed by seed, and the next click ends the animation", async () => {
  const { page, errors, leave } = await visit(
    { reducedMotion: "no-preference" },
    { against: "Two players on this device" },
  );
  await page.getByRole("button", { name: "Settings" }).click();
  await page.getByRole("radio", { name: "Slow" }).check();
  await page.keyboard.press("Escape");
  const shown = () => page.locator("#board .count").allTextContents();
  const sum = (/** @type {string[]} */ texts) =>
    texts.reduce((total, text) => total + Number(text), 0);
  // The clock of the page stands still, so that the animation does not depend on the machine.
  await installClock(page);
  await stopClock(page);
  await page.getByRole("button", { name: "house A, 4 seeds", exact: true }).click();
  await page.locator("#turn", { hasText: "South plays house A" }).waitFor();
  // The counts include each seed that has fallen, and not those in the hand.
  /** @type {number[]} */
  const totals = [];
  while (totals.length < 3) {
    await page.clock.runFor(STEP_MS);
    const total = sum(await shown());
    assert.ok(total < 48, `the animation has ended after ${totals}`);
    if (total !== totals.at(-1)) {
      totals.push(total);
    }
  }
  assert.deepEqual(totals, [44, 45, 46]);
  await page.getByRole("button", { name: "house a, 4 seeds", exact: true }).click();
  await page.clock.resume();
  await page.locator("#turn", { hasText: "South to move" }).waitFor();
  await expect.poll(() => counts(page)).toEqual([0, 5, 5, 5, 5, 4, 0, 0, 5, 5, 5, 5, 4, 0]);
  await expect.poll(async () => sum(await shown())).toBe(48);
  assert.deepEqual(errors, []);
  await leave();
});

test("a player who swaps has the other side, also after a reload", async () => {
  const { page, errors, leave } = await visit({}, { rules: "mankalah", play: "North, second" });
  await page.getByRole("button", { name: "Swap sides" }).click();
  const own = page.locator("#plate-south .name", { hasText: "You" });
  await own.waitFor();
  await page.getByRole("log").getByText("You swap sides.").waitFor();
  await page.locator("#turn", { hasText: /^(Your|Bonus) turn/ }).waitFor();
  const before = await counts(page);
  await page.reload();
  await own.waitFor();
  await expect.poll(() => counts(page)).toEqual(before);
  assert.deepEqual(errors, []);
  await leave();
});

test("an unreachable server is reported, and the game continues when it is back", async () => {
  const { page, leave } = await visit({}, { against: "Two players on this device" });
  await page.route("**/api/**", (route) => route.abort());
  await page.keyboard.press("a");
  const alert = page.getByRole("alert");
  await alert.getByText("The server cannot be reached").waitFor();
  await page.unroute("**/api/**");
  await alert.getByRole("button", { name: "Try again" }).click();
  await page.locator("#turn", { hasText: "North to move" }).waitFor();
  await expect(alert).toBeHidden();
  await expect.poll(() => counts(page)).toEqual([0, 5, 5, 5, 5, 4, 0, 4, 4, 4, 4, 4, 4, 0]);
  await leave();
});

test("a page that loads before its server starts when the server is reachable", async () => {
  const context = await stage.browser.newContext({ reducedMotion: "reduce" });
  const { page } = await open(context);
  await page.route("**/api/**", (route) => route.abort());
  await page.goto(stage.server.url);
  await page.getByRole("alert").waitFor();
  await page.unroute("**/api/**");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.locator(".house.playable").first().waitFor();
  await page.keyboard.press("n");
  await page.getByRole("radio", { name: /^With swap/ }).waitFor();
  await context.close();
});

test("hint, undo, redo, resignation and rematch", async () => {
  const { page, errors, leave } = await visit();
  await page.getByRole("button", { name: "Hint" }).click();
  await page
    .getByText(/^Hint: house [A-F] is the best move/)
    .first()
    .waitFor();
  await page.getByRole("button", { name: /^house [A-F], 4 seeds, hint$/ }).waitFor();
  await page.getByRole("button", { name: "house B, 4 seeds", exact: true }).click();
  // It is the person's turn before both moves, too.
  const answer = page.getByRole("button", { name: /^1… / }).first();
  await answer.waitFor();
  await page.locator("#turn", { hasText: /^Your turn/ }).waitFor();
  const played = await counts(page);
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("button", { name: /^house B, 4 seeds/ }).waitFor();
  await expect.poll(() => counts(page)).toEqual([4, 4, 4, 4, 4, 4, 0, 4, 4, 4, 4, 4, 4, 0]);
  await page.getByRole("button", { name: "Redo" }).click();
  await answer.waitFor();
  await page.locator("#turn", { hasText: /^Your turn/ }).waitFor();
  await expect.poll(() => counts(page)).toEqual(played);
  await page.getByRole("button", { name: "Resign" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Resign" }).click();
  await page.getByRole("heading", { name: "You lose" }).waitFor();
  await page.getByRole("button", { name: "Rematch" }).click();
  await page.locator("#plate-north .name", { hasText: "You" }).waitFor();
  await page.locator("#turn", { hasText: /^(Your|Bonus) turn/ }).waitFor();
  assert.deepEqual(errors, []);
  await leave();
});

test("the settings for columns and colours survive a reload", async () => {
  const { page, errors, leave } = await visit({ colorScheme: "light" });
  await page.getByRole("button", { name: "Settings" }).click();
  await page.getByRole("radio", { name: "Columns" }).check();
  await page.getByRole("radio", { name: "Dark" }).check();
  await page.keyboard.press("Escape");
  await page.reload();
  await page
    .getByRole("list", { name: "North's row" })
    .getByRole("button", { name: "column 6, 4 seeds" })
    .waitFor();
  const paper = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  assert.equal(paper, "rgb(25, 20, 16)");
  // The sixth column of North's row is above the sixth column of South's row.
  const x = async (/** @type {string} */ row) =>
    (
      await page
        .getByRole("list", { name: row })
        .getByRole("button", { name: /^column 6,/ })
        .boundingBox()
    )?.x;
  assert.equal(await x("North's row"), await x("South's row"));
  assert.deepEqual(errors, []);
  await leave();
});
