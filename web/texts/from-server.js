/** Texts for names and messages that come from the server: rule presets and problem documents. */

import { de } from "./de.js";
import { DE_DETAILS } from "./de-details.js";
import { createTranslator } from "./details.js";
import { en } from "./en.js";
import { EN_DETAILS } from "./en-details.js";
import { language, texts } from "./texts.js";

/** @import { Preset, ProblemDetails } from "../types/api.d.ts" */

/** The translations of the server's messages and the quotation marks by the language of the page. */
const TRANSLATORS = {
  en: { translate: createTranslator(EN_DETAILS), quoted: en.errors.quoted },
  de: { translate: createTranslator(DE_DETAILS), quoted: de.errors.quoted },
};

/** The language of the server's messages. */
const SERVER_LANGUAGE = "en";

/** The path of the types of problem documents. */
const PROBLEM_TYPES = "/problems/";

/**
 * Returns the name of rules for people. Rules without one keep their name.
 *
 * @param {string} rules
 * @returns {string}
 */
export function rulesTitle(rules) {
  /** @type {Record<string, { title: string }>} */
  const known = texts.presets;
  return Object.hasOwn(known, rules) ? (known[rules]?.title ?? rules) : rules;
}

/**
 * Returns the sentence about a preset, by default that of the server.
 *
 * @param {Pick<Preset, "name" | "summary">} preset
 * @returns {string}
 */
export function rulesSummary({ name, summary }) {
  /** @type {Record<string, { summary: string }>} */
  const known = texts.presets;
  return Object.hasOwn(known, name) ? (known[name]?.summary ?? summary) : summary;
}

/**
 * Returns the details of a preset, a sentence each.
 *
 * @param {Pick<Preset, "ends" | "capture" | "swap" | "first_bonus" | "played_by">} preset
 * @returns {string[]}
 */
export function rulesDetails({ ends, capture, swap, first_bonus: firstBonus, played_by: names }) {
  const { facts } = texts.rules;
  return [
    ends === "row" ? facts.endsRow : facts.endsStuck,
    capture === "always" ? facts.captureAlways : facts.captureOpposite,
    swap ? facts.swap : facts.noSwap,
    firstBonus ? facts.firstBonus : facts.noFirstBonus,
    texts.rules.playedBy(names),
  ];
}

/**
 * Returns the title of a problem document, by default that of the server.
 *
 * @param {Pick<ProblemDetails, "title"> & Partial<ProblemDetails>} problem
 * @returns {string}
 */
export function problemTitle({ type = "", title }) {
  /** @type {Record<string, string>} */
  const kinds = texts.errors.problems;
  /** @type {Record<string, string>} */
  const titles = texts.errors.titles;
  const kind = type.startsWith(PROBLEM_TYPES) ? type.slice(PROBLEM_TYPES.length) : "";
  const key = title.toLowerCase().replaceAll(" ", "-");
  return (Object.hasOwn(kinds, kind) ? kinds[kind] : titles[key]) ?? title;
}

/**
 * Returns a message of the server in a language, with quotation marks in place of the backticks
 * around parts of the input. A message without a translation is left out: the title of its problem
 * remains.
 *
 * @param {string} message
 * @param {keyof typeof TRANSLATORS} [to]
 * @returns {string} empty if there is no translation
 */
export function detailText(message, to = language) {
  const { translate, quoted } = TRANSLATORS[to];
  const text = translate(message) ?? (to === SERVER_LANGUAGE ? message : "");
  return text.replace(/`([^`]*)`/g, (_, input) => quoted(input));
}
