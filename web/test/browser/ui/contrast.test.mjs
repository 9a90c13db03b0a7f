import assert from "node:assert/strict";
import { test } from "node:test";

import { check, checkColours, expect, setView, violations, visit } from "../harness.mjs";
import { setUp } from "../stage.mjs";

/** @import { Page } from "playwright" */

const stage = setUp();

/** The least contrast of text, and of borders and rings that carry meaning (WCAG 1.4.3, 1.4.11). */
const TEXT_CONTRAST = 4.5;
const BORDER_CONTRAST = 3;

/**
 * Returns the elements of the page whose text or border has too little contrast. Axe does not check
 * borders, and it leaves out disabled controls.
 *
 * @param {Page} page
 */
function weakElements(page) {
  return page.evaluate(
    ({ text, border }) => {
      /** @typedef {number[]} Colour red, green, blue and alpha from 0 to 255 */
      const context = /** @type {OffscreenCanvasRenderingContext2D} */ (
        new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true })
      );
      /** @type {Map<string, Colour>} */
      const colours = new Map();
      /** @param {string} css @returns {Colour} */
      const colour = (css) => {
        const known = colours.get(css);
        if (known) {
          return known;
        }
        context.clearRect(0, 0, 1, 1);
        context.fillStyle = css;
        context.fillRect(0, 0, 1, 1);
        const drawn = [...context.getImageData(0, 0, 1, 1).data];
        colours.set(css, drawn);
        return drawn;
      };
      /** @param {Colour} top @param {Colour} below @param {number} opacity @returns {Colour} */
      const over = (top, below, opacity = 1) => {
        const alpha = ((top[3] ?? 0) / 255) * opacity;
        return [
          ...[0, 1, 2].map((i) => (top[i] ?? 0) * alpha + (below[i] ?? 0) * (1 - alpha)),
          255,
        ];
      };
      /** The relative luminance. @param {Colour} rgb */
      const luminance = (rgb) => {
        const [r = 0, g = 0, b = 0] = rgb.slice(0, 3).map((value) => {
          const share = value / 255;
          return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      /** @param {Colour} one @param {Colour} two */
      const contrast = (one, two) => {
        const [low = 0, high = 0] = [luminance(one), luminance(two)].sort((a, b) => a - b);
        return (high + 0.05) / (low + 0.05);
      };
      /** @type {Map<Element, Colour>} */
      const backgrounds = new Map();
      /** @param {Element | null} element @returns {Colour} */
      const background = (element) => {
        if (!element) {
          return [255, 255, 255, 255];
        }
        const layer = colour(getComputedStyle(element).backgroundColor);
        const all = backgrounds.get(element) ?? over(layer, background(element.parentElement));
        backgrounds.set(element, all);
        return all;
      };
      /** @param {Element | null} element @returns {number} */
      const opacity = (element) =>
        element ? Number(getComputedStyle(element).opacity) * opacity(element.parentElement) : 1;

      /** @type {string[]} */
      const weak = [];
      /** @param {Element} element @param {string} kind @param {number} ratio */
      const report = (element, kind, ratio) =>
        weak.push(
          `${kind} of ${element.outerHTML.replace(/\s+/g, " ").slice(0, 90)}: ${ratio.toFixed(2)}`,
        );
      for (const element of document.querySelectorAll("body *:not(svg *, option, .house)")) {
        if (!element.checkVisibility() || element.closest(".visually-hidden, [inert]")) {
          continue;
        }
        const style = getComputedStyle(element);
        const around = background(element.parentElement);
        if ([...element.childNodes].some((node) => node.nodeType === 3 && node.nodeValue?.trim())) {
          const below = background(element);
          const ratio = contrast(over(colour(style.color), below, opacity(element)), below);
          if (ratio < text) {
            report(element, "text", ratio);
          }
        }
        const edge = colour(style.borderBottomColor);
        const isControl = element.matches(
          "button:not(.tab), .tab[aria-selected=true], input, select, textarea, .segments span, .retry",
        );
        const fill = contrast(background(element), around);
        if (isControl && parseFloat(style.borderBottomWidth) > 0 && edge[3] && fill < border) {
          const ratio = contrast(over(edge, around, opacity(element)), around);
          if (ratio < border) {
            report(element, "border", ratio);
          }
        }
      }
      // The counts in the hollows, and the seeds of the look for colour-blind eyes.
      const isForced = matchMedia("(forced-colors: active)").matches;
      const hollows = [...document.querySelectorAll(".hollow-top, .hollow-middle, .hollow-bottom")];
      for (const stop of isForced ? [] : hollows) {
        const hollow = colour(getComputedStyle(stop).stopColor);
        for (const amount of document.querySelectorAll(".amount")) {
          const { fill, fillOpacity } = getComputedStyle(amount);
          const ratio = contrast(over(colour(fill), hollow, Number(fillOpacity)), hollow);
          if (amount.checkVisibility() && ratio < text) {
            report(amount, "count", ratio);
          }
        }
        const seeds = document.querySelectorAll('[data-look="clear"] :is(.seed-light, .seed-dark)');
        for (const seed of seeds) {
          const ratio = contrast(colour(getComputedStyle(seed).stopColor), hollow);
          if (ratio < text) {
            report(seed, "seed", ratio);
          }
        }
      }
      // The letters on the wood, and the rings of houses that can be played.
      const stops = [...document.querySelectorAll(".plank-top, .plank-middle, .plank-bottom")];
      const letter = document.querySelector(".letter");
      const house = document.querySelector(".house.playable");
      for (const stop of isForced ? [] : stops) {
        const wood = colour(getComputedStyle(stop).stopColor);
        const letters = letter ? contrast(colour(getComputedStyle(letter).fill), wood) : Infinity;
        if (letters < text && stop.matches(".plank-top, .plank-bottom")) {
          report(stop, "letters", letters);
        }
        const shadow = house ? getComputedStyle(house).boxShadow : "";
        const [ring] = /rgba?\([^)]*\)/.exec(shadow) ?? [];
        if (ring && contrast(colour(ring), wood) < border) {
          report(stop, "rings", contrast(colour(ring), wood));
        }
      }
      return weak;
    },
    { text: TEXT_CONTRAST, border: BORDER_CONTRAST },
  );
}

