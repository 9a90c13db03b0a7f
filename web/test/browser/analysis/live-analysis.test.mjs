import assert from "node:assert/strict";
import { test } from "node:test";

import { check, checkColours, expect, open, setView } from "../harness.mjs";
import { setUpWithOwnServer } from "../stage.mjs";

/**
 * @import { Page, Request } from "playwright"
 * @import { TimeLimits } from "../harness.mjs"
 */

// One test fills the queue of the server.
const stage = setUpWithOwnServer();

/** @param {Request} request */
const isAnalysis = (request) => request.url().includes("/api/v1/analyses?");

/**
 * Opens the page with a new game in a window.
 *
 * @param {import("playwright").BrowserContextOptions} [options]
 * @param {{ timeLimits?: TimeLimits }} [limits]
 * @param {string} [place] the part of the address after the number sign
 */
async function visit(options = {}, limits = {}, place = "") {
  const context = await stage.browser.newContext({
    reducedMotion: "reduce",
    viewport: { width: 1440, height: 900 },
    ...options,
  });
  const { page, errors } = await open(context, limits);
  /** The requests for analyses, and those that the page has aborted. */
  const sent = /** @type {Request[]} */ ([]);
  const aborted = /** @type {Request[]} */ ([]);
  page.on("request", (request) => isAnalysis(request) && sent.push(request));
  page.on("requestfailed", (request) => isAnalysis(request) && aborted.push(request));
  await page.goto(`${stage.server.url}${place}`);
  await page.locator(".house.playable").first().waitFor();
  if (place) {
    // The own game is on the board until that of the address arrives.
    await page.locator("#turn", { hasText: "to move" }).waitFor();
  }
  return { page, errors, sent, aborted, leave: () => context.close() };
}

/** A start that no book has and that takes hours to solve. */
const OPEN_START = "#position=6x7";

/** Returns the button that shows the scores. @param {Page} page */
const scores = (page) => page.getByRole("button", { name: "Scores", exact: true });

for (const [width, height] of [
  [1440, 900],
  [390, 844],
]) {
  test(`every house has a number from the first snapshot on, ${width} pixels`, async () => {
    const viewport = { width: Number(width), height: Number(height) };
    const { page, errors, sent, leave } = await visit({ viewport }, {}, OPEN_START);
    // The page collects the scores after every change of the document.
    await page.evaluate(() => {
      const seen = { partial: 0, texts: /** @type {string[]} */ ([]) };
      Object.assign(window, { seen });
      new MutationObserver(() => {
        const marks = [...document.querySelectorAll(".row.south .mark")];
        seen.partial += marks.length === 0 || marks.length === 6 ? 0 : 1;
        const shown = [...marks, ...document.querySelectorAll(".margin-text")];
        seen.texts.push(...shown.map((element) => element.textContent ?? ""));
      }).observe(document.body, { subtree: true, childList: true, characterData: true });
    });
    await scores(page).click();
    await page.getByRole("tab", { name: "Analysis" }).click();
    await page.locator(".row.south .mark").nth(5).waitFor();
    await page.getByLabel("Lines").selectOption("3");
    await page.getByRole("group", { name: "Line 3" }).waitFor();
    await checkColours(page, "analysis-live");
    // The request ends after its time limit.
    await page.getByText(/^\d of 6 moves solved\.$/).waitFor();
    const seen = await page.evaluate(
      () => /** @type {{ partial: number, texts: string[] }} */ (/** @type {any} */ (window).seen),
    );
    assert.equal(seen.partial, 0);
    assert.ok(seen.texts.length > 12);
    const odd = seen.texts.filter((text) => !/^~?([+\u2212]\d+|0)( \u2713)?( \u2605)?$/.test(text));
    assert.deepEqual([...new Set(odd)], [""].slice(0, odd.length > 0 ? 1 : 0));
    await page.getByText(/^Depth \d+, .* positions, .* a second$/).waitFor();
    await checkColours(page, "analysis-ended");
    assert.ok(sent.length <= 2, "one request for one line, and one for three");
    assert.deepEqual(errors, []);
    await leave();
  });
}

