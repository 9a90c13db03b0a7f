import assert from "node:assert/strict";
import { test } from "node:test";

import { check, houses } from "../harness.mjs";
import { setUp } from "../stage.mjs";
import { createGame, openPage } from "./pages.mjs";

/** @import { BrowserContextOptions, Page } from "playwright-core" */

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

/** Returns everything that the browser stores for the page. @param {Page} page */
const stored = (page) => page.evaluate(() => JSON.stringify({ ...localStorage }));

/** @param {string} link */
const tokenOf = (link) => link.split(".").at(-1) ?? "";

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
  const { keep } = await createGame(page);
  await board(page, 4);
  await page.goBack();
  await board(page, 6);
  assert.equal(page.url(), stage.server.url);
  await page.locator("#turn", { hasText: /^Bonus turn/ }).waitFor();
  await wayBack(page).waitFor();
  await page.goForward();
  await board(page, 4);
  await houses(page).first().waitFor();
  assert.equal(page.url(), keep);
  assert.ok(await wayBack(page).isHidden());
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
  assert.equal(await text(), linked);
  assert.equal(page.url(), `${stage.server.url}#line=AaCc`);
  await end(one);
});

test("an empty fragment leaves the game, and an invalid one is reported and removed", async () => {
  const one = await visit();
  const { page } = one;
  const { keep } = await createGame(page);
  await board(page, 4);
  await page.evaluate(() => (location.hash = "#xyz"));
  await page.getByRole("alert").getByText("“xyz” is not a game").waitFor();
  assert.equal(page.url(), keep);
  await board(page, 4);
  await page.evaluate(() => (location.hash = ""));
  await board(page, 6);
  await wayBack(page).waitFor();
  await page.evaluate(() => (location.hash = "#xyz"));
  await page.getByRole("alert").getByText("“xyz” is not a game").waitFor();
  assert.equal(page.url(), stage.server.url);
  await page.reload();
  await board(page, 6);
  assert.ok(await page.getByRole("alert").isHidden());
  // An invalid link is reported when the page opens, and the stored access stays.
  await page.goto("about:blank");
  await page.goto(`${stage.server.url}#xyz`);
  await page.getByRole("alert").getByText("“xyz” is not a game").waitFor();
  assert.equal(page.url(), stage.server.url);
  await wayBack(page).waitFor();
  // A link without access shows the reason in place of a board.
  await page.goto("about:blank");
  await page.goto(`${keep.slice(0, -4)}AAAA`);
  const notice = page.getByRole("region", { name: "Game with a friend" });
  await notice.getByText("This link does not give access").waitFor();
  await notice.getByRole("button", { name: "Start another game" }).click();
  await page.keyboard.press("Escape");
  assert.equal(page.url(), stage.server.url);
  await wayBack(page).waitFor();
  await end(one);
});

test("a player can return to an unfinished game after leaving the page", async () => {
  const one = await visit();
  const { keep, send } = await createGame(one.page);
  await houses(one.page).first().waitFor();
  await one.page.goto("about:blank");
  await one.page.goto(stage.server.url);
  await check(one.page, "friend-waits-1440");
  await wayBack(one.page).click();
  await board(one.page, 4);
  assert.equal(one.page.url(), keep);
  // The friend has not joined, so the panel still shows the link to send.
  assert.equal(
    await one.page.getByRole("textbox", { name: "Link for your friend" }).inputValue(),
    send,
  );
  await one.page.getByRole("button", { name: "Leave this game" }).click();
  await board(one.page, 6);
  const two = await visit(send);
  await resign(two.page);
  await two.page.getByRole("heading", { name: "You lose" }).waitFor();
  assert.ok(!(await stored(two.page)).includes(tokenOf(send)));
  await one.page.reload();
  await board(one.page, 6);
  await one.page.waitForFunction(
    (token) => !JSON.stringify({ ...localStorage }).includes(token),
    tokenOf(keep),
  );
  assert.ok(await wayBack(one.page).isHidden());
  await end(one, two);
});

test("the friend's token is stored until the friend has joined", async () => {
  const one = await visit();
  const { keep, send } = await createGame(one.page);
  await houses(one.page).first().waitFor();
  assert.ok((await stored(one.page)).includes(tokenOf(send)));
  const two = await visit(send);
  await one.page.getByRole("tabpanel").getByText("Your friend is here.").waitFor();
  await one.page.waitForFunction(
    (token) => !JSON.stringify({ ...localStorage }).includes(token),
    tokenOf(send),
  );
  assert.ok((await stored(one.page)).includes(tokenOf(keep)));
  await one.page
    .getByRole("textbox", { name: "Link for your friend" })
    .waitFor({ state: "detached" });
  assert.ok(!(await stored(two.page)).includes(tokenOf(keep)));
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
  await page.route("**/api/v1/games/*", async (route) => {
    await held;
    await route.continue();
  });
  const asked = page.waitForRequest("**/api/v1/games/*");
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
  const { keep } = await createGame(page);
  await board(page, 4);
  await page.getByRole("button", { name: "New game" }).first().click();
  const dialog = page.getByRole("dialog", { name: "New game" });
  assert.ok(await dialog.getByRole("radio", { name: "Computer" }).isChecked());
  await dialog.getByRole("button", { name: "Start" }).click();
  await board(page, 6);
  await page.locator("#plate-north .name", { hasText: "Computer (level 2)" }).waitFor();
  assert.equal(page.url(), stage.server.url);
  await wayBack(page).click();
  await board(page, 4);
  assert.equal(page.url(), keep);
  await page.goBack();
  await board(page, 6);
  await end(one);
});