/** Light and dark colours, with and without forced colours. */
const VIEWS = /** @type {const} */ ([
  { colorScheme: "light", forcedColors: "none" },
  { colorScheme: "dark", forcedColors: "none" },
  { colorScheme: "light", forcedColors: "active" },
  { colorScheme: "dark", forcedColors: "active" },
]);

test("text and borders have contrast, light and dark, also in forced colours", async () => {
  const { page, errors, leave } = await visit(
    stage,
    { viewport: { width: 1440, height: 900 } },
    "#line=CFcAd",
  );
  await page.locator("#event", { hasText: "plays" }).waitFor();
  const checkContrast = async (/** @type {string} */ state) => {
    for (const view of VIEWS) {
      await setView(page, view);
      const name = `${state}, ${view.colorScheme}, forced colours ${view.forcedColors}`;
      assert.deepEqual(await weakElements(page), [], name);
      assert.deepEqual(await violations(page, ["color-contrast"]), [], name);
    }
  };
  for (const name of ["Play a friend", "Rooms", "Analysis", "Review", "Puzzles", "Games"]) {
    await page.getByRole("tab", { name }).click();
    if (name === "Review") {
      await page.locator(".review-results").waitFor();
    }
    await page.evaluate(() =>
      document.querySelectorAll("details").forEach((details) => (details.open = true)),
    );
    await checkContrast(name);
  }
  for (const name of ["New game", "Settings", "Help"]) {
    await page.getByRole("button", { name, exact: true }).click();
    await checkContrast(name);
    await page.keyboard.press("Escape");
  }
  await page.getByRole("tab", { name: "Puzzles" }).click();
  await page.getByRole("button", { name: "Next puzzle", exact: true }).click();
  await page.getByRole("button", { name: "Give up and show it" }).waitFor();
  await checkContrast("a puzzle");
  await page.getByRole("button", { name: "Back to the game" }).click();
  for (const [look, name] of [
    ["numbers", "Numbers only"],
    ["clear", "Colour-blind"],
  ]) {
    await page.getByRole("button", { name: "Settings", exact: true }).click();
    await page.getByRole("radio", { name, exact: true }).check();
    await page.keyboard.press("Escape");
    await page.locator(`html[data-look=${look}]`).waitFor();
    await expect(page.locator(".amount").first()).toBeVisible({ visible: look === "numbers" });
    await checkContrast(`look ${look}`);
    await setView(page, { viewport: { width: 320, height: 568 }, forcedColors: "none" });
    await check(page, `look-${look}-320`);
    await setView(page, { viewport: { width: 1440, height: 900 } });
    await checkColours(page, `look-${look}-1440`);
  }
  await page.reload();
  await page.locator("html[data-look=clear] .house.playable").first().waitFor();
  assert.deepEqual(errors, []);
  await leave();
});
