/**
 * The details of problem documents and errors of records in the language of the page. The server
 * writes them in English; templates name its messages and their translations.
 *
 * In a template `{}` stands for a value, which is a quotation or has no space, `{*}` for another
 * message, and `{-}` for a text that the translation leaves out. The translation names values and
 * messages by their places: `{0}`, `{1}`.
 */

/** @typedef {readonly (readonly [template: string, translation: string])[]} DetailTexts */

/**
 * A template that is ready for comparisons.
 *
 * @typedef {{ pattern: RegExp, kinds: string[], translation: string }} DetailTemplate
 */

/** The patterns of the places of a template. @type {Record<string, string>} */
const PLACES = { "{}": "(`.*?`|[^\\s`]+?)", "{*}": "(.+?)", "{-}": "(.+?)" };

/** A place in a template. */
const PLACE = /\{[*-]?\}/g;

/** The characters with a meaning in regular expressions, except the braces of places. */
const SPECIAL = /[.*+?^$()|[\]\\]/g;

/** @param {readonly [string, string]} text @returns {DetailTemplate} */
function parseTemplate([template, translation]) {
  const kinds = template.match(PLACE) ?? [];
  const parts = template.split(PLACE).map((part) => part.replace(SPECIAL, "\\$&"));
  const pattern = parts.map((part, index) => part + (PLACES[kinds[index] ?? ""] ?? "")).join("");
  return { pattern: new RegExp(`^${pattern}$`, "s"), kinds, translation };
}

/**
 * Translates a message with the first template that fits.
 *
 * @param {readonly DetailTemplate[]} templates
 * @param {string} message
 * @returns {string | null} `null` if no template fits
 */
function translate(templates, message) {
  for (const { pattern, kinds, translation } of templates) {
    const found = pattern.exec(message);
    if (found) {
      const values = found.slice(1).map((value, place) => {
        const translated = translate(templates, value);
        return kinds[place] === "{*}" ? translated : (translated ?? value);
      });
      if (!values.includes(null)) {
        return translation.replace(/\{(\d)\}/g, (_, place) => values[place] ?? "");
      }
    }
  }
  return null;
}

/**
 * Returns the function that translates messages of the server, and returns `null` for a message
 * without a translation.
 *
 * @param {DetailTexts} texts
 * @returns {(message: string) => string | null}
 */
export function createTranslator(texts) {
  const templates = texts.map(parseTemplate);
  return (message) => translate(templates, message);
}
