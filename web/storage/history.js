/**
 * The games played on this device, in the browser's storage: each game under its own key, so that an
 * entry that is damaged does not affect the others.
 */

import { isEqual, isPlayer, MAX_MOVES, mayReplace } from "./formats.js";
import { load, onOtherTab, removeItem, save, storedNames, withLock } from "./values.js";

/** @import { BySide, Game, Move, Side } from "../types/api.d.ts" */
/** @import { Engine, Players } from "../types/app.d.ts" */
/** @import { ChangeOptions } from "./values.js" */

/**
 * A game as the history stores it.
 *
 * @typedef {object} PlayedGame
 * @property {string} date the time of the first move, in the format of ISO 8601
 * @property {string} mode the mode in which it was played
 * @property {string} rules
 * @property {string} position the start
 * @property {string} board the start in short form, such as `6x4`, or as a position
 * @property {Move[]} moves
 * @property {Players} players at the start
 * @property {string} termination
 * @property {Side | null} winner
 * @property {BySide<number> | null} stores the stores at the end; `null` if the seeds did not decide
 *   the game
 */

/**
 * An entry of the history; `game` is `null` if the entry is damaged.
 *
 * @typedef {{ id: string, game: PlayedGame | null }} HistoryEntry
 */

/**
 * A game that a tab records.
 *
 * @typedef {object} Recording
 * @property {string} id the key of its entry
 * @property {PlayedGame | null} known the game as this tab has stored or read it last
 */

const PREFIX = "played.";

/** The topic of the lock of all entries. */
const TOPIC = "played";

/**
 * The number of games in the history; the oldest are removed. A game takes about 500 bytes, and
 * browsers store 5 MB or more.
 */
const MAX_GAMES = 1_000;

/** The number of old games that make room for a new one in a full storage. */
const MAX_REMOVED = 10;

/** The digits of the time in a key: enough for the next 100 years, so that keys sort by time. */
const TIME_DIGITS = 9;

/** The base of the numbers in a key. */
const RADIX = 36;

/** The upper bound of the random part of a key, which keeps keys of two tabs apart. */
const RANDOM_VALUES = RADIX ** 4;

/**
 * Returns a stored value as a game, or `null` if it is not one. The engine checks whether its moves
 * are legal.
 *
 * @param {unknown} stored
 * @returns {PlayedGame | null}
 */
export function parsePlayedGame(stored) {
  if (typeof stored !== "object" || stored === null) {
    return null;
  }
  const game = /** @type {Record<string, any>} */ (stored);
  const isText = (/** @type {string} */ key) => typeof game[key] === "string";
  const isValid =
    ["date", "mode", "rules", "position", "board", "termination"].every(isText) &&
    !Number.isNaN(Date.parse(game["date"])) &&
    Array.isArray(game["moves"]) &&
    game["moves"].length <= MAX_MOVES &&
    game["moves"].every((/** @type {unknown} */ move) => typeof move === "string") &&
    [game["players"]?.south, game["players"]?.north].every(
      (player) =>
        isPlayer(player) || (player?.kind === "remote" && typeof player.name === "string"),
    ) &&
    ["south", "north", null].includes(game["winner"]) &&
    (game["stores"] === null ||
      [game["stores"]?.south, game["stores"]?.north].every(Number.isInteger));
  return isValid ? /** @type {PlayedGame} */ (stored) : null;
}

/**
 * Returns the key of a game that begins now: after those of all others, also if the time of day was
 * set back.
 *
 * @param {number} now the time in milliseconds
 * @param {string | undefined} latest the last key
 * @param {number} random from 0 to below 1
 */
function keyAfter(now, latest, random) {
  const latestTime = Number.parseInt(latest?.slice(0, TIME_DIGITS) ?? "", RADIX);
  const time = latestTime >= now ? latestTime + 1 : now;
  const suffix = Math.floor(random * RANDOM_VALUES).toString(RADIX);
  return `${time.toString(RADIX).padStart(TIME_DIGITS, "0")}-${suffix}`;
}

/**
 * Returns the ids of the entries, the latest first.
 *
 * @param {Storage | undefined} storage
 * @returns {string[]}
 */
const idsIn = (storage) =>
  storedNames(PREFIX, storage)
    .map((key) => key.slice(PREFIX.length))
    .sort()
    .reverse();

/** @param {Storage | undefined} storage @param {string} id @returns {HistoryEntry} */
const entryIn = (storage, id) => ({ id, game: parsePlayedGame(load(PREFIX + id, storage)) });

/** @param {Storage | undefined} storage @param {readonly string[]} ids */
const removeEntries = (storage, ids) => ids.forEach((id) => removeItem(PREFIX + id, storage));

/**
 * Writes an entry, and removes the oldest ones if there are too many or if the storage is full.
 *
 * @param {Storage | undefined} storage
 * @param {string} id
 * @param {PlayedGame} game
 * @param {number} maxGames
 * @returns {boolean} whether the entry is stored
 */
