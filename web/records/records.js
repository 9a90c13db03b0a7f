/** Games as records and as links: the page's side of reading and writing them with the engine. */

import {
  ANONYMOUS_NAMES,
  gamePlayers,
  PLAYER_TAGS,
  recordName,
  sideName,
  SIDES,
  visibleText,
} from "../game/players.js";
import {
  hasNoResult,
  movesTo,
  path,
  pliesToWrite,
  UNFINISHED,
  withoutComments,
} from "../game/tree.js";
import { compress } from "../sharing/compression.js";
import { texts } from "../texts/texts.js";
import { gradedPlies, isGraded } from "./annotations.js";
import { formatGame, MAX_FRAGMENT_LENGTH, recordFragment } from "./link.js";

/** @import { LinkedGame } from "./link.js" */
/** @import { Game, PlyInput, Position, Preset, Side } from "../types/api.d.ts" */
/** @import { App, GameTree, Players, State } from "../types/app.d.ts" */

/** The termination of a game that was played to its end. */
const NORMAL = "normal";

/**
 * Returns the index of the ply at a path in a list of plies.
 *
 * @param {PlyInput[]} plies
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
 * @param {Pick<PlyInput, "parent">[]} plies
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

/** The tags about the start and the end of a game, which every link holds. */
const GAME_TAGS = new Set(["Rules", "Position", "Result", "Termination", "Winner"]);

/**
 * Returns whether a game has more than its moves: tags, comments, grades, or an end that its seeds do
 * not show.
 *
 * @param {Pick<State, "grades">} state
 * @param {GameTree} tree
 */
export function isAnnotated({ grades }, tree) {
  const hasOwnEnd = ![UNFINISHED, NORMAL].includes(tree.termination);
  const hasTags = tree.tags.some(
    ([tag, value]) => !GAME_TAGS.has(tag) && !ANONYMOUS_NAMES.has(value),
  );
  const hasText = hasTags || tree.comments.length > 0;
  return hasOwnEnd || hasText || gradedPlies(tree, grades).some(({ comments }) => comments);
}

/**
 * Returns whether the players of a game have names for other people.
 *
 * @param {State} state
 * @param {GameTree} tree
 */
const hasNames = (state, tree) =>
  recordTags(state, tree, new Date()).some(
    ([tag, value]) => tag !== "Date" && !GAME_TAGS.has(tag) && !ANONYMOUS_NAMES.has(value),
  );

/**
 * Returns the fragment of the link to a game with its tags, comments and grades, and to its current
 * node.
 *
 * @param {App} app
 * @param {State} state
 * @param {GameTree} tree
 */
export async function annotatedFragment(app, state, tree) {
  const record = await gameRecord(app, state, tree, new Date());
  return recordFragment(await compress(record), path(tree));
}

/**
 * Returns the fragment of a game: with names, comments and grades if it has any, or else in its short
 * form.
 *
 * @param {App} app
 * @param {State} state
 * @param {GameTree} tree
 */
async function fullFragment(app, state, tree) {
  return isAnnotated(state, tree) || hasNames(state, tree)
    ? annotatedFragment(app, state, tree)
    : gameFragment(tree, state.presets);
}

/**
 * Returns the fragment of the link that a person shares, which lacks the comments of the game if it is
 * too long with them. It rejects with an error for people if it is too long without them.
 *
 * @param {App} app
 * @param {State} state
 * @param {GameTree} tree
 * @returns {Promise<{ fragment: string, isWhole: boolean }>}
 */
export async function linkFragment(app, state, tree) {
  const whole = await fullFragment(app, state, tree);
  if (whole.length <= MAX_FRAGMENT_LENGTH) {
    return { fragment: whole, isWhole: true };
  }
  const fragment = await fullFragment(app, state, withoutComments(tree));
  if (fragment.length > MAX_FRAGMENT_LENGTH) {
    throw new Error(texts.sharing.tooLong);
  }
  return { fragment, isWhole: false };
}

/**
 * Returns the game of a record with one game.
 *
 * @param {App} app
 * @param {string} text
 * @returns {Promise<Game>}
 */
