import assert from "node:assert/strict";
import { test } from "node:test";

import { check, checkViews, expect, visit } from "../harness.mjs";
import { createGame, openPage, takeSeat } from "../friends/pages.mjs";
import { setUp } from "../stage.mjs";

/** @import { Page } from "playwright" */

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
  await expect(rows(page)).toHaveCount(6);
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
    { viewport: { width: 844, height: 390 }, colorScheme: "light" },
    { viewport: { width: 390, height: 844 }, colorScheme: "dark" },
  ]);
  // The keyboard alone goes on: the focus stays in its row.
  await moveButton(page, /^South C/).focus();
  await page.keyboard.press("Enter");
  // South C gives a bonus turn.
  await moveButton(page, /^South F, score \+8/).waitFor();
  await expect(page.locator(":focus")).toHaveAttribute("aria-label", /^South [A-F], score/);
  await moveButton(page, /^South F/).click();
  await moveButton(page, /^North a, score/).waitFor();
  await page.getByRole("button", { name: "Back one move" }).click();
  await moveButton(page, /^South F, score \+8/).waitFor();
  assert.deepEqual(errors, []);
  await leave();
});

test("finished games of this device are counted", async () => {
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

test("shared games of friends count on the server, and none are shown in a running game", async () => {
  const one = await openPage(stage, stage.server.url, { viewport: { width: 390, height: 844 } });
  await one.page.getByRole("tab", { name: "Play a friend" }).click();
  await one.page.getByText("Handicap, spectators and statistics").click();
  await one.page.getByRole("checkbox", { name: /Count this game/ }).check();
  await check(one.page, "friend-form-shares-390");
  const link = await createGame(one.page);
  const two = await openPage(stage, link, { viewport: { width: 390, height: 844 } });
  await two.page
    .getByRole("checkbox", { name: /Count this game .* The other player has agreed/ })
    .check();
  await check(two.page, "friend-seat-shares-390");
  await takeSeat(two.page);
  await one.page.getByText("This game counts in the server's opening statistics").waitFor();
  await one.page.getByRole("tab", { name: "Openings" }).click();
  await one.page.getByRole("tabpanel").getByText("Analysis is off until this game ends").waitFor();
  await expect(table(one.page)).toHaveCount(0);
  await one.page.locator("[data-pit=A]").click();
  await one.page.getByRole("button", { name: "Resign" }).click();
  await one.page.getByRole("dialog").getByRole("button", { name: "Resign" }).click();
  await one.page.getByRole("heading", { name: "You lose" }).waitFor();

  // Two more games give the position the three games from which on counts are shown.
  await one.page.evaluate(async (address) => {
    const post = async (/** @type {string} */ path, /** @type {object} */ body, token = "") => {
      const headers = {
        "Content-Type": "application/json",
        ...(token && { Authorization: `Bearer ${token}` }),
      };
      const url = `${address}api/v1/${path}`;
      const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
      return response.json();
    };
    for (const friend of ["BBBBBBBBBBBBBBBBBBBBBA", "BBBBBBBBBBBBBBBBBBBBBQ"]) {
      const rules = "standard";
      const { game, token } = await post("games", { rules, position: "4x3", shares: true });
      await post(`games/${game}/join`, { token: friend, shares: true });
      await post(`games/${game}/plies`, { ply: 1, move: "A" }, token);
      await post(`games/${game}/resign`, {}, friend);
    }
  }, stage.server.url);
  await one.page.getByRole("button", { name: "First position" }).click();
  await one.page.getByLabel("Games of").selectOption("server");
  await moveButton(one.page, /^South A, .*, 3 games$/).waitFor();
  await table(one.page).getByRole("img", { name: "won 2, drawn 0, lost 1" }).waitFor();
  await check(one.page, "openings-server-390");
  assert.deepEqual([...one.errors, ...two.errors], []);
  await one.page.context().close();
  await two.page.context().close();
});

for (const locale of ["en-GB", "de-DE"]) {
  test(`tabs and table fit on a narrow page, ${locale}`, async () => {
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
    await page.setViewportSize({ width: 320, height: 568 });
    await page.getByRole("tab", { name: /^(Openings|Eröffnung)$/ }).click();
    await page.locator(".openings tbody tr").first().waitFor();
    await check(page, `openings-320-${locale}`);
    await leave();
  });
}
