/** The codes of rooms: six letters and digits that are not mistaken for each other. */

/** The code of the room that the operator of the server switches on. */
export const LOBBY_CODE = "LOBBY";

/** A code, without I, L, O, U, 0 and 1. */
const CODE = /^[A-HJKMNP-TV-Z2-9]{6}$/;

/** The characters that people type between the letters of a code. */
const SEPARATORS = /[\s\p{Pd}_.]+/gu;

/** The number of characters of a code in each of its groups. */
const GROUP_LENGTH = 3;

/** The parts of a link to a room before its code and after it. */
const LINK = /^.*(?:#room=|\/room\/)|\?lang=\w+$/g;

/**
 * Returns the code that a text names, in any case and with separators, or that of a link to a room;
 * `null` for another text.
 *
 * @param {string} text
 */
export function parseCode(text) {
  const code = text.trim().replace(LINK, "").replace(SEPARATORS, "").toUpperCase();
  return CODE.test(code) || code === LOBBY_CODE ? code : null;
}

/**
 * Returns a code as the page shows it, in two groups: `ABC DEF`.
 *
 * @param {string} code
 */
export const shownCode = (code) =>
  code === LOBBY_CODE ? code : `${code.slice(0, GROUP_LENGTH)} ${code.slice(GROUP_LENGTH)}`;
