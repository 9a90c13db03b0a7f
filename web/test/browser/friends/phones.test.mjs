/** Two friends on phones: from the shared text of an invitation to a rematch. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { check, checkViews, expect, houses, open } from "../harness.mjs";
import { setUp } from "../stage.mjs";

/** @import { Page } from "playwright" */

const stage = setUp();

/** A phone in upright format. */
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

/** The smallest phone. */
const SMALL = { width: 320, height: 568 };

/** The time for which a page is frozen in the background, as phones do it, in milliseconds. */
const BACKGROUND_MS = 60_000;

/** More plies than any game of 2x1 has. */
const MAX_PLIES = 30;

/** Opens the page on a phone whose menu for sharing keeps the text. @param {string} address */
async function openPhone(address) {
  const context = await stage.browser.newContext({ ...PHONE, reducedMotion: "reduce" });
  const { page, errors } = await open(context);
  await page.addInitScript(() => {
    /** @param {ShareData} data */
    navigator.share = async ({ text, url }) => {
      document.documentElement.dataset["shared"] = `${text} ${url}`;
    };
  });
  await page.goto(address);
  return { page, errors };
}

/**
 * Returns whether an element is in the window as a whole.
 *
 * @param {Page} page
 * @param {string} selector
 */
const isInView = (page, selector) =>
  page.locator(selector).evaluate((element) => {
    const { top, bottom, left, right } = element.getBoundingClientRect();
    return top >= 0 && bottom <= window.innerHeight && left >= 0 && right <= window.innerWidth;
  });

/** Freezes a page in the background for some time. @param {Page} page */
async function leaveForAWhile(page) {
  const session = await page.context().newCDPSession(page);
  await session.send("Page.setWebLifecycleState", { state: "frozen" });
  await new Promise((resolve) => setTimeout(resolve, BACKGROUND_MS));
  await session.send("Page.setWebLifecycleState", { state: "active" });
  await session.detach();
}

/** Taps the first house of the page whose turn it is, until the game is over. @param {Page[]} pages */
async function playOn(pages) {
  for (let ply = 0; ply < MAX_PLIES; ply += 1) {
    const mover = await Promise.race(
      pages.map(async (page) => {
        await houses(page).or(page.locator("#game-end:visible")).first().waitFor();
        return page;
      }),
    );
    if (await mover.locator("#game-end").isVisible()) {
      return;
    }
    const house = houses(mover).first();
    const pit = await house.getAttribute("data-pit");
    await house.tap();
    await mover.locator(`[data-pit="${pit}"][aria-label*=" 0 seeds"]`).waitFor();
  }
  assert.fail("the game does not end");
}

test("two friends on phones meet by a shared text and play a game and a rematch", async () => {
  const one = await openPhone(stage.server.url);
  await one.page.getByRole("tab", { name: "Play a friend" }).tap();
  const panel = one.page.getByRole("tabpanel");
  await panel.getByLabel("South, first").check();
  // By other rules the first moves below end the game.
  await panel.getByLabel("Rules").selectOption("cs32");
  await panel.getByLabel("Houses a side").selectOption("2");
  await panel.getByLabel("Seeds in each").selectOption("1");
  await panel.getByLabel("Clock").selectOption("10 minutes + 5 seconds per turn");
  await one.page.getByRole("button", { name: "Create game" }).tap();
  const share = one.page.getByRole("button", { name: "Share", exact: true });
  await share.waitFor();
  for (const viewport of [PHONE.viewport, SMALL]) {
    await one.page.setViewportSize(viewport);
    for (const part of [
      ".invitation-link .main",
      ".invitation-code svg",
      ".invitation-link input",
    ]) {
      assert.ok(await isInView(one.page, part), `${part} at ${viewport.width}`);
    }
    await check(one.page, `phone-invitation-${viewport.width}`);
  }
  await checkViews(one.page, "phone-invitation", [
    { viewport: { width: 844, height: 390 }, colorScheme: "dark" },
    { viewport: PHONE.viewport, colorScheme: "light" },
  ]);
  await share.tap();
  const html = one.page.locator("html");
  await expect(html).toHaveAttribute("data-shared", /https?:/);
  const [address = ""] = /https?:\S+/.exec((await html.getAttribute("data-shared")) ?? "") ?? [];

  const two = await openPhone(address);
  await two.page.getByRole("button", { name: "Play", exact: true }).tap();
  await one.page.locator("#invitation").waitFor({ state: "hidden" });
  const clock = one.page.getByRole("timer", { name: "South's clock" });
  await one.page.locator("#turn", { hasText: "your clock starts after your first move" }).waitFor();
  await expect(clock).toHaveText("10:00");
  await houses(one.page).last().tap();
  await houses(one.page).first().tap();
  await houses(two.page).first().waitFor();

  // The friend answers while the first phone is in a pocket.
  const away = leaveForAWhile(one.page);
  await houses(two.page).last().tap();
  await away;
  await playOn([one.page, two.page]);
  await one.page.locator("#rematch").tap();
  await two.page.getByRole("button", { name: "Accept" }).first().tap();
  await one.page.locator("#plate-north .name", { hasText: "You" }).waitFor();
  await houses(two.page).first().waitFor();
  assert.deepEqual([...one.errors, ...two.errors], []);
  for (const { page } of [one, two]) {
    await page.context().close();
  }
});
