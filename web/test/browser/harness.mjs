/**
 * Common steps of browser tests. `PICTURES` may be a folder for screenshots of all checked pages.
 * `SLOW` may be a number by which pages are slower, to find tests that depend on the machine.
 *
 * @import { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from "playwright"
 * @import { RunOptions } from "axe-core"
 */

import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";

import axe from "axe-core";
import { expect as expectNow } from "playwright/test";

/** The timeout of a step, in milliseconds. It is long, so that only a step that hangs fails. */
export const TIMEOUT_MS = 180_000;

/**
 * Waits until what a page shows is as expected. An assertion about a text, a number of elements or
 * an attribute that is read once fails on a slow machine, where the page is not so far.
 */
export const expect = expectNow.configure({ timeout: TIMEOUT_MS });

/**
 * Waits until a field has a value that matches a pattern, and returns it.
 *
 * @param {Locator} field
 * @param {RegExp} [pattern] by default any value that is not empty
 */
export async function valueOf(field, pattern = /./) {
  await expect(field).toHaveValue(pattern);
  return field.inputValue();
}

/**
 * The time limits of the analyses that a page requests:
 *
 * - `short`: at most a second. The page requests up to 30 seconds, in which both cores of a small
 *   machine would be busy.
 * - `proof`: half a minute, the most that the server accepts, in which a busy machine proves every
 *   position of a small board too. The analysis ends as soon as all is proven.
 * - `requested`: those of the page.
 *
 * @typedef {"short" | "proof" | "requested"} TimeLimits
 */

/** The least and the greatest time limit, in milliseconds. */
const TIME_LIMITS_MS = { short: [0, 1_000], proof: [30_000, 30_000] };

/**
 * Changes the time limits of all analyses that a page requests.
 *
 * @param {Page} page
 * @param {"short" | "proof"} timeLimits
 */
function limitAnalyses(page, timeLimits) {
  return page.addInitScript(([least = 0, greatest = 0]) => {
    const { fetch } = window;
    window.fetch = (input, init) => {
      const url = new URL(input instanceof Request ? input.url : input, document.baseURI);
      const time = Number.parseInt(url.searchParams.get("time") ?? "");
      if (time < least || time > greatest) {
        url.searchParams.set("time", `${Math.min(Math.max(time, least), greatest)}ms`);
        return fetch(url, init);
      }
      return fetch(input, init);
    };
  }, TIME_LIMITS_MS[timeLimits]);
}

/**
 * Keeps the last text that a page has copied, for `copiedText`. The clipboard of the system belongs
 * to all tests, which run at the same time.
 *
 * @param {Page} page
 */
function keepCopiedText(page) {
  return page.addInitScript(() => {
    const { clipboard } = navigator;
    const writeText = clipboard?.writeText.bind(clipboard);
    if (writeText) {
      clipboard.writeText = async (text) => {
        await writeText(text);
        document.documentElement.dataset["copied"] = text;
      };
    }
  });
}

/** The time until an answer reaches a slow page, in milliseconds for each unit of `SLOW`. */
const LATENCY_MS = 50;

/**
 * Slows the scripts and the requests of a page.
 *
 * @param {Page} page
 * @param {number} factor
 */
async function slowDown(page, factor) {
  const session = await page.context().newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate: factor });
  await session.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: factor * LATENCY_MS,
    downloadThroughput: -1,
    uploadThroughput: -1,
  });
}

/**
 * Opens a page and collects its errors: exceptions, missing files and violations of the policy.
 *
 * @param {BrowserContext} context
 * @param {{ timeLimits?: TimeLimits }} [options] by default `short`
 * @returns {Promise<{ page: Page, errors: string[] }>}
 */
export async function open(context, { timeLimits = "short" } = {}) {
  const page = await context.newPage();
  page.setDefaultTimeout(TIMEOUT_MS);
  const factor = Number(process.env["SLOW"] ?? 1);
  if (factor > 1) {
    await slowDown(page, factor);
  }
  if (timeLimits !== "requested") {
    await limitAnalyses(page, timeLimits);
  }
  await keepCopiedText(page);
  /** @type {string[]} */
  const errors = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => {
    // A server without a lobby answers so, and browsers log it.
    const isLobby = message.location().url.endsWith("/rooms/LOBBY");
    if (message.type() === "error" && !isLobby) {
      errors.push(message.text());
    }
  });
  return { page, errors };
}

/** A time that the clock of a page reaches only when a test sets it, in milliseconds. */
const STOPPED_AT_MS = 24 * 3_600_000;

/**
 * Gives a page a clock that the test can stop. Timers that have begun before do not follow it.
 *
 * @param {Page} page
 */
export const installClock = (page) => page.clock.install({ time: 0 });

/**
 * Stops the clock of a page: timers and animations wait until the test advances the clock with
 * `page.clock.runFor`. The timers that run are due at once.
 *
 * @param {Page} page
 */
export const stopClock = (page) => page.clock.pauseAt(STOPPED_AT_MS);

/**
 * Opens the page in a context of its own and waits for the houses of a player.
 *
 * @param {{ browser: Browser, server: { url: string } }} stage
 * @param {BrowserContextOptions} [options]
 * @param {string} [fragment]
 * @param {{ timeLimits?: TimeLimits }} [limits]
 */
