/** Numbers, dates and lists in the language of a text and the form of the reader, by `Intl`. */

/** Returns whether a text is a BCP 47 code. @param {string} code */
function isLocale(code) {
  try {
    return Intl.getCanonicalLocales(code).length === 1;
  } catch {
    return false;
  }
}

/**
 * Returns the locale of the reader for a language: the first one of the browser in this language,
 * such as `en-GB` for `en`, or else the language.
 *
 * @param {string} language a BCP 47 code without a region
 * @param {readonly string[]} preferred the languages of the browser, the best first
 */
export const localeFor = (language, preferred) =>
  preferred.find((code) => code.split("-")[0] === language && isLocale(code)) ?? language;

/** The languages of the browser. There are none without a document, as in unit tests. */
const PREFERRED = typeof document === "undefined" ? [] : navigator.languages;

/**
 * Returns the formatters of a language.
 *
 * @param {string} textLanguage a BCP 47 code
 * @param {readonly string[]} [preferred] the languages of the reader
 */
export function formatters(textLanguage, preferred = PREFERRED) {
  const language = localeFor(textLanguage, preferred);
  const numbers = new Intl.NumberFormat(language);
  const compactNumbers = new Intl.NumberFormat(language, {
    notation: "compact",
    maximumSignificantDigits: 3,
  });
  const percents = new Intl.NumberFormat(language, { style: "percent" });
  const dates = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeZone: "UTC" });
  const times = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" });
  const conjunction = new Intl.ListFormat(language, { type: "conjunction" });
  const disjunction = new Intl.ListFormat(language, { type: "disjunction" });
  return {
    number: (/** @type {number} */ value) => numbers.format(value),
    /** Formats a large number with three digits: `1.23M`. @param {number} value */
    compact: (value) => compactNumbers.format(value),
    /** Formats a share from 0 to 1. @param {number} share */
    percent: (share) => percents.format(share),
    /** Formats the date of a time in UTC. @param {Date} value */
    date: (value) => dates.format(value),
    /** Formats a time in the time zone of the device. @param {Date} value */
    time: (value) => times.format(value),
    and: (/** @type {readonly string[]} */ items) => conjunction.format(items),
    or: (/** @type {readonly string[]} */ items) => disjunction.format(items),
    /**
     * Formats a number with its unit: `3 minutes`.
     *
     * @param {number} count
     * @param {"day" | "hour" | "minute" | "second"} unit
     */
    unit: (count, unit) =>
      new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "long" }).format(count),
  };
}
