/** Games as records and as links: the page's side of reading and writing them with the engine. */

import { ANONYMOUS_NAMES, gamePlayers, recordName, sideName, SIDES } from "../game/players.js";
import { movesTo, path, pliesToWrite } from "../game/tree.js";
import { formatGame } from "./link.js";

/** @import { LinkedGame } from "./link.js" */
/** @import { Game, PlyToWrite, Position, Preset, Side } from "../types/api.d.ts" */
/** @import { App, GameTree, State } from "../types/app.d.ts" */

/**
 * The longest text in one request, in characters. A server accepts 16 KiB, and JSON escapes some
 * characters.
 */
const MAX_PART_LENGTH = 6_000;

/**
 * Returns the index of the ply at a path in a list of plies.
 *
 * @param {PlyToWrite[]} plies
 * @param {number[]} to
 * @returns {number | null} `null` for the start
 */
export function indexOfPath(plies, to) {
  let parent = /** @type {number | null} */ (null);
  for (const index of to) {
    const siblings = [...plies.keys()].filter((place) => plies[place]?.parent === parent);
    parent = siblings[index] ?? parent;
  }
  return parent;
}

/**
 * Returns the path of a ply in a list of plies: the inverse of {@link indexOfPath}.
 *
 * @param {Pick<PlyToWrite, "parent">[]} plies
 * @param {number | null} at
 * @returns {number[]}
 */
export function pathOfIndex(plies, at) {
  const indices = [];
  for (let place = at; place !== null; place = plies[place]?.parent ?? null) {
    const parent = plies[place]?.parent ?? null;
    indices.unshift(plies.slice(0, place).filter((ply) => ply.parent === parent).length);
  }
  return indices;
}

/**
 * Returns the start of a game for a link: a size such as `6x4` if it stands for the same position,
 * or else the full text.
 *
 * `6x4` is the position before the first ply. Under rules with a swap, the text of that position
 * has `ply=1`; under presets without a swap this makes no difference.
 *
 * @param {Position} start
 * @param {readonly Preset[]} presets the known rules
 */
export function startText({ position, rules, houses, to_move: side, stores, rows }, presets) {
  const [seeds = 0] = rows.south;
  const isEven = seeds > 0 && [...rows.south, ...rows.north].every((count) => count === seeds);
  const isFirst =
    position.endsWith(" ply=1") || presets.some(({ name, swap }) => name === rules && !swap);
  const isStart = isEven && isFirst && side === "south" && stores.south === 0 && stores.north === 0;
  return isStart ? `${houses}x${seeds}` : position;
}

/**
 * Returns the fragment of the link to a game and its current node.
 *
 * @param {GameTree} tree
 * @param {readonly Preset[]} presets the known rules
 */
export function gameFragment(tree, presets) {
  const plies = pliesToWrite(tree);
  const { start } = tree;
  return formatGame({
    rules: start.rules,
    position: startText(start, presets),
    plies,
    at: indexOfPath(plies, path(tree)),
  });
}

/**
 * Returns the game of a link and the path of its current ply.
 *
 * @param {App} app
 * @param {LinkedGame} linked
 * @returns {Promise<{ game: Game, path: number[] } | null>}
 */
export async function loadLinkedGame(app, { rules, position, plies, at }) {
  const start = { ...(rules && { rules }), ...(position && { position }) };
  // The endpoint `write` checks the moves, and `read` returns their results.
  const { text } = await app.engine.request("write", { ...start, plies });
  const {
    games: [game],
  } = await app.engine.request("read", { text });
  return game ? { game, path: pathOfIndex(plies, at) } : null;
}

/**
 * Returns the record of a game.
 *
 * @param {App} app
 * @param {State} state
 * @param {GameTree} tree
 * @param {Date} today
 */
export async function gameRecord(app, state, tree, today) {
  const { start, termination, winner } = tree;
  const { text } = await app.engine.request("write", {
    rules: start.rules,
    position: start.position,
    tags: recordTags(state, tree, today),
    comments: tree.comments,
    plies: pliesToWrite(tree),
    termination,
    ...(winner && { winner }),
  });
  return text;
}

/**
 * Returns the tags of a record: those of its source, or date and players.
 *
 * @param {State} state
 * @param {GameTree} tree
 * @param {Date} today
 * @returns {[string, string][]}
 */
function recordTags(state, tree, today) {
  if (tree.tags.length > 0 || movesTo(tree, tree.line).length === 0) {
    return tree.tags;
  }
  const date = [today.getFullYear(), today.getMonth() + 1, today.getDate()];
  // The tags name the players by their sides at the start.
  const { players } = gamePlayers(state, tree);
  return [
    ["Date", date.map((part) => String(part).padStart(2, "0")).join(".")],
    ...SIDES.map(
      (side) => /** @type {[string, string]} */ ([sideName(side), recordName(players[side])]),
    ),
  ];
}

/**
 * Returns the games of a text.
 *
 * @param {App} app
 * @param {string} text
 * @returns {Promise<Game[]>}
 */
export async function readGames(app, text) {
  const games = [];
  for (const part of splitGames(text, MAX_PART_LENGTH)) {
    games.push(...(await app.engine.request("read", { text: part })).games);
  }
  return games;
}

/**
 * Splits a text into parts of whole games. A part has at most `size` characters unless its one game
 * is longer. A game begins with its tags after the moves of the previous game; comments and tag
 * values may contain any characters.
 *
 * @param {string} text
 * @param {number} size
 * @returns {string[]}
 */
export function splitGames(text, size) {
  /** @type {number[]} */
  const starts = [];
  let inMoves = false;
  for (const { 0: token, index } of text.matchAll(
    /\[[^"\]]*(?:"(?:[^"\\]|\\.)*")?[^\]]*\]?|\{[^}]*\}?|[^\s[{]+/g,
  )) {
    if (token.startsWith("[")) {
      if (inMoves) {
        starts.push(index);
      }
      inMoves = false;
    } else {
      inMoves = true;
    }
  }
  /** @type {string[]} */
  const groups = [];
  let from = 0;
  starts.forEach((begin, index) => {
    const next = starts[index + 1] ?? text.length;
    if (next - from > size) {
      groups.push(text.slice(from, begin));
      from = begin;
    }
  });
  return [...groups, text.slice(from)];
}

/**
 * Returns a game's title for a list of games.
 *
 * @param {Game} game
 */
export function gameTitle({ tags, plies }) {
  const values = new Map(tags);
  const player = (/** @type {Side} */ side) => {
    const text = values.get(sideName(side)) ?? "";
    return ANONYMOUS_NAMES.has(text) ? sideName(side) : text;
  };
  const players = SIDES.map(player).join(" \u2013 ");
  const details = ["Event", "Round", "Date", "Result"]
    .map((name) => values.get(name))
    .filter((text) => text && text !== "*");
  return [players, ...details, plies.length === 1 ? "1 ply" : `${plies.length} plies`].join(", ");
}
