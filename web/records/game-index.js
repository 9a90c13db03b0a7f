/**
 * Large texts with many games: finds the games of a text in short steps, and reads a page of them
 * with the engine.
 */

import { EngineError } from "../engine/errors.js";
import { detailText } from "../texts/from-server.js";
import { texts } from "../texts/texts.js";
import { shorten } from "./link.js";

/** @import { Game, ReadError, ReadResponse } from "../types/api.d.ts" */
/** @import { App } from "../types/app.d.ts" */

/**
 * The longest text of several games in one request, in characters. It has fewer than 5,000 plies,
 * the limit of the API.
 */
const MAX_PART_LENGTH = 6_000;

/**
 * The number of tokens after which the search for games lets the browser draw and handle events;
 * they take a few milliseconds.
 */
const TOKENS_PER_STEP = 20_000;

/** Tags, numbers and results, words, and single brackets and braces. */
const TOKENS = /\[\s*\w+\s*"(?:[^"\\\n]|\\.)*"\s*\]|[[{*]|\d[\d.-]*|[^\s[{*\d]+/g;

/** An empty line before a bracket, and the space before the bracket. */
const EMPTY_LINE_AT_END = /\n[^\S\n]*\n[^\S\n]*$/;

/** The number of characters before a bracket in which an empty line is searched. */
const MAX_INDENTATION = 100;

