/** Addresses of puzzles, puzzles of several moves, the puzzle of the day, and storms. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { check, checkViews, copiedText, expect, visit } from "../harness.mjs";
import { describedPath } from "../../../records/link.js";
import { setUp } from "../stage.mjs";

/** @import { Page } from "playwright" */

const stage = setUp();

/** A puzzle of the moves F, E and B, the last one after a reply. */
const PUZZLE = "#puzzle=6,15,8,1,1,1,0,1,1,1,1,1,3,2,12,s&rules=standard";

/** @param {Page} page @param {string} text */
const status = (page, text) =>
  page.locator("#panel-puzzles [role=status]").filter({ hasText: text }).waitFor();

/** @param {Page} page @param {string} name */
const press = (page, name) =>
  page.locator("#panel-puzzles").getByRole("button", { name, exact: true }).press("Enter");

/** A desktop in light colours and a phone in dark colours. */
const VIEWS = /** @type {const} */ ([
  { viewport: { width: 1440, height: 900 }, colorScheme: "light" },
  { viewport: { width: 320, height: 568 }, colorScheme: "dark" },
  { viewport: { width: 844, height: 390 }, colorScheme: "light" },
]);

test("the address of a puzzle opens it, and all its moves are to be found", async () => {
  const { page, errors, leave } = await visit(
    stage,
    { permissions: ["clipboard-read", "clipboard-write"] },
    PUZZLE,
  );
  await status(page, "South to move: find the only move that wins. There are 3 moves to find.");
  await page.keyboard.press("A");
  await status(page, "A loses.");
  await page.getByRole("button", { name: "house F, ", disabled: false }).waitFor();
  await page.keyboard.press("F");
  await status(page, "Right. Find the next one, move 2 of 3.");
  await checkViews(page, "puzzles-second-move", VIEWS);
  await page.keyboard.press("E");
  await status(page, "Right. Find the next one, move 3 of 3.");
  await page.getByRole("button", { name: "house B, ", disabled: false }).waitFor();
  // A reload keeps the puzzle.
  await page.reload();
  await status(page, "There are 3 moves to find.");
  await press(page, "Copy link");
  await copiedText(page, new RegExp(`${describedPath(PUZZLE)}$`));
  await press(page, "Give up and show it");
  await status(page, "The solution is F, E, B.");
  await press(page, "Back to the game");
  await page.locator("#turn", { hasText: /^Your turn/ }).waitFor();
  await expect(page).not.toHaveURL(/#/);
  // The back button returns to the puzzle after another address.
  await page.evaluate((hash) => void (location.hash = hash), PUZZLE);
  await status(page, "There are 3 moves to find.");
  assert.deepEqual(errors, []);
  await leave();
});

test("a position that is no puzzle is shown with the reason, and a broken address too", async () => {
  const { page, errors, leave } = await visit(stage, {}, "#puzzle=4,0,0,3,3,3,3,3,3,3,3,s");
  await status(page, "This position is no puzzle: several moves lead to the best result.");
  assert.deepEqual(errors, []);
  await page.evaluate(() => void (location.hash = "#puzzle=4,x"));
  const problem = page.locator("#error", { hasText: "Ask for the link again" });
  await problem.filter({ hasText: "is not the position of a puzzle" }).waitFor();
  await check(page, "puzzle-broken-link");
  // A link that is cut off within its numbers has the form of a position.
  await page.evaluate(() => void (location.hash = "#puzzle=4,0,0,3,3,3,s"));
  await problem.filter({ hasNotText: "is not the position of a puzzle" }).waitFor();
  await leave();
});

test("the puzzle of the day is remembered", async () => {
  const { page, errors, leave } = await visit(stage);
  await page.clock.setFixedTime(new Date("2026-11-30T12:00:00Z"));
  await page.getByRole("tab", { name: "Puzzles" }).click();
  await page.getByText("The same for all players.").waitFor();
  await checkViews(page, "puzzles-start", VIEWS);
  await press(page, "Puzzle of the day");
  await status(page, "to move: find the only move");
  const address = page.url();
  assert.match(address, /#puzzle=/);
  await press(page, "Give up and show it");
  await status(page, "The solution is ");
  await press(page, "Back to the game");
  await page.getByText("Not solved today.").waitFor();
  await press(page, "Puzzle of the day");
  await status(page, "to move: find the only move");
  await expect(page).toHaveURL(address);
  assert.deepEqual(errors, []);
  await leave();
});

test("a storm ends with its time", async () => {
  const { page, errors, leave } = await visit(stage);
  await page.getByRole("tab", { name: "Puzzles" }).click();
  await page.locator("#panel-puzzles summary", { hasText: "Choices" }).click();
  await page.getByRole("combobox", { name: "Board" }).selectOption("4x3");
  await page.clock.install({ time: 0 });
  await press(page, "Storm");
  await status(page, "to move: find the only move");
  await checkViews(page, "puzzles-storm", VIEWS);
  const first = page.url();
  await press(page, "Skip (10 seconds)");
  await page.waitForFunction((before) => location.href !== before, first);
  await status(page, "to move: find the only move");
  const clock = page.getByRole("timer", { name: "Time left" });
  await expect(clock).toHaveText(/^[0-2]:[0-5]\d$/);
  await page.clock.fastForward("03:00");
  await status(page, "The time is up. You have solved 0.");
  await page.getByRole("button", { name: "Streak", exact: true }).waitFor();
  await checkViews(page, "puzzles-storm-over", VIEWS);
  assert.deepEqual(errors, []);
  await leave();
});