function write(storage, id, game, maxGames) {
  const others = idsIn(storage).filter((other) => other !== id);
  removeEntries(storage, others.splice(maxGames - 1));
  let isStored = save(PREFIX + id, game, storage);
  for (let tries = 0; !isStored && tries < MAX_REMOVED; tries += 1) {
    removeItem(PREFIX + others.pop(), storage);
    isStored = save(PREFIX + id, game, storage);
  }
  return isStored;
}

/**
 * The history with its storage.
 *
 * @typedef {object} HistoryData
 * @property {() => number} now returns the time in milliseconds
 * @property {() => number} random returns a number from 0 to below 1
 * @property {number} maxGames
 * @property {ChangeOptions} changeOptions
 * @property {Set<() => void>} listeners
 */

/** @param {HistoryData} history */
const notify = ({ listeners }) => listeners.forEach((listener) => listener());

/** @param {HistoryData} history */
const newId = ({ now, random, changeOptions }) =>
  keyAfter(now(), idsIn(changeOptions.storage)[0], random());

/**
 * Stores a game, in an entry of its own if another tab has gone on with the recorded one in another
 * way.
 *
 * @param {HistoryData} history
 * @param {Recording} recording
 * @param {PlayedGame} game
 */
function store(history, recording, game) {
  const { storage } = history.changeOptions;
  if (!mayReplace(entryIn(storage, recording.id).game, recording.known, game)) {
    recording.id = newId(history);
  }
  const isStored = isEqual(entryIn(storage, recording.id).game, game);
  if (isStored || write(storage, recording.id, game, history.maxGames)) {
    recording.known = game;
  }
}

/**
 * Creates the history of a storage.
 *
 * @param {object} [options]
 * @param {() => number} [options.now] returns the time in milliseconds
 * @param {() => number} [options.random] returns a number from 0 to below 1
 * @param {number} [options.maxGames]
 * @param {ChangeOptions} [changeOptions]
 */
export function createHistory(
  { now = Date.now, random = Math.random, maxGames = MAX_GAMES } = {},
  changeOptions = {},
) {
  const { storage } = changeOptions;
  /** @type {HistoryData} */
  const history = { now, random, maxGames, changeOptions, listeners: new Set() };
  /** Makes a change under the lock of all entries. @param {() => void} make */
  const change = async (make) => {
    await withLock(TOPIC, make, changeOptions);
    notify(history);
  };
  return {
    ids: () => idsIn(storage),
    /** @param {string} id */
    entry: (id) => entryIn(storage, id),
    newId: () => newId(history),

    /**
     * Stores a game, and removes the oldest ones if there are too many or if the storage is full. If
     * another tab has gone on with the same game in another way, this one gets an entry of its own.
     *
     * @param {Recording} recording
     * @param {PlayedGame} game
     */
    put: (recording, game) => change(() => store(history, recording, game)),

    /** @param {readonly string[]} removed the ids of the entries */
    remove: (removed) => change(() => removeEntries(storage, removed)),

    /**
     * Calls `listener` after every change. It returns a function that unsubscribes.
     *
     * @param {() => void} listener
     */
    subscribe(listener) {
      history.listeners.add(listener);
      return () => history.listeners.delete(listener);
    },

    /** Also reports the changes of other tabs from now on. */
    followTabs() {
      const follow = (/** @type {string | null} */ name) =>
        name === null || name.startsWith(PREFIX) ? notify(history) : undefined;
      onOtherTab(follow, changeOptions.page);
    },
  };
}

/** @typedef {ReturnType<typeof createHistory>} History */

/**
 * Returns a game for {@link Engine} requests and for the board.
 *
 * @param {Engine} engine
 * @param {PlayedGame} played
 * @param {Game["tags"]} tags
 * @returns {Promise<Game>}
 */
export async function loadPlayedGame(engine, { rules, position, moves, ...ending }, tags) {
  const { start, plies } = await engine.request("play", { rules, position, moves });
  return {
    tags,
    start,
    comments: [],
    plies: plies.map((result, index) => ({
      parent: index === 0 ? null : index - 1,
      result,
      comments: [],
    })),
    termination: ending.termination,
    winner: ending.winner,
  };
}

/**
 * Returns the record of a game.
 *
 * @param {Engine} engine
 * @param {PlayedGame} played
 * @param {Game["tags"]} tags
 * @param {AbortSignal} [signal]
 * @returns {Promise<string>}
 */
export async function playedGameRecord(engine, played, tags, signal) {
  const { rules, position, moves, termination, winner, stores } = played;
  const { text } = await engine.request(
    "write",
    {
      rules,
      position,
      tags,
      plies: moves.map((move, index) => ({ parent: index === 0 ? null : index - 1, move })),
      termination,
      ...(winner && !stores && { winner }),
    },
    signal,
  );
  return text;
}
