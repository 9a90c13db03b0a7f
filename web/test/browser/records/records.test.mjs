import assert from "node:assert/strict";
import { test } from "node:test";

import { check, expect, visit } from "../harness.mjs";
import { setUp } from "../stage.mjs";

/** @import { Page } from "playwright" */

const stage = setUp();

/** The number of games in the large file, as many as a tournament has. */
const GAMES = 12_000;

/**
 * Opens the section of files. The analysis above it moves it while it grows, so that a click could
 * miss it.
 *
 * @param {Page} page
 */
async function openFiles(page) {
  await page.getByRole("tab", { name: "Analysis" }).press("Enter");
  await page.getByText("Links and files").press("Enter");
}

/** @param {Page} page @param {string} text */
async function openRecord(page, text) {
  await page.getByRole("textbox", { name: "Record to open" }).fill(text);
  await page.getByRole("button", { name: "Open the record" }).press("Enter");
}

test("the sample record is legal, and messages have no backticks", async () => {
  const { page, leave } = await visit(stage);
  await openFiles(page);
  const sample = await page
    .getByRole("textbox", { name: "Record to open" })
    .getAttribute("placeholder");
  await openRecord(page, sample ?? "");
  await page.getByRole("status").filter({ hasText: "5 moves." }).waitFor();
  await openRecord(page, "1. Zz *");
  const message = page.getByRole("status").filter({ hasText: "Invalid record" });
  await message.waitFor();
  await expect(message).not.toHaveText(/`/);
  await expect(message).toHaveClass(/\bwrong\b/);
  await openRecord(page, "hello world");
  await page
    .getByRole("status")
    .filter({ hasText: /not a record .* “hello world”: .* such as: 1\. CF c 2\. A d \*$/ })
    .waitFor();
  await check(page, "record-error");
  await leave();
});

test("texts are copied where browsers have no clipboard for pages, as over plain HTTP", async () => {
  const { page, errors, leave } = await visit(stage);
  await page.evaluate(() => {
    Object.defineProperty(navigator, "clipboard", { value: undefined });
    document.addEventListener("copy", (event) => {
      // The clipboard belongs to all tests.
      event.preventDefault();
      const { activeElement } = document;
      document.body.dataset.copied = /** @type {HTMLTextAreaElement} */ (activeElement).value;
    });
  });
  await openFiles(page);
  const copy = page.getByRole("button", { name: "Copy record" });
  await copy.press("Enter");
  await page.locator("body[data-copied]").waitFor();
  await expect(page.locator("body")).toHaveAttribute("data-copied", /^(?:\[\w+ ".*"\]\n)+\n\*\n$/);
  await expect(page.locator("textarea.visually-hidden")).toHaveCount(0);
  await expect(page.locator("button:focus")).toHaveCount(1);
  await expect(page.getByRole("alert")).toBeHidden();
  assert.deepEqual(errors, []);
  await leave();
});

test("a comment with a brace is refused", async () => {
  const { page, errors, leave } = await visit(stage);
  await openFiles(page);
  await openRecord(page, "1. CF c *");
  await page.getByRole("status").filter({ hasText: "3 moves." }).waitFor();
  await page.getByText("Comment and change").press("Enter");
  const comment = page.getByRole("textbox", { name: "Comment on this move" });
  await comment.fill("a } b");
  await page.getByText("A comment cannot contain “}”").waitFor();
  await page.getByRole("button", { name: "Save comment" }).click();
  await expect(comment).toHaveValue("a } b");
  await expect(page.locator(".moves .comment")).toHaveCount(0);
  await check(page, "comment-brace");
  await comment.fill("a ) b");
  await page.getByRole("button", { name: "Save comment" }).click();
  await page.locator(".moves .comment", { hasText: "a ) b" }).waitFor();
  assert.deepEqual(errors, []);
  await leave();
});

test("a file with thousands of games is listed in pages", async () => {
  const { page, errors, leave } = await visit(stage, { viewport: { width: 390, height: 844 } });
  await openFiles(page);
  const text = Array.from(
    { length: GAMES },
    (_, index) =>
      `[South "Marge ${index + 1}"]\n[Position "3x2"]\n\n${index === 30 ? "A B" : "A c A b a C b c B a A c A"} *\n`,
  ).join("\n");
  await page.locator("input[type=file]").setInputFiles({
    name: "many.kgn",
    mimeType: "text/plain",
    buffer: Buffer.from(text),
  });
  await page.getByRole("status").filter({ hasText: "12,000 games. Select one:" }).waitFor();
  const list = page.getByRole("list", { name: "Games in the file" });
  await expect(list.getByRole("listitem")).toHaveCount(25);
  await page.getByRole("button", { name: "Next page" }).press("Enter");
  await page.getByText("26 to 50 of 12,000").waitFor();
  await list.getByText("31. This game cannot be read").waitFor();
  await check(page, "large-file-390");
  await page.getByRole("spinbutton", { name: "Page", exact: true }).fill("480");
  await page.keyboard.press("Enter");
  await list.getByRole("button", { name: "12,000. Marge 12000 – North, 13 moves" }).press("Enter");
  await page.locator("#plate-south .name", { hasText: "Marge 12000" }).waitFor();
  assert.deepEqual(
    errors.filter((error) => !error.includes("422")),
    [],
  );
  await leave();
});

test("the search for games in a large text can be cancelled", async () => {
  const { page, errors, leave } = await visit(stage);
  await openFiles(page);
  await page.getByRole("textbox", { name: "Record to open" }).evaluate((field, text) => {
    /** @type {HTMLTextAreaElement} */ (field).value = text;
  }, '[Event "y"]\n1. A *\n'.repeat(GAMES));
  await page.getByRole("button", { name: "Open the record" }).evaluate(
    (button) =>
      new Promise((resolve) => {
        // The search pauses after its first step until the next click.
        const { setTimeout } = window;
        const pause = (/** @type {() => void} */ act) => {
          window.setTimeout = setTimeout;
          document.addEventListener("click", act, { once: true });
          resolve(null);
        };
        window.setTimeout = /** @type {typeof setTimeout} */ (/** @type {unknown} */ (pause));
        /** @type {HTMLElement} */ (button).click();
      }),
  );
  await page.getByRole("progressbar", { name: "Search for games in the text" }).waitFor();
  await check(page, "search-progress");
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("status").filter({ hasText: "Cancelled." }).waitFor();
  assert.deepEqual(errors, []);
  await leave();
});
