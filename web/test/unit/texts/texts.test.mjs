import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import {
  problemTitle,
  rulesDetails,
  rulesSummary,
  rulesTitle,
} from "../../../texts/from-server.js";
import { de } from "../../../texts/de.js";
import { en } from "../../../texts/en.js";
import { formatters, localeFor } from "../../../texts/format.js";
import { chooseLanguage, LANGUAGE_NAMES, textAt } from "../../../texts/texts.js";

const PAGE = fileURLToPath(new URL("../../../", import.meta.url));

/** Names of folders without modules that use texts. */
const OTHER_FOLDERS = ["bundle", "node_modules", "site", "test", "texts", "types", "wasm"];

/**
 * Returns the sources of the modules in a folder of the page and in its subfolders.
 *
 * @param {string} folder
 * @returns {string[]}
 */
const sourcesIn = (folder) =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      return OTHER_FOLDERS.includes(entry.name) ? [] : sourcesIn(path);
    }
    return entry.name.endsWith(".js") ? [readFileSync(path, "utf8")] : [];
  });

/** The sources of the page's modules. */
const SOURCES = sourcesIn(PAGE);
const FROM_SERVER = readFileSync(join(PAGE, "texts/from-server.js"), "utf8");
const INDEX = readFileSync(join(PAGE, "index.html"), "utf8");

/**
 * Returns the paths of all texts.
 *
 * @param {object} texts
 * @returns {string[]}
 */
const paths = (texts) =>
  Object.entries(texts).flatMap(([key, value]) =>
    typeof value === "object" ? paths(value).map((path) => `${key}.${path}`) : [key],
  );

/**
 * Returns path and English text of each static text of index.html.
 *
 * @returns {{ path: string, text: string }[]}
 */
