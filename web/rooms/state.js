/** The state of a room: pure functions that apply the server's messages and read the room. */

import { NO_RESPONSE_STATUS, SERVER_ERROR_STATUS } from "../engine/errors.js";
import { texts } from "../texts/texts.js";

/** @import { FromRoom, Member, RoomGame, RoomHead, RoomRefusal } from "../types/room.d.ts" */
/** @import { RoomFormat, RoomSnapshot, RoomState, RoomUpdate } from "../types/room.d.ts" */
/** @import { Standing, ToRoom } from "../types/room.d.ts" */

/** The name of the mode in which the page shows a room in place of a board. */
export const ROOM_MODE = "room";

/** The id of the panel of rooms. */
export const ROOM_PANEL_ID = "rooms";

/** The state without a room. @type {Readonly<RoomState>} */
export const INITIAL_ROOM_STATE = {
  access: null,
  room: null,
  standings: null,
  ownRooms: [],
  hasLobby: false,
  connectionStatus: "off",
  refusal: null,
  connectionLimit: null,
  linkError: null,
};

/** The most games that have ended in a room without rounds that the page shows. */
const MAX_ENDED_GAMES = 30;

/** The formats whose games are paired by rounds. */
const ROUND_FORMATS = new Set(/** @type {RoomFormat[]} */ (["round-robin", "swiss"]));

/** The refusals by the close codes of the server. @type {ReadonlyMap<number, RoomRefusal>} */
const REFUSALS_BY_CLOSE_CODE = new Map([
  [1006, "unreachable"],
  [1008, "tooManyMessages"],
  [1011, "serverFailed"],
  [1012, "restarting"],
  [1013, "roomFull"],
  [4403, "noAccess"],
  [4404, "noSuchRoom"],
  [4409, "replaced"],
  [4410, "removed"],
  [4429, "addressFull"],
]);

/** The refusals by the HTTP statuses of `GET rooms/CODE`. @type {ReadonlyMap<number, RoomRefusal>} */
const REFUSALS_BY_STATUS = new Map([
  [NO_RESPONSE_STATUS, "unreachable"],
  [403, "noAccess"],
  [404, "noSuchRoom"],
  [429, "tooManyMessages"],
  [503, "restarting"],
]);

/** The refusals after which the page does not connect again by itself. */
const FINAL_ROOM_REFUSALS = new Set(
  /** @type {RoomRefusal[]} */ (["noSuchRoom", "noAccess", "removed", "replaced"]),
);

/**
 * Returns the reason why no live connection opens, from the status of a request for the same room.
 *
 * @param {number} status
 * @returns {RoomRefusal}
 */
export function refusalOfStatus(status) {
  const known = REFUSALS_BY_STATUS.get(status);
  return known ?? (status >= SERVER_ERROR_STATUS ? "serverFailed" : "noLiveConnection");
}

/**
 * Returns whether a message is the reply to a sent message. A problem may be the reply to any
 * message.
 *
 * @param {ToRoom} sent
 * @param {FromRoom} message
 */
const isReplyTo = (sent, message) =>
  message.type === "problem" ||
  (sent.type === "hello" ? message.type === "state" : message.type !== "state");

/** The protocol of the live connection to a room. */
export const ROOM_PROTOCOL = {
  isReplyTo,
  /** @param {number} code @returns {RoomRefusal} */
  refusalOfClose: (code) => REFUSALS_BY_CLOSE_CODE.get(code) ?? "unreachable",
  finalRefusals: FINAL_ROOM_REFUSALS,
};

/**
 * Returns the state after a message.
 *
 * @param {RoomState} state
 * @param {FromRoom} message
 * @returns {RoomState}
 */
export function applyRoomMessage(state, message) {
  switch (message.type) {
    case "state":
      return { ...state, room: message.state };
    case "update":
      return state.room ? { ...state, room: applyUpdate(state.room, message) } : state;
    case "pong":
    case "problem":
      return state;
  }
}

