import assert from "node:assert/strict";
import { test } from "node:test";

import { check, copiedText, expect, open, visit } from "../harness.mjs";
import { setUp } from "../stage.mjs";

/** @import { Page } from "playwright" */

/** A game of 3x2 under cs32. `kalah solve --moves` computed the margins of its moves. */
const RECORD = `[South "Marge"]
[North "Homer"]
[Position "3x2"]

A c A b a C b c B a A c A *`;

const stage = setUp();

/** @param {Page} page */
async function openRecord(page) {
  await page.getByRole("tab", { name: "Analysis" }).click();
  await page.getByText("Links and files").press("Enter");
  await page.getByRole("textbox", { name: "Record to open" }).fill(RECORD);
  await page.getByRole("button", { name: "Open the record" }).press("Enter");
  await page.getByRole("status").filter({ hasText: "Marge – Homer, 13 moves." }).waitFor();
}

test("the houses show margins, with a sign for proven ones", async () => {
  const { page, errors, leave } = await visit(stage, { viewport: { width: 360, height: 740 } });
  await openRecord(page);
  await page.getByRole("button", { name: "Scores", exact: true }).click();
  // The margins of the start according to `kalah solve 3x2 --moves`.
  await page.getByRole("button", { name: /^house B, .*\+4.*proven/ }).waitFor();
  await page.getByRole("button", { name: /^house A, .*8.*proven/ }).waitFor();
  await check(page, "analysis-360-light");
  assert.deepEqual(errors, []);
  await leave();
});

test("no mark is wider than its house on a phone", async () => {
  for (const size of ["6x7", "8x7", "12x4", "26x4"]) {
    const { page, errors, leave } = await visit(
      stage,
      { viewport: { width: 390, height: 844 } },
      `#position=${size}&line=A`,
    );
    await page.getByRole("button", { name: "Scores", exact: true }).click();
    await page.locator(".mark.best").waitFor();
    const { pitch, marks } = await page.evaluate(() => {
      const houses = [...document.querySelectorAll(".row.upper .house")].map((house) =>
        house.getBoundingClientRect(),
      );
      return {
        pitch: Math.abs((houses[1]?.left ?? 0) - (houses[0]?.left ?? 0)),
        marks: [...document.querySelectorAll(".mark")].map((mark) => ({
          text: mark.textContent,
          shown: mark instanceof HTMLElement ? mark.innerText.replace(/\s/g, "") : "",
          width: Math.max(mark.getBoundingClientRect().width, mark.scrollWidth),
        })),
      };
    });
    assert.equal(marks.length, Number(size.split("x")[0]));
    for (const { text, shown, width } of marks) {
      assert.ok(width < pitch, `${text} is ${width} wide in ${pitch} on ${size}`);
      assert.equal(shown, text?.replace(/[~\u2265\u2264]/, ""));
    }
    // The accessible name tells an estimate or a bound.
    await page
      .getByRole("button", { name: /score (about .*, not|at (least|most) .*,) proven/ })
      .first()
      .waitFor();
    await check(page, `marks-${size}-390-light`);
    assert.deepEqual(errors, []);
    await leave();
  }
});

test("move lists use the same names of houses as the board", async () => {
  const { page, errors, leave } = await visit(stage, { viewport: { width: 1440, height: 900 } });
  await openRecord(page);
  const moves = page.getByRole("group", { name: "Moves" }).getByRole("button");
  await expect(moves).toHaveText("A c A b a C b c B a A c A".split(" "));
  await page
    .getByRole("group", { name: "Best line" })
    .getByRole("button", { name: "B, move 1 of the best line" })
    .waitFor();
  await page.getByRole("button", { name: "Settings" }).click();
  await page.getByRole("radio", { name: "Columns" }).check();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "1… North column 1" }).waitFor();
  await expect(moves).toHaveText("1↓ 1↑ 1↓ 2↑ 3↑ 3↓ 2↑ 1↑ 2↓ 3↑ 1↓ 1↑ 1↓".split(" "));
  await page
    .getByRole("button", { name: "column 2, move 1 of the best line" })
    .getByText("2↓")
    .waitFor();
  await page.getByText("Set up a position").press("Enter");
  await page.getByRole("button", { name: "Edit position" }).click();
  await page.getByText("Seeds as numbers").click();
  await page.getByRole("spinbutton", { name: "Seeds in North's column 3" }).waitFor();
  assert.deepEqual(errors, []);
  await leave();
});

test("a link has the shortest form of a start, and an untouched game is not suspended", async () => {
  const context = await stage.browser.newContext({ reducedMotion: "reduce" });
  const { page, errors } = await open(context);
  for (const [fragment, written] of [
    ["#line=C", "#line=C"],
    ["#rules=standard&position=6,0,0,4,4,4,4,4,4,4,4,4,4,4,4&line=C", "#rules=standard&line=C"],
    ["#rules=mankalah&position=3x2&line=A", "#rules=mankalah&position=3x2&line=A"],
    [
      "#rules=mankalah&position=3,0,0,2,2,2,2,2,2&line=A",
      "#rules=mankalah&position=3,0,0,2,2,2,2,2,2,s&line=A",
    ],
  ]) {
    await page.goto("about:blank");
    await page.goto(stage.server.url + fragment);
    await page.locator("#event", { hasText: "South plays" }).waitFor();
    // The page writes the address only after a step in the game.
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("button", { name: "Redo" }).click();
    await page.waitForFunction((wanted) => location.hash === wanted, written);
    await expect(page.getByText("Your game is paused")).toBeHidden();
  }
  // An empty fragment leads to the local game.
  await page.evaluate(() => (location.hash = ""));
  await page.locator("#plate-south .name", { hasText: "You" }).waitFor();
  await page.getByRole("button", { name: "house C, 4 seeds", exact: true }).click();
  await page.locator("#turn", { hasText: /^Bonus turn/ }).waitFor();
  await page.evaluate(() => (location.hash = "#line=A"));
  await page.getByText("Your game is paused").waitFor();
  await page.getByRole("button", { name: "Back to the game" }).click();
  await page.locator("#turn", { hasText: /^Bonus turn/ }).waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});

test("a link with an illegal move is reported", async () => {
  const { page, leave } = await visit(stage, {}, "#line=FCF");
  await page.getByRole("alert").getByText("Ask for the link again").waitFor();
  await page.locator("#plate-south .name", { hasText: "You" }).waitFor();
  await leave();
});

test("a link opens the whole game", async () => {
  const { page, errors, leave } = await visit(stage, {
    permissions: ["clipboard-read", "clipboard-write"],
  });
  await openRecord(page);
  await page.getByRole("button", { name: "6. South A" }).click();
  await page.getByRole("button", { name: "Copy link" }).click();
  const link = await copiedText(page, /#record=[\w-]+&at=/);
  const other = await open(page.context());
  await other.page.goto(link);
  await other.page.getByText("South's store, 7 seeds", { exact: true }).waitFor();
  assert.deepEqual([...errors, ...other.errors], []);
  await leave();
});
