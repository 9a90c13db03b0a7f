import assert from "node:assert/strict";
import { test } from "node:test";

import { checkColours, expect, houses, isOver, playToTheEnd, setView, visit } from "../harness.mjs";
import { setUp } from "../stage.mjs";

/** A phone, a tablet and a desktop. */
const SIZES = [
  { width: 360, height: 740 },
  { width: 820, height: 1180 },
  { width: 1440, height: 900 },
];

const stage = setUp();

test("a whole game is played with the mouse", async () => {
  const { page, errors, leave } = await visit(stage);
  await playToTheEnd(page, () => houses(page).last().click());
  const endText = await page.locator("#game-end-text").textContent();
  const [, south, north] = /^You (\d+), Computer (\d+)/.exec(endText ?? "") ?? [];
  assert.equal(Number(south) + Number(north), 48, endText ?? "the page shows no result");
  await page.getByRole("button", { name: "Review" }).waitFor();
  // Nothing is paused after the end.
  await page.locator("#moves").getByRole("button", { name: /^1\. / }).click();
  await page.getByText("You are exploring another line. Your game is over.").waitFor();
  await page.getByRole("button", { name: "Back to its end" }).click();
  await page.locator("#game-end").waitFor();
  assert.deepEqual(errors, []);
  await leave();
});

test("a whole game is played with the keyboard alone", async () => {
  const { page, errors, leave } = await visit(stage);
  await isOver(page);
  await page.keyboard.press("n");
  const dialog = page.getByRole("dialog");
  await dialog.waitFor();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
  await page.keyboard.press("?");
  await dialog.waitFor();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
  await page.keyboard.press("c");
  await page.locator("#turn", { hasText: "Bonus turn" }).waitFor();
  await page.keyboard.press("u");
  await page.locator("#turn", { hasText: "Your turn" }).waitFor();
  let letters = 0;
  await playToTheEnd(page, async () => {
    // Letters and the focused house in turn.
    letters += 1;
    const name =
      (await houses(page).first().getAttribute("aria-label")) ??
      (await houses(page).first().textContent());
    const letter = /house (\w)/.exec(name ?? "")?.[1] ?? "";
    if (letters % 2 === 1) {
      await page.keyboard.press(letter);
    } else {
      await houses(page).first().focus();
      await page.keyboard.press("Enter");
    }
  });
  assert.deepEqual(errors, []);
  await leave();
});

test("the skip link moves the focus to the board and keeps the address", async () => {
  const { page, errors, leave } = await visit(stage);
  await isOver(page);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.locator("#board:focus").waitFor();
  await expect(page).toHaveURL(stage.server.url);
  await expect(page.getByRole("alert")).toBeHidden();
  assert.deepEqual(errors, []);
  await leave();
});

test("an unfinished game survives a reload", async () => {
  const { page, leave } = await visit(stage);
  await page.getByRole("button", { name: "house C, 4 seeds", exact: true }).click();
  await page.getByRole("button", { name: "house C, 0 seeds", exact: true }).waitFor();
  await page.reload();
  await page.getByRole("button", { name: "house C, 0 seeds", exact: true }).waitFor();
  await page.getByText("South's store, 1 seed", { exact: true }).waitFor();
  await leave();
});

test("the page is accessible at three sizes, light and dark", async () => {
  const { page, errors, leave } = await visit(stage);
  for (const viewport of SIZES) {
    await setView(page, { viewport });
    await checkColours(page, "board");
    await page.getByRole("button", { name: "New game" }).first().click();
    await page.getByRole("dialog").waitFor();
    await checkColours(page, "new-game");
    const hidden = await page
      .locator("#new-game .levels > div")
      .evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight);
    assert.equal(hidden > 0, viewport.width < 1000, "only a narrow list scrolls");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Settings" }).click();
    await page.getByRole("dialog").waitFor();
    await checkColours(page, "settings");
    await page.keyboard.press("Escape");
  }
  assert.deepEqual(errors, []);
  await leave();
});