/**
 * Returns a list with the changed entries in place of those with the same key, and new ones behind.
 *
 * @template T
 * @param {readonly T[]} list
 * @param {readonly T[]} changed
 * @param {(entry: T) => unknown} keyOf
 * @returns {T[]}
 */
function merged(list, changed, keyOf) {
  const changes = new Map(changed.map((entry) => [keyOf(entry), entry]));
  const kept = list.map((entry) => changes.get(keyOf(entry)) ?? entry);
  const known = new Set(list.map(keyOf));
  return [...kept, ...changed.filter((entry) => !known.has(keyOf(entry)))];
}

/**
 * Returns the room after an update.
 *
 * @param {RoomSnapshot} room
 * @param {RoomUpdate} update
 * @returns {RoomSnapshot}
 */
function applyUpdate(room, { revision, room: head, members, games, challenges, ...update }) {
  const changed = { ...room, ...head, revision };
  return {
    ...changed,
    members: members ? merged(room.members, members, ({ number }) => number) : room.members,
    games: games ? shownGames(changed, gamesAfter(room.games, games)) : room.games,
    challenges: challenges ?? room.challenges,
    standings_revision: update.standings_revision ?? room.standings_revision,
  };
}

/**
 * Returns the games after changes; those that have ended just now are the last ones.
 *
 * @param {readonly RoomGame[]} games
 * @param {readonly RoomGame[]} changed
 */
function gamesAfter(games, changed) {
  const wasOver = new Set(games.filter(({ ending }) => ending).map(({ game }) => game));
  const all = merged(games, changed, ({ game }) => game);
  const hasEndedNow = (/** @type {RoomGame} */ { game, ending }) =>
    ending !== null && !wasOver.has(game);
  return [...all.filter((game) => !hasEndedNow(game)), ...all.filter(hasEndedNow)];
}

/**
 * Returns the games that the page shows: those of the round, or all running games and the last ones
 * that have ended.
 *
 * @param {RoomHead} room
 * @param {readonly RoomGame[]} games
 */
function shownGames(room, games) {
  if (hasRounds(room)) {
    return games.filter(({ round }) => round === room.round);
  }
  const ended = games.filter(({ ending }) => ending);
  const dropped = new Set(ended.slice(0, Math.max(ended.length - MAX_ENDED_GAMES, 0)));
  return games.filter((game) => !dropped.has(game));
}

/** Returns whether the games of a room are paired by rounds. @param {Pick<RoomHead, "format">} room */
export const hasRounds = ({ format }) => ROUND_FORMATS.has(format);

/**
 * Returns the member with a number.
 *
 * @param {Pick<RoomSnapshot, "members">} room
 * @param {number | null} number
 */
export const memberOf = ({ members }, number) =>
  members.find((member) => member.number === number) ?? null;

/**
 * Returns the name of a member, with a mark if a program plays; empty for an unknown member.
 *
 * @param {Pick<RoomSnapshot, "members">} room
 * @param {number} number
 */
export function memberName(room, number) {
  const { name = "", bot: isBot = false } = memberOf(room, number) ?? {};
  return isBot ? texts.rooms.botName(name) : name;
}

/**
 * Returns the person here as a member who has not left; `null` without such a member.
 *
 * @param {RoomSnapshot} room
 */
export function ownMember(room) {
  const own = memberOf(room, room.you.member);
  return own?.status === "active" ? own : null;
}

/**
 * Returns whether a member plays a game.
 *
 * @param {RoomGame} game
 * @param {number | null} member
 */
export const isPlayer = ({ south, north }, member) => south === member || north === member;

/**
 * Returns the running game of a member.
 *
 * @param {Pick<RoomSnapshot, "games">} room
 * @param {number | null} member
 */
export const runningGameOf = ({ games }, member) =>
  games.find((game) => game.ending === null && isPlayer(game, member)) ?? null;

/**
 * Returns the running game of the person here.
 *
 * @param {RoomSnapshot} room
 */
export const ownGame = (room) => runningGameOf(room, room.you.member);

