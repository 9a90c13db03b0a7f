import assert from "node:assert/strict";
import { test } from "node:test";

import { check, expect, setView, visit } from "../harness.mjs";
import { setUp } from "../stage.mjs";

/** @import { Page } from "playwright" */

const stage = setUp();

/**
 * Returns the box of an element on the page.
 *
 * @param {Page} page
 * @param {string} selector
 */
async function box(page, selector) {
  const found = await page.locator(selector).boundingBox();
  assert.ok(found, selector);
  return found;
}

test("a player of North has the own row at the bottom, and a key and a button turn the board", async () => {
  const { page, errors, leave } = await visit(stage);
  await page.keyboard.press("n");
  await page.getByRole("radio", { name: "North, second" }).check();
  await page.getByRole("button", { name: "Start" }).click();
  await page.locator("#plate-north .name", { hasText: "You" }).waitFor();
  await page.locator("#turn", { hasText: /^(Your|Bonus) turn/ }).waitFor();
  const isNorthBelow = async () => {
    const [a, A] = [await box(page, "[data-pit=a]"), await box(page, "[data-pit=A]")];
    const [south, north] = [await box(page, "#plate-south"), await box(page, "#plate-north")];
    assert.equal(a.y > A.y, north.y > south.y, "the names are at the rows");
    // The first house of the lower row is at the left.
    assert.equal(a.y > A.y, a.x < (await box(page, "[data-pit=f]")).x);
    return a.y > A.y;
  };
  await expect.poll(isNorthBelow).toBe(true);
  // The upper row comes first for screen readers.
  assert.deepEqual(
    await page.locator("ol.row").evaluateAll((rows) => rows.map((row) => row.ariaLabel)),
    ["South's row", "North's row"],
  );
  await check(page, "turned");
  // The arrow keys follow the view.
  await page.locator("[data-pit=b]").focus();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("ArrowRight");
  await expect(page.locator("[data-pit=c]")).toBeFocused();
  await page.keyboard.press("ArrowUp");
  await expect(page.locator("[data-pit=D]")).toBeFocused();
  await page.keyboard.press("Shift+F");
  await expect.poll(isNorthBelow).toBe(false);
  await page.getByRole("button", { name: "Turn the board" }).click();
  await expect.poll(isNorthBelow).toBe(true);
  // Digits are columns from the left: 1 is house a.
  const log = page.getByRole("log");
  await page.locator("[data-pit=a]:not([aria-label*=' 0 seeds'])").waitFor();
  await page.keyboard.press("1");
  await log.getByText(/You play house a,/).waitFor();
  assert.deepEqual(errors, []);
  await leave();
});

