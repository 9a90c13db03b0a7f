import assert from "node:assert/strict";
import { test } from "node:test";

import { check, expect, installClock, stopClock, visit } from "../harness.mjs";
import { setUp } from "../stage.mjs";

const stage = setUp();

/** The steps in which a test advances a stopped clock: more than an animation takes. */
const MAX_STEPS = 200;
const STEP_MS = 100;

test("a house that is pointed at shows where its last seed falls, and what happens", async () => {
  // South's house A captures four seeds, B gives a bonus turn, and F ends the game.
  const { page, errors, leave } = await visit(
    stage,
    {},
    "#rules=standard&position=6,10,10,2,5,0,0,0,0,0,0,0,3,4,0&line=",
  );
  const event = page.locator("#event");
  await page.locator("[data-pit=A]").hover();
  await event
    .getByText("From house A the last seed falls into house C and captures house d: 4 seeds.")
    .waitFor();
  await expect(page.locator(".pit.target")).toHaveCount(1);
  await expect(page.locator(".pit.taken")).toHaveCount(1);
  await check(page, "preview-capture");
  // The same for the keyboard, with a text for screen readers.
  await page.mouse.move(5, 5);
  await page.locator("[data-pit=B]").focus();
  const text = "From house B the last seed falls into South's store. Bonus turn.";
  await event.getByText(text).waitFor();
  await page.getByRole("status").filter({ hasText: text }).waitFor();
  await expect(page.locator(".pit.taken")).toHaveCount(0);
  await page.keyboard.press("Enter");
  await page.locator("[data-pit=B][aria-label*=' 0 seeds']").waitFor();
  await expect(page.locator(".pit.target")).toHaveCount(0);
  assert.deepEqual(errors, []);
  await leave();
});

test("a house that cannot be played says why", async () => {
  const { page, errors, leave } = await visit(stage);
  const event = page.locator("#event");
  // The houses are not disabled for clicks, so that they can say why.
  await page.locator("[data-pit=c]").click({ force: true });
  const otherRow = "House c is not in your row. Pick a house in your row.";
  await event.getByText(otherRow).waitFor();
  await page.getByRole("log").getByText(otherRow).waitFor();
  await check(page, "refusal");
  await page.locator("[data-pit=C]").click();
  await page.locator("#turn", { hasText: /^Bonus turn/ }).waitFor();
  await page.locator("[data-pit=C]").click({ force: true });
  await event.getByText("House C is empty. Pick a house with seeds.").waitFor();
  await page.getByRole("button", { name: "Resign" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Resign" }).click();
  await page.getByRole("heading", { name: "You lose" }).waitFor();
  await page.locator("[data-pit=A]").click({ force: true });
  await page.getByRole("log").getByText("The game is over.").waitFor();
  assert.deepEqual(errors, []);
  await leave();
});

test("an unfinished game is not replaced without a question, and an undo returns to it", async () => {
  const { page, errors, leave } = await visit(stage);
  await page.locator("[data-pit=C]").click();
  await page.locator("#turn", { hasText: /^Bonus turn/ }).waitFor();
  const start = async () => {
    await page.keyboard.press("n");
    await page.getByRole("radio", { name: "Two players on this device" }).check();
    await page.getByRole("button", { name: "Start", exact: true }).click();
  };
  await start();
  const question = page.getByRole("dialog", { name: "Leave the unfinished game?" });
  await question.waitFor();
  await check(page, "discard");
  await page.keyboard.press("Escape");
  await question.waitFor({ state: "hidden" });
  await page.locator("#turn", { hasText: /^Bonus turn/ }).waitFor();
  await start();
  await question.getByRole("button", { name: "Start the new game" }).click();
  await page.locator("#turn", { hasText: "South to move" }).waitFor();
  await page.keyboard.press("u");
  await page.locator("#turn", { hasText: /^Bonus turn/ }).waitFor();
  await page.locator("[data-pit=C][aria-label*=' 0 seeds']").waitFor();
  assert.deepEqual(errors, []);
  await leave();
});

test("the switch of the sounds is beside the board and in the settings, and is stored", async () => {
  const { page, errors, leave } = await visit(stage);
  const sounds = page.getByRole("button", { name: "Sounds" });
  await expect(sounds).toHaveAttribute("aria-pressed", "true");
  await page.locator("[data-pit=C]").click();
  await page.locator("#turn", { hasText: /^Bonus turn/ }).waitFor();
  await sounds.click();
  await page.reload();
  await page.locator(".house.playable").first().waitFor();
  await expect(sounds).toHaveAttribute("aria-pressed", "false");
  await page.getByRole("button", { name: "Settings" }).click();
  await expect(page.getByRole("checkbox", { name: "Sounds" })).not.toBeChecked();
  assert.deepEqual(errors, []);
  await leave();
});

test("the marks of a preview are visible in forced colours", async () => {
  const { page, errors, leave } = await visit(stage, { forcedColors: "active" });
  await page.locator("[data-pit=C]").hover();
  await page.locator(".pit.target").waitFor();
  await check(page, "preview-forced-colours");
  assert.deepEqual(errors, []);
  await leave();
});

test("the message over the board disappears when the next move starts", async () => {
  const { page, errors, leave } = await visit(stage, { reducedMotion: "no-preference" });
  await page.keyboard.press("n");
  await page.getByRole("radio", { name: "Two players on this device" }).check();
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await page.locator("#turn", { hasText: "South to move" }).waitFor();
  await installClock(page);
  await stopClock(page);
  await page.locator("[data-pit=C]").click();
  await page.locator("#turn", { hasText: "South plays house C" }).waitFor();
  const toast = page.locator(".toast.visible");
  for (let steps = 0; steps < MAX_STEPS && (await toast.count()) === 0; steps += 1) {
    await page.clock.runFor(STEP_MS);
  }
  await toast.getByText("Bonus turn").waitFor();
  // The clock stands still, so that only the next move removes the message.
  await page.locator("[data-pit=A]").click();
  await page.locator("#turn", { hasText: "South plays house A" }).waitFor();
  await expect(toast).toHaveCount(0);
  assert.deepEqual(errors, []);
  await leave();
});