export async function readRecord(app, text) {
  const { games, errors } = await app.engine.request("read", { text });
  const [game] = games;
  if (!game || games.length + errors.length > 1) {
    throw new Error(errors[0]?.message ?? texts.records.noGame);
  }
  return game;
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
  const { start, winner } = tree;
  const tags = recordTags(state, tree, today);
  const isReviewed = state.hasOwnGrades && isGraded(tree, state.grades);
  const { text } = await app.engine.request("write", {
    rules: start.rules,
    position: start.position,
    tags: isReviewed ? await withAnnotator(app, tags) : tags,
    comments: tree.comments,
    plies: gradedPlies(tree, state.grades),
    termination: recordTermination(tree),
    ...(winner && { winner }),
  });
  return text;
}

/** The tag with the program that has written the grades of a record. */
const ANNOTATOR = "Annotator";

/** The separator of the names in the tag `Annotator`. */
const ANNOTATOR_SEPARATOR = "; ";

/** The begin of the name of every version of this program in the tag `Annotator`. */
const PROGRAM_PREFIX = "kalah/";

/**
 * Returns the tags of a record with the program that has reviewed its game, if that is known.
 *
 * @param {App} app
 * @param {[string, string][]} tags
 * @returns {Promise<[string, string][]>}
 */
async function withAnnotator({ engine }, tags) {
  const program = await engine.program().catch(() => null);
  if (program === null) {
    return tags;
  }
  const others = tags.filter(([name]) => name !== ANNOTATOR);
  const names = tags.find(([name]) => name === ANNOTATOR)?.[1] ?? "";
  return [...others, [ANNOTATOR, annotators(names, program)]];
}

/**
 * Returns the names of the tag `Annotator` with `program` at their end, which replaces an earlier
 * version of this program.
 *
 * @param {string} names
 * @param {string} program
 */
export function annotators(names, program) {
  const others = names
    .split(ANNOTATOR_SEPARATOR.trim())
    .map((name) => name.trim())
    .filter((name) => name !== "" && name !== "?" && !name.startsWith(PROGRAM_PREFIX));
  return [...others, program].join(ANNOTATOR_SEPARATOR);
}

/**
 * Returns the termination for a record, which is that of the main line: a new variation makes a game on
 * the page unfinished, also one whose main line was played to its end.
 *
 * @param {GameTree} tree
 */
function recordTermination(tree) {
  let last = tree.start;
  for (let [node] = tree.children; node; [node] = node.children) {
    last = node.moveResult.after;
  }
  if (last.is_over) {
    return NORMAL;
  }
  return hasNoResult(tree) || tree.termination === NORMAL ? UNFINISHED : tree.termination;
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
  return tagsOf(gamePlayers(state, tree).players, today);
}

/**
 * Returns the tags for the players and the date of a game.
 *
 * @param {Players} players by their sides at the start
 * @param {Date} day
 * @returns {[string, string][]}
 */
export function tagsOf(players, day) {
  const date = [day.getFullYear(), day.getMonth() + 1, day.getDate()];
  return [
    ["Date", date.map((part) => String(part).padStart(2, "0")).join(".")],
    ...SIDES.map(
      (side) => /** @type {[string, string]} */ ([PLAYER_TAGS[side], recordName(players[side])]),
    ),
  ];
}

/**
 * Returns the text of a tag `Date` such as `2026.03.01`. A date that is not complete stays as it
 * is.
 *
 * @param {string} [tag]
 */
function dateText(tag) {
  const time = /^\d{4}\.\d\d\.\d\d$/.test(tag ?? "")
    ? Date.parse(`${tag?.replaceAll(".", "-")}Z`)
    : NaN;
  return Number.isNaN(time) ? tag : texts.records.date(new Date(time));
}

/**
 * Returns a game's title for a list of games.
 *
 * @param {Game} game
 */
export function gameTitle({ tags, plies }) {
  const values = new Map(tags);
  const player = (/** @type {Side} */ side) => {
    const text = values.get(PLAYER_TAGS[side]) ?? "";
    return ANONYMOUS_NAMES.has(text) ? sideName(side) : text;
  };
  const players = SIDES.map(player).join(" \u2013 ");
  const details = ["Event", "Round", "Date", "Result"]
    .map((name) => (name === "Date" ? dateText(values.get(name)) : values.get(name)))
    .filter((text) => text && text !== "*");
  return visibleText([players, ...details, texts.records.moves(plies.length)].join(", "));
}
