import assert from "node:assert/strict";
import { test } from "node:test";

import { check, checkColours, copiedText, expect, scrollTo, visit } from "../harness.mjs";
import { setUp } from "../stage.mjs";

/** @import { Locator, Page } from "playwright" */

/** A game of 3x2 under cs32. `kalah solve --moves` computed the margins of its moves. */
const RECORD = `[South "Marge"]
[North "Homer"]
[Position "3x2"]

A c A b a C b c B a A c A *`;

/** The graded moves with their costs. */
const MISTAKES = [
  "1. A?? (Marge) cost 12 seeds, and turned a win into a loss.",
  "1… c?? (Homer) cost 10 seeds, and turned a win into a loss.",
  "2. A?? (Marge) cost 10 seeds, and turned a win into a loss.",
  "3… b c?! (Homer) cost 4 seeds.",
  "4… a?? (Homer) cost 8 seeds, and turned a win into a loss.",
];

/** The moves of each player cost 24 and 22 of 28 seeds at stake. */
const ACCURACIES = ["Marge 14% 0 0 2", "Homer 21% 1 0 2"];

const PHASES = [
  "Opening 0% (24 of 24) 37% (10 of 16)",
  "Middlegame 100% (0 of 4) 0% (12 of 12)",
  "Endgame – –",
  "Level (estimate) – –",
];

/** A game of 4x3 under cs32 with a move that is beautiful, and the only one that wins. */
const GOOD_GAME = `[Position "4x3"]

B A c B d A b d c B a C c a B d B *`;

/** The moves of the good game that stand out. */
const GOOD_MOVES = [
  "2. B! (South) The only move that wins.",
  "4. B! (South) The only move that wins.",
  "5. C!! (South) Beautiful: the capture of 4 seeds with house D is worse. The only move that wins.",
  "6. B! (South) The only move that wins. It captured 2 seeds.",
];

const stage = setUp();

/** The margins of the record are proven, however busy the machine is. */
const PROOF = /** @type {const} */ ({ timeLimits: "proof" });

/** Opens the review of a record. @param {Page} page @param {string} record @param {string} title */
async function openRecord(page, record, title) {
  await page.getByRole("tab", { name: "Analysis" }).click();
  await page.getByText("Links and files").press("Enter");
  await page.getByRole("textbox", { name: "Record to open" }).fill(record);
  // The analysis above moves the button while it grows, and a click would miss it.
  await page.getByRole("button", { name: "Open the record" }).press("Enter");
  await page.getByRole("status").filter({ hasText: title }).waitFor();
  await page.getByRole("tab", { name: "Review" }).click();
}

/** @param {Page} page */
async function openReview(page) {
  await openRecord(page, RECORD, "Marge – Homer, 13 moves.");
  // The review begins without another click.
  // It is complete when both players have their accuracy.
  await page.getByRole("cell", { name: "14%" }).waitFor();
  await page.getByRole("cell", { name: "21%" }).waitFor();
}

/** Returns the texts of the cells of each row. @param {Locator} rows */
const cells = (rows) =>
  rows.evaluateAll((all) =>
    all.map((row) =>
      Array.from(row.children, (cell) => cell.textContent?.replaceAll(/\s/g, " ")).join(" "),
    ),
  );

/** @param {Page} page @param {string} text */
const status = (page, text) => page.getByRole("status").filter({ hasText: text }).waitFor();

