/** Tests of forms that a person uses before the rules that they offer have arrived. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { createGame } from "../friends/pages.mjs";
import { expect, visit } from "../harness.mjs";
import { setUp } from "../stage.mjs";

/** @import { Page } from "playwright" */

const stage = setUp();

/**
 * Opens the page, which gets the rules when the test says so.
 *
 * @returns {Promise<{ page: Page, errors: string[], release: () => void, leave: () => Promise<void> }>}
 */
async function visitWithoutRules() {
  const visited = await visit(stage);
  const { page } = visited;
  /** @type {() => void} */
  let release = () => {};
  const isReleased = new Promise((resolve) => (release = () => resolve(null)));
  await page.route("**/api/v1/rules", async (route) => {
    await isReleased;
    await route.continue();
  });
  await page.reload();
  await page.locator(".house.playable").first().waitFor();
  return { ...visited, release };
}

test("rules that arrive late leave the other choices of a new game as they are", async () => {
  const { page, errors, release, leave } = await visitWithoutRules();
  await page.keyboard.press("n");
  const dialog = page.getByRole("dialog", { name: "New game" });
  await dialog.getByRole("radio", { name: "Two players on this device" }).check();
  await dialog.getByLabel("Houses a side").selectOption("3");
  await expect(dialog.locator("input[name=rules]")).toHaveCount(0);
  release();
  await expect(dialog.locator("input[name=rules]:checked")).toHaveValue("standard");
  await dialog.getByRole("button", { name: "Start", exact: true }).click();
  await page.locator("#turn", { hasText: "South to move" }).waitFor();
  await expect(page.locator(".house")).toHaveCount(6);
  assert.deepEqual(errors, []);
  await leave();
});

test("games begin by the usual rules before the rules have arrived", async () => {
  const { page, errors, leave } = await visitWithoutRules();
  await page.keyboard.press("n");
  await page.getByRole("radio", { name: "Two players on this device" }).check();
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await page.locator("#turn", { hasText: "South to move" }).waitFor();
  await createGame(page);
  await expect(page.locator(".house")).toHaveCount(8);
  assert.deepEqual(errors, []);
  await leave();
});