function staticTexts() {
  const tags = [...INDEX.matchAll(/<[a-z][^>]*\sdata-(?:text|label|content)="[^>]*>/g)];
  return tags.flatMap(({ 0: tag, index }) => {
    const attribute = (/** @type {string} */ name) =>
      new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1];
    const end = index + tag.length;
    return [
      ["data-text", INDEX.slice(end, INDEX.indexOf("<", end))],
      ["data-label", attribute("aria-label")],
      ["data-content", attribute("content")],
    ].flatMap(([name, text]) => {
      const path = attribute(String(name));
      return path === undefined ? [] : [{ path, text: text ?? "" }];
    });
  });
}

test("each static text is the English one, and has a German one", () => {
  const all = staticTexts();
  assert.equal(all.length, INDEX.match(/\sdata-(text|label|content)="/g)?.length);
  assert.ok(all.length > 20);
  for (const { path, text } of all) {
    assert.equal(text, textAt(path, en), path);
    assert.notEqual(textAt(path, de), "", path);
  }
});

test("each element of index.html with a text or a label names its key", () => {
  const labels = INDEX.match(/<[a-z][^>]*\saria-label="[^>]*>/g) ?? [];
  assert.deepEqual(
    labels.filter((tag) => !tag.includes("data-label=")),
    [],
  );
  const body = INDEX.slice(INDEX.indexOf("<body>"));
  const texts = [...body.matchAll(/(<[a-z][^>]*>)([^<]*[A-Za-z][^<]*)</g)];
  assert.deepEqual(
    texts.filter(([, tag, text]) => !tag?.includes("data-text=") && text?.trim() !== "Kalah"),
    [],
  );
});

test("each text is used", () => {
  const used = new Set(
    [...SOURCES, FROM_SERVER].flatMap((source) =>
      [...source.matchAll(/\b(?:texts|en)\s*\.([A-Za-z]\w*(?:\s*\.[A-Za-z]\w*)*)/g)].map(
        ([, path]) => path?.replace(/\s/g, "") ?? "",
      ),
    ),
  );
  for (const { path } of staticTexts()) {
    used.add(path);
  }
  const isUsed = (/** @type {string} */ path) => {
    const parts = path.split(".");
    return parts.some((_, index) => index > 0 && used.has(parts.slice(0, index + 1).join(".")))
      ? true
      : used.has(parts[0] ?? "");
  };
  assert.deepEqual(
    paths(en).filter((path) => !isUsed(path)),
    [],
  );
});

/** Texts that are equal in both languages on purpose: names, loanwords, and values alone. */
const EQUAL_TEXTS = [
  "explorer.count",
  "friends.bySide",
  "friends.gameDetails",
  "friends.says",
  "friends.unit",
  "game.finalStores",
  "history.time",
  "newGame.computer",
  "page.title",
  "page.titleOf",
  "position.text",
  "presets.standard.title",
  "reasons.phase",
  "records.date",
  "records.numbered",
  "records.only",
  "review.percent",
  "rooms.buchholz",
  "rooms.buchholzName",
  "rooms.codeIs",
  "rooms.decimal",
  "rooms.inRoom",
  "rooms.member",
  "rooms.ratingOf",
  "rooms.recordOf",
  "rooms.result",
  "rooms.sonneborn",
  "rooms.sonnebornName",
  "rooms.versus",
  "settings.animation",
  "settings.normal",
  "settings.system",
  "sharing.playerAndSeeds",
];

/**
 * Returns the text or the function at a path.
 *
 * @param {object} texts
 * @param {string} path
 * @returns {unknown}
 */
const valueAt = (texts, path) =>
  path.split(".").reduce((value, key) => /** @type {any} */ (value)[key], texts);

/**
 * Returns the source of a function without comments, in one line.
 *
 * @param {Function} text
 */
const sourceOf = (text) =>
  String(text)
    .replace(/\/\*.*?\*\//gs, "")
    .replace(/\s+/g, " ");

/**
 * Returns the indices of the parameters that a text contains. Their names may differ.
 *
 * @param {Function} text
 */
function usedParameters(text) {
  const [, parameters = "", body = ""] = /^\(?(.*?)\)? =>(.*)$/.exec(sourceOf(text)) ?? [];
  const names = parameters.match(/[A-Za-z]\w*/g) ?? [];
  return names.flatMap((name, index) => (new RegExp(`\\b${name}\\b`).test(body) ? [index] : []));
}

test("both languages have the same texts, none of them empty", () => {
  assert.deepEqual(paths(de).sort(), paths(en).sort());
  for (const path of paths(en)) {
    for (const value of [valueAt(en, path), valueAt(de, path)]) {
      assert.notEqual(typeof value === "string" ? value.trim() : value, "", path);
    }
    assert.equal(typeof valueAt(de, path), typeof valueAt(en, path), path);
  }
});

test("a text contains the same values in both languages", () => {
  const functions = paths(en).filter((path) => typeof valueAt(en, path) === "function");
  assert.ok(functions.length > 100);
  for (const path of functions) {
    const [english, german] = [en, de].map((texts) =>
      usedParameters(/** @type {Function} */ (valueAt(texts, path))),
    );
    assert.deepEqual(german, english, path);
  }
});

test("a text is translated unless it is equal in both languages on purpose", () => {
  const isEqual = (/** @type {string} */ path) => {
    const [english, german] = [valueAt(en, path), valueAt(de, path)];
    return typeof english === "function" && typeof german === "function"
      ? sourceOf(english).replace(/[\s,]/g, "") === sourceOf(german).replace(/[\s,]/g, "")
      : english === german;
  };
  assert.deepEqual(paths(en).filter(isEqual).sort(), EQUAL_TEXTS);
});

test("the language is that of the settings, or the first of the browser with texts", () => {
  assert.equal(chooseLanguage("de", ["en-US"]), "de");
  assert.equal(chooseLanguage("en", ["de"]), "en");
  assert.equal(chooseLanguage("auto", ["fr-FR", "de-AT", "en"]), "de");
  assert.equal(chooseLanguage("auto", ["en-GB", "de"]), "en");
  assert.equal(chooseLanguage("auto", ["fr", "toString"]), "en");
  assert.equal(chooseLanguage("auto", []), "en");
  assert.deepEqual(
    LANGUAGE_NAMES.map(([code]) => code),
    ["en", "de"],
  );
});

test("a path without a text is an error", () => {
  assert.throws(() => textAt("controls.nothing"), /there is no text controls.nothing/);
  assert.throws(() => textAt("controls"), /there is no text controls/);
});

test("plurals and numbers follow the language", () => {
  assert.equal(en.board.seeds(1), "1 seed");
  assert.equal(en.board.seeds(0), "0 seeds");
  assert.equal(en.board.seeds(65_535), "65,535 seeds");
  assert.equal(en.review.unproven(3), "The cost of 3 moves is not proven yet.");
  assert.equal(en.records.date(new Date("2026-03-01Z")), "Mar 1, 2026");
  assert.equal(de.board.seeds(65_535), "65.535 Samen");
  assert.equal(de.review.unproven(1), "Die Kosten von 1 Zug sind noch nicht bewiesen.");
  assert.equal(de.review.unproven(3), "Die Kosten von 3 Zügen sind noch nicht bewiesen.");
  assert.equal(de.records.date(new Date("2026-03-01Z")), "01.03.2026");
  assert.equal(de.friends.unit(3, "minute"), "3 Minuten");
  const you = { name: "Du", isYou: true };
  assert.equal(de.game.plays(you, "Mulde C"), "Du spielst Mulde C");
  assert.equal(de.game.plays({ name: "Süd", isYou: false }, "Mulde C"), "Süd spielt Mulde C");
});

test("dates and numbers have the form of the reader's region", () => {
  const day = new Date("2026-03-01Z");
  assert.equal(formatters("en", ["en-GB", "en-US"]).date(day), "1 Mar 2026");
  assert.equal(formatters("en", ["de-DE", "en-US"]).date(day), "Mar 1, 2026");
  assert.match(
    formatters("en", ["en-GB"]).time(new Date(2026, 2, 1, 20, 37)),
    /^1 Mar 2026, 20:37$/,
  );
  assert.equal(formatters("de", ["de-AT"]).date(day), "01.03.2026");
  assert.equal(formatters("de", ["en-GB"]).date(day), "01.03.2026");
  assert.equal(localeFor("en", ["en_GB!", "en"]), "en");
  assert.equal(localeFor("de", ["de-x!", "toString"]), "de");
});

test("names of the server have texts of the page, and others stay", () => {
  assert.equal(rulesTitle("mankalah"), "With swap (Manchester)");
  assert.equal(rulesTitle("constructor"), "constructor");
  assert.match(rulesSummary({ name: "standard", summary: "x" }), /one row is empty/);
  assert.equal(rulesSummary({ name: "mine", summary: "x" }), "x");
  const mankalah = { ends: "row", capture: "opposite", swap: true, first_bonus: false };
  assert.deepEqual(rulesDetails({ ...mankalah, played_by: "Manchester" }), [
    en.rules.facts.endsRow,
    en.rules.facts.captureOpposite,
    en.rules.facts.swap,
    en.rules.facts.noFirstBonus,
    "Played by Manchester.",
  ]);
  assert.equal(de.newGame.levels.length, en.newGame.levels.length);
  const title = "invalid move";
  assert.equal(problemTitle({ type: "/problems/invalid-move", title }), "Invalid move");
  assert.equal(problemTitle({ type: "/problems/new", title }), title);
  assert.equal(
    problemTitle({ type: "about:blank", title: "Too Many Requests" }),
    "Too many requests",
  );
  assert.equal(problemTitle({ title: "Conflict" }), "Not possible now");
  assert.equal(problemTitle({ title: "No" }), "No");
});