test("analysis is locked for players until the end, and not for spectators", async () => {
  const one = await visit();
  const { send, watch } = await createGame(one.page);
  await houses(one.page).first().waitFor();
  const two = await visit(watch);
  await board(two.page, 4);
  const names = /** @type {const} */ (["Hint", "Scores"]);
  for (const name of names) {
    const closed = one.page.locator("#controls").getByRole("button", { name });
    assert.equal(await closed.getAttribute("aria-disabled"), "true", name);
    assert.match(
      (await closed.getAttribute("title")) ?? "",
      /Analysis is off until this game ends/,
    );
    assert.equal(
      await two.page
        .locator("#controls")
        .getByRole("button", { name })
        .getAttribute("aria-disabled"),
      "false",
      name,
    );
  }
  await one.page.locator("#hint").click({ force: true });
  await one.page.getByRole("alert").getByText("Analysis is off until this game ends").waitFor();
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
  assert.equal(await one.page.locator("#plate-south .name").textContent(), "South");
  assert.equal(await one.page.locator("#hint").getAttribute("aria-disabled"), "true");
  await one.page.getByRole("button", { name: "Back to the game" }).click();
  await one.page.locator("#plate-south .name", { hasText: "You" }).waitFor();
  // After the end analysis is allowed.
  const three = await visit(send);
  await resign(three.page);
  await one.page.getByRole("heading", { name: "You win" }).waitFor();
  await one.page.locator("#margins").click();
  await one.page
    .getByRole("button", { name: /^house .*score/ })
    .first()
    .waitFor();
  await end(one, two, three);
});

test("a player who has offered a rematch and left can join it", async () => {
  const one = await visit();
  const { send } = await createGame(one.page);
  await houses(one.page).first().waitFor();
  const two = await visit(send);
  await resign(two.page);
  await one.page.locator("#rematch").click();
  await one.page.locator("#friend-offer", { hasText: "You have offered a rematch" }).waitFor();
  await one.page.getByRole("button", { name: "Leave this game" }).click();
  await board(one.page, 6);
  assert.equal(await wayBack(one.page).isVisible(), false, "the rematch has not started");
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
  const { send } = await createGame(one.page);
  await houses(one.page).first().waitFor();
  const two = await visit(send);
  await resign(one.page);
  await two.page.getByRole("heading", { name: "You win" }).waitFor();
  await two.page.setViewportSize({ width: 360, height: 240 });
  await two.page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
  await one.page.locator("#rematch").click();
  await two.page.locator("#rematch-offer").getByRole("button", { name: "Decline" }).click();
  await two.page.locator("#rematch-offer").waitFor({ state: "hidden" });
  await two.page.setViewportSize({ width: 1440, height: 900 });
  await two.page.getByRole("button", { name: "Leave this game" }).click();
  await board(two.page, 6);
  await two.page.reload();
  await board(two.page, 6);
  assert.equal(await wayBack(two.page).isVisible(), false);
  await end(one, two);
});

test("an unknown game has no links", async () => {
  const one = await visit(`${stage.server.url}#watch=${"A".repeat(22)}`);
  const notice = one.page.getByRole("region", { name: "Game with a friend" });
  await notice.getByText("There is no such game on this server").waitFor();
  assert.equal(await one.page.getByRole("textbox", { name: / link$|^Link for/ }).count(), 0);
  assert.equal(await houses(one.page).count(), 0, "no other game is shown");
  await notice.getByRole("button", { name: "Start another game" }).click();
  await one.page.getByRole("dialog", { name: "New game" }).waitFor();
  await board(one.page, 6);
  assert.equal(one.page.url(), stage.server.url);
  await one.page.context().close();
});

test("a clock with more than a day shows days", async () => {
  const one = await visit();
  const { send } = await createGame(one.page, "1 day + 1 hour per turn");
  await one.page.getByText("1 day each, plus 1 hour per turn").waitFor();
  await one.page.getByRole("timer", { name: "South's clock" }).getByText("1 d 0 h").waitFor();
  const two = await visit(send);
  await one.page
    .getByRole("timer", { name: "South's clock" })
    .getByText(/^23:\d\d:\d\d$/)
    .waitFor();
  await end(one, two);
});
