/** The records that the server keeps under short addresses, if it was started with `--share`. */

import { EngineError } from "../engine/errors.js";
import { fetchJson } from "../engine/http.js";
import { texts } from "../texts/texts.js";

/** The HTTP status of a record that the server does not have. */
const NOT_FOUND = 404;

/**
 * Returns whether the server keeps records, for how many days after a record was last opened, and the
 * longest record in bytes.
 *
 * @returns {Promise<{ enabled: boolean, days: number, max_bytes: number }>}
 */
export const sharingSettings = () => fetchJson("shared");

/**
 * Keeps a record on the server.
 *
 * @param {string} text a record with one game
 * @returns {Promise<{ id: string }>}
 */
export const keepRecord = (text) => fetchJson("shared", { body: { text } });

/**
 * Returns a record that the server keeps.
 *
 * @param {string} id
 * @returns {Promise<{ text: string }>}
 */
export async function loadShared(id) {
  try {
    return await fetchJson(`shared/${id}`);
  } catch (error) {
    const isMissing = error instanceof EngineError && error.problem.status === NOT_FOUND;
    throw isMissing ? new Error(texts.links.sharedMissing) : error;
  }
}
