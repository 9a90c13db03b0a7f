/**
 * Translates between the API's JSON and the names of the page.
 *
 * The API calls a move `choice` and a list of moves `choices`. The page calls them `move` and
 * `moves`. Only this module knows the API's two keys.
 */

/** The page's names of the API's keys. */
const FROM_API = new Map([
  ["choice", "move"],
  ["choices", "moves"],
]);

/**
 * Parses JSON from the API.
 *
 * @param {string} text
 * @returns {any}
 */
export function parseJson(text) {
  return JSON.parse(text, (_, value) => renameKeys(value, (key) => FROM_API.get(key) ?? key));
}

/**
 * Returns a value as JSON for the API. The key `moves` stands for a list of moves only if its value
 * is an array: in a request for an analysis it is an option.
 *
 * @param {unknown} body
 */
export function formatJson(body) {
  return JSON.stringify(body, (_, value) =>
    renameKeys(value, (key, entry) => {
      if (key === "move") {
        return "choice";
      }
      return key === "moves" && Array.isArray(entry) ? "choices" : key;
    }),
  );
}

/**
 * @param {unknown} value
 * @param {(key: string, entry: unknown) => string} rename
 */
function renameKeys(value, rename) {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return value;
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [rename(key, entry), entry]),
  );
}
