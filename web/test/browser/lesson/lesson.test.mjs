import assert from "node:assert/strict";
import { test } from "node:test";

import { LESSON_STEPS } from "../../../lesson/steps.js";
import { checkViews, expect, setView, visit } from "../harness.mjs";
import { setUp } from "../stage.mjs";

const stage = setUp();

/** A desktop in light colours and a phone in dark colours. The steps are played in turn on both. */
const VIEWS = /** @type {const} */ ([
  { viewport: { width: 1440, height: 900 }, colorScheme: "light" },
  { viewport: { width: 390, height: 844 }, colorScheme: "dark" },
]);

test("a newcomer is offered the lesson and completes it by playing the right houses", async () => {
  const { page, errors, leave } = await visit(stage);
  await checkViews(page, "lesson-offer", VIEWS);
  await page.getByRole("button", { name: "Learn on the board" }).first().click();
  for (const [index, { moves }] of LESSON_STEPS.entries()) {
    const step = `step ${index + 1} of ${LESSON_STEPS.length}`;
    const card = page.getByRole("region", { name: `How to play: ${step}` });
    await card.waitFor();
    await setView(page, VIEWS[index % 2] ?? VIEWS[0]);
    for (const move of moves) {
      await page.locator(`[data-pit=${move}].playable`).click();
    }
    await card.getByText(/^Well done/).waitFor();
    if (index % 2 === 0) {
      await checkViews(page, `lesson-${index + 1}`, VIEWS);
    }
    await card.getByRole("button", { name: /^(Next|Go on with the lessons)$/ }).click();
  }
  await page.getByRole("tab", { name: "Lessons", selected: true }).waitFor();
  // The game before the lesson is back, and the offer does not return.
  await page.locator("#turn", { hasText: /^Your turn/ }).waitFor();
  await expect(page.locator("#lesson-offer")).toBeHidden();
  await page.reload();
  await page.locator(".house.playable").first().waitFor();
  await expect(page.locator("#lesson-offer")).toBeHidden();
  assert.deepEqual(errors, []);
  await leave();
});

test("a first visit has the standard rules, and those of the class are one tap away", async () => {
  const { page, errors, leave } = await visit(stage, { viewport: { width: 320, height: 568 } });
  await page.getByText(/^You play by the standard rules/).waitFor();
  await checkViews(page, "rules-offer", [
    { viewport: { width: 320, height: 568 }, colorScheme: "light" },
    { viewport: { width: 390, height: 844 }, colorScheme: "dark" },
  ]);
  const rules = page.getByRole("dialog").getByRole("radio", { name: /^Classroom \(UCLA\)/ });
  await page.getByRole("button", { name: "Use the CS 32 rules" }).click();
  await page.locator("#rules-offer").waitFor({ state: "hidden" });
  await page.locator("#open-new-game").click();
  await expect(rules).toBeChecked();
  await page.keyboard.press("Escape");
  // The next visit, another tab and the other forms have them, too.
  await page.reload();
  await page.locator(".house.playable").first().waitFor();
  await expect(page.locator("#rules-offer")).toBeHidden();
  await page.getByRole("tab", { name: "Puzzles" }).click();
  await page.waitForFunction(() => {
    const selects = [...document.querySelectorAll("#panel-puzzles select")];
    return selects.some((select) => select instanceof HTMLSelectElement && select.value === "cs32");
  });
  // The analysis board has the board and the rules of the form, and the game waits.
  await page.locator("#open-new-game").click();
  await page.getByRole("radio", { name: /^Always capture/ }).check();
  await page.locator("#houses").selectOption("5");
  await page.getByRole("button", { name: "Analysis board" }).click();
  await page.locator("#turn", { hasText: "South to move." }).waitFor();
  await page.getByRole("tab", { name: "Analysis", selected: true }).waitFor();
  await expect(page).toHaveURL(/#rules=empty-capture&position=5x4&line=$/);
  assert.deepEqual(errors, []);
  await leave();
});

test("the lesson works with keys alone, refuses other houses, and keeps the game", async () => {
  const { page, errors, leave } = await visit(stage);
  const offer = page.locator("#lesson-offer");
  await offer.waitFor();
  await page.locator("[data-pit=C]").click();
  await page.locator("#turn", { hasText: /^Bonus turn/ }).waitFor();
  await expect(offer, "a running game hides the offer").toBeHidden();
  await page.keyboard.press("?");
  const help = page.getByRole("dialog", { name: "Help" });
  await help.getByRole("button", { name: "Learn on the board" }).focus();
  await page.keyboard.press("Enter");
  const card = page.locator("#lesson:focus");
  await card.getByText("step 1 of 6").waitFor();
  await page.keyboard.press("b");
  // The focus is on the button for the next step.
  await page.locator("#lesson button:focus", { hasText: "Next" }).waitFor();
  await page
    .getByRole("log")
    .getByText(/^Well done. The four seeds/)
    .waitFor();
  await page.keyboard.press("Enter");
  await card.getByText("step 2 of 6").waitFor();
  await page.keyboard.press("a");
  await page
    .getByRole("log")
    .getByText(/^Not this house/)
    .waitFor();
  await page.keyboard.press("u");
  await card.getByText("step 2 of 6").waitFor();
  await page.getByRole("button", { name: "Leave lesson" }).focus();
  await page.keyboard.press("Enter");
  await page.locator("#turn", { hasText: /^Bonus turn/ }).waitFor();
  assert.deepEqual(errors, []);
  await leave();
});
