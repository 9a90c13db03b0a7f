/**
 * Links: parses and formats the fragment of an address.
 *
 * `#rules=standard&position=6x5&line=CFb(Ac)d*A` holds a whole game. `line` has the moves, with
 * each variation in parentheses after the move that it replaces. `~` is a swap. `*` follows the
 * current move, which is the last one without a mark. `rules` and `position` are present if they
 * are not the defaults. A position is its literal without the characters that an address cannot
 * hold: `6,0,0,4,4,4,4,4,4,4,4,4,4,4,4,n`. `#record=LETTERS&at=12` holds a record, which
 * `sharing/compression.js` compresses, with its current move. `#shared=ID` is a record that the server
 * keeps. `#friend=ID` is a game with a friend:
 * its first visitor may take the free seat, and others watch. `#seat=ID.CODE` brings a player to another
 * device, once. `#puzzle=POSITION` is a puzzle, with its rules as in a game. `#room=CODE` is a room,
 * `#projector=CODE` the page that shows it to all in a hall, and `#leader=CODE.DEVICECODE` brings its
 * leader to another device, once.
 *
 * This module does not check whether moves are legal.
 */

import { parseCode } from "../rooms/codes.js";
import { texts } from "../texts/texts.js";

/**
 * A ply with the index of its parent in the list of plies, `null` for a first ply. Each ply follows
 * its parent, and the first of several plies with one parent is the main line.
 *
 * @typedef {{parent: number | null, move: string}} LinkedPly
 */

/**
 * A game in a link; `at` is the index of the current ply, `null` for the start.
 *
 * @typedef {{rules?: string, position?: string, plies: LinkedPly[], at: number | null}} LinkedGame
 */

/**
 * The position of a puzzle in a link.
 *
 * @typedef {{rules: string, position: string}} LinkedPuzzle
 */

/**
 * The content of a fragment; `broken` has a message for the reader of the link, as have `incomplete`,
 * a part of the link of a game with a friend, and `incomplete-room`, a link without the code of a room.
 *
 * @typedef {{kind: "none"}
 * | ({kind: "game"} & LinkedGame)
 * | {kind: "record", compressed: string, path: number[]}
 * | {kind: "shared", id: string, path: number[]}
 * | ({kind: "puzzle"} & LinkedPuzzle)
 * | {kind: "friend", game: string}
 * | {kind: "seat", game: string, code: string}
 * | {kind: "room" | "projector", code: string}
 * | {kind: "leader", code: string, deviceCode: string}
 * | {kind: "broken" | "incomplete" | "incomplete-room", message: string}} Link
 */

export const DEFAULT_RULES = "cs32";
const DEFAULT_POSITION = "6x4";

/** The longest fragment, in characters. Games on a 10x10 board are much shorter. */
export const MAX_FRAGMENT_LENGTH = 16_384;
/** The greatest depth of variations, as in a game record. */
const MAX_VARIATION_DEPTH = 64;
/** The greatest number of moves along the main line to the current node. */
const MAX_PATH_LENGTH = 10_000;
/** The longest quotation of an invalid text, in characters. */
const MAX_QUOTE_LENGTH = 24;

const SWAP_MARK = "~";
const CURRENT_MARK = "*";
const IDENTIFIER = "[A-Za-z0-9_-]{22}";
const FRIEND = new RegExp(`^${IDENTIFIER}$`);
/** The beginning of the fragment of a puzzle. */
const PUZZLE = /^puzzle\b/;
const SEAT = new RegExp(`^(${IDENTIFIER})\\.(${IDENTIFIER})$`);
const LEADER = new RegExp(`^(.+)\\.(${IDENTIFIER})$`);
const BASE64URL = /^[A-Za-z0-9_-]+$/;
/** The identifier of a record that a server keeps: `kalah_store::SharedId`. */
const SHARED = /^[A-Za-z0-9]{10}$/;
const PATH = /^\d+(?:\.\d+)*$/;
const LETTER = /^[A-Za-z]$/;
const LITERAL = /^(\d+(?:,\d+)*)(?:,([sn])(?:,(ply=[12]))?)?$/;

/**
 * Parses a fragment, with or without its `#`.
 *
 * @param {string} fragment
 * @returns {Link}
 */
