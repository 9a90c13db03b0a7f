/** Sentences about a room: its games, and the situation of the person here. */

import { durationText } from "../friends/clock-times.js";
import { rulesTitle } from "../texts/from-server.js";
import { texts } from "../texts/texts.js";
import {
  hasBye,
  hasRounds,
  isPlayer,
  memberName,
  memberOn,
  opponentIn,
  ownGame,
  ownMember,
  pointsIn,
  runningCount,
  seedsOf,
  standingOf,
} from "./state.js";

/** @import { RoomGame, RoomHead, RoomSnapshot, RoomState } from "../types/room.d.ts" */

/**
 * Describes how a room pairs its members, and board, rules and clock of its games.
 *
 * @param {RoomHead} room
 */
export function roomText({ format, start, rules, clock, games_per_pairing: games, ...room }) {
  // The text of a position begins with the number of houses.
  const houses = Number.parseInt(start.replace("<", ""), 10);
  return [
    texts.rooms.formats[format],
    ...(games > 1 ? [texts.rooms.twoGamesLine] : []),
    texts.friends.board(houses, rulesTitle(rules)),
    clock ? clockText(clock) : texts.friends.noClock,
    room.engine_help ? texts.rooms.helpLine : texts.rooms.noHelpLine,
  ].join(". ");
}

/** @param {NonNullable<RoomHead["clock"]>} clock */
function clockText({ initial_ms: initial, increment_ms: increment }) {
  return increment > 0
    ? texts.friends.clockSetting(durationText(initial), durationText(increment))
    : durationText(initial);
}

/**
 * Describes the connection to a room; empty while there is one.
 *
 * @param {RoomState} state
 */
export function connectionText({ access, room, connectionStatus, refusal, connectionLimit }) {
  if (!access || connectionStatus === "connected" || connectionStatus === "off") {
    return "";
  }
  if (refusal && (connectionStatus === "denied" || !room)) {
    const text = texts.rooms.refusals[refusal];
    return typeof text === "function" ? text(connectionLimit) : text;
  }
  return room ? texts.rooms.reconnecting : texts.rooms.connecting;
}

/**
 * Describes the situation of the person here, a sentence each.
 *
 * @param {RoomSnapshot} room
 * @returns {string[]}
 */
export function situation(room) {
  if (room.closed) {
    return [texts.rooms.closed];
  }
  const paused = room.paused ? [texts.rooms.paused] : [];
  return [...paused, ...(ownMember(room) ? memberSituation(room) : roundState(room))];
}

/** @param {RoomSnapshot} room */
function memberSituation(room) {
  const { round, you, games } = room;
  const game = ownGame(room);
  if (game) {
    return [texts.rooms.youPlay(memberName(room, opponentIn(game, you.member)))];
  }
  if (!hasRounds(room)) {
    return [texts.rooms.freeToPlay];
  }
  if (round === 0) {
    return [texts.rooms.waitFirstRound];
  }
  if (hasBye(room, you.member)) {
    return [texts.rooms.bye(round), ...roundState(room)];
  }
  const hasPlayed = games.some((other) => isPlayer(other, you.member));
  return [hasPlayed ? texts.rooms.ownGameOver : texts.rooms.lateJoiner, ...roundState(room)];
}

/** Describes how far the round is. @param {RoomSnapshot} room */
function roundState(room) {
  if (!hasRounds(room) || room.round === 0) {
    return [];
  }
  const running = runningCount(room);
  return [
    running > 0
      ? texts.rooms.goesOn(running)
      : room.next_round === "all-met"
        ? texts.rooms.nextRound["all-met"]
        : texts.rooms.roundOver,
  ];
}

/**
 * Describes the place of a member; empty without one.
 *
 * @param {Pick<RoomState, "standings">} state
 * @param {number | null} member
 */
export function standingText(state, member) {
  const row = standingOf(state, member);
  const count = state.standings?.standings.length ?? 0;
  return row ? texts.rooms.standing(row.rank, count, texts.rooms.points(row.points)) : "";
}

/**
 * Describes how a game stands, or its result: the first number is that of the member who began as
 * South.
 *
 * @param {RoomGame} game
 * @param {{ isLive: boolean }} options whether the page receives the positions of running games
 */
export function gameStateText(game, { isLive }) {
  if (game.ending === null) {
    const { south, north } = seedsOf(game);
    return isLive ? texts.rooms.runningAt(south, north) : texts.rooms.running;
  }
  const points = pointsIn(game, game.south);
  return points === null ? texts.rooms.void : texts.rooms.result(points, 1 - points);
}

/**
 * Returns the names of the players of a game, the one who began as South first.
 *
 * @param {RoomSnapshot} room
 * @param {RoomGame} game
 * @returns {[string, string]}
 */
export const playersOf = (room, { south, north }) => [
  memberName(room, south),
  memberName(room, north),
];

/**
 * Describes a board for screen readers: stores and houses of both players in the order of sowing, and
 * the player to move.
 *
 * @param {RoomSnapshot} room
 * @param {RoomGame} game
 */
export function boardText(room, game) {
  const { stores, rows } = game.position;
  const sides = /** @type {const} */ (["south", "north"]).map((side) =>
    texts.rooms.boardOf(memberName(room, memberOn(game, side)), stores[side], rows[side]),
  );
  return [...sides, turnText(room, game)].join(". ");
}

/**
 * Returns the player to move with the number of moves, or the result.
 *
 * @param {RoomSnapshot} room
 * @param {RoomGame} game
 */
export function turnText(room, game) {
  const moves = texts.rooms.moves(game.plies);
  return game.ending === null && game.to_move
    ? `${moves}, ${texts.rooms.toMove(memberName(room, memberOn(game, game.to_move)))}`
    : `${moves}, ${gameStateText(game, { isLive: true })}`;
}
