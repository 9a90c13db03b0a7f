import assert from "node:assert/strict";
import { test } from "node:test";

import { checkViews, copiedText, expect, visit } from "../harness.mjs";
import { describedPath } from "../../../records/link.js";
import { setUp } from "../stage.mjs";

/** @import { Page } from "playwright" */
/** @import { Puzzle } from "../../../types/api.d.ts" */

const stage = setUp();

/** The puzzles that the page has received, in order. @param {Page} page */
function listen(page) {
  /** @type {Puzzle[]} */
  const puzzles = [];
  page.on("response", (response) => {
    if (response.url().endsWith("/puzzle")) {
      const read = (/** @type {string} */ events) => {
        const [, data = "null"] = /^event: done\ndata: (.*)/m.exec(events) ?? [];
        const { puzzle } = JSON.parse(data) ?? {};
        if (puzzle) {
          puzzles.push(puzzle);
        }
      };
      // The page may close before the end of a response.
      response.text().then(read, () => {});
    }
  });
  return puzzles;
}

/** @param {Page} page @param {string} text */
const status = (page, text) =>
  page.locator("#panel-puzzles [role=status]").filter({ hasText: text }).waitFor();

/** Plays the moves that are to be found. @param {Page} page @param {Puzzle} puzzle */
async function solve(page, { to_find: toFind, line }) {
  for (const index of toFind) {
    const move = line[index] ?? "";
    await page.getByRole("button", { name: `house ${move}, `, disabled: false }).waitFor();
    await page.keyboard.press(move);
  }
}

/** A desktop in light colours and a phone in dark colours. */
const VIEWS = /** @type {const} */ ([
  { viewport: { width: 1440, height: 900 }, colorScheme: "light" },
  { viewport: { width: 390, height: 844 }, colorScheme: "dark" },
]);

test("puzzles are solved with the keyboard alone", async () => {
  const { page, errors, leave } = await visit(stage, {
    permissions: ["clipboard-read", "clipboard-write"],
  });
  const puzzles = listen(page);
  await page.getByRole("tab", { name: "Puzzles" }).press("Enter");
  await page.getByText("Your rating begins at 1000").waitFor();
  await checkViews(page, "puzzles-intro", VIEWS);
  await page.getByRole("button", { name: "Next puzzle" }).press("Enter");
  await status(page, "to move: find the only move");
  await page.locator("#hint").waitFor({ state: "hidden" });
  await page.getByRole("button", { name: "Copy link" }).press("Enter");
  const mainButton = page.locator("#panel-puzzles button.main");
  await expect(mainButton, "no button is the main one of an open puzzle").toHaveCount(0);
  await checkViews(page, "puzzles-task", VIEWS);
  const [puzzle] = puzzles;
  assert.ok(puzzle);
  await copiedText(page, new RegExp(`${describedPath(new URL(page.url()).hash)}$`));

  // A wrong move is taken back, and the puzzle counts as failed.
  const wrong = puzzle.moves.find(({ move }) => move !== puzzle.solution)?.move ?? "";
  await page.keyboard.press(wrong);
  await status(page, `${wrong} `);
  await page.getByText("In a row: 0, best 0. Solved on the first try: 0 of 1.").waitFor();
  const own = page.getByRole("button", { name: `house ${puzzle.solution}, `, disabled: false });
  await own.waitFor();
  await checkViews(page, "puzzles-wrong", VIEWS);
  await solve(page, puzzle);
  await status(page, "Solved");
  // The solution is played out to the end of its line.
  await page.locator("#undo[aria-disabled=false]").waitFor();
  await mainButton.filter({ hasText: "Next puzzle" }).waitFor();
  await checkViews(page, "puzzles-solved", VIEWS);

  await page.getByRole("button", { name: "Next puzzle" }).press("Enter");
  await status(page, "to move: find the only move");
  await page.getByRole("button", { name: "Give up and show it" }).press("Enter");
  await status(page, "The solution is ");
  await page.getByText("0 of 2.").waitFor();
  await page
    .locator("#panel-puzzles")
    .getByRole("button", { name: "Back to the game" })
    .press("Enter");
  await page.locator("#turn", { hasText: /^Your turn/ }).waitFor();
  await page.locator("#hint[aria-disabled=false]").waitFor();

  // Rating and streak are kept.
  await page.reload();
  await page.getByRole("tab", { name: "Puzzles" }).press("Enter");
  await page.getByText("0 of 2.").waitFor();
  assert.deepEqual(errors, []);
  await leave();
});
