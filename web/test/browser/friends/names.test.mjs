/** Tests of the names of players in games with friends. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { check, copiedText, expect, houses } from "../harness.mjs";
import { setUp } from "../stage.mjs";
import { createGame, joinGame, openPage, takeSeat } from "./pages.mjs";

/** @import { BrowserContextOptions, Page } from "playwright" */

/** A name with markup, which every view shows as text. */
const ANN = '<img src=x> "A\\nn" & Co';

const stage = setUp();

/** @param {string} [address] @param {BrowserContextOptions} [options] */
const visit = (address = stage.server.url, options = {}) => openPage(stage, address, options);

/** @param {Page} page @param {"south" | "north"} side @param {string} name */
const plate = (page, side, name) =>
  page.locator(`#plate-${side} .name`).getByText(name, { exact: true }).waitFor();

test("names are on the plates, in the record and in the title of both pages", async () => {
  const one = await visit(stage.server.url, {
    permissions: ["clipboard-read", "clipboard-write"],
  });
  await one.page.getByRole("tab", { name: "Play a friend" }).click();
  const field = one.page.getByRole("textbox", { name: "Your name" });
  await field.fill("x".repeat(25));
  assert.match(
    await field.evaluate((input) => /** @type {HTMLInputElement} */ (input).validationMessage),
    /at most 24 characters/,
  );
  await field.fill(` ${ANN} `);
  const link = await createGame(one.page);
  await plate(one.page, "south", `${ANN} (you)`);
  const two = await joinGame(stage, link, { viewport: { width: 390, height: 844 } });
  await plate(two.page, "south", ANN);
  await plate(two.page, "north", "You");
  const three = await visit(link);
  await plate(three.page, "south", ANN);
  // The name is changed with the keyboard alone.
  await two.page.getByRole("textbox", { name: "Your name" }).focus();
  await two.page.keyboard.type("بوب");
  await two.page.keyboard.press("Enter");
  await plate(two.page, "north", "بوب (you)");
  await plate(one.page, "north", "بوب");
  await plate(three.page, "north", "بوب");
  // South is to move.
  await expect(one.page).toHaveTitle("(1) Your turn – Kalah");
  for (const { page } of [two, three]) {
    await expect(page).toHaveTitle(`${ANN} – بوب – Kalah`);
  }
  for (const { page } of [one, two, three]) {
    await expect(page.locator("img[src=x]")).toHaveCount(0);
  }
  await check(one.page, "friend-names-1440-light");
  await check(two.page, "friend-names-390-light");
  await houses(one.page).first().click();
  await two.page.locator("#turn", { hasText: "Your turn" }).waitFor();
  await one.page.getByRole("tab", { name: "Analysis" }).click();
  await one.page.getByText("Links and files").press("Enter");
  await one.page.getByRole("button", { name: "Copy record" }).click();
  const record = await copiedText(one.page, /\[South /);
  assert.ok(record.includes(String.raw`[South "<img src=x> \"A\\nn\" & Co"]`), record);
  // The page keeps the last name for the next game, and offers it when its player joins.
  const next = await visit();
  const other = await createGame(next.page);
  await houses(next.page).first().waitFor();
  await two.page.goto("about:blank");
  await two.page.goto(other);
  await takeSeat(two.page);
  await plate(next.page, "north", "بوب");
  assert.deepEqual(
    [one, two, three, next].flatMap(({ errors }) => errors),
    [],
  );
  for (const { page } of [one, two, three, next]) {
    await page.context().close();
  }
});

test("a name that the server refuses is quoted in an error", async () => {
  const { page } = await visit();
  await createGame(page);
  await page.getByRole("textbox", { name: "Your name" }).fill("\u202ennA");
  await page.getByRole("button", { name: "Save name" }).click();
  await page.getByRole("alert").getByText("is not a name: it contains U+202E").waitFor();
  await check(page, "friend-name-refused-1440-light");
  await page.context().close();
});
