import assert from "node:assert/strict";
import { test } from "node:test";

import { check, checkColours, copiedText, expect, houses } from "../harness.mjs";
import { setUpWithOwnServer } from "../stage.mjs";
import { createGame, joinGame, openPage, takeSeat } from "./pages.mjs";

/** @import { BrowserContextOptions, Page } from "playwright" */

/** More plies than any game of 4x3 has. */
const MAX_PLIES = 100;

/** The seeds of a game of 4x3. */
const SEEDS = 24;

// One test kills the server.
const stage = setUpWithOwnServer();

/** @param {string} [address] @param {BrowserContextOptions} [options] */
const visit = (address = stage.server.url, options = {}) => openPage(stage, address, options);

/**
 * Waits until it is a page's turn and returns that page; `undefined` if the game is over.
 *
 * @param {Page[]} pages
 */
async function next(pages) {
  for (;;) {
    const ended = await Promise.all(pages.map((page) => page.locator("#game-end").isVisible()));
    if (ended.every(Boolean)) {
      return undefined;
    }
    for (const page of pages) {
      if (
        /^(Your|Bonus) turn/.test((await page.locator("#turn").textContent()) ?? "") &&
        (await houses(page).count()) > 0
      ) {
        return page;
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

test(
  "a game with a friend survives a reload and a server that is killed",
  { timeout: 600_000 },
  async () => {
    const one = await visit();
    const link = await createGame(one.page);
    const two = await joinGame(stage, link, { viewport: { width: 360, height: 740 } });
    const three = await visit(link);
    await one.page.getByRole("tabpanel").getByText("Your friend is here.").waitFor();
    let ply = 0;
    for (; ply < MAX_PLIES; ply += 1) {
      const page = await next([one.page, two.page]);
      if (!page) {
        break;
      }
      const house = houses(page).last();
      const name = await house.getAttribute("aria-label");
      if (ply === 3) {
        await page.reload();
      }
      if (ply === 5) {
        // A move that is made without a server is sent later.
        await stage.server.end("SIGKILL");
        await page.getByRole("tabpanel").getByText("Reconnecting; your game is safe").waitFor();
      }
      await page.getByRole("button", { name: name ?? "", exact: true }).click();
      if (ply === 5) {
        await stage.server.start();
      }
      await page
        .getByRole("button", { name: name ?? "", exact: true })
        .waitFor({ state: "detached" });
    }
    assert.ok(ply > 6, `the game is over after ${ply} plies`);
    const endings = await Promise.all(
      [one, two, three].map(async ({ page }) => {
        const text = page.locator("#game-end-text");
        await expect(text).toHaveText(/\d/);
        return text.textContent();
      }),
    );
    // Each page names the players in its own way: two players themselves, the spectator the sides.
    const results = endings.map((text) =>
      /(\d+), .* (\d+)$/
        .exec(text ?? "")
        ?.slice(1)
        .map(Number),
    );
    assert.match(endings[0] ?? "", /^You \d+, Friend \d+$/);
    assert.deepEqual(results[1], results[0]?.toReversed(), endings.join("\n"));
    assert.match(endings[2] ?? "", /^South \d+, North \d+$/);
    assert.deepEqual(results[2]?.toSorted(), results[0]?.toSorted(), endings.join("\n"));
    assert.equal(
      results[0]?.reduce((sum, seeds) => sum + seeds),
      SEEDS,
    );
    const titles = await Promise.all(
      [one, two].map(({ page }) => page.locator("#game-end-title").textContent()),
    );
    assert.ok(
      ["You lose,You win", "You win,You lose", "Draw,Draw"].includes(titles.join()),
      titles.join(),
    );
    for (const { page } of [one, two, three]) {
      await page.context().close();
    }
  },
);

test("a rematch after a resignation exchanges the sides", async () => {
  const one = await visit();
  const link = await createGame(one.page, "10 minutes + 5 seconds per turn");
  const two = await joinGame(stage, link);
  const three = await visit(link);
  await houses(one.page).first().waitFor();
  await one.page.getByRole("timer", { name: "South's clock" }).waitFor();
  await one.page.getByRole("button", { name: "Resign" }).click();
  await one.page.getByRole("dialog").getByRole("button", { name: "Resign" }).click();
  await one.page.getByRole("heading", { name: "You lose" }).waitFor();
  await two.page.getByRole("heading", { name: "You win" }).waitFor();
  await two.page.getByRole("tab", { name: "Review" }).click();
  await one.page.locator("#rematch").click();
  await one.page.locator("#friend-offer", { hasText: "You have offered a rematch" }).waitFor();
  await one.page.locator("#rematch").waitFor({ state: "hidden" });
  const offer = two.page.locator("#offer-answer");
  await two.page.locator("#friend-offer", { hasText: "Your friend offers a rematch." }).waitFor();
  await expect(offer, "the offer is visible below the board").toBeHidden();
  await expect(two.page.getByRole("button", { name: "Rematch" })).toHaveCount(0);
  await check(two.page, "rematch-1440-light");
  // At the lower end of the page the banner is not visible.
  await two.page.setViewportSize({ width: 360, height: 240 });
  const down = () =>
    two.page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
  await down();
  await offer.getByText("Your friend offers a rematch.").waitFor();
  await check(two.page, "rematch-360-light");
  // The accessibility check has scrolled the page.
  await down();
  await offer.getByRole("button", { name: "Accept" }).click();
  await offer.waitFor({ state: "hidden" });
  await houses(two.page).first().waitFor();
  await expect(houses(one.page), "the creator is North now").toHaveCount(0);
  await expect(two.page).not.toHaveURL(link);
  await three.page.locator("#turn", { hasText: "South to move" }).waitFor();
  await expect(houses(three.page), "a spectator has no moves").toHaveCount(0);
  assert.deepEqual(
    [one, two, three].flatMap(({ errors }) => errors),
    [],
  );
  for (const { page } of [one, two, three]) {
    await page.context().close();
  }
});

test("no address has the token of a player, and the address of a game is safe to share", async () => {
  const { page, errors } = await visit(stage.server.url, {
    permissions: ["clipboard-read", "clipboard-write"],
  });
  const link = await createGame(page);
  await houses(page).first().waitFor();
  const tokens = () =>
    page.evaluate(() => JSON.parse(localStorage.getItem("kalah.game-access") ?? "[]"));
  const [{ token }] = await tokens();
  assert.match(token, /^[\w-]{22}$/);
  await expect(page).toHaveURL(link);
  // The creator copies the address: the other person plays the other side.
  const two = await joinGame(stage, page.url());
  await two.page.locator("#plate-north .name", { hasText: "You" }).waitFor();
  await expect(two.page).toHaveURL(link);
  await page.getByRole("button", { name: "Copy: Link to this game" }).click();
  await page.getByRole("tab", { name: "Analysis" }).click();
  await page.getByRole("tabpanel").getByText("Analysis is off until this game ends").waitFor();
  await page.getByText("Links and files").press("Enter");
  await page.getByRole("button", { name: "Copy link" }).click();
  const copied = await copiedText(page, /#/);
  assert.ok(!`${copied} ${link}`.includes(token), copied);
  assert.deepEqual([...errors, ...two.errors], []);
  await page.context().close();
  await two.page.context().close();
});

test("an incomplete link is reported in place of a game", async () => {
  const one = await visit();
  const link = await createGame(one.page);
  const cut = await visit(link.slice(0, -1));
  const notice = cut.page.getByRole("region", { name: "Game with a friend" });
  await notice.getByText("This link to a game with a friend is incomplete. Ask").waitFor();
  await expect(cut.page.locator("#board")).toBeHidden();
  await notice.getByRole("button", { name: "Start another game" }).click();
  await cut.page.getByRole("button", { name: "Start", exact: true }).click();
  await cut.page.locator("#board").waitFor();
  await expect(cut.page).not.toHaveURL(/#/);
  await expect(notice).toBeHidden();
  for (const { page } of [one, cut]) {
    await page.context().close();
  }
});

test("the friend panel is accessible at four sizes, light and dark", async () => {
  for (const viewport of [
    { width: 360, height: 900 },
    { width: 820, height: 900 },
    { width: 844, height: 390 },
    { width: 1440, height: 900 },
  ]) {
    const { page, errors } = await visit(stage.server.url, { viewport });
    await page.getByRole("tab", { name: "Play a friend" }).click();
    await checkColours(page, "friend-form");
    const link = await createGame(page);
    await houses(page).first().waitFor();
    await checkColours(page, "friend-invitation");
    const friend = await visit(link, { viewport });
    await friend.page.getByRole("button", { name: "Play", exact: true }).waitFor();
    await checkColours(friend.page, "friend-seat");
    await takeSeat(friend.page);
    await friend.page.getByText("Say something").press("Enter");
    await checkColours(friend.page, "friend-phrases");
    await friend.page.context().close();
    await checkColours(page, "friend");
    await page.getByRole("tab", { name: "Analysis" }).click();
    for (const part of ["Set up a position", "Links and files", "Comment and change"]) {
      await page.getByText(part, { exact: true }).press("Enter");
    }
    await checkColours(page, "analysis");
    assert.deepEqual(errors, []);
    await page.context().close();
  }
});