export function parseFragment(fragment) {
  const text = fragment.replace(/^#/, "");
  if (text === "") {
    return { kind: "none" };
  }
  if (text.length > MAX_FRAGMENT_LENGTH) {
    return invalidLink(text, texts.links.tooLong(MAX_FRAGMENT_LENGTH));
  }
  /** @type {Map<string, string>} */
  const fields = new Map();
  for (const field of text.split("&")) {
    const [name, value] = cutOnce(field, "=");
    try {
      fields.set(name, decodeURIComponent(value));
    } catch {
      return invalidLink(text, texts.links.invalidPart(shorten(field)));
    }
  }
  const [friend, seat] = [fields.get("friend"), fields.get("seat")];
  if (friend !== undefined) {
    return FRIEND.test(friend)
      ? { kind: "friend", game: friend }
      : { kind: "incomplete", message: texts.links.advice.friend };
  }
  if (seat !== undefined) {
    const [, game, code] = SEAT.exec(seat) ?? [];
    return game && code
      ? { kind: "seat", game, code }
      : { kind: "incomplete", message: texts.links.advice.seat };
  }
  for (const kind of /** @type {const} */ (["room", "projector"])) {
    const code = fields.get(kind);
    if (code !== undefined) {
      return roomLink(kind, code);
    }
  }
  const leader = fields.get("leader");
  if (leader !== undefined) {
    return leaderLink(leader);
  }
  if (fields.has("record") || fields.has("shared")) {
    return parseRecord(text, fields);
  }
  const puzzle = fields.get("puzzle");
  if (puzzle !== undefined) {
    return LITERAL.test(puzzle)
      ? {
          kind: "puzzle",
          rules: fields.get("rules") || DEFAULT_RULES,
          position: unfoldPosition(puzzle),
        }
      : invalidLink(text, puzzle ? texts.links.noPuzzle(shorten(puzzle)) : texts.links.emptyPuzzle);
  }
  if (!["rules", "position", "line"].some((name) => fields.has(name))) {
    return invalidLink(text, texts.links.noGame(shorten(text)));
  }
  return parseGame(text, fields);
}

/**
 * @param {string} text the fragment
 * @param {Map<string, string>} fields
 * @returns {Link}
 */
function parseRecord(text, fields) {
  const [compressed = "", id = "", at = "0"] = ["record", "shared", "at"].map((name) =>
    fields.get(name),
  );
  const path = parsePath(at);
  if (path && BASE64URL.test(compressed)) {
    return { kind: "record", compressed, path };
  }
  return path && SHARED.test(id)
    ? { kind: "shared", id, path }
    : invalidLink(text, texts.links.recordIncomplete);
}

/**
 * Returns the path of a node as text: the number of moves along the main line, and the index of each
 * further move among its siblings, such as `12.1.0`.
 *
 * @param {number[]} path
 */
function formatPath(path) {
  const variation = path.findIndex((index) => index > 0);
  const mainLength = variation < 0 ? path.length : variation;
  return [mainLength, ...path.slice(mainLength)].join(".");
}

/**
 * Returns the path of a text from {@link formatPath}, or `null`.
 *
 * @param {string} text
 * @returns {number[] | null}
 */
function parsePath(text) {
  const [mainLength = 0, ...rest] = text.split(".").map(Number);
  return PATH.test(text) && mainLength <= MAX_PATH_LENGTH
    ? [...Array.from({ length: mainLength }, () => 0), ...rest]
    : null;
}

/**
 * Returns the fragment of a compressed record and its current node.
 *
 * @param {string} compressed
 * @param {number[]} path
 */
export const recordFragment = (compressed, path) => `#record=${compressed}&at=${formatPath(path)}`;

/**
 * Returns the fragment of a record that the server keeps, and its current node.
 *
 * @param {string} id
 * @param {number[]} path
 */
export const sharedFragment = (id, path) => `#shared=${id}&at=${formatPath(path)}`;

/**
 * @param {"room" | "projector"} kind
 * @param {string} text
 * @returns {Link}
 */
function roomLink(kind, text) {
  const code = parseCode(text);
  return code ? { kind, code } : { kind: "incomplete-room", message: texts.links.advice.room };
}

/**
 * @param {string} text
 * @returns {Link}
 */
function leaderLink(text) {
  const [, room = "", deviceCode] = LEADER.exec(text) ?? [];
  const code = parseCode(room);
  return code && deviceCode
    ? { kind: "leader", code, deviceCode }
    : { kind: "incomplete-room", message: texts.links.advice.leader };
}

/**
 * Returns a fragment without the code for another device, which others could see in the address.
 *
 * @param {string} fragment of a link to a seat or for a leader, which may be cut
 */
export const withoutDeviceCode = (fragment) =>
  fragment.replace(/^(#(?:seat|leader)=[\w-]*).*$/, "$1");

/** Returns whether a link is that of a game with a friend. @param {Link} link */
export const isFriendLink = ({ kind }) => ["friend", "seat", "incomplete"].includes(kind);

/** Returns whether a link is that of a room. @param {Link} link */
export const isRoomLink = ({ kind }) =>
  ["room", "projector", "leader", "incomplete-room"].includes(kind);

/**
 * @param {string} text the fragment
 * @param {Map<string, string>} fields
 * @returns {Link}
 */
function parseGame(text, fields) {
  /** @type {LinkedGame} */
  const game = { plies: [], at: null };
  const [rules, position] = [fields.get("rules"), fields.get("position")];
  if (rules) {
    game.rules = rules;
  }
  if (position) {
    game.position = unfoldPosition(position);
  }
  const line = fields.get("line") ?? "";
  const problem = parseLine(line, game);
  return problem ? invalidLink(text, problem) : { kind: "game", ...game };
}

/**
 * Parses moves and variations into `game`.
 * @param {string} line
 * @param {LinkedGame} game
 * @returns {string | null} the error, if there is one
 */
function parseLine(line, game) {
  /** The last ply of the line that is being parsed, `null` before its first ply. */
  let last = /** @type {number | null} */ (null);
  /** The parent of the next ply. A variation starts at the parent of the ply that it replaces. */
  let parent = /** @type {number | null} */ (null);
  let hasMark = false;
  /** @type {number[]} */
  const stack = [];
  for (const character of line) {
    if (character === "(") {
      if (last === null || stack.length === MAX_VARIATION_DEPTH) {
        return last === null ? texts.links.variationFirst : texts.links.variationsTooDeep;
      }
      stack.push(last);
      [parent, last] = [game.plies[last]?.parent ?? null, null];
    } else if (character === ")") {
      const replaced = stack.pop();
      if (replaced === undefined || last === null) {
        return replaced === undefined ? texts.links.variationNotOpened : texts.links.variationEmpty;
      }
      last = parent = replaced;
    } else if (character === CURRENT_MARK) {
      hasMark = true;
      game.at = last ?? parent;
    } else if (character === SWAP_MARK || LETTER.test(character)) {
      game.plies.push({ parent, move: character === SWAP_MARK ? "swap" : character });
      last = parent = game.plies.length - 1;
    } else {
      return texts.links.noMove(character);
    }
  }
  if (!hasMark) {
    game.at = last;
  }
  return stack.length > 0 ? texts.links.variationNotClosed : null;
}

/**
 * Returns the fragment of a game, with its `#`.
 *
 * @param {LinkedGame} game
 * @returns {string}
 */
export function formatGame(game) {
  const fields = [];
  if (game.rules && game.rules !== DEFAULT_RULES) {
    fields.push(`rules=${escape(game.rules)}`);
  }
  if (game.position && game.position !== DEFAULT_POSITION) {
    fields.push(`position=${escape(foldPosition(game.position))}`);
  }
  fields.push(`line=${formatLine(game)}`);
  return `#${fields.join("&")}`;
}

/**
 * @param {LinkedGame} game
 * @returns {string}
 */
function formatLine({ plies, at }) {
  /**
   * The plies after each ply, and those without a parent.
   *
   * @type {Map<number | null, number[]>}
   */
  const children = new Map();
  plies.forEach(({ parent }, index) =>
    children.set(parent, [...(children.get(parent) ?? []), index]),
  );
  /** @param {number} index */
  const move = (index) => {
    const text = plies[index]?.move ?? "";
    return (text === "swap" ? SWAP_MARK : text) + (index === at ? CURRENT_MARK : "");
  };
  /** @param {number | null} parent */
  const after = (parent) => {
    let text = "";
    let [main, ...others] = children.get(parent) ?? [];
    while (main !== undefined) {
      // A variation stands between the move that it replaces and the next move.
      text += move(main) + others.map((index) => `(${move(index)}${after(index)})`).join("");
      [main, ...others] = children.get(main) ?? [];
    }
    return text;
  };
  const line = after(null);
  // The start has no move that a mark could follow, and the end of the main line needs no mark.
  if (at === null) {
    return plies.length > 0 ? CURRENT_MARK + line : line;
  }
  return line.endsWith(CURRENT_MARK) ? line.slice(0, -CURRENT_MARK.length) : line;
}

/**
 * Returns the fragment of a puzzle, with its `#`.
 *
 * @param {LinkedPuzzle} puzzle
 * @returns {string}
 */
export function puzzleFragment({ rules, position }) {
  const ownRules = rules === DEFAULT_RULES ? "" : `&rules=${escape(rules)}`;
  return `#puzzle=${escape(foldPosition(position))}${ownRules}`;
}

/**
 * Returns a position's text without the characters that an address cannot hold.
 *
 * @param {string} position
 */
function foldPosition(position) {
  const [, pits, rest] = /^\s*<([\d,\s]*)>(.*)$/.exec(position) ?? [];
  return pits === undefined
    ? position
    : [pits, ...(rest ?? "").split(/\s+/)].filter(Boolean).join(",").replace(/\s/g, "");
}

/**
 * Returns the position of a text from {@link foldPosition}. Any other text is returned unchanged.
 *
 * @param {string} folded
 */
function unfoldPosition(folded) {
  const [, pits, ...rest] = LITERAL.exec(folded) ?? [];
  return pits === undefined ? folded : [`<${pits}>`, ...rest].filter(Boolean).join(" ");
}

/**
 * Returns the fragment of the address of a game with a friend.
 *
 * @param {string} game
 */
export const friendFragment = (game) => `#friend=${game}`;

/**
 * Returns the fragment of the link with which a player goes on playing on another device.
 *
 * @param {string} game
 * @param {string} code
 */
export const seatFragment = (game, code) => `#seat=${game}.${code}`;

/** Returns the fragment of the address of a room. @param {string} code */
export const roomFragment = (code) => `#room=${code}`;

/** Returns the fragment of the page that shows a room to all in a hall. @param {string} code */
export const projectorFragment = (code) => `#projector=${code}`;

/**
 * Returns the fragment of the link with which the leader of a room goes on with another device.
 *
 * @param {string} code
 * @param {string} deviceCode
 */
export const leaderFragment = (code, deviceCode) => `#leader=${code}.${deviceCode}`;

/** The fragments with an address for messengers, and the beginnings of these addresses. */
const DESCRIBED_FRAGMENT = /^#(friend|puzzle|room|shared)=([^&]+)(?:&(?:at|rules)=([^&]+))?$/;
const DESCRIBED_PATHS = new Map([
  ["friend", "play"],
  ["puzzle", "puzzle"],
  ["room", "room"],
  ["shared", "shared"],
]);

/**
 * Returns the path at which the server describes to messengers what a fragment shows, and which leads
 * to the page with this fragment; `null` if there is none. A fragment does not reach a server.
 *
 * @param {string} fragment
 */
export function describedPath(fragment) {
  const [, kind = "", id, at] = DESCRIBED_FRAGMENT.exec(fragment) ?? [];
  const folder = DESCRIBED_PATHS.get(kind);
  return folder ? [folder, id, at].filter((part) => part && part !== "0").join("/") : null;
}

/**
 * Returns an address with another fragment.
 *
 * @param {string} address
 * @param {string} fragment
 */
export const withFragment = (address, fragment) => cutOnce(address, "#")[0] + fragment;

/**
 * Escapes only the characters that a fragment cannot hold.
 *
 * @param {string} text
 */
const escape = (text) =>
  encodeURIComponent(text)
    .replace(/%(2C|3D|7C)/g, (code) => decodeURIComponent(code))
    .replace(/\|/g, "%7C");

/**
 * @param {string} text
 * @param {string} at
 * @returns {[string, string]}
 */
function cutOnce(text, at) {
  const index = text.indexOf(at);
  return index < 0 ? [text, ""] : [text.slice(0, index), text.slice(index + at.length)];
}

/**
 * Returns the beginning of a text for a quotation.
 *
 * @param {string} text
 */
export const shorten = (text) =>
  text.length > MAX_QUOTE_LENGTH ? `${text.slice(0, MAX_QUOTE_LENGTH)}…` : text;

/**
 * @param {string} text the fragment
 * @param {string} reason
 * @returns {Link}
 */
function invalidLink(text, reason) {
  const { advice, withReason } = texts.links;
  return {
    kind: "broken",
    message: withReason(PUZZLE.test(text) ? advice.puzzle : advice.game, reason),
  };
}