test("the analysis goes on until the person stops it", async () => {
  const limits = /** @type {const} */ ({ timeLimits: "requested" });
  const { page, errors, sent, aborted, leave } = await visit({}, limits, OPEN_START);
  await page.getByRole("tab", { name: "Analysis" }).click();
  await page.getByText("of 6 moves solved.").waitFor();
  await page.getByRole("button", { name: "Keep analysing" }).click();
  const stop = page.getByRole("button", { name: "Stop", exact: true });
  await stop.waitFor();
  // The next request follows the first one, which has the time limit of a position.
  await page.waitForRequest((request) => isAnalysis(request) && request.url().includes("=30000ms"));
  const times = sent.map((request) => new URL(request.url()).searchParams.get("time"));
  assert.deepEqual(times, ["5000ms", "30000ms"]);
  for (const [width, height] of [
    [390, 844],
    [1440, 900],
  ]) {
    await setView(page, { viewport: { width: Number(width), height: Number(height) } });
    await checkColours(page, "analysis-kept");
  }
  const isAborted = page.waitForEvent("requestfailed", isAnalysis);
  await stop.click();
  await isAborted;
  await page.getByText(/^\d of 6 moves solved\.$/).waitFor();
  await page.getByRole("button", { name: "Keep analysing" }).waitFor();
  assert.equal(aborted.length, 1);
  assert.deepEqual(errors, []);
  await leave();
});

test("a small position is solved, which is announced once", async () => {
  const place = "#position=3x2&line=B";
  const { page, errors, leave } = await visit({}, { timeLimits: "proof" }, place);
  await page.getByRole("tab", { name: "Analysis" }).click();
  await page.getByText(/^(\d) of \1 moves solved\.$/).waitFor();
  const keep = page.getByRole("button", { name: "Keep analysing" });
  await expect(keep).toHaveAttribute("aria-disabled", "true");
  const log = page.getByRole("log");
  await expect(log).toHaveText(/With best play: South ahead by 4 \(proven\)\./);
  await expect(log).not.toHaveText(/(With best play:.*){2}/);
  await check(page, "analysis-solved-1440-light");
  assert.deepEqual(errors, []);
  await leave();
});

test("a position of a book is solved without a search", async () => {
  const { page, errors, leave } = await visit();
  await page.getByRole("tab", { name: "Analysis" }).click();
  await page.getByText("From the opening book", { exact: true }).waitFor();
  await page.getByText("6 of 6 moves solved.").waitFor();
  await page.getByText("With best play: South ahead by 8 (proven).").first().waitFor();
  assert.deepEqual(errors, []);
  await leave();
});

test("moves during an analysis abort it, and the scores are those of the position", async () => {
  const { page, errors, aborted, leave } = await visit({}, {}, `${OPEN_START}&line=AbCd`);
  await scores(page).click();
  const marks = (/** @type {string} */ row) => page.locator(`.row.${row} .mark`);
  for (const [key, row] of [
    ["u", "north"],
    ["u", "south"],
    ["u", "north"],
    ["u", "south"],
    ["r", "north"],
  ]) {
    await page.keyboard.press(String(key));
    await marks(String(row)).nth(2).waitFor();
  }
  await expect(marks("south")).toHaveCount(0);
  assert.ok(aborted.length > 0);
  assert.deepEqual(errors, []);
  await leave();
});

