/** Texts for names and messages that come from the server: rule presets and problem documents. */

import { texts } from "./texts.js";

/** @import { Preset, ProblemDetails } from "../types/api.d.ts" */

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
 * Returns a message of the server with quotation marks in place of the backticks around parts of the
 * input.
 *
 * @param {string} message
 * @returns {string}
 */
export const quotedMessage = (message) =>
  message.replace(/`([^`]*)`/g, (_, input) => texts.errors.quoted(input));
