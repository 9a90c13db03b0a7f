import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { checkViews, expect, open, setView, valueOf, visit } from "../harness.mjs";
import { setUp } from "../stage.mjs";

/** @import { Page } from "playwright" */

const stage = setUp();

const RECORD = `[South "Ada Zimmermann-Müller"]
[North "<b>Bo</b>"]

1. CF { ?? } { too greedy } 1... c 2. A ( 2. B d ) 2... d *
`;

/** A phone in both formats, in both colours. */
const VIEWS = /** @type {const} */ ([
  { viewport: { width: 844, height: 390 }, colorScheme: "dark" },
  { viewport: { width: 390, height: 844 }, colorScheme: "light" },
]);

/** The sizes of frames in which all parts of the board must be, in pixels. */
const FRAMES = [
  { width: 320, height: 240, isSmall: true },
  { width: 360, height: 640 },
  { width: 400, height: 400 },
  { width: 640, height: 360 },
  { width: 640, height: 480 },
  { width: 800, height: 600 },
];

/** The parts of the board in a frame, and those that the smallest frames lack. */
const FRAME_PARTS = ["#board", "#board .house", ".steps button", ".embed-link a"];
const LARGE_FRAME_PARTS = [".plate .name", ".moves"];

/**
 * Asserts that the parts of the board are whole in frames of all sizes.
 *
 * @param {Page} page the board, in a window of its own
 */
async function checkFrames(page) {
  for (const { isSmall, ...viewport } of FRAMES) {
    await setView(page, { viewport });
    const parts = [...FRAME_PARTS, ...(isSmall ? [] : LARGE_FRAME_PARTS)];
    const outside = await page.evaluate((selectors) => {
      const { clientWidth, clientHeight, scrollWidth, scrollHeight } = document.documentElement;
      const isOutside = (/** @type {Element} */ element) => {
        const { top, left, bottom, right, width } = element.getBoundingClientRect();
        const isCut = element.matches(".name") && element.scrollWidth > element.clientWidth;
        const isOut = top < 0 || left < 0 || bottom > clientHeight || right > clientWidth;
        return width === 0 || isCut || isOut;
      };
      const found = selectors.filter((selector) => {
        const elements = [...document.querySelectorAll(selector)];
        return elements.length === 0 || elements.some(isOutside);
      });
      const scrolls = scrollWidth > clientWidth || scrollHeight > clientHeight;
      return scrolls ? [...found, "the document scrolls"] : found;
    }, parts);
    assert.deepEqual(outside, [], `${viewport.width}x${viewport.height}`);
  }
}

/** The moves of the record as the list shows them. */
const MOVES = /^1\.\s*C\s*F\?\?\s*too greedy\s*1…\s*c\s*2\.\s*A\s*2\.\s*B\s*d\s*2…\s*d$/;

/** The same without the comment, but with the grade. */
const BARE_MOVES = /^1\.\s*C\s*F\?\?\s*c\s*2\.\s*A\s*2\.\s*B\s*d\s*2…\s*d$/;

/** A comment that takes more letters of a link than it may have, compressed. */
const LONG_COMMENT = Array.from({ length: 400 }, (_, index) =>
  createHash("sha256").update(String(index)).digest("hex"),
).join(" ");

/** @param {Page} page */
const moves = (page) => page.locator("#moves .moves");

/** Opens a record, at its last move. @param {Page} page @param {string} [record] */
async function openRecord(page, record = RECORD) {
  await page.getByRole("tab", { name: "Analysis" }).press("Enter");
  await page.getByText("Links and files").press("Enter");
  await page.getByRole("textbox", { name: "Record to open" }).fill(record);
  await page.getByRole("button", { name: "Open the record" }).press("Enter");
  await page.getByRole("button", { name: "Last move" }).click();
  await page.locator(".ply[aria-current]", { hasText: "d" }).waitFor();
}

