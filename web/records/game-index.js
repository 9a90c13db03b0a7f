/**
 * Large texts with many games: finds the games of a text in short steps, and reads a page of them
 * with the engine.
 */

import { EngineError } from "../engine/errors.js";

/** @import { Game } from "../types/api.d.ts" */
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

/** Tags, comments and words. Comments and tag values may contain any characters. */
const TOKENS = /\[[^"\]]*(?:"(?:[^"\\]|\\.)*")?[^\]]*\]?|\{[^}]*\}?|[^\s[{]+/g;

/**
 * A game of a text, or the reason why it cannot be read.
 *
 * @typedef {{ game: Game, error: null } | { game: null, error: string }} ReadGame
 */

/**
 * Finds the games of a text. A game begins with its tags after the moves of the previous game; games
 * without tags belong to the game before them.
 *
 * @param {string} text
 * @param {object} [options]
 * @param {AbortSignal} [options.signal]
 * @param {(share: number) => void} [options.onProgress] receives the share of the text so far
 * @param {number} [options.tokensPerStep]
 * @returns {Promise<string[]>} the text of each game
 */
export async function findGames(
  text,
  { signal, onProgress, tokensPerStep = TOKENS_PER_STEP } = {},
) {
  /** @type {string[]} */
  const games = [];
  let from = 0;
  let inMoves = false;
  let tokens = 0;
  for (const { 0: token, index } of text.matchAll(TOKENS)) {
    if (token.startsWith("[")) {
      if (inMoves) {
        games.push(text.slice(from, index));
        from = index;
      }
      inMoves = false;
    } else {
      inMoves = true;
    }
    tokens += 1;
    if (tokens % tokensPerStep === 0) {
      onProgress?.(index / text.length);
      await new Promise((resolve) => void setTimeout(resolve));
      signal?.throwIfAborted();
    }
  }
  const rest = text.slice(from);
  return rest.trim() === "" ? games : [...games, rest];
}

/**
 * Joins texts of games to parts of at most `size` characters. A longer game is a part of its own.
 *
 * @param {string[]} games
 * @param {number} size
 * @returns {string[][]}
 */
export function groupGames(games, size) {
  /** @type {string[][]} */
  const groups = [];
  let length = Infinity;
  for (const game of games) {
    if (length + game.length > size) {
      groups.push([]);
      length = 0;
    }
    groups.at(-1)?.push(game);
    length += game.length;
  }
  return groups;
}

/**
 * Reads games. A game that cannot be read does not prevent others from being read.
 *
 * @param {App["engine"]} engine
 * @param {string[]} games the text of each game
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
 * @param {App["engine"]} engine
 * @param {string[]} group
 * @param {AbortSignal} [signal]
 * @returns {Promise<ReadGame[]>}
 */
async function readGroup(engine, group, signal) {
  try {
    const { games } = await engine.request("read", { text: group.join("") }, signal);
    return games.map((game) => ({ game, error: null }));
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
