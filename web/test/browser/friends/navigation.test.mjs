import assert from "node:assert/strict";
import { test } from "node:test";

import { check, expect, houses, valueOf } from "../harness.mjs";
import { setUp } from "../stage.mjs";
import { createGame, joinGame, linkedAddress, openPage } from "./pages.mjs";

/** @import { BrowserContextOptions, Page } from "playwright" */

const stage = setUp();

/** @param {string} [address] @param {BrowserContextOptions} [options] */
const visit = (address = stage.server.url, options = {}) => openPage(stage, address, options);

/**
 * Waits for a board of this size. @param {Page} page @param {number} houses the houses of a side
 *
 * @param {Page} page @param {number} houses a side of the board that is shown
 */
const board = (page, houses) =>
  page.waitForFunction((count) => document.querySelectorAll(".house").length === count, 2 * houses);

/** @param {Page} page */
const wayBack = (page) => page.getByRole("button", { name: "Back to your game" });

/** @param {{ page: Page, errors: string[] }[]} visits */
async function end(...visits) {
  assert.deepEqual(
    visits.flatMap(({ errors }) => errors),
    [],
  );
  for (const { page } of visits) {
    await page.context().close();
  }
}

/** Resigns a game of 4x3 with a friend, after the page shows it. @param {Page} page */
async function resign(page) {
  await board(page, 4);
  await page.getByRole("button", { name: "Resign" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Resign" }).click();
}

test("back leads to the local game, and forward to the game with a friend", async () => {
  const one = await visit();
  const { page } = one;
  await page.getByRole("button", { name: "house C, 4 seeds", exact: true }).click();
  await page.locator("#turn", { hasText: /^Bonus turn/ }).waitFor();
  const keep = await createGame(page);
  await board(page, 4);
  await page.goBack();
  await board(page, 6);
  await expect(page).toHaveURL(stage.server.url);
  await page.locator("#turn", { hasText: /^Bonus turn/ }).waitFor();
  await wayBack(page).waitFor();
  await page.goForward();
  await board(page, 4);
  await houses(page).first().waitFor();
  await expect(page).toHaveURL(keep);
  await expect(wayBack(page)).toBeHidden();
  await end(one);
});

test("the back button leads to a game that a link has opened", async () => {
  const one = await visit(`${stage.server.url}#line=AaCc`);
  const { page } = one;
  const text = () => page.locator("#board").innerText();
  await page.getByRole("button", { name: "house D, 6 seeds", exact: true }).waitFor();
  const linked = await text();
  await createGame(page);
  await board(page, 4);
  await page.goBack();
  await page.getByRole("button", { name: "house D, 6 seeds", exact: true }).waitFor();
  await expect.poll(text).toBe(linked);
  await expect(page).toHaveURL(`${stage.server.url}#line=AaCc`);
  await end(one);
});

test("an empty fragment leaves the game, and an invalid one is reported and removed", async () => {
  const one = await visit();
  const { page } = one;
  const keep = await createGame(page);
  await board(page, 4);
  await page.evaluate(() => (location.hash = "#xyz"));
  await page.getByRole("alert").getByText("“xyz” is not a game").waitFor();
  await expect(page).toHaveURL(keep);
  await board(page, 4);
  await page.evaluate(() => (location.hash = ""));
  await board(page, 6);
  await wayBack(page).waitFor();
  await page.evaluate(() => (location.hash = "#xyz"));
  await page.getByRole("alert").getByText("“xyz” is not a game").waitFor();
  await expect(page).toHaveURL(stage.server.url);
  await page.reload();
  await board(page, 6);
  await expect(page.getByRole("alert")).toBeHidden();
  // An invalid link is reported when the page opens, and the stored access stays.
  await page.goto("about:blank");
  await page.goto(`${stage.server.url}#xyz`);
  await page.getByRole("alert").getByText("“xyz” is not a game").waitFor();
  await expect(page).toHaveURL(stage.server.url);
  await wayBack(page).waitFor();
  await end(one);
});

test("a player can return to an unfinished game after leaving the page", async () => {
  const one = await visit();
  const link = await createGame(one.page);
  await houses(one.page).first().waitFor();
  await one.page.goto("about:blank");
  await one.page.goto(stage.server.url);
  await check(one.page, "friend-waits-1440");
  await wayBack(one.page).click();
  await board(one.page, 4);
  await expect(one.page).toHaveURL(link);
  // The friend has not joined, so the card still shows the link to send.
  assert.equal(
    linkedAddress(await valueOf(one.page.getByRole("textbox", { name: "Link for your friend" }))),
    link,
  );
  await one.page.getByRole("button", { name: "Leave this game" }).click();
  await board(one.page, 6);
  const two = await joinGame(stage, link);
  await resign(two.page);
  await two.page.getByRole("heading", { name: "You lose" }).waitFor();
  // The game ended while its creator was away, who sees the result once.
  await one.page.reload();
  await one.page.locator("#friend-return-text", { hasText: "You win" }).waitFor();
  await wayBack(one.page).click();
  await one.page.getByRole("heading", { name: "You win" }).waitFor();
  // After the end the player keeps the seat, for a rematch.
  await one.page.reload();
  await one.page.locator("#rematch").waitFor();
  const answered = one.page.waitForResponse("**/summaries");
  await one.page.getByRole("button", { name: "Leave this game" }).click();
  await board(one.page, 6);
  await answered;
  await expect(wayBack(one.page)).toBeHidden();
  await end(one, two);
});

test("a seat is taken once, also after a lost response", async () => {
  const one = await visit();
  const link = await createGame(one.page);
  const two = await visit(link);
  const three = await visit(link);
  await three.page.getByRole("button", { name: "Play", exact: true }).waitFor();
  // The server gives the seat away, and its response is lost.
  await two.page.route("**/join", async (route) => {
    await route.fetch();
    await route.abort();
  });
  await two.page.getByRole("button", { name: "Play", exact: true }).click();
  await two.page.getByRole("alert").waitFor();
  await two.page.unroute("**/join");
  await two.page.reload();
  await two.page.locator("#plate-north .name", { hasText: "You" }).waitFor();
  await three.page.locator("#invitation").waitFor({ state: "hidden" });
  await three.page.locator("#plate-north .name", { hasText: "North" }).waitFor();
  await houses(one.page).last().click();
  await two.page.locator("#turn", { hasText: "Your turn" }).waitFor();
  for (const { page } of [one, two, three]) {
    await page.context().close();
  }
});

test("a player goes on playing on another device by a link that works once", async () => {
  const one = await visit();
  const link = await createGame(one.page);
  const friend = await joinGame(stage, link);
  await one.page.getByRole("button", { name: "Continue on another device" }).click();
  const field = one.page.getByRole("textbox", { name: "Link for your other device" });
  const device = await valueOf(field);
  const two = await visit(device);
  await two.page.locator("#plate-south .name", { hasText: "You" }).waitFor();
  await expect(two.page, "the code is not in the address").toHaveURL(link);
  await houses(two.page).last().click();
  await one.page.locator("#event", { hasText: "You play house D" }).waitFor();
  const three = await visit(device);
  await three.page.getByRole("alert").getByText("This link has been used").waitFor();
  await expect(houses(three.page)).toHaveCount(0);
  await end(one, two, friend);
  await three.page.context().close();
});

test("the list of own games leads to each, and title and icon count those that wait", async () => {
  const one = await visit();
  const { page } = one;
  const links = [await createGame(page)];
  await page.getByRole("button", { name: "Leave this game" }).click();
  await board(page, 6);
  links.push(await createGame(page));
  const friends = await Promise.all(links.map((link) => joinGame(stage, link)));
  await page.getByRole("button", { name: "Leave this game" }).click();
  const items = page.locator(".my-games button");
  await page.waitForFunction(() => document.title.startsWith("(2) "));
  await expect(page.locator("link[rel=icon]")).toHaveAttribute("href", /^data:.*%3E2%3C/);
  await expect(items).toHaveCount(2);
  await check(page, "friend-my-games-1440");
  await items.first().click();
  await board(page, 4);
  await expect.poll(() => links.includes(page.url())).toBe(true);
  await houses(page).first().click();
  await page.waitForFunction(() => document.title.startsWith("(1) "));
  await end(one, ...friends);
});

test("a house that is chosen ahead is played at the next turn", async () => {
  const one = await visit();
  const two = await joinGame(stage, await createGame(one.page));
  const house = (/** @type {string} */ pit) => two.page.locator(`[data-pit="${pit}"]`);
  await two.page.locator('[data-pit="b"][aria-disabled="false"]').waitFor();
  await house("b").click();
  await two.page.locator("#turn", { hasText: "House b is played as soon as" }).waitFor();
  await check(two.page, "friend-premove-1440");
  await house("b").click();
  await two.page.locator(".premove").waitFor({ state: "detached" });
  await house("c").click();
  await one.page.locator('[data-pit="A"]').click();
  await two.page.locator('[data-pit="c"][aria-label*=" 0 seeds"]').waitFor();
  await expect(two.page.locator(".premove")).toHaveCount(0);
  await end(one, two);
});

test("players say phrases, each in the own language", async () => {
  const one = await visit();
  const two = await joinGame(stage, await createGame(one.page), { locale: "de-DE" });
  // A phrase is for the pages that are connected.
  await two.page.locator(".house").first().waitFor();
  await one.page.getByText("Say something").click();
  await one.page.getByRole("button", { name: "Good luck!" }).click();
  await one.page.locator(".phrase", { hasText: "You: Good luck!" }).waitFor();
  await two.page.locator(".phrase", { hasText: "Dein Freund: Viel Glück!" }).waitFor();
  await end(one, two);
});

test("events in a row look for a game to return to once more, and not each at once", async () => {
  const one = await visit();
  const { page } = one;
  await createGame(page);
  await page.getByRole("button", { name: "Leave this game" }).click();
  await wayBack(page).waitFor();
  const requests = /** @type {string[]} */ ([]);
  page.on("request", (request) => requests.push(request.url()));
  let release = () => {};
  const held = new Promise((resolve) => (release = () => resolve(null)));
  await page.route("**/api/v1/games/summaries", async (route) => {
    await held;
    await route.continue();
  });
  const asked = page.waitForRequest("**/api/v1/games/summaries");
  await page.evaluate(() => {
    for (let count = 0; count < 5; count += 1) {
      document.dispatchEvent(new Event("visibilitychange"));
    }
  });
  await asked;
  assert.equal(requests.length, 1);
  const answered = page.waitForResponse(() => requests.length === 2);
  release();
  await answered;
  assert.equal(requests.length, 2);
  await end(one);
});

test("a new game has the last local options and a way back to the friend", async () => {
  const one = await visit();
  const { page } = one;
  const keep = await createGame(page);
  await board(page, 4);
  await page.getByRole("button", { name: "New game" }).first().click();
  const dialog = page.getByRole("dialog", { name: "New game" });
  await expect(dialog.getByRole("radio", { name: "Computer" })).toBeChecked();
  await dialog.getByRole("button", { name: "Start" }).click();
  await board(page, 6);
  await page.locator("#plate-north .name", { hasText: "Computer (level 2)" }).waitFor();
  await expect(page).toHaveURL(stage.server.url);
  await wayBack(page).click();
  await board(page, 4);
  await expect(page).toHaveURL(keep);
  await page.goBack();
  await board(page, 6);
  await end(one);
});

test("analysis is locked until the end, unless the players allow it for spectators", async () => {
  const one = await visit();
  await one.page.getByRole("tab", { name: "Play a friend" }).click();
  await one.page.getByText("Handicap, spectators and statistics").click();
  await one.page.getByLabel("Spectators may see scores during the game").check();
  const link = await createGame(one.page);
  await houses(one.page).first().waitFor();
  const two = await visit(link);
  const three = await joinGame(stage, link);
  await board(two.page, 4);
  for (const name of ["Hint", "Scores"]) {
    const controls = (/** @type {Page} */ page) => page.locator("#controls");
    const button = (/** @type {Page} */ page) => controls(page).getByRole("button", { name });
    await expect(button(one.page), name).toHaveCount(0);
    await expect(button(two.page), name).toHaveAttribute("aria-disabled", "false");
  }
  for (const name of ["Undo", "Redo"]) {
    await expect(one.page.getByRole("button", { name }), name).toHaveCount(0);
  }
  for (const name of ["Analysis", "Review"]) {
    await one.page.getByRole("tab", { name }).click();
    await one.page
      .getByRole("tabpanel")
      .getByText("Analysis is off until this game ends")
      .waitFor();
  }
  await two.page.getByRole("tab", { name: "Analysis" }).click();
  await two.page.getByRole("group", { name: "Best line" }).getByRole("button").first().waitFor();
  // Analysis is also locked in mode `explore`, where the sides have their own names.
  await houses(one.page).last().click();
  await one.page.locator("#event", { hasText: "You play house D" }).waitFor();
  await one.page.getByRole("tab", { name: "Analysis" }).click();
  await one.page.getByRole("button", { name: "First position" }).click();
  await one.page.locator("#turn", { hasText: "South to move." }).waitFor();
  await expect(one.page.locator("#plate-south .name")).toHaveText("South");
  await expect(one.page.locator("#hint")).toHaveAttribute("aria-disabled", "true");
  await one.page.getByRole("button", { name: "Back to the game" }).click();
  await one.page.locator("#plate-south .name", { hasText: "You" }).waitFor();
  // After the end analysis is allowed.
  await resign(three.page);
  await one.page.getByRole("heading", { name: "You win" }).waitFor();
  await one.page.locator("#margins").click();
  await one.page
    .getByRole("button", { name: /^house .*score/ })
    .first()
    .waitFor();
  await end(one, two, three);
});

test("spectators see no scores that the players have not allowed", async () => {
  const one = await visit();
  const link = await createGame(one.page);
  const two = await visit(link);
  await board(two.page, 4);
  await two.page.getByRole("tab", { name: "Analysis" }).click();
  await two.page.getByRole("tabpanel").getByText("The players have not allowed").waitFor();
  await expect(two.page.locator("#controls").getByRole("button")).toHaveCount(0);
  await end(one, two);
});

test("a player who has offered a rematch and left can join it", async () => {
  const one = await visit();
  const link = await createGame(one.page);
  await houses(one.page).first().waitFor();
  const two = await joinGame(stage, link);
  await resign(two.page);
  await one.page.locator("#rematch").click();
  await one.page.locator("#friend-offer", { hasText: "You have offered a rematch" }).waitFor();
  await one.page.getByRole("button", { name: "Leave this game" }).click();
  await board(one.page, 6);
  await expect(wayBack(one.page), "the rematch has not started").toBeHidden();
  await two.page.locator("#friend-offer").getByRole("button", { name: "Accept" }).click();
  await two.page.locator("#turn", { hasText: "Your turn: pick a house in your row" }).waitFor();
  await one.page.reload();
  await wayBack(one.page).click();
  await board(one.page, 4);
  await one.page.locator("#plate-north .name", { hasText: "You" }).waitFor();
  await end(one, two);
});

test("a declined rematch is not offered again", async () => {
  const one = await visit();
  const link = await createGame(one.page);
  await houses(one.page).first().waitFor();
  const two = await joinGame(stage, link);
  await resign(one.page);
  await two.page.getByRole("heading", { name: "You win" }).waitFor();
  await two.page.setViewportSize({ width: 360, height: 240 });
  await two.page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
  await one.page.locator("#rematch").click();
  await two.page.locator("#offer-answer").getByRole("button", { name: "Decline" }).click();
  await two.page.locator("#offer-answer").waitFor({ state: "hidden" });
  await two.page.setViewportSize({ width: 1440, height: 900 });
  await two.page.getByRole("button", { name: "Leave this game" }).click();
  await board(two.page, 6);
  await two.page.reload();
  await board(two.page, 6);
  await expect(wayBack(two.page)).toBeHidden();
  await end(one, two);
});

test("an unknown game has no links", async () => {
  const one = await visit(`${stage.server.url}#friend=${"A".repeat(22)}`);
  const notice = one.page.getByRole("region", { name: "Game with a friend" });
  await notice.getByText("There is no such game on this server").waitFor();
  await expect(one.page.getByRole("textbox", { name: /^Link / })).toHaveCount(0);
  await expect(houses(one.page), "no other game is shown").toHaveCount(0);
  await notice.getByRole("button", { name: "Start another game" }).click();
  await one.page.getByRole("dialog", { name: "New game" }).waitFor();
  await board(one.page, 6);
  await expect(one.page).toHaveURL(stage.server.url);
  await one.page.context().close();
});

test("a game by correspondence shows days", async () => {
  const one = await visit();
  const link = await createGame(one.page, "3 days for each move");
  const panel = one.page.getByRole("tabpanel");
  await panel.getByText("3 days for each move").first().waitFor();
  const clock = one.page.getByRole("timer", { name: "South's clock" });
  await clock.getByText("3 d 0 h").waitFor();
  const two = await joinGame(stage, link);
  await one.page.locator("#turn", { hasText: "Your turn: pick a house" }).waitFor();
  await clock.getByText("2 d 23 h").waitFor();
  await end(one, two);
});
