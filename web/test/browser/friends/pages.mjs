/**
 * Functions for tests of games with friends.
 *
 * @import { Browser, BrowserContextOptions, Page } from "playwright"
 */

import { open, valueOf } from "../harness.mjs";

/**
 * Opens a page in its own browser context.
 *
 * @param {{ browser: Browser }} stage
 * @param {string} address
 * @param {BrowserContextOptions} [options]
 */
export async function openPage({ browser }, address, options = {}) {
  const context = await browser.newContext({
    reducedMotion: "reduce",
    viewport: { width: 1440, height: 900 },
    ...options,
  });
  const { page, errors } = await open(context);
  await page.goto(address);
  return { page, errors };
}

/**
 * Opens a page in its own browser context and takes the free seat of a game.
 *
 * @param {{ browser: Browser }} stage
 * @param {string} address
 * @param {BrowserContextOptions} [options]
 */
export async function joinGame(stage, address, options = {}) {
  const visit = await openPage(stage, address, options);
  await takeSeat(visit.page);
  return visit;
}

/** Takes the free seat of the game that a page shows. @param {Page} page */
export async function takeSeat(page) {
  await page.locator("#invitation button[type=submit]").click();
  await page.locator("#invitation").waitFor({ state: "hidden" });
}

/** Returns the address to which the link of a game with a friend leads. @param {string} link */
export const linkedAddress = (link) => link.replace("/play/", "/#friend=");

/**
 * Creates a game of 4x3 in which the creator is South, and returns the address to which the link of the
 * card leads.
 *
 * @param {Page} page
 * @param {string} [clock]
 */
export async function createGame(page, clock = "No clock") {
  const tab = page.getByRole("tab", { name: "Play a friend" });
  if ((await tab.getAttribute("aria-selected")) !== "true") {
    await tab.click();
  }
  const panel = page.getByRole("tabpanel");
  await panel.getByLabel("South, first").check();
  await panel.getByLabel("Houses a side").selectOption("4");
  await panel.getByLabel("Seeds in each").selectOption("3");
  await panel.getByLabel("Clock").selectOption(clock);
  await panel.getByRole("button", { name: "Create game" }).click();
  return linkedAddress(await valueOf(page.getByRole("textbox", { name: "Link for your friend" })));
}