/** An empty line, and a line that begins with a bracket as tags do. */
const TAGS_AFTER_EMPTY_LINE = /^[^\S\n]*\n[^\S\n]*(?=\[)/m;

/**
 * The place of a text in the whole text, counted from 1.
 *
 * @typedef {{ line: number, column: number }} Place
 */

/**
 * The text of a game.
 *
 * @typedef {{ text: string, place: Place }} FoundGame
 */

/**
 * A game of a text, or the reason why it cannot be read.
 *
 * @typedef {{ game: Game, error: null } | { game: null, error: string }} ReadGame
 */

/**
 * The state of the search in the current game.
 *
 * @typedef {object} GameScan
 * @property {boolean} inMoves whether its moves have begun
 * @property {boolean} hasInvalidTag
 * @property {boolean} hasTagsInComment whether a comment has tags after an empty line: those of the
 *   next game, if the comment lacks its end
 */

/**
 * The options of a search for games.
 *
 * @typedef {object} SearchOptions
 * @property {AbortSignal} [signal]
 * @property {(share: number) => void} [onProgress] receives the share of the text so far
 * @property {number} [tokensPerStep]
 */

/** @returns {GameScan} */
const newScan = () => ({ inMoves: false, hasInvalidTag: false, hasTagsInComment: false });

/** Returns whether a token closes a game: `*`, or seeds such as `25-23`. @param {string} token */
const closesGame = (token) => token === "*" || /^\d.*-(?:.*[^.])?$/.test(token);

/**
 * Returns whether a bracket begins the tags of the next game.
 *
 * @param {GameScan} scan
 * @param {string} text
 * @param {RegExpExecArray} match
 */
function beginsGame({ inMoves, hasInvalidTag }, text, { 0: token, index }) {
  const isTag = token.length > 1;
  const before = () => text.slice(Math.max(0, index - MAX_INDENTATION), index);
  return (inMoves && isTag) || ((inMoves || hasInvalidTag) && EMPTY_LINE_AT_END.test(before()));
}

/**
 * Yields the end of each token, with the end of a game if there is one. Games end as in the parser of
 * records, except that a comment with tags ends a game only if `endAtTags` says so: whether the
 * comment lacks its end depends on the legality of the moves.
 *
 * @param {string} text
 * @param {boolean} endAtTags
 */
function* scanGames(text, endAtTags) {
  const tokens = new RegExp(TOKENS);
  const lastBrace = text.lastIndexOf("}");
  let scan = newScan();
  for (let match = tokens.exec(text); match; match = tokens.exec(text)) {
    const { 0: token, index } = match;
    const { hasTagsInComment } = scan;
    /** @type {number | null} */
    let end = null;
    if (closesGame(token) || (token.startsWith("[") && beginsGame(scan, text, match))) {
      end = token.startsWith("[") ? index : tokens.lastIndex;
      scan = newScan();
    }
    if (token === "[" && !scan.inMoves) {
      scan.hasInvalidTag = true;
      const lineEnd = text.indexOf("\n", index);
      tokens.lastIndex = lineEnd < 0 ? text.length : lineEnd;
    } else if (!token.startsWith("[") && end === null) {
      scan.inMoves = true;
    }
    // A brace without its end begins no comment.
    if (token === "{" && index < lastBrace) {
      const close = text.indexOf("}", index);
      const tags = TAGS_AFTER_EMPTY_LINE.exec(text.slice(index, close));
      scan.hasTagsInComment ||= tags !== null;
      tokens.lastIndex = tags && endAtTags ? index + tags.index + tags[0].length : close + 1;
    }
    yield { at: tokens.lastIndex, end, hasTagsInComment };
  }
  return scan.hasTagsInComment;
}

/**
 * Returns the place after a text.
 *
 * @param {Place} place the place of the text
 * @param {string} text
 * @returns {Place}
 */
function placeAfter({ line, column }, text) {
  const lines = text.split("\n");
  const { length } = [...(lines.at(-1) ?? "")];
  return { line: line + lines.length - 1, column: lines.length > 1 ? length + 1 : column + length };
}

/**
 * Splits a text into games, with pauses.
 *
 * @param {string} text
 * @param {Place} place
 * @param {SearchOptions & { endAtTags?: boolean }} options
 */
async function splitGames(
  text,
  place,
  { endAtTags = false, signal, onProgress, tokensPerStep = TOKENS_PER_STEP },
) {
  /** @type {(FoundGame & { hasTagsInComment: boolean })[]} */
  const games = [];
  let from = 0;
  let next = place;
  let tokens = 0;
  const add = (/** @type {number} */ end, /** @type {boolean} */ hasTagsInComment) => {
    const game = text.slice(from, end);
    games.push({ text: game, place: next, hasTagsInComment });
    from = end;
    next = placeAfter(next, game);
  };
  const scan = scanGames(text, endAtTags);
  let step = scan.next();
  for (; !step.done; step = scan.next()) {
    const { at, end, hasTagsInComment } = step.value;
    if (end !== null) {
      add(end, hasTagsInComment);
    }
    tokens += 1;
    if (tokens % tokensPerStep === 0) {
      onProgress?.(at / text.length);
      await new Promise((resolve) => void setTimeout(resolve));
      signal?.throwIfAborted();
    }
  }
  if (text.slice(from).trim() !== "") {
    add(text.length, step.value);
  }
  return games;
}

/**
 * Finds the games of a text. A game ends with its closing token, or before the tags of the next game.
 *
 * @param {string} text
 * @param {SearchOptions & { isValid?: (text: string) => Promise<boolean> }} [options] `isValid`
 *   returns whether a text is that of one valid game; it is called for games with tags in a comment
 * @returns {Promise<FoundGame[]>}
 */
export async function findGames(text, { isValid = async () => true, ...options } = {}) {
  const found = [];
  for (const game of await splitGames(text, { line: 1, column: 1 }, options)) {
    if (game.hasTagsInComment && !(await isValid(game.text))) {
      const { signal } = options;
      found.push(...(await splitGames(game.text, game.place, { signal, endAtTags: true })));
    } else {
      found.push(game);
    }
  }
  return found.map(({ text: ofGame, place }) => ({ text: ofGame, place }));
}

/**
 * Joins games to parts of at most `size` characters. A longer game is a part of its own.
 *
 * @param {FoundGame[]} games
 * @param {number} size
 * @returns {FoundGame[][]}
 */
export function groupGames(games, size) {
  /** @type {FoundGame[][]} */
  const groups = [];
  let length = Infinity;
  for (const game of games) {
    if (length + game.text.length > size) {
      groups.push([]);
      length = 0;
    }
    groups.at(-1)?.push(game);
    length += game.text.length;
  }
  return groups;
}

/**
 * Reads consecutive games. An error belongs to one game.
 *
 * @param {App["engine"]} engine
 * @param {FoundGame[]} games
 * @param {AbortSignal} [signal]
 * @returns {Promise<ReadGame[]>}
 */
export async function readGames(engine, games, signal) {
  /** @type {ReadGame[]} */
  const read = [];
  for (const group of groupGames(games, MAX_PART_LENGTH)) {
    read.push(...(await readGroup(engine, group, signal)));
  }
  return read;
}

/**
 * Returns whether a text is that of one valid game.
 *
 * @param {App["engine"]} engine
 * @param {string} text
 * @param {AbortSignal} [signal]
 */
export async function isValidGame(engine, text, signal) {
  const [read] = await readGames(engine, [{ text, place: { line: 1, column: 1 } }], signal);
  return read !== undefined && read.error === null;
}

/**
 * @param {App["engine"]} engine
 * @param {FoundGame[]} group
 * @param {AbortSignal} [signal]
 * @returns {Promise<ReadGame[]>}
 */
async function readGroup(engine, group, signal) {
  try {
    const text = group.map((game) => game.text).join("");
    const read = inTextOrder(await engine.request("read", { text }, signal), { text, group });
    if (read.length === group.length) {
      return read;
    }
    if (group.length === 1) {
      const unread = { game: null, error: texts.records.noGame };
      return [read.find(({ error }) => error !== null) ?? read[0] ?? unread];
    }
  } catch (error) {
    if (!(error instanceof EngineError) || error.isTemporary) {
      throw error;
    }
    if (group.length === 1) {
      return [{ game: null, error: error.message }];
    }
  }
  const read = [];
  for (const game of group) {
    read.push(...(await readGroup(engine, [game], signal)));
  }
  return read;
}

/**
 * Returns games and errors in the order of the text.
 *
 * @param {ReadResponse} response
 * @param {{ text: string, group: FoundGame[] }} source the text that was read, and its games
 */
function inTextOrder({ games, errors }, { text, group }) {
  /** @type {ReadGame[]} */
  const read = games.map((game) => ({ game, error: null }));
  for (const error of errors) {
    read.splice(error.game - 1, 0, { game: null, error: readErrorText(error, { text, group }) });
  }
  return read;
}

/**
 * Returns the message of an error with its place in the whole text, and the text from there on.
 *
 * @param {ReadError} error
 * @param {{ text: string, group: FoundGame[] }} source the text that was read, and its games
 */
function readErrorText({ line, column, message }, { text, group }) {
  const from = group[0]?.place ?? { line: 1, column: 1 };
  const lines = text.split("\n");
  const characters = [...(lines[line - 1] ?? "")];
  const before = lines.slice(0, line - 1).join("") + characters.slice(0, column - 1).join("");
  const rest = shorten(
    characters
      .slice(column - 1)
      .join("")
      .trim(),
  );
  if (group.length === 1 && before.trim() === "" && rest !== "") {
    return texts.records.notRecord(rest, detailText(message));
  }
  const place = {
    line: from.line + line - 1,
    column: line === 1 ? from.column + column - 1 : column,
  };
  return texts.records.invalid(place, rest, detailText(message));
}