export async function visit(stage, options = {}, fragment = "", limits = {}) {
  const context = await stage.browser.newContext({ reducedMotion: "reduce", ...options });
  const { page, errors } = await open(context, limits);
  await page.goto(stage.server.url + fragment);
  await page.locator(".house.playable").first().waitFor();
  return { page, errors, leave: () => context.close() };
}

/**
 * A size of the window and colours.
 *
 * @typedef {object} View
 * @property {{ width: number, height: number }} [viewport]
 * @property {"light" | "dark"} [colorScheme]
 * @property {"none" | "active"} [forcedColors]
 */

/**
 * Shows a page in a size and colours, without loading it again.
 *
 * @param {Page} page
 * @param {View} view
 */
export async function setView(page, { viewport, ...media }) {
  await page.emulateMedia(media);
  if (viewport) {
    await page.setViewportSize(viewport);
  }
  // The page lays out its board in the first frame of the new size, and the second frame shows it.
  await page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  );
}

/**
 * Returns the violations of the rules of axe.
 *
 * @param {Page} page
 * @param {string[]} [rules] the names of the rules, all without this argument
 */
export async function violations(page, rules) {
  if (!(await page.evaluate(() => "axe" in window))) {
    await page.evaluate(axe.source);
  }
  /** @type {RunOptions} */
  const options = { resultTypes: ["violations"], ...(rules && { runOnly: rules }) };
  return page.evaluate(async (wanted) => {
    const { axe: runner } = /** @type {{ axe: typeof axe }} */ (/** @type {unknown} */ (window));
    const result = await runner.run(document, wanted);
    return result.violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join("\n  ")}`,
    );
  }, options);
}

/**
 * Checks accessibility and width of the page, and saves a screenshot if `PICTURES` is set.
 *
 * @param {Page} page
 * @param {string} name
 */
export async function check(page, name) {
  const pictures = process.env["PICTURES"];
  if (pictures) {
    await mkdir(pictures, { recursive: true });
    await page.screenshot({ path: join(pictures, `${name}.png`) });
  }
  assert.deepEqual(await violations(page), [], name);
  // A phone's window grows with its content, so the requested width is compared.
  const scrollWidth = await page.evaluate(() => document.documentElement.scrollWidth);
  const { width } = page.viewportSize() ?? { width: 0 };
  assert.ok(scrollWidth <= width, `${name} is ${scrollWidth - width} pixels too wide`);
}

/**
 * Checks a page in several views. It stays in the last one.
 *
 * @param {Page} page
 * @param {string} name
 * @param {readonly View[]} views
 */
export async function checkViews(page, name, views) {
  for (const view of views) {
    await setView(page, view);
    const suffix = [page.viewportSize()?.width, view.colorScheme].filter(Boolean).join("-");
    await check(page, `${name}-${suffix}`);
  }
}

/**
 * Checks a page in light and in dark colours. It stays dark.
 *
 * @param {Page} page
 * @param {string} name
 */
export function checkColours(page, name) {
  return checkViews(page, name, [{ colorScheme: "light" }, { colorScheme: "dark" }]);
}

/**
 * Waits until a page has copied a text that matches a pattern, and returns it.
 *
 * @param {Page} page a page that may write to the clipboard
 * @param {RegExp} pattern
 */
export async function copiedText(page, pattern) {
  const copied = await page.waitForFunction(
    ([source, flags]) => {
      const { copied = "" } = document.documentElement.dataset;
      return new RegExp(String(source), flags).test(copied) && copied;
    },
    [pattern.source, pattern.flags],
  );
  return String(await copied.jsonValue());
}

/** More plies than any game of 6x4 has. */
const MAX_PLIES = 200;

/**
 * Scrolls to an element. Unlike the method of playwright, it does not fail if the page draws the element
 * anew meanwhile.
 *
 * @param {Locator} locator
 */
export const scrollTo = (locator) => locator.evaluate((element) => element.scrollIntoView());

/**
 * Returns the houses that a person may sow now. Those that may only be chosen ahead are not playable.
 *
 * @param {Page} page
 */
export function houses(page) {
  return page.locator("button.house.playable");
}

/**
 * Waits until the game is over or it is the person's turn. Returns whether the game is over.
 *
 * @param {Page} page
 */
export async function isOver(page) {
  const ending = page.getByRole("heading", { name: /^(You win|You lose|Draw)/ });
  await ending
    .or(page.locator("#turn", { hasText: /^(Your turn|Bonus turn)/ }))
    .first()
    .waitFor();
  return ending.isVisible();
}

/** @param {Page} page @param {() => Promise<void>} sow */
export async function playToTheEnd(page, sow) {
  for (let ply = 0; ply < MAX_PLIES; ply += 1) {
    if (await isOver(page)) {
      return;
    }
    const log = page.getByRole("log");
    const before = await log.textContent();
    await sow();
    await page.waitForFunction(
      (text) => document.querySelector("[role=log]")?.textContent !== text,
      before,
      { timeout: TIMEOUT_MS },
    );
  }
  assert.fail("the game does not end");
}