test("the review of a record finds and grades its mistakes", async () => {
  const viewport = { width: 1440, height: 900 };
  const options = { viewport, permissions: ["clipboard-read", "clipboard-write"] };
  const { page, errors, leave } = await visit(stage, options, "", PROOF);
  await openReview(page);
  const rows = page.locator("table.accuracies:not(.phases) tbody tr");
  await expect.poll(() => cells(rows)).toEqual(ACCURACIES);
  const items = page.getByRole("list", { name: "Mistakes" }).locator("> li");
  const listed = async () =>
    (await items.allTextContents()).map((text) => text.replace(/\s*Show the better move.*/, ""));
  await expect.poll(listed).toEqual(MISTAKES);
  await items.first().getByText("Show the better move").click();
  await items.first().getByText("Better: B. It missed a bonus turn with house B.").waitFor();
  await page.getByText("Accuracy in the phases of the game, and level").click();
  await expect.poll(() => cells(page.locator("table.phases tbody tr"))).toEqual(PHASES);
  await check(page, "review-1440-light");
  await page.keyboard.press(".");
  await status(
    page,
    "1. A?? (Marge). A blunder, costs 12 seeds. With best play: Homer ahead by 8 (proven).",
  );
  // The person may still look for the better move.
  await status(page, "Why: It missed a bonus turn.");
  await page.getByRole("button", { name: "How moves are graded" }).click();
  await page.getByText("costs at least 4 seeds and no points").waitFor();

  // The move list has the symbols of the grades, also after the review panel has closed.
  await page.getByRole("tab", { name: "Analysis" }).click();
  await page.getByRole("button", { name: "3… North c, inaccuracy" }).waitFor();
  const moves = page.getByRole("group", { name: "Moves" }).getByRole("button");
  await expect(moves).toHaveText("A?? c?? A?? b a C b c?! B a?? A c A".split(" "));
  // The record names the program that has found them.
  await page.getByRole("button", { name: "Copy record" }).press("Enter");
  const record = await copiedText(page, /\{ \?\? \}/);
  assert.match(record, /^\[Annotator "kalah\/\d[^"]*"\]$/m);
  assert.deepEqual(errors, []);
  await leave();
});

test("good moves have a list, and their reasons", async () => {
  const view = /** @type {const} */ ({
    colorScheme: "dark",
    viewport: { width: 390, height: 844 },
  });
  const { page, errors, leave } = await visit(stage, view, "", PROOF);
  await openRecord(page, GOOD_GAME, "17 moves.");
  await page.getByText("Good moves (4)").click();
  const good = page.getByRole("list", { name: "Good moves" }).locator("> li");
  await expect(good).toHaveText(GOOD_MOVES);
  await good.getByRole("button", { name: "5. C!! (South)" }).click();
  await status(page, "Why: Beautiful: the capture of 4 seeds with house D is worse.");
  await scrollTo(page.locator("text.graph-beautiful", { hasText: "!!" }));
  await page.getByText("Accuracy in the phases of the game, and level").click();
  await check(page, "review-good-390-dark");
  await page.getByRole("tab", { name: "Analysis" }).click();
  const listed = page.getByRole("button", { name: "5. South C, beautiful" });
  await scrollTo(listed.getByText("C!!"));
  await checkColours(page, "moves-good-390");
  assert.deepEqual(errors, []);
  await leave();
});

test("keys go from mistake to mistake, and the person finds a better move", async () => {
  const view = /** @type {const} */ ({
    colorScheme: "dark",
    viewport: { width: 390, height: 844 },
  });
  const { page, errors, leave } = await visit(stage, view, "", PROOF);
  await openReview(page);
  // A phone folds the mistakes.
  const mistakes = page.getByRole("list", { name: "Mistakes" });
  await expect(mistakes).toBeHidden();
  await page.getByText("Mistakes (5)").waitFor();
  await check(page, "review-390-dark");
  await page.keyboard.press(".");
  await status(page, "1. A??");
  for (const name of ["1… c??", "2. A??", "3… b c?!", "4… a??"]) {
    await page.keyboard.press(".");
    await status(page, name);
  }
  await page.keyboard.press(",");
  await status(page, "3… b c?! (Homer)");
  await page.getByRole("button", { name: "Previous mistake" }).press("Enter");
  await status(page, "2. A?? (Marge)");

  await page.getByRole("button", { name: "Find a better move", exact: true }).press("Enter");
  await status(page, "Find a better move for Marge than A.");
  await page.keyboard.press("a");
  await status(page, "A is the move of the game and costs 10 seeds.");
  // The board returns to the position before the mistake.
  await page.locator("#turn", { hasText: "Marge to move" }).waitFor();
  await page.keyboard.press("c");
  await status(page, "Right: C is the best move.");
  await check(page, "review-retry-390-dark");
  const box = page.getByRole("group", { name: "Find a better move" });
  await box.getByRole("button", { name: "Next mistake" }).press("Enter");
  await status(page, "3… b c?! (Homer)");
  await page.getByRole("button", { name: "Find a better move", exact: true }).press("Enter");
  await box.getByRole("button", { name: "Give up and show it" }).press("Enter");
  await status(page, "Better: a.");
  await box.getByRole("button", { name: "Back to the review" }).press("Enter");
  await box.waitFor({ state: "hidden" });
  // The tries are not part of the game.
  await page.getByRole("tab", { name: "Analysis" }).press("Enter");
  await expect(page.getByRole("group", { name: "Variation" })).toHaveCount(0);
  assert.deepEqual(errors, []);
  await leave();
});

test("the task is in view in a wide window, and nothing tells its answer", async () => {
  const viewport = { width: 1440, height: 900 };
  const { page, errors, leave } = await visit(stage, { viewport }, "", PROOF);
  await openReview(page);
  const scores = page.locator("#margins");
  await page.getByRole("tab", { name: "Analysis" }).click();
  await scores.click();
  await page.locator(".mark").first().waitFor();
  await page.getByRole("tab", { name: "Review" }).click();
  await page.locator(".mark").first().waitFor({ state: "detached" });
  await expect(scores).toHaveAttribute("aria-pressed", "false");
  await expect(scores).toHaveAttribute("aria-disabled", "true");
  await expect(scores).toHaveAttribute("title", "Scores are hidden while the review is open.");

  await page.getByRole("button", { name: "Find a better move than 4… a" }).click();
  const task = page.getByRole("group", { name: "Find a better move" });
  await task.getByText("Find a better move for Homer than a.").waitFor();
  // The tabs cover the top of the panel while it is scrolled.
  await page.waitForFunction(() => {
    const box = (/** @type {string} */ selector) =>
      /** @type {Element} */ (document.querySelector(selector)).getBoundingClientRect();
    const [inner, tabs, panels] = [".retry", ".tabs", ".panels"].map(box);
    return inner && tabs && panels && inner.top >= tabs.bottom && inner.bottom <= panels.bottom + 1;
  });
  await check(page, "review-retry-1440-light");
  await page.getByRole("tab", { name: "Analysis" }).click();
  await page.getByText("Scores are hidden while you look for a better move").waitFor();
  await expect(page.getByRole("list", { name: "Score of each move" })).toBeHidden();
  await expect(page.getByRole("group", { name: "Best line" })).toBeHidden();
  await expect(page.locator(".mark")).toHaveCount(0);
  await page.getByRole("tab", { name: "Review" }).click();
  await task.getByRole("button", { name: "Back to the review" }).click();
  await page.getByRole("tab", { name: "Analysis" }).click();
  await page.getByRole("list", { name: "Score of each move" }).waitFor();
  await page.locator(".mark").first().waitFor();
  assert.deepEqual(errors, []);
  await leave();
});

test("a review can be stopped, and goes on while its panel is closed", async () => {
  const { page, errors, leave } = await visit(stage, {}, "#position=6x6&line=ABcCd");
  await page.locator("#event", { hasText: "plays" }).waitFor();
  await page.getByRole("tab", { name: "Review" }).click();
  const progress = page.getByRole("progressbar", { name: "Review" });
  await progress.waitFor();
  await page.getByRole("button", { name: "Stop" }).click();
  await progress.waitFor({ state: "hidden" });
  await page.getByRole("button", { name: /^(Continue the review|Review this game)$/ }).click();
  const share = () =>
    progress.evaluate((bar) => (bar instanceof HTMLProgressElement ? bar.value : 0));
  await progress.waitFor();
  await page.waitForFunction(() => {
    const bar = document.querySelector("#panel-review progress");
    return bar instanceof HTMLProgressElement && bar.value > 0;
  });
  const before = await share();
  await page.getByRole("tab", { name: "Review" }).click();
  await page.getByRole("tab", { name: "Review" }).click();
  await progress.waitFor();
  assert.ok((await share()) >= before);
  assert.deepEqual(errors, []);
  await leave();
});
