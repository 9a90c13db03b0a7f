import assert from "node:assert/strict";
import { test } from "node:test";

import { check, checkViews, expect, setView, visit } from "../harness.mjs";
import { setUp } from "../stage.mjs";

/** @import { Page } from "playwright" */

const stage = setUp();

/** Phones in portrait and in landscape. */
const PHONES = [
  { width: 390, height: 844 },
  { width: 320, height: 568 },
  { width: 360, height: 640 },
  { width: 430, height: 932 },
  { width: 667, height: 375 },
  { width: 844, height: 390 },
  { width: 568, height: 320 },
];

const DESKTOPS = [
  { width: 1440, height: 900 },
  { width: 1920, height: 1080 },
  { width: 2560, height: 1440 },
];

/** Phones in both orientations and colours. */
const VIEWS = /** @type {const} */ ([
  { viewport: { width: 390, height: 844 }, colorScheme: "light" },
  { viewport: { width: 667, height: 375 }, colorScheme: "light" },
  { viewport: { width: 667, height: 375 }, colorScheme: "dark" },
  { viewport: { width: 390, height: 844 }, colorScheme: "dark" },
]);

const TOUCH = { hasTouch: true, isMobile: true };

/** A game of 3x2 with mistakes of both players. */
const RECORD = `[Position "3x2"]

A c A b a C b c B a A c A *`;

/** The steps of the focus through the page in each direction. */
const FOCUS_STEPS = 45;

/** @param {Page} page */
const sizeOf = (page) => Object.values(page.viewportSize() ?? {}).join("x");

/**
 * Waits until elements are in the window, and no other element covers them, such as the board that
 * stays in view.
 *
 * @param {Page} page
 * @param {string} state
 * @param {string[]} selectors
 */
async function waitInView(page, state, selectors) {
  for (const selector of selectors) {
    const element = await page.waitForSelector(selector);
    await page
      .waitForFunction((wanted) => {
        const { top, bottom, left, right } = wanted.getBoundingClientRect();
        const x = (Math.max(left, 0) + Math.min(right, window.innerWidth)) / 2;
        const edges = [top + 1, bottom - 1].map((y) => document.elementFromPoint(x, y));
        return bottom > top && edges.every((found) => found !== null && wanted.contains(found));
      }, element)
      .catch(async (error) => {
        const box = JSON.stringify(await element.boundingBox());
        assert.fail(`${selector} at ${sizeOf(page)}, ${state}: ${box}: ${error}`);
      });
  }
}

/** @param {Page} page @param {string} name */
const tapTab = (page, name) => page.getByRole("tab", { name }).tap();

/**
 * Opens records in the analysis panel.
 *
 * @param {Page} page
 * @param {string} records
 */
async function openRecords(page, records) {
  await page.getByRole("tab", { name: "Analysis" }).click();
  const files = page.locator("#panel-analysis details", { hasText: "Links and files" });
  await files.evaluate((details) => details.setAttribute("open", ""));
  await page.getByRole("textbox", { name: "Record to open" }).fill(records);
  await page.getByRole("button", { name: "Open the record" }).press("Enter");
}

/** Opens a record and waits for its whole review. @param {Page} page */
async function openReview(page) {
  await openRecords(page, RECORD);
  await page.getByRole("status").filter({ hasText: "13 moves." }).waitFor();
  await page.getByRole("tab", { name: "Review" }).click();
  await page.getByRole("cell", { name: "14%" }).waitFor();
  await page.getByRole("cell", { name: "21%" }).waitFor();
}

test("a tap on a tab shows its panel, and the board stays in view", async () => {
  const { page, errors, leave } = await visit(stage, { ...TOUCH, viewport: PHONES[0] });
  for (const viewport of PHONES) {
    await setView(page, { viewport });
    for (const [id, name] of [
      ["friend", "Play a friend"],
      ["analysis", "Analysis"],
      ["review", "Review"],
      ["puzzles", "Puzzles"],
      ["games", "Games"],
    ]) {
      await page.evaluate(() => window.scrollTo(0, 0));
      await tapTab(page, String(name));
      await waitInView(page, `after a tap on ${name}`, ["#board", `#tab-${id}`]);
      const shown = await page
        .locator(`#panel-${id}`)
        .evaluate((panel) => window.innerHeight - panel.getBoundingClientRect().top);
      assert.ok(shown > 0, `${name} at ${viewport.width}: the panel begins ${-shown} below`);
    }
  }
  await setView(page, { viewport: PHONES[0] });
  await tapTab(page, "Analysis");
  await checkViews(page, "in-view-analysis", VIEWS);
  assert.deepEqual(errors, []);
  await leave();
});

test("the board and the task of a puzzle are in view on phones", async () => {
  const { page, errors, leave } = await visit(stage, { ...TOUCH, viewport: PHONES[0] });
  await tapTab(page, "Puzzles");
  await page.locator("#panel-puzzles summary", { hasText: "Choices" }).tap();
  await page.getByRole("combobox", { name: "Board" }).selectOption("4x3");
  await page.getByRole("combobox", { name: "Difficulty" }).selectOption("easy");
  const task = page.locator(".puzzle-message", { hasText: "find the only move" });
  for (const viewport of PHONES) {
    await setView(page, { viewport });
    for (const count of [1, 2]) {
      await page.getByRole("button", { name: "Next puzzle", exact: true }).tap();
      await task.waitFor();
      await waitInView(page, `puzzle ${count}`, ["#board", ".puzzle-message"]);
    }
    const panel = page.locator("#panel-puzzles");
    await panel.getByRole("button", { name: "Back to the game" }).tap();
  }
  assert.deepEqual(errors, []);
  await leave();
});

