/** Tests of offers in games with friends: takebacks and rematches. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { check, expect, houses } from "../harness.mjs";
import { setUpWithOwnServer } from "../stage.mjs";
import { createGame, joinGame, openPage } from "./pages.mjs";

/** @import { BrowserContextOptions, Page } from "playwright" */

// One test kills the server.
const stage = setUpWithOwnServer();

/** @param {string} [address] @param {BrowserContextOptions} [options] */
const visit = (address = stage.server.url, options = {}) => openPage(stage, address, options);

/** @param {Page} page */
const offers = (page) => page.locator("#friend-offer");

/** @param {Page} page @param {string} name */
const offerButton = (page, name) => offers(page).getByRole("button", { name, exact: true });

/** @param {Page} page @param {string} text */
const turn = (page, text) => page.locator("#turn", { hasText: text }).waitFor();

test("a takeback is offered, declined, offered again and accepted", async () => {
  const one = await visit();
  const link = await createGame(one.page, "10 minutes + 5 seconds per turn");
  const two = await joinGame(stage, link, { viewport: { width: 390, height: 844 } });
  const three = await visit(link);
  await houses(one.page).first().waitFor();
  await expect(offers(one.page), "no move can be taken back yet").toBeHidden();
  await one.page.getByRole("button", { name: "house A, 3 seeds", exact: true }).click();
  await turn(two.page, "Your turn");
  await offerButton(one.page, "Ask to take back").click();
  await offers(one.page)
    .getByText("You have asked Your friend to take back the last move.")
    .waitFor();
  await check(one.page, "takeback-offered-1440-light");
  await offerButton(one.page, "Withdraw").click();
  await offerButton(one.page, "Ask to take back").click();
  await offers(two.page).getByText("Your friend asks to take back the last move.").waitFor();
  await check(two.page, "takeback-answer-390-light");
  // On the smallest phone the answer lies over the page when its line is not in the window.
  await two.page.setViewportSize({ width: 320, height: 568 });
  await two.page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
  await two.page.locator("#offer-answer").getByText("asks to take back").waitFor();
  await check(two.page, "takeback-answer-320-light");
  await two.page.setViewportSize({ width: 390, height: 844 });
  await two.page.evaluate(() => window.scrollTo(0, 0));
  await offerButton(two.page, "Decline").click();
  await offers(one.page).getByText("Your friend does not agree.").waitFor();
  // The next move allows another offer, which the keyboard accepts.
  await two.page.getByRole("button", { name: "house a, 3 seeds", exact: true }).click();
  await turn(one.page, "Your turn");
  await offerButton(one.page, "Ask to take back").focus();
  await one.page.keyboard.press("Enter");
  await offers(two.page).getByText("Your friend asks to take back the last 2 moves.").waitFor();
  await offerButton(two.page, "Accept").focus();
  await two.page.keyboard.press("Enter");
  for (const { page } of [one, two, three]) {
    await page.getByRole("log").getByText("Taken back: 2 moves.").waitFor({ state: "attached" });
    await page.getByRole("button", { name: "house A, 3 seeds", exact: true }).waitFor();
  }
  await turn(one.page, "Your turn");
  await stage.server.end("SIGKILL");
  await stage.server.start();
  await two.page.reload();
  // House C captures nothing and gives no bonus turn.
  await one.page.getByRole("button", { name: "house C, 3 seeds", exact: true }).click();
  await turn(two.page, "Your turn");
  await two.page.getByRole("button", { name: "house A, 3 seeds", exact: true }).waitFor();
  for (const { page } of [one, two, three]) {
    await page.context().close();
  }
});

test("a rematch is withdrawn, declined, and offered by the other player", async () => {
  const one = await visit();
  const link = await createGame(one.page);
  const two = await joinGame(stage, link);
  await houses(one.page).first().waitFor();
  await one.page.getByRole("button", { name: "Resign" }).click();
  await one.page.getByRole("dialog").getByRole("button", { name: "Resign" }).click();
  await two.page.getByRole("heading", { name: "You win" }).waitFor();
  await one.page.locator("#rematch").click();
  await offers(two.page).getByText("Your friend offers a rematch.").waitFor();
  await expect(two.page.getByRole("button", { name: "Rematch" })).toHaveCount(0);
  await offers(one.page).getByText("You have offered a rematch.").waitFor();
  await check(one.page, "rematch-requested-1440-light");
  await check(two.page, "rematch-answer-1440-light");
  await offerButton(one.page, "Withdraw").click();
  await offers(two.page).waitFor({ state: "hidden" });
  await one.page.locator("#rematch").click();
  await offers(two.page).getByText("Your friend offers a rematch.").waitFor();
  await offerButton(two.page, "Decline").click();
  await one.page
    .locator("#game-end-note", { hasText: "Your friend does not want a rematch now." })
    .waitFor();
  await expect(one.page.locator("#rematch")).toBeHidden();
  await check(one.page, "rematch-declined-1440-light");
  await two.page.locator("#rematch").click();
  await offerButton(one.page, "Accept").click();
  await houses(two.page).first().waitFor();
  assert.deepEqual(
    [one, two].flatMap(({ errors }) => errors),
    [],
  );
  for (const { page } of [one, two]) {
    await page.context().close();
  }
});
