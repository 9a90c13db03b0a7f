/** Tests of two tabs that share the browser's storage. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { createGame } from "../friends/pages.mjs";
import { expect, open } from "../harness.mjs";
import { setUp } from "../stage.mjs";

/** @import { BrowserContext, Page } from "playwright" */

const stage = setUp();

/** Opens a tab. @param {BrowserContext} context @param {{ isStale?: boolean }} [options] */
async function openTab(context, { isStale = false } = {}) {
  const { page, errors } = await open(context);
  if (isStale) {
    // As in a tab that the browser has suspended: it learns nothing of the changes of others.
    await page.addInitScript(() => {
      window.addEventListener("storage", (event) => event.stopImmediatePropagation(), true);
    });
  }
  await page.goto(stage.server.url);
  await page.locator(".house.playable").first().waitFor();
  return { page, errors };
}

/** Opens a tab and starts a game of two persons in it. */
async function startGame() {
  const context = await stage.browser.newContext({ reducedMotion: "reduce" });
  const { page, errors } = await openTab(context);
  await page.keyboard.press("n");
  await page.getByRole("radio", { name: "Two players on this device" }).check();
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await page.locator("#turn", { hasText: "South to move" }).waitFor();
  return { context, page, errors };
}

/** Sows a house and waits until the board shows it. @param {Page} page @param {string} house */
async function sow(page, house) {
  await page.locator(`[data-pit=${house}]`).click();
  await page.locator(`[data-pit=${house}][aria-label*=' 0 seeds']`).waitFor();
}

/** @param {Page} page */
async function resign(page) {
  await page.getByRole("button", { name: "Resign" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Resign" }).click();
  await page.locator("#game-end-title").waitFor();
}

/**
 * Waits until the history has these games, each as its moves and its end.
 *
 * @param {Page} page
 * @param {string[]} games
 */
const waitForHistory = (page, games) =>
  page.waitForFunction(
    (wanted) =>
      Object.keys(localStorage)
        .filter((key) => key.startsWith("kalah.played."))
        .map((key) => JSON.parse(localStorage.getItem(key) ?? ""))
        .map(({ moves, termination }) => `${moves.join("")} ${termination}`)
        .sort()
        .join() === wanted,
    games.join(),
  );

/** Returns the game that all tabs share, as its moves and its end. @param {Page} page */
const sharedGame = (page) =>
  page.evaluate(() => {
    const { moves, termination } = JSON.parse(localStorage.getItem("kalah.game") ?? "");
    return `${moves.join("")} ${termination}`;
  });

test("a game that one tab has finished stays when another tab goes on with its moves", async () => {
  const { context, page: one, errors } = await startGame();
  await sow(one, "A");
  await waitForHistory(one, ["A unfinished"]);
  const { page: two, errors: others } = await openTab(context, { isStale: true });
  await sow(one, "b");
  await resign(one);
  await waitForHistory(one, ["Ab resign"]);
  await sow(two, "c");
  await waitForHistory(one, ["Ab resign", "Ac unfinished"]);
  assert.equal(await sharedGame(one), "Ab resign");
  // Each tab still has its own game after a reload.
  await one.reload();
  await one.locator("#game-end-title").waitFor();
  await two.reload();
  await two.locator("[data-pit=c][aria-label*=' 0 seeds']").waitFor();
  await expect(two.locator("#game-end-title")).toBeHidden();
  await sow(two, "a");
  await waitForHistory(two, ["Ab resign", "Aca unfinished"]);
  assert.equal(await sharedGame(two), "Ab resign");
  assert.deepEqual([...errors, ...others], []);
  await context.close();
});

test("tabs with the same game follow each other, and share the settings", async () => {
  const { context, page: one, errors } = await startGame();
  await sow(one, "A");
  await waitForHistory(one, ["A unfinished"]);
  const { page: two, errors: others } = await openTab(context);
  await sow(two, "b");
  await one.locator("[data-pit=b][aria-label*=' 0 seeds']").waitFor();
  await sow(one, "B");
  await two.locator("[data-pit=B][aria-label*=' 0 seeds']").waitFor();
  await two.getByRole("button", { name: "Sounds" }).click();
  await one.locator("#sound[aria-pressed=false]").waitFor();
  await resign(two);
  await one.locator("#game-end-title").waitFor();
  await waitForHistory(two, ["AbB resign"]);
  assert.deepEqual([...errors, ...others], []);
  await context.close();
});

test("a tab that keeps all locks stops no other tab", async () => {
  const { context, page: one, errors } = await startGame();
  const { page: two, errors: others } = await openTab(context);
  await two.evaluate(async () => {
    const topics = ["game", "played", "settings", "game-access"];
    for (const topic of topics) {
      await new Promise((resolve) => {
        void navigator.locks.request(`kalah.${topic}`, () => {
          resolve(null);
          return new Promise(() => {});
        });
      });
    }
  });
  await sow(one, "A");
  await waitForHistory(one, ["A unfinished"]);
  await createGame(one);
  await one.waitForFunction(() => localStorage.getItem("kalah.game-access")?.includes("token"));
  assert.deepEqual([...errors, ...others], []);
  await context.close();
});