test("each line is played move by move", async () => {
  const { page, errors, leave } = await visit();
  await page.getByRole("tab", { name: "Analysis" }).click();
  await page.getByLabel("Lines").selectOption("2");
  const second = page.getByRole("button", { name: /, move 2 of line 2$/ });
  await second.waitFor();
  await page.getByText(/^\d of 6 moves solved\.$/).waitFor();
  await second.click();
  await page.getByText("Your game is paused").waitFor();
  const moves = page.getByRole("group", { name: "Moves" }).getByRole("button");
  await moves.nth(1).waitFor();
  // The number of lines is a setting.
  await page.reload();
  await page.getByRole("tab", { name: "Analysis" }).click();
  await expect(page.getByLabel("Lines")).toHaveValue("2");
  assert.deepEqual(errors, []);
  await leave();
});

test("a hint agrees with the scores and does not call an unproven move the best", async () => {
  const { page, errors, leave } = await visit();
  // No move of this position can be proven to be the best.
  await page.goto("about:blank");
  await page.goto(`${stage.server.url}#position=10x10&line=A`);
  await scores(page).click();
  await page.locator(".mark.best").waitFor();
  await page.getByRole("button", { name: "Hint" }).click();
  const hint = page.locator("#event");
  await hint.getByText(/^Hint: house [A-Ja-j] is the best move so far \(depth \d+\)\.$/).waitFor();
  // Both are read in one task, between two frames.
  const [named, marked] = await page.evaluate(() => [
    /house (.)/.exec(document.querySelector("#event")?.textContent ?? "")?.[1],
    document.querySelector(".mark.best")?.closest("button")?.dataset.pit,
  ]);
  assert.equal(named, marked);
  await check(page, "analysis-hint-1440-light");
  assert.deepEqual(errors, []);
  await leave();
});

test("a waiting analysis shows its place in the queue", async () => {
  const { page, errors, leave } = await visit({}, { timeLimits: "requested" }, OPEN_START);
  const control = new AbortController();
  // Analyses of another client, until one has to wait.
  const query = "position=10x10&time=30s";
  for (let isQueued = false; !isQueued;) {
    const response = await fetch(`${stage.server.url}api/v1/analyses?${query}`, {
      signal: control.signal,
    });
    const first = await response.body?.getReader().read();
    isQueued = new TextDecoder().decode(first?.value).includes("event: queued");
  }
  await page.getByRole("tab", { name: "Analysis" }).click();
  await page.getByText(/^Waiting for the engine: place \d+, about \d+ s\.$/).waitFor();
  await check(page, "analysis-queued-1440-light");
  control.abort();
  // On a busy machine the analysis may have ended already.
  await page.getByText(/^(Analysing: )?\d of 6 moves solved\.$/).waitFor();
  assert.deepEqual(errors, []);
  await leave();
});

/** Opens the editor of the position. @param {Page} page */
async function editPosition(page) {
  await page.getByRole("tab", { name: "Analysis" }).click();
  await page.getByText("Set up a position").press("Enter");
  await page.getByRole("button", { name: "Edit position" }).click();
}

/** Returns the field with the position as text. @param {Page} page */
const positionText = (page) => page.getByRole("textbox", { name: "Position as text" });

for (const [width, height] of [
  [1440, 900],
  [390, 844],
]) {
  test(`a position is edited by mouse, ${width} pixels`, async () => {
    const { page, errors, leave } = await visit({
      viewport: { width: Number(width), height: Number(height) },
    });
    await editPosition(page);
    await page.locator("[data-pit=C]").click();
    await page.locator("[data-pit=b]").click({ button: "right" });
    const store = page.getByRole("button", { name: "South's store, 0 seeds" });
    await store.click();
    await page.getByRole("switch", { name: "Take away" }).check();
    await page.locator("[data-pit=F]").click();
    await page.getByText("48 seeds in total.").waitFor();
    await expect(positionText(page)).toHaveValue("<6,1,0,4,4,5,4,4,3,4,3,4,4,4,4> s");
    await page.getByRole("combobox", { name: "To move" }).selectOption("North");
    await checkColours(page, "edit");
    await page.getByRole("button", { name: "Use this position" }).click();
    await page.getByRole("button", { name: "house C, 5 seeds", exact: true }).waitFor();
    await page.locator("#turn", { hasText: "North to move." }).waitFor();
    await page.getByText("South's store, 1 seed", { exact: true }).waitFor();
    assert.deepEqual(errors, []);
    await leave();
  });
}

