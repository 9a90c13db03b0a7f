import assert from "node:assert/strict";
import { test } from "node:test";

import { de } from "../../../texts/de.js";
import { en } from "../../../texts/en.js";
import { createGame, openPage } from "../friends/pages.mjs";
import { check, expect, setView, valueOf, visit } from "../harness.mjs";
import { setUp } from "../stage.mjs";

/** @import { Page } from "playwright" */

const stage = setUp();

/** The widths of a desktop and of a phone. The steps between the checks happen on the phone. */
const WIDTHS = [1440, 360];

/** Words that are common in the English texts and that the German texts do not contain. */
const ENGLISH_WORDS =
  /\b(the|your|you|house|houses|seeds?|store|moves?|row|game|and|with|level|board|play(s|ed)?|turn|to|of|is)\b/i;

/**
 * Returns the texts of an object of texts that are not functions.
 *
 * @param {object} texts
 * @returns {string[]}
 */
const plainTexts = (texts) =>
  Object.values(texts).flatMap((value) =>
    typeof value === "object" ? plainTexts(value) : typeof value === "string" ? [value] : [],
  );

/** The English texts that differ from all German texts. */
const ENGLISH_TEXTS = new Set(plainTexts(en).filter((text) => !plainTexts(de).includes(text)));

/**
 * Returns the texts, labels and titles of the page that are English. The players of a rule preset
 * are names, which stay.
 *
 * @param {Page} page
 */
async function englishTexts(page) {
  const all = await page.evaluate(() => {
    const texts = [];
    const nodes = document.createTreeWalker(document, NodeFilter.SHOW_TEXT);
    while (nodes.nextNode()) {
      if (!nodes.currentNode.parentElement?.closest("script, style, noscript, [lang=en]")) {
        texts.push(nodes.currentNode.textContent ?? "");
      }
    }
    for (const element of document.querySelectorAll("*")) {
      for (const name of ["aria-label", "aria-valuetext", "title", "placeholder"]) {
        texts.push(element.getAttribute(name) ?? "");
      }
    }
    texts.push(document.querySelector("meta[name=description]")?.getAttribute("content") ?? "");
    return [...new Set(texts.map((text) => text.trim()).filter(Boolean))];
  });
  return all
    .map((text) => text.replace(/Gespielt von .*/, ""))
    .filter((text) => ENGLISH_TEXTS.has(text) || ENGLISH_WORDS.test(text));
}

test("a browser with German sees no English text on the main screens, wide and narrow", async () => {
  const { page, errors, leave } = await visit(stage, { locale: "de-DE" });
  const screens = {
    start: async () => {},
    "after a move": async () => {
      await page.getByRole("button", { name: "Mulde C, 4 Samen", exact: true }).click();
      await page
        .locator("#event", { hasText: /^Du spielst Mulde C, 4 Samen\. Bonuszug/ })
        .waitFor();
    },
    hint: async () => {
      await page.getByRole("button", { name: "Tipp", exact: true }).click();
      await page.locator("#event", { hasText: /^Tipp: / }).waitFor();
    },
    "answer of the computer": async () => {
      await page.locator("[data-pit=F]").click();
      await page.getByRole("log").getByText("Computer (Stufe 2) spielt Mulde").first().waitFor();
    },
    "new game": async () => {
      await page.locator("#open-new-game").click();
      await page.getByRole("radio", { name: /^Mit Seitentausch/ }).waitFor();
    },
    settings: async () => {
      await page.keyboard.press("Escape");
      await page.locator("#open-settings").click();
      await page.getByRole("group", { name: "Sprache" }).waitFor();
    },
    help: async () => {
      await page.keyboard.press("Escape");
      await page.locator("#open-help").click();
      await page.getByRole("heading", { name: "So wird gespielt" }).waitFor();
    },
    analysis: async () => {
      await page.keyboard.press("Escape");
      await page.getByRole("tab", { name: "Analyse" }).click();
      await page
        .getByText(/^(Schätzung|Bei bestem Spiel): /)
        .first()
        .waitFor();
      for (const part of [de.position.title, de.records.title, de.moves.edit]) {
        await page.getByText(part, { exact: true }).click();
      }
    },
    "problem of the server": async () => {
      await page.getByRole("button", { name: "Stellung bearbeiten" }).click();
      await page.getByText(de.position.numbers).click();
      await page.getByRole("textbox", { name: "Stellung als Text" }).fill("<1>");
      await page.getByText(/^Ungültige Stellung: Stellung „<1>“, Zeichen 2: Nach der/).waitFor();
    },
    "edited position": async () => {
      await page.getByRole("button", { name: "Startaufstellung" }).click();
      await page.getByText("insgesamt 48 Samen.", { exact: true }).waitFor();
      await page.getByText(/^Ungültige Stellung: /).waitFor({ state: "hidden" });
    },
    "text that is no record": async () => {
      await page.getByRole("button", { name: "Abbrechen" }).click();
      await page.getByRole("textbox", { name: de.records.record }).fill("hallo Welt");
      await page.getByText(de.records.open, { exact: true }).click();
      await page
        .getByText(/^Dieser Text ist keine Aufzeichnung .*In Zug 1 ist Süd am Zug/)
        .waitFor();
    },
    review: async () => {
      await page.getByRole("tab", { name: "Rückblick" }).click();
      await page.getByText("So wird die Genauigkeit berechnet").click();
    },
    friend: async () => {
      await page.getByRole("tab", { name: "Mit Freunden" }).click();
      await page.getByRole("button", { name: "Partie erstellen" }).waitFor();
      await page.getByLabel("Uhr", { exact: true }).selectOption({ index: 1 });
    },
    "game with a friend": async () => {
      await page.getByRole("button", { name: "Partie erstellen" }).click();
      await page.getByRole("textbox", { name: "Link für deinen Freund" }).waitFor();
    },
    end: async () => {
      await page.locator("#resign").click();
      await page.getByRole("dialog").getByRole("button", { name: "Aufgeben" }).click();
      await page.getByRole("heading", { name: "Kein Ergebnis" }).waitFor();
    },
  };
  for (const [name, show] of Object.entries(screens)) {
    await show();
    for (const width of WIDTHS) {
      await setView(page, { viewport: { width, height: 900 } });
      assert.deepEqual(await englishTexts(page), [], `${name}, ${width} pixels`);
      await check(page, `german-${name.replaceAll(" ", "-")}-${width}`);
    }
  }
  await expect(page.locator("html")).toHaveAttribute("lang", "de");
  // The browser reports the problem of the server, too.
  assert.deepEqual(
    errors.filter((error) => !error.includes("status of 422")),
    [],
  );
  await leave();
});

