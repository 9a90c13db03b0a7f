/** The records that the server keeps under short addresses, if it was started with `--share`. */

import { fetchJson } from "../engine/http.js";

/**
 * Returns whether the server keeps records, and for how many days after a record was last opened.
 *
 * @returns {Promise<{ enabled: boolean, days: number }>}
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
export const loadShared = (id) => fetchJson(`shared/${id}`);
