/** Games as text and in links: what goes out of the page and what comes into it, by way of the engine. */

import { choices, path, pliesToWrite } from "./game.js";
import { writeGame } from "./link.js";
import { seatAt, SIDES, sideName } from "./seats.js";

/** @import { Game, PlyToWrite } from "./api.d.ts" */
/** @import { App, GameTree, State } from "./app.d.ts" */
/** @import { LinkedGame } from "./link.js" */

/** How much text is read at once, in characters: a server's body has 16 KiB, and JSON escapes some of them. */
const AT_ONCE = 6_000;

/**
 * The place in a list of plies that a path leads to.
 *
 * @param {PlyToWrite[]} plies
 * @param {number[]} to
 * @returns {number | null} null for the start
 */
export function placeOf(plies, to) {
  let parent = /** @type {number | null} */ (null);
  for (const index of to) {
    const siblings = [...plies.keys()].filter((place) => plies[place]?.parent === parent);
    parent = siblings[index] ?? parent;
  }
  return parent;
}

/**
 * The path that leads to a place in a list of plies: what {@link placeOf} undoes.
 *
 * @param {Pick<PlyToWrite, "parent">[]} plies
 * @param {number | null} at
 * @returns {number[]}
 */
export function pathTo(plies, at) {
  const found = [];
  for (let place = at; place !== null; place = plies[place]?.parent ?? null) {
    const parent = plies[place]?.parent ?? null;
    found.unshift(plies.slice(0, place).filter((ply) => ply.parent === parent).length);
  }
  return found;
}

/**
 * The fragment of a link to a game and the place in it.
 *
 * @param {GameTree} tree
 */
export function fragmentOf(tree) {
  const plies = pliesToWrite(tree);
  const { rules, position } = tree.start;
  return writeGame({ rules, position, plies, at: placeOf(plies, path(tree)) });
}

/**
 * Opens a linked game to be looked at.
 *
 * @param {App} app
 * @param {LinkedGame} linked
 */
export async function openLinked(app, { rules, position, plies, at }) {
  const start = { ...(rules && { rules }), ...(position && { position }) };
  // Writing checks every choice, and reading tells what each does.
  const { text } = await app.engine.ask("write", { ...start, plies });
  const { games: [game] } = await app.engine.ask("read", { text });
  if (game) {
    app.actions.openGame(game, pathTo(plies, at));
  }
}

/**
 * The game as a record.
 *
 * @param {App} app
 * @param {State} state
 * @param {GameTree} tree
 * @param {Date} today
 */
export async function recordOf(app, state, tree, today) {
  const { start, termination, winner } = tree;
  const { text } = await app.engine.ask("write", {
    rules: start.rules,
    position: start.position,
    tags: tagsOf(state, tree, today),
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
function tagsOf(state, tree, today) {
  if (tree.tags.length > 0 || choices(tree, tree.line).length === 0) {
    return tree.tags;
  }
  const date = [today.getFullYear(), today.getMonth() + 1, today.getDate()];
  // Before the first ply nobody has exchanged seats: the tags name the players as they began.
  const names = SIDES.map((side) => seatAt(state, { ...tree, depth: 0 }, side).name);
  return [
    ["Date", date.map((part) => String(part).padStart(2, "0")).join(".")],
    ...SIDES.map((side, index) => /** @type {[string, string]} */ ([sideName(side), names[index] ?? ""])),
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
  for (const part of parts(text, AT_ONCE)) {
    games.push(...(await app.engine.ask("read", { text: part })).games);
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
export function parts(text, size) {
  /** @type {number[]} */
  const begins = [];
  let inMoves = false;
  for (const { 0: token, index } of text.matchAll(/\[[^"\]]*(?:"(?:[^"\\]|\\.)*")?[^\]]*\]?|\{[^}]*\}?|[^\s[{]+/g)) {
    if (token.startsWith("[")) {
      if (inMoves) {
        begins.push(index);
      }
      inMoves = false;
    } else {
      inMoves = true;
    }
  }
  /** @type {string[]} */
  const found = [];
  let from = 0;
  begins.forEach((begin, index) => {
    const next = begins[index + 1] ?? text.length;
    if (next - from > size) {
      found.push(text.slice(from, begin));
      from = begin;
    }
  });
  return [...found, text.slice(from)];
}

/**
 * A game in a line, to choose it among others.
 *
 * @param {Game} game
 */
export function titleOf({ tags, plies }) {
  const said = new Map(tags);
  const players = SIDES.map((side) => said.get(sideName(side)) ?? sideName(side)).join(" \u2013 ");
  const details = ["Event", "Round", "Date", "Result"].map((name) => said.get(name)).filter((text) => text && text !== "*");
  return [players, ...details, plies.length === 1 ? "1 ply" : `${plies.length} plies`].join(", ");
}