test("the editor explains touches on a touch screen, without a blank space", async () => {
  const { page, errors, leave } = await visit({
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  });
  await editPosition(page);
  await page
    .getByRole("region", { name: "Game" })
    .getByText("Tap a house or a store to add a seed.")
    .waitFor();
  const height = () =>
    page.locator(".evaluation").evaluate((element) => element.getBoundingClientRect().height);
  await expect.poll(height).toBeLessThan(60);
  assert.deepEqual(errors, []);
  await leave();
});

test("a position is edited with the keyboard alone", async () => {
  const { page, errors, leave } = await visit();
  const press = async (/** @type {string[]} */ ...keys) => {
    for (const key of keys) {
      await page.keyboard.press(key);
    }
  };
  const focused = (/** @type {string} */ name) =>
    page.waitForFunction(
      (wanted) => document.activeElement?.getAttribute("aria-label") === wanted,
      name,
    );
  await page.getByRole("tab", { name: "Analysis" }).press("Enter");
  await page.getByText("Set up a position").press("Enter");
  await page.getByRole("button", { name: "Edit position" }).press("Enter");
  // The focus is on the board.
  await focused("house A, 4 seeds");
  await press("Enter", "Space", "+");
  await focused("house A, 7 seeds");
  await press("ArrowUp", "Backspace", "Delete", "-");
  await focused("house f, 1 seed");
  await press("ArrowLeft", "Enter");
  await focused("North's store, 1 seed");
  await page.getByRole("log").getByText("North's store: 1 seed, 49 in total").waitFor();
  await press("ArrowRight", "ArrowRight");
  await focused("house B, 4 seeds");
  // Letters are no moves while a position is edited.
  await press("c", "u");
  await focused("house B, 4 seeds");
  await positionText(page).press("Enter");
  await page.getByRole("button", { name: "house A, 7 seeds", exact: true }).waitFor();
  await page.getByText("North's store, 1 seed", { exact: true }).waitFor();
  assert.deepEqual(errors, []);
  await leave();
});

test("the text, the numbers and the board agree, and problems are shown", async () => {
  const { page, errors, leave } = await visit();
  await editPosition(page);
  await positionText(page).fill("<2,1,1,5,0,0,2> n");
  await page.getByRole("button", { name: "house A, 5 seeds", exact: true }).waitFor();
  await page.getByText("Seeds as numbers").click();
  await page.getByRole("spinbutton", { name: "Seeds in North's house b" }).fill("4000");
  await page.getByRole("button", { name: "house b, 4,000 seeds", exact: true }).waitFor();
  await expect(positionText(page)).toHaveValue("<2,1,1,5,0,0,4000> n");
  await positionText(page).fill("<2,1,1,5>");
  await page.getByRole("status").getByText("Invalid position: ").waitFor();
  const use = page.getByRole("button", { name: "Use this position" });
  await expect(use).toHaveAttribute("aria-disabled", "true");
  await check(page, "edit-problem-1440-light");
  await page.getByRole("button", { name: "Clear" }).click();
  await page.getByText("The game is over in this position").waitFor();
  await page.getByRole("spinbutton", { name: "Houses a side" }).fill("3");
  await page.keyboard.press("Tab");
  await page.getByRole("button", { name: "house c, 0 seeds", exact: true }).waitFor();
  await page.getByRole("button", { name: "Start position" }).click();
  await page.getByText("24 seeds in total.").waitFor();
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "house F, 4 seeds", exact: true }).waitFor();
  await page.locator("#turn", { hasText: /^Your turn/ }).waitFor();
  // The browser reports the refused request, too.
  assert.deepEqual(
    errors.filter((error) => !error.includes("status of 422")),
    [],
  );
  await leave();
});
