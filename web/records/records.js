/** Games as text and in links: what goes out of the page and what comes into it, by way of the engine. */

import { recordName, ANONYMOUS_NAMES, sideName, SIDES, gamePlayers } from "../game/players.js";
import { movesTo, path, pliesToWrite } from "../game/tree.js";
import { formatGame } from "./link.js";

/** @import { LinkedGame } from "./link.js" */
/** @import { Game, PlyToWrite, Position, Preset, Side } from "../types/api.d.ts" */
/** @import { App, GameTree, State } from "../types/app.d.ts" */

/** How much text is read at once, in characters: a server's body has 16 KiB, and JSON escapes some of them. */
const MAX_PART_LENGTH = 6_000;

/**
 * The place in a list of plies that a path leads to.
 *
 * @param {PlyToWrite[]} plies
 * @param {number[]} to
 * @returns {number | null} null for the start
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
 * The path that leads to a place in a list of plies: what {@link indexOfPath} undoes.
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
 * A start as a link has it: `6x4` where that means it, or else all of it.
 *
 * `6x4` is before the first ply. Under rules with a swap positions tell that, by `ply=1`; under those that are known to
 * have none it makes no difference.
 *
 * @param {Position} start
 * @param {readonly Preset[]} presets the rules that are known
 */
export function startText({ position, rules, houses, side, stores, rows }, presets) {
  const [seeds = 0] = rows.south;
  const isEven = seeds > 0 && [...rows.south, ...rows.north].every((count) => count === seeds);
  const isFirst =
    position.endsWith(" ply=1") || presets.some(({ name, swap }) => name === rules && !swap);
  const isStart = isEven && isFirst && side === "south" && stores.south === 0 && stores.north === 0;
  return isStart ? `${houses}x${seeds}` : position;
}

/**
 * The fragment of a link to a game and the place in it.
 *
 * @param {GameTree} tree
 * @param {readonly Preset[]} presets the rules that are known
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
 * A linked game, and the path to the place in it.
 *
 * @param {App} app
 * @param {LinkedGame} linked
 * @returns {Promise<{ game: Game, path: number[] } | null>}
 */
export async function loadLinkedGame(app, { rules, position, plies, at }) {
  const start = { ...(rules && { rules }), ...(position && { position }) };
  // Writing checks every move, and reading tells what each does.
  const { text } = await app.engine.request("write", { ...start, plies });
  const {
    games: [game],
  } = await app.engine.request("read", { text });
  return game ? { game, path: pathOfIndex(plies, at) } : null;
}

/**
 * The game as a record.
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
 * The tags of a record: those that were read, or who played when.
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
  // Before the first ply nobody has exchanged seats: the tags name the players as they began.
  const { players } = gamePlayers(state, tree);
  return [
    ["Date", date.map((part) => String(part).padStart(2, "0")).join(".")],
    ...SIDES.map(
      (side) => /** @type {[string, string]} */ ([sideName(side), recordName(players[side])]),
    ),
  ];
}

/**
 * The games of a text.
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
 * A text of many games in parts of whole games, each about as long as `size` or as its one game. A game begins with
 * its tags, behind the moves of the one before; comments and the values of tags may hold anything.
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
 * A game in a line, to choose it among others.
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