test("the settings change the language and keep the game and its comments", async () => {
  const { page, errors, leave } = await visit(stage);
  await page.getByRole("button", { name: "house C, 4 seeds", exact: true }).click();
  await page.locator("#turn", { hasText: /^Bonus turn/ }).waitFor();
  await page.getByRole("tab", { name: "Analysis" }).click();
  await page.getByText("Comment and change", { exact: true }).press("Enter");
  await page.getByRole("textbox", { name: "Comment on this move" }).fill("my idea");
  await page.getByRole("button", { name: "Save comment" }).click();
  await page.getByRole("button", { name: "house B, 4 seeds", exact: true }).click();
  await page.locator("#event", { hasText: "South plays house B" }).waitFor();
  await page.locator("#open-settings").click();
  // English is the language already, so the page stays.
  await page.getByRole("radio", { name: "English" }).check();
  await page.getByRole("radio", { name: "Deutsch" }).check();
  const group = page.getByRole("group", { name: "Sprache" });
  await group.waitFor();
  const selected = group.getByRole("radio", { name: "Deutsch" });
  await expect(selected).toBeChecked();
  assert.ok(await selected.evaluate((element) => element === document.activeElement));
  await page.keyboard.press("Escape");
  await page.locator("#event", { hasText: "Süd spielt Mulde B" }).waitFor();
  await page.locator("#moves").getByText("my idea").first().waitFor();
  // The paused game is still there.
  await page.getByRole("button", { name: "Zurück zur Partie" }).click();
  await page.locator("#turn", { hasText: "Bonuszug" }).waitFor();
  // The setting holds for later visits.
  await page.reload();
  await page.locator("#turn", { hasText: "Bonuszug" }).waitFor();
  await page.locator("#open-settings").click();
  await page.getByRole("radio", { name: "System" }).last().check();
  await page.getByRole("group", { name: "Language" }).waitFor();
  await expect(page.locator("html")).toHaveAttribute("lang", "en");
  assert.deepEqual(errors, []);
  await leave();
});

test("a game with a friend goes on after a change of the language", async () => {
  const one = await openPage(stage, stage.server.url);
  await createGame(one.page);
  await one.page.getByRole("button", { name: "house A, 3 seeds", exact: true }).click();
  await one.page.getByRole("button", { name: "house A, 0 seeds", exact: true }).waitFor();
  await one.page.locator("#open-settings").click();
  await one.page.getByRole("radio", { name: "Deutsch" }).check();
  await one.page.getByRole("group", { name: "Sprache" }).waitFor();
  await one.page.keyboard.press("Escape");
  await one.page.getByRole("button", { name: "Mulde A, 0 Samen", exact: true }).waitFor();
  await one.page.locator("#turn", { hasText: "Dein Freund ist noch nicht da." }).waitFor();
  const field = one.page.getByRole("textbox", { name: "Link für deinen Freund" });
  const link = await valueOf(field, /\/play\/[\w-]{22}\?lang=de$/);
  // Messengers do not send a language.
  const response = await one.page.request.get(link, { headers: { "accept-language": "" } });
  assert.match(await response.text(), /<html lang="de">.*zu einer Partie Kalah/);
  const two = await openPage(stage, link);
  await two.page.waitForURL(/\/#friend=[\w-]{22}$/);
  await two.page.locator("html[lang=en]").waitFor();
  assert.deepEqual([...one.errors, ...two.errors], []);
  await one.page.context().close();
  await two.page.context().close();
});