test("the board and the text of a mistake are in view on phones", async () => {
  const options = { ...TOUCH, viewport: { width: 390, height: 844 } };
  const { page, errors, leave } = await visit(stage, options, "", { timeLimits: "proof" });
  await openReview(page);
  for (const viewport of PHONES) {
    await setView(page, { viewport });
    // The board shows the start, to which the search for a better first move also leads back.
    for (const name of ["Next mistake", "Next mistake", "Previous mistake"]) {
      await page.getByRole("button", { name, exact: true }).tap();
      await waitInView(page, `after ${name}`, ["#board"]);
    }
    await page.getByRole("button", { name: "Find a better move", exact: true }).tap();
    await waitInView(page, "in the search for a better move", ["#board", ".retry"]);
    await page.getByRole("button", { name: "Back to the review" }).tap();
  }
  await checkViews(page, "in-view-review", VIEWS);
  assert.deepEqual(errors, []);
  await leave();
});

test("a review, and a list of records with the moves, are in view together on a desktop", async () => {
  const [first] = DESKTOPS;
  const { page, errors, leave } = await visit(stage, { viewport: first }, "", {
    timeLimits: "proof",
  });
  await openReview(page);
  for (const viewport of DESKTOPS) {
    await setView(page, { viewport });
    await page.locator("#panel-review").evaluate((panel) => panel.scrollIntoView());
    await page.getByRole("button", { name: "Next mistake", exact: true }).click();
    const parts = ["#board", "#moves", ".graph", ".review-ply", ".mistakes"];
    await waitInView(page, "in a review", parts);
    await check(page, `in-view-review-${viewport.width}`);
  }
  await setView(page, { viewport: DESKTOPS[0] });
  await openRecords(page, `${RECORD}\n\n`.repeat(8));
  await page.getByRole("status").filter({ hasText: "8 games. Select one:" }).waitFor();
  await waitInView(page, "with records", ["#board", "#moves", "#panel-analysis .games"]);
  assert.deepEqual(errors, []);
  await leave();
});

test("the board covers no element with the focus", async () => {
  // In the low one a keyboard covers the rest of the screen.
  for (const viewport of [
    { width: 390, height: 844 },
    { width: 390, height: 508 },
    { width: 667, height: 375 },
  ]) {
    const { page, errors, leave } = await visit(stage, { viewport }, "#line=CFcAd");
    await page.locator("#event", { hasText: "plays" }).waitFor();
    await page.getByRole("tab", { name: "Analysis" }).click();
    for (const title of ["Links and files", "Set up a position", "Comment and change"]) {
      await page.getByText(title, { exact: true }).click();
    }
    for (const key of ["Shift+Tab", "Tab"]) {
      for (let step = 0; step < FOCUS_STEPS; step += 1) {
        await page.keyboard.press(key);
        const covered = await page.evaluate(() => {
          const { activeElement } = document;
          if (!activeElement || activeElement === document.body) {
            return null;
          }
          const { top, bottom, left, right } = activeElement.getBoundingClientRect();
          // A browser scrolls only the caret of a large field into view.
          const y = (Math.max(top, 0) + Math.min(bottom, window.innerHeight)) / 2;
          const found = document.elementFromPoint((left + right) / 2, y);
          // The label of a field is in front of it.
          const isFound = found && (activeElement.contains(found) || found.contains(activeElement));
          return isFound ? null : `${activeElement.outerHTML} from ${top} to ${bottom}`;
        });
        assert.equal(covered, null, `${key} ${step} at ${sizeOf(page)}`);
      }
    }
    assert.deepEqual(errors, []);
    await leave();
  }
});

test("texts for touch name no keys, and the rules come before the keys", async () => {
  const touch = await visit(stage, { ...TOUCH, viewport: PHONES[0] });
  await touch.page.getByRole("button", { name: "Help" }).tap();
  const help = touch.page.getByRole("dialog", { name: "Help" });
  await help.getByRole("heading", { name: "Rules" }).waitFor();
  await expect(help.locator("kbd")).toHaveCount(0);
  await check(touch.page, "help-touch");
  await help.getByRole("button", { name: "Learn on the board" }).tap();
  const lesson = touch.page.locator("#lesson");
  await lesson.getByText("Tap house B.").waitFor();
  await waitInView(touch.page, "in the lesson", ["#board", "#lesson"]);
  await expect(lesson.getByText(/\bkey\b/)).toHaveCount(0);
  await touch.page.getByRole("button", { name: "Settings" }).tap();
  await expect(touch.page.getByText("Keyboard shortcuts")).toHaveCount(0);
  assert.deepEqual(touch.errors, []);
  await touch.leave();

  const { page, errors, leave } = await visit(stage);
  await page.getByRole("button", { name: "Help" }).click();
  const titles = page.getByRole("dialog").getByRole("heading", { level: 3 });
  await expect(titles).toHaveText(["How to play", "Rules", "Keys"]);
  assert.deepEqual(errors, []);
  await leave();
});
