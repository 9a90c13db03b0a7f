import assert from "node:assert/strict";
import { text } from "node:stream/consumers";
import { test } from "node:test";

import { check, expect, houses, isOver, open, scrollTo, visit } from "../harness.mjs";
import { setUp } from "../stage.mjs";

/** @import { Page } from "playwright" */

const stage = setUp();

/** Plays one move, and resigns. @param {Page} page */
async function playAndResign(page) {
  await isOver(page);
  await houses(page).first().click();
  await page.locator("#undo[aria-disabled=false]").waitFor();
  await page.getByRole("button", { name: "Resign" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Resign" }).click();
  await page.getByRole("heading", { name: "You lose" }).waitFor();
}

/**
 * Waits for the houses of a game whose first move was that of a house.
 *
 * @param {Page} page
 * @param {string} house
 */
async function waitForGameOf(page, house) {
  const first = page.locator("#moves").getByRole("button", { name: /^1\. / });
  await first.filter({ hasText: house }).waitFor();
  await isOver(page);
}

test("unfinished games go on from the list, after a reload and in another tab", async () => {
  const { page, errors, leave } = await visit(stage, {
    viewport: { width: 390, height: 844 },
    locale: "en-GB",
  });
  for (const house of ["B", "A"]) {
    await isOver(page);
    await page.locator(`[data-pit=${house}]`).click();
    await waitForGameOf(page, house);
    if (house === "B") {
      await page.locator("#open-new-game").click();
      await page.getByRole("button", { name: "Start", exact: true }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Start the new game" }).click();
      // The next move is one of the new game.
      const moves = page.locator("#moves").getByRole("button", { name: /^1\. / });
      await moves.first().waitFor({ state: "detached" });
    }
  }
  await page.reload();
  await waitForGameOf(page, "A");
  await page.getByRole("tab", { name: "Games" }).click();
  const items = page
    .getByRole("list", { name: "Games played on this device" })
    .getByRole("listitem");
  await items.last().getByText("Not finished").waitFor();
  // The date has the form of the reader's region.
  await items
    .last()
    .getByText(/\d{1,2} \w+ \d{4}, \d\d:\d\d, 6×4/)
    .waitFor();
  await check(page, "games-unfinished-390");
  await items
    .last()
    .getByRole("button", { name: /^Continue: You/ })
    .click();
  await waitForGameOf(page, "B");
  await page.locator("#undo[aria-disabled=false]").waitFor();
  await houses(page).first().click();
  await page.locator("#moves").getByRole("button", { name: /^2\. / }).first().waitFor();
  await isOver(page);
  await expect(items).toHaveCount(2);

  // Another tab goes on with the game that this one has left.
  const { page: tab, errors: tabErrors } = await open(page.context());
  await tab.goto(stage.server.url);
  await tab.getByRole("tab", { name: "Games" }).click();
  await tab.getByRole("button", { name: "You – Computer (level 2)", exact: true }).first().click();
  await waitForGameOf(tab, "A");
  await houses(tab).first().click();
  await tab.locator("#moves").getByRole("button", { name: /^2\. / }).first().waitFor();
  await tab.reload();
  await waitForGameOf(tab, "A");
  await waitForGameOf(page, "B");
  await expect(items).toHaveCount(2);
  assert.deepEqual([...errors, ...tabErrors], []);
  await leave();
});

/** Downloads the file that a button saves. @param {Page} page @param {() => Promise<void>} act */
async function download(page, act) {
  const waiting = page.waitForEvent("download");
  await act();
  const file = await waiting;
  // The browser may belong to another process, which keeps the file.
  return { name: file.suggestedFilename(), content: await text(await file.createReadStream()) };
}

test("games are listed, opened, saved and deleted, also beside a damaged entry", async () => {
  const { page, errors, leave } = await visit(stage, { viewport: { width: 1440, height: 900 } });
  await page.getByRole("tab", { name: "Games" }).click();
  await page.getByText("The games that you play on this device are listed here.").waitFor();
  await playAndResign(page);
  await page.getByRole("button", { name: "Rematch" }).click();
  await playAndResign(page);
  const list = page.getByRole("list", { name: "Games played on this device" });
  const items = list.getByRole("listitem");
  await page.getByText("2 games played on this device.").waitFor();
  await expect(items).toHaveCount(2);
  // After a reload the game on the board is not listed again.
  await page.evaluate(() => localStorage.setItem("kalah.played.000000000-0", "{"));
  await page.reload();
  await page.getByRole("heading", { name: "You lose" }).waitFor();
  await page.getByRole("tab", { name: "Games" }).click();
  await page.getByText("3 games played on this device.").waitFor();
  await items.last().getByText("This entry is damaged and cannot be read.").waitFor();
  await check(page, "games-1440");
  await page.setViewportSize({ width: 390, height: 844 });
  await scrollTo(page.locator("#panel-games"));
  await check(page, "games-390");

  await items.nth(1).getByRole("button", { name: "You – Computer (level 2)", exact: true }).click();
  await page.locator("#turn", { hasText: "South to move." }).waitFor();
  const one = await download(page, () =>
    items
      .nth(1)
      .getByRole("button", { name: /^Save as/ })
      .click(),
  );
  assert.equal(one.name, "game.kgn");
  assert.match(one.content, /\[North "Computer \(level 2\)"\]/);
  assert.match(one.content, /\[Termination "resign"\]/);
  const all = await download(page, () =>
    page.getByRole("button", { name: "Save all as .kgn" }).click(),
  );
  assert.equal(all.name, "games.kgn");
  assert.equal(all.content.match(/\[South /g)?.length, 2);
  await page.getByText("2 games saved.").waitFor();

  await items.last().getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog", { name: "Delete this game?" }).waitFor();
  await check(page, "games-question-390");
  await page.keyboard.press("Escape");
  await expect(items).toHaveCount(3);
  await items.last().getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("1 game deleted.").waitFor();
  await expect(items).toHaveCount(2);
  await page.getByRole("button", { name: "Delete all" }).press("Enter");
  await page
    .getByRole("dialog", { name: "Delete all 2 games?" })
    .getByRole("button", { name: "Delete all" })
    .press("Enter");
  await page.getByText("The games that you play on this device are listed here.").waitFor();
  assert.deepEqual(errors, []);
  await leave();
});