test("the list of moves is below the board, and arrow keys step through it", async () => {
  const { page, errors, leave } = await visit(stage, { viewport: { width: 1440, height: 900 } });
  await expect(page).toHaveTitle(/^Your turn/);
  await page.getByRole("button", { name: "house C, 4 seeds", exact: true }).click();
  await page.locator("#turn", { hasText: /^Bonus turn/ }).waitFor();
  await page.keyboard.press("a");
  const list = page.getByRole("group", { name: "Moves" });
  await list
    .getByRole("button", { name: /^1… North/ })
    .first()
    .waitFor();
  await page.locator("#turn", { hasText: /^(Your|Bonus) turn/ }).waitFor();
  const moves = await list.getByRole("button").count();
  // The house has the focus by a click, so the arrow keys step.
  await page.getByRole("heading", { name: "Kalah" }).click();
  await page.keyboard.press("ArrowLeft");
  await page.getByText("Your game is paused").waitFor();
  await expect(page).toHaveTitle("Kalah");
  await list.getByRole("button", { name: "1. South C" }).click();
  await page.getByRole("button", { name: "house C, 0 seeds", exact: true }).waitFor();
  await page.getByText("South's store, 1 seed", { exact: true }).waitFor();
  await page.keyboard.press("ArrowLeft");
  await expect(list.locator("[aria-current]")).toHaveCount(1);
  await check(page, "stepping");
  // The last move of the game leads back to it.
  await page.getByRole("button", { name: "Last move" }).click();
  await page.getByText("Your game is paused").waitFor({ state: "hidden" });
  await expect(list.getByRole("button")).toHaveCount(moves);
  await page.waitForFunction(() => document.title.startsWith("Your turn"));
  const [controls, moveBox] = [await box(page, "#controls"), await box(page, "#moves")];
  assert.ok(moveBox.y > controls.y + controls.height);
  // A lower window has no room below the board.
  await setView(page, { viewport: { width: 1440, height: 700 } });
  const [board, beside] = [await box(page, "#board"), await box(page, "#moves")];
  assert.ok(beside.x > board.x + board.width);
  await page.getByRole("button", { name: "Resign" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Resign" }).click();
  await page.waitForFunction(() => document.title.startsWith("Computer (level 2) wins by"));
  assert.deepEqual(errors, []);
  await leave();
});

test("the board uses the room of wide windows", async () => {
  const { page, leave } = await visit(stage);
  await setView(page, { viewport: { width: 1280, height: 900 } });
  await page.locator("#lesson-offer").waitFor();
  const [list, last] = [await box(page, "#panels"), await box(page, "#panels .tab:last-child")];
  assert.ok(last.y + last.height <= list.y + list.height, "all panels are in the list");
  for (const viewport of [
    { width: 1440, height: 900 },
    { width: 2560, height: 1440 },
  ]) {
    await setView(page, { viewport });
    const board = await box(page, "#board");
    const panels = await box(page, "#panels");
    const moves = await box(page, "#moves");
    assert.ok(board.width > viewport.width / 2, `${board.width} of ${viewport.width}`);
    assert.ok(panels.x + panels.width > viewport.width * 0.9);
    assert.ok(moves.y + moves.height > viewport.height * 0.9);
    assert.ok(moves.y + moves.height <= viewport.height);
    await check(page, `wide-${viewport.width}`);
  }
  await leave();
});

test("names and the marker of the turn are visible in low and in narrow windows", async () => {
  // 720x450 is a window of 1440x900 at 200 %.
  const viewports = [
    { width: 667, height: 375 },
    { width: 720, height: 450 },
  ];
  const { page, leave } = await visit(stage);
  for (const viewport of viewports) {
    await setView(page, { viewport });
    for (const selector of [
      "#plate-north .name",
      "#plate-south .name",
      ".turn-marker",
      "#board",
      "#controls",
    ]) {
      const { x, y, width, height } = await box(page, selector);
      const isVisible =
        x >= 0 && y >= 0 && x + width <= viewport.width && y + height <= viewport.height;
      assert.ok(isVisible, `${selector} at ${viewport.width}x${viewport.height}`);
    }
  }
  // The computer's move does not arrive, so that it stays North's turn.
  await page.route("**/api/v1/choose", () => {});
  await page.locator(".house.playable").last().click();
  await page.locator("#plate-north .turn-marker").waitFor();
  for (const viewport of [...viewports, { width: 390, height: 844 }]) {
    await setView(page, { viewport });
    // The names share the width by their lengths.
    const cut = await page
      .locator(".plate .name")
      .evaluateAll((names) => names.filter((name) => name.scrollWidth > name.clientWidth).length);
    assert.equal(cut, 0, `names are cut at ${viewport.width}x${viewport.height}`);
    await check(page, `low-${viewport.width}`);
  }
  await leave();
});

test("a board that scrolls keeps its stores in view and shows that there is more", async () => {
  const { page, errors, leave } = await visit(
    stage,
    { viewport: { width: 390, height: 844 } },
    "#position=26x1&line=A",
  );
  const more = page.locator(".more.right");
  await more.waitFor();
  await expect(page.locator(".more.left")).toBeHidden();
  await page.locator("[data-pit=a]").focus();
  await page.waitForFunction(
    () => document.querySelector("#stage")?.getAttribute("data-more-left") === "true",
  );
  const plates = await page
    .locator(".plaque")
    .evaluateAll((all) => all.slice(-2).map((plate) => plate.getBoundingClientRect()));
  for (const { left, right } of plates) {
    assert.ok(left >= 0 && right <= 390, `${left} to ${right}`);
  }
  await check(page, "scrolled-26x1");
  assert.deepEqual(errors, []);
  await leave();
});