/**
 * Returns the other player of a game.
 *
 * @param {RoomGame} game
 * @param {number | null} member
 */
export const opponentIn = ({ south, north }, member) => (south === member ? north : south);

/** Returns the number of running games. @param {Pick<RoomSnapshot, "games">} room */
export const runningCount = ({ games }) => games.filter(({ ending }) => ending === null).length;

/** Returns the number of members who have not left. @param {Pick<RoomSnapshot, "members">} room */
export const activeCount = ({ members }) =>
  members.filter(({ status }) => status === "active").length;

/**
 * Returns whether a member has a bye in the round.
 *
 * @param {RoomSnapshot} room
 * @param {number | null} member
 */
export const hasBye = ({ byes, round }, member) =>
  byes.some((bye) => bye.round === round && bye.member === member);

/**
 * The games of two members in a round.
 *
 * @typedef {{ pairing: number, first: number, second: number, games: RoomGame[] }} Pairing
 */

/**
 * Returns the pairings of the round in order, each with its games in order. The first member of a
 * pairing is South in its first game.
 *
 * @param {Pick<RoomSnapshot, "games">} room
 * @returns {Pairing[]}
 */
export function pairingsOf({ games }) {
  /** @type {Map<number, Pairing>} */
  const pairings = new Map();
  for (const game of games.toSorted((one, other) => one.leg - other.leg)) {
    const { pairing, south, north } = game;
    const known = pairings.get(pairing) ?? { pairing, first: south, second: north, games: [] };
    pairings.set(pairing, { ...known, games: [...known.games, game] });
  }
  return [...pairings.values()].toSorted((one, other) => one.pairing - other.pairing);
}

/**
 * Returns the points of a member in a game that has ended, or `null` without a result.
 *
 * @param {RoomGame} game
 * @param {number} member
 */
export function pointsIn({ ending, south }, member) {
  if (!ending || ending.winner === null) {
    return null;
  }
  if (ending.winner === "tie") {
    return 1 / 2;
  }
  return Number((ending.winner === "south") === (south === member));
}

/**
 * Returns the member who is on a side of the board now.
 *
 * @param {RoomGame} game
 * @param {"south" | "north"} side
 */
export const memberOn = ({ south, north, swapped }, side) =>
  (side === "south") === swapped ? north : south;

/**
 * Returns the seeds in the stores of the members who began as South and as North.
 *
 * @param {RoomGame} game
 * @returns {{ south: number, north: number }}
 */
export function seedsOf({ ending, position: { stores }, swapped }) {
  if (ending) {
    return ending.seeds;
  }
  return swapped ? { south: stores.north, north: stores.south } : stores;
}

/**
 * Returns the row of a member in the standings.
 *
 * @param {Pick<RoomState, "standings">} state
 * @param {number | null} member
 * @returns {Standing | null}
 */
export const standingOf = ({ standings }, member) =>
  standings?.standings.find((row) => row.member === member) ?? null;

/**
 * Returns whether a member may be challenged by the person here.
 *
 * @param {RoomSnapshot} room
 * @param {Member} member
 */
export const canChallenge = (room, { number, status }) =>
  mayChallenge(room) && status === "active" && number !== room.you.member;

/**
 * Returns whether the person here may challenge others.
 *
 * @param {RoomSnapshot} room
 */
export const mayChallenge = (room) =>
  !hasRounds(room) &&
  !room.closed &&
  ownMember(room) !== null &&
  ownGame(room) === null &&
  !room.challenges.some(({ from }) => from === room.you.member);

/**
 * Returns whether a game that has just begun may take the place of the board: the person is in the room,
 * or has a game of it on the board that is over.
 *
 * @param {{ mode: string, friendMode: string, roomOfBoard: string | null, isOver: boolean,
 *   code: string }} page the mode of the page, the room of the game on the board, whether that game
 *   is over, and the open room
 */
export const mayOpenGame = ({ mode, friendMode, roomOfBoard, isOver, code }) =>
  mode === ROOM_MODE || (mode === friendMode && roomOfBoard === code && isOver);