/**
 * Presses a button of the dialog that saves a file, and returns the content of the file.
 *
 * @param {Page} page
 * @param {string} button
 */
async function savedFile(page, button) {
  const folder = await mkdtemp(join(tmpdir(), "kalah-shared-"));
  const downloading = page.waitForEvent("download");
  await page.getByRole("dialog").getByRole("button", { name: button }).press("Enter");
  const file = join(folder, "file");
  await (await downloading).saveAs(file);
  const content = await readFile(file);
  await rm(folder, { recursive: true });
  return content;
}

/** Opens the dialog. @param {Page} page */
async function openDialog(page) {
  await page.getByRole("button", { name: "Share the game" }).press("Enter");
  const dialog = page.getByRole("dialog", { name: "Share" });
  await dialog.getByRole("button", { name: "Shorten" }).waitFor();
  return dialog;
}

test("a link keeps names, comments, variations, grades and the current move", async () => {
  const { page, errors, leave } = await visit(stage);
  await openRecord(page);
  await page.waitForURL(/#record=[\w-]+&at=5$/);
  await expect(moves(page)).toHaveText(MOVES, { useInnerText: true });
  const dialog = await openDialog(page);
  await checkViews(page, "share", VIEWS);
  const field = dialog.getByRole("textbox", { name: "Link to the game" });
  const link = page.url();
  await expect(field).toHaveValue(link);
  await dialog.getByRole("button", { name: "Shorten" }).press("Enter");
  await dialog.getByText("The server keeps the game under this short link.").waitFor();
  const short = await valueOf(field, /\/shared\/\w{10}\/5$/);
  for (const address of [link, short]) {
    await page.goto("about:blank");
    await page.goto(address);
    await page.locator("#plate-north", { hasText: "<b>Bo</b>" }).waitFor();
    await expect(moves(page)).toHaveText(MOVES, { useInnerText: true });
    await expect(page.locator(".ply[aria-current]")).toHaveText("d", { useInnerText: true });
  }
  await expect(page).toHaveURL(/#shared=\w{10}&at=5$/);
  await page.getByRole("button", { name: "Previous move" }).click();
  await page.waitForURL(/#shared=\w{10}&at=4$/);
  assert.deepEqual(errors, []);
  await leave();
});

test("a game whose comments are too long for a link is shared without them, and saved whole", async () => {
  const { page, errors, leave } = await visit(stage, { acceptDownloads: true });
  await openRecord(page, RECORD.replace("too greedy", LONG_COMMENT));
  await page.getByRole("button", { name: "Share the game" }).press("Enter");
  const dialog = page.getByRole("dialog", { name: "Share" });
  await dialog.getByText("This link leaves the comments out").waitFor();
  const field = dialog.getByRole("textbox", { name: "Link to the game" });
  const link = await valueOf(field, /#record=[\w-]+&at=5$/);
  await expect(dialog.getByRole("button", { name: "Shorten" })).toHaveCount(0);
  assert.ok((await savedFile(page, "Save as .kgn")).includes(LONG_COMMENT));
  await page.goto("about:blank");
  await page.goto(link);
  await page.locator("#plate-north", { hasText: "<b>Bo</b>" }).waitFor();
  await expect(moves(page)).toHaveText(BARE_MOVES, { useInnerText: true });
  assert.deepEqual(errors, []);
  await leave();
});

test("a link that is too long for a QR code has one when it is short", async () => {
  const { page, errors, leave } = await visit(stage);
  await openRecord(page, RECORD.replace("too greedy", LONG_COMMENT.slice(0, 4_000)));
  const dialog = await openDialog(page);
  await dialog.getByText("QR code", { exact: true }).press("Enter");
  await dialog.getByText("too long for a QR code. Shorten it to get one.").waitFor();
  await dialog.getByRole("button", { name: "Shorten" }).press("Enter");
  await dialog.getByRole("img", { name: /^QR code: / }).waitFor();
  assert.deepEqual(errors, []);
  await leave();
});

test("a damaged link is refused with a sentence, and the page plays on", async () => {
  const { page, leave } = await visit(stage, {}, "#record=JYo9C8IwGIT3&at=3");
  const alert = page.getByRole("alert").filter({ hasText: "the record of the game is damaged" });
  for (const view of VIEWS) {
    await setView(page, view);
    const { x = 0, y = 0, width = 0, height = 0 } = (await alert.boundingBox()) ?? {};
    const isInView = x >= 0 && y >= 0 && y + height <= view.viewport.height;
    assert.ok(isInView && width > 300, `${width}x${height} at ${x}, ${y}`);
  }
  await leave();
});

test("pictures are a PNG, an SVG without style sheet, and an animation of all moves", async () => {
  const { page, errors, leave } = await visit(stage, { acceptDownloads: true });
  await openRecord(page);
  await openDialog(page);
  const svg = (await savedFile(page, "Save SVG")).toString();
  assert.match(svg, /^<svg [^>]*viewBox="0 0 \d+ \d+"/);
  assert.match(svg, /&lt;b&gt;Bo&lt;\/b&gt;: \d/);
  assert.doesNotMatch(svg, /class=|style=|var\(/);
  // The marker of the turn is before the player to move.
  assert.match(
    svg,
    /<ellipse rx="13" ry="13" fill="rgb\([^>]*\/><path [^>]*\/><\/g><text [^>]*>Ada/,
  );
  const png = await savedFile(page, "Save PNG");
  assert.equal(png.subarray(1, 4).toString(), "PNG");
  const gif = await savedFile(page, "Save animation (GIF)");
  assert.equal(gif.subarray(0, 6).toString(), "GIF89a");
  // The start and five moves, each with a graphic control extension.
  assert.equal(gif.toString("latin1").split("\x21\xf9\x04").length - 1, 6);
  assert.deepEqual(errors, []);
  await leave();
});

test("another site shows the board in a frame, which stores nothing", async () => {
  const { page, errors, leave } = await visit(stage);
  await openRecord(page);
  const dialog = await openDialog(page);
  await dialog.getByText("Board for another site").press("Enter");
  const frame = await valueOf(
    dialog.getByRole("textbox", { name: "HTML of the board" }),
    /^<iframe src="http:\/\/127\.0\.0\.1:\d+\/embed#record=/,
  );
  const context = await stage.browser.newContext({ reducedMotion: "reduce" });
  const other = await open(context);
  const blog = createServer((_, response) => {
    response.setHeader("content-type", "text/html").end(`<title>Blog</title><h1>Blog</h1>${frame}`);
  });
  blog.listen(0, "127.0.0.1");
  await once(blog, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (blog.address());
  await other.page.goto(`http://localhost:${port}/`);
  const board = other.page.frameLocator("iframe");
  await board.locator("#plate-south", { hasText: "Ada" }).waitFor();
  await expect(board.locator(".ply[aria-current]")).toHaveText("d", { useInnerText: true });
  await expect(board.getByRole("tab")).toHaveCount(0);
  await board.getByRole("button", { name: "Previous move" }).click();
  await board.locator(".ply[aria-current]", { hasText: "A" }).waitFor();
  await expect(board.getByRole("link", { name: "Open in Kalah" })).toHaveAttribute(
    "href",
    /^\.\/#record=[\w-]+&at=4$/,
  );
  // Browsers refuse storage to the frames of other sites.
  await other.page.goto(/src="([^"]+)"/.exec(frame)?.[1] ?? "");
  await other.page.locator(".house.playable").first().click();
  await other.page.locator(".ply").nth(6).waitFor();
  assert.deepEqual(await other.page.evaluate(() => Object.keys(localStorage)), []);
  await checkFrames(other.page);
  await checkViews(other.page, "embed", VIEWS);
  assert.deepEqual([...errors, ...other.errors], []);
  await context.close();
  blog.close();
  await leave();
});
