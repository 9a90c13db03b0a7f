/**
 * The texts of the page in its language. The language is that of the settings, or else the first
 * language of the browser for which there are texts, or else English. It does not change while the
 * page is open; the page reloads to change it (`storage/reload.js`).
 */

import { storedSettings } from "../storage/settings.js";
import { de } from "./de.js";
import { en } from "./en.js";

/** @import { Settings } from "../types/app.d.ts" */

/** The texts by their languages' BCP 47 codes. */
const LANGUAGES = { en, de };

/** The language if the browser prefers none of the others. */
export const DEFAULT_LANGUAGE = "en";

/** The names of the languages, each in itself, for the settings. */
export const LANGUAGE_NAMES = /** @type {const} */ ([
  ["en", "English"],
  ["de", "Deutsch"],
]);

/**
 * Returns the BCP 47 code of the page's language.
 *
 * @param {Settings["language"]} setting
 * @param {readonly string[]} preferred the languages of the browser, the best first
 * @returns {keyof typeof LANGUAGES}
 */
export function chooseLanguage(setting, preferred) {
  const wanted = setting === "auto" ? preferred.map((code) => code.split("-")[0]) : [setting];
  const found = wanted.find((code) => code !== undefined && Object.hasOwn(LANGUAGES, code));
  return /** @type {keyof typeof LANGUAGES} */ (found ?? DEFAULT_LANGUAGE);
}

/** The BCP 47 code of the page's language. Without a document, as in unit tests, it is English. */
export const language =
  typeof document === "undefined"
    ? DEFAULT_LANGUAGE
    : chooseLanguage(storedSettings().language, navigator.languages);

/** The texts in the page's language. */
export const texts = LANGUAGES[language];

/**
 * The attributes that name the key of a static text, and how each text is set.
 *
 * @type {Record<string, (element: Element, text: string) => void>}
 */
const STATIC_TEXTS = {
  "data-text": (element, text) => element.replaceChildren(text),
  "data-label": (element, text) => element.setAttribute("aria-label", text),
  "data-content": (element, text) => element.setAttribute("content", text),
};

/**
 * Returns the text at a path such as `controls.undo`.
 *
 * @param {string} path
 * @param {object} [all]
 * @returns {string}
 */
export function textAt(path, all = texts) {
  /** @type {any} */
  let value = all;
  for (const key of path.split(".")) {
    value = value?.[key];
  }
  if (typeof value !== "string") {
    throw new Error(`there is no text ${path}`);
  }
  return value;
}

/** Sets the language and the static texts of the document. */
export function fillDocument() {
  document.documentElement.lang = language;
  for (const [attribute, set] of Object.entries(STATIC_TEXTS)) {
    for (const element of document.querySelectorAll(`[${attribute}]`)) {
      set(element, textAt(element.getAttribute(attribute) ?? ""));
    }
  }
}
