import assert from "node:assert/strict";
import { test } from "node:test";

import { check, checkViews, visit } from "../harness.mjs";
import { setUp } from "../stage.mjs";

/** @import { Page } from "playwright-core" */

const stage = setUp();

/** Opens the openings of the start of 6x4 under the standard rules. @param {object} options */
async function openOpenings(options) {
  const opened = await visit(stage, { viewport: { width: 390, height: 844 }, ...options });
  await opened.page.getByRole("tab", { name: "Openings" }).click();
  await rows(opened.page).first().waitFor();
  return opened;
}

/** @param {Page} page */
const table = (page) => page.getByRole("table", { name: /^Moves of/ });

/** @param {Page} page */
const rows = (page) => table(page).locator("tbody tr");

/** Waits for the row of a move with a score. @param {Page} page @param {RegExp} name */
const moveButton = (page, name) => table(page).getByRole("button", { name });

test("openings have proven scores and the results of games, and clicks go on", async () => {
  const { page, errors, leave } = await openOpenings({});
  await moveButton(
    page,
    /^South C, score \+8, proven, best move, bonus turn, \d+ games$/,
  ).waitFor();
  assert.equal(await rows(page).count(), 6);
  await page.getByText("The opening book has proven the score of every move").waitFor();
  await page.getByText("From games between levels 7 to 9").waitFor();
  await table(page)
    .getByRole("img", { name: /^won \d+, drawn \d+, lost \d+$/ })
    .first()
    .waitFor();
  await checkViews(page, "openings", [
    { viewport: { width: 390, height: 844 }, colorScheme: "light" },
    { viewport: { width: 320, height: 568 }, colorScheme: "dark" },
    { viewport: { width: 1280, height: 900 }, colorScheme: "light" },
    { viewport: { width: 390, height: 844 }, colorScheme: "dark" },
  ]);
  // The keyboard alone goes on: the focus stays in its row.
  await moveButton(page, /^South C/).focus();
  await page.keyboard.press("Enter");
  // South C gives a bonus turn.
  await moveButton(page, /^South F, score \+8/).waitFor();
  assert.match(
    (await page.evaluate(() => document.activeElement?.getAttribute("aria-label"))) ?? "",
    /^South [A-F], score/,
  );
  await moveButton(page, /^South F/).click();
  await moveButton(page, /^North a, score/).waitFor();
  await page.getByRole("button", { name: "Back one move" }).click();
  await moveButton(page, /^South F, score \+8/).waitFor();
  assert.deepEqual(errors, []);
  await leave();
});

test("finished games of this device are counted, and a locked board shows none", async () => {
  const { page, errors, leave } = await openOpenings({});
  await page.getByLabel("Games of").selectOption("own");
  await page.getByText("No finished game of this source").waitFor();
  await page.locator("[data-pit=A]").click();
  await page.locator("#undo[aria-disabled=false]").waitFor();
  await page.getByRole("button", { name: "Resign" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Resign" }).click();
  await page.getByRole("heading", { name: "You lose" }).waitFor();
  await page.getByRole("button", { name: "First position" }).click();
  await moveButton(page, /^South A, .*, 1 game$/).waitFor();
  await table(page).getByRole("img", { name: "won 0, drawn 0, lost 1" }).waitFor();
  await check(page, "openings-own-390");
  assert.deepEqual(errors, []);
  await leave();
});

for (const locale of ["en-GB", "de-DE"]) {
  test(`tabs take at most two rows on a narrow page, ${locale}`, async () => {
    const { page, leave } = await visit(stage, {
      locale,
      viewport: { width: 320, height: 568 },
    });
    for (const width of [320, 390]) {
      await page.setViewportSize({ width, height: 700 });
      const tops = await page
        .getByRole("tab")
        .evaluateAll((tabs) => new Set(tabs.map((tab) => tab.getBoundingClientRect().top)).size);
      assert.ok(tops <= 2, `${tops} rows of tabs at ${width} pixels`);
    }
    await leave();
  });
}
