/** What the player wants the page to be like: defaults, and what is made of stored or odd values. */

/** @import { Settings } from "../types/app.d.ts" */

/** @type {Readonly<Settings>} */
export const DEFAULTS = { speed: "normal", labels: "letters", theme: "auto", margins: false, keys: true };

/** @type {Readonly<{ [K in keyof Settings]: readonly Settings[K][] }>} */
const VALUES = {
  speed: ["off", "slow", "normal", "fast"],
  labels: ["letters", "columns"],
  theme: ["auto", "light", "dark"],
  margins: [false, true],
  keys: [false, true],
};

/**
 * Settings made of anything: what is no value of a setting is its default.
 *
 * @param {unknown} stored
 * @returns {Settings}
 */
export function settingsFrom(stored) {
  const given = /** @type {Record<string, unknown>} */ (typeof stored === "object" && stored !== null ? stored : {});
  const entries = Object.entries(DEFAULTS).map(([name, usual]) => {
    const values = /** @type {readonly unknown[]} */ (VALUES[/** @type {keyof Settings} */ (name)]);
    return [name, values.includes(given[name]) ? given[name] : usual];
  });
  return Object.fromEntries(entries);
}
