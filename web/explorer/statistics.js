/**
 * Opening statistics by source: the games of this device, the file that the page ships, a room, and
 * the server.
 */

import { hasNoResult, UNFINISHED } from "../game/tree.js";

/** @import { History, PlayedGame } from "../storage/history.js" */
/** @import { Engine } from "../types/app.d.ts" */
/** @import { CountRequest, Move } from "../types/api.d.ts" */

/**
 * The results of games from the view of the player of a move.
 *
 * @typedef {{ wins: number, ties: number, losses: number }} Results
 */

/** The results of each move, by {@link statisticsMove}. @typedef {Map<Move, Results>} MoveResults */

/** The position of a request: its rules, and its text and that turned to South to move. */
/** @typedef {{ rules: string, position: string, key: string }} OpeningPlace */

/**
 * A source of statistics. `results` resolves to `null` if the source has no games of the position,
 * and rejects as {@link Engine} requests do.
 *
 * @typedef {object} StatisticsSource
 * @property {string} id
 * @property {(place: OpeningPlace, signal: AbortSignal) => Promise<MoveResults | null>} results
 */

/** The number of plies of a game that count. */
const OPENING_PLIES = 12;

/** The number of games of one request, whose text stays below the limit of the server. */
const GAMES_PER_REQUEST = 400;

/**
 * Returns a move as statistics have it: the letter of South's house, or `swap`.
 *
 * @param {Move} move
 */
export const statisticsMove = (move) => (move === "swap" ? move : move.toUpperCase());

/** @param {Results} results */
export const gamesOf = ({ wins, ties, losses }) => wins + ties + losses;

/** Returns the number of games with a position. @param {MoveResults | null} results */
export const totalGames = (results) =>
  [...(results?.values() ?? [])].reduce((sum, move) => sum + gamesOf(move), 0);

/** @param {OpeningPlace} place */
const placeKey = ({ rules, key }) => `${rules} ${key}`;

/**
 * Adds the results of a move.
 *
 * @param {MoveResults} results
 * @param {Move} move
 * @param {Results} added
 */
function addResults(results, move, added) {
  const known = results.get(move) ?? { wins: 0, ties: 0, losses: 0 };
  results.set(move, {
    wins: known.wins + added.wins,
    ties: known.ties + added.ties,
    losses: known.losses + added.losses,
  });
}

/**
 * Returns a list of moves with their results by move.
 *
 * @param {readonly ({ move: Move } & Results)[]} moves
 * @returns {MoveResults | null}
 */
export function resultsByMove(moves) {
  /** @type {MoveResults} */
  const results = new Map();
  moves.forEach(({ move, ...added }) => addResults(results, statisticsMove(move), added));
  return results.size === 0 ? null : results;
}

/**
 * Returns whether a stored game has a result.
 *
 * @param {PlayedGame} game
 */
const isDecided = (game) => game.termination !== UNFINISHED && !hasNoResult(game);

/**
 * Returns the side that won a stored game.
 *
 * @param {PlayedGame} game
 */
function winnerOf({ winner, stores }) {
  if (!stores || stores.south === stores.north) {
    return stores ? null : winner;
  }
  return stores.south > stores.north ? "south" : "north";
}

/**
 * Counts the openings of games by position.
 *
 * @param {Engine} engine
 * @param {readonly PlayedGame[]} games
 * @returns {Promise<Map<string, MoveResults>>}
 */
async function countGames(engine, games) {
  /** @type {Map<string, MoveResults>} */
  const counted = new Map();
  for (let first = 0; first < games.length; first += GAMES_PER_REQUEST) {
    /** @type {CountRequest["games"]} */
    const inputs = games.slice(first, first + GAMES_PER_REQUEST).map((game) => ({
      rules: game.rules,
      position: game.position,
      moves: game.moves.slice(0, OPENING_PLIES),
      winner: winnerOf(game),
    }));
    const { positions } = await engine.request("count", { games: inputs });
    for (const { rules, position, moves } of positions) {
      const place = placeKey({ rules, position, key: position });
      const results = counted.get(place) ?? new Map();
      counted.set(place, results);
      moves.forEach(({ move, ...added }) => addResults(results, move, added));
    }
  }
  return counted;
}

/**
 * The games of this device. They are counted once, and again after a change of the history.
 *
 * @param {Engine} engine
 * @param {History} history
 * @returns {StatisticsSource}
 */
export function ownGames(engine, history) {
  /** @type {Promise<Map<string, MoveResults>> | null} */
  let counted = null;
  history.subscribe(() => (counted = null));
  const decided = () =>
    history.ids().flatMap((id) => {
      const { game } = history.entry(id);
      return game && isDecided(game) ? [game] : [];
    });
  return {
    id: "own",
    async results(place) {
      const counting = (counted ??= countGames(engine, decided()));
      try {
        return (await counting).get(placeKey(place)) ?? null;
      } catch (error) {
        // The next position counts again.
        if (counted === counting) {
          counted = null;
        }
        throw error;
      }
    },
  };
}

/**
 * The games of the server whose players share them, or those of the open room.
 *
 * @param {(body: { rules: string, position: string }, signal: AbortSignal) => Promise<{
 *   moves: ({ move: Move } & Results)[] }>} request
 * @param {"server" | "room"} id
 * @returns {StatisticsSource}
 */
export const serverGames = (request, id) => ({
  id,
  async results({ rules, position }, signal) {
    const { moves } = await request({ rules, position }, signal);
    return resultsByMove(moves);
  },
});

/**
 * The file that the page ships.
 *
 * @typedef {object} OpeningFile
 * @property {{ board: string, rules: string, games: number,
 *   positions: Record<string, Record<Move, [number, number, number]>> }[]} starts
 */

/**
 * The games between computer players, from the file that the page ships.
 *
 * @param {() => Promise<OpeningFile>} load
 * @returns {StatisticsSource}
 */
export function shippedGames(load) {
  /** @type {Promise<OpeningFile> | null} */
  let file = null;
  return {
    id: "shipped",
    async results({ rules, key }) {
      const loading = (file ??= load());
      try {
        const { starts } = await loading;
        const start = starts.find(
          (found) => found.rules === rules && Object.hasOwn(found.positions, key),
        );
        const moves = Object.entries(start?.positions[key] ?? {});
        return resultsByMove(
          moves.map(([move, [wins, ties, losses]]) => ({ move, wins, ties, losses })),
        );
      } catch (error) {
        // The next position loads again.
        if (file === loading) {
          file = null;
        }
        throw error;
      }
    },
  };
}
