/**
 * Rooms for tests.
 *
 * @import { Member, RoomGame, RoomSnapshot } from "../../../types/room.d.ts"
 */

/** @param {number} number @param {Partial<Member>} [values] @returns {Member} */
export const member = (number, values = {}) => ({
  number,
  name: `Member ${number}`,
  bot: false,
  status: "active",
  connected: true,
  ...values,
});

/**
 * Returns a game that South has to begin.
 *
 * @param {string} id
 * @param {Partial<RoomGame>} [values]
 * @returns {RoomGame}
 */
export const game = (id, values = {}) => ({
  game: id,
  round: 1,
  pairing: 1,
  leg: 1,
  south: 1,
  north: 2,
  plies: 0,
  to_move: "south",
  swapped: false,
  position: {
    rows: { south: [1, 2], north: [3, 4] },
    stores: { south: 5, north: 7 },
  },
  clock: null,
  ending: null,
  ...values,
});

/** An ending that the member has won who began as South. @type {NonNullable<RoomGame["ending"]>} */
export const SOUTH_WINS = {
  termination: "normal",
  winner: "south",
  seeds: { south: 13, north: 9 },
};

/**
 * Returns a Swiss room of four members in its first round, seen by the first member.
 *
 * @param {Partial<RoomSnapshot>} [values]
 * @returns {RoomSnapshot}
 */
export const room = (values = {}) => ({
  code: "ABCDEF",
  name: "Class",
  rules: "standard",
  start: "<2,0,0,3,3,3,3> south",
  clock: null,
  format: "swiss",
  games_per_pairing: 1,
  opening_plies: 0,
  engine_help: false,
  is_lobby: false,
  round: 1,
  paused: false,
  closed: false,
  revision: 1,
  next_round: "running-games",
  members: [1, 2, 3, 4].map((number) => member(number)),
  games: [game("A"), game("B", { pairing: 2, south: 3, north: 4 })],
  byes: [],
  challenges: [],
  standings_revision: 0,
  you: { member: 1, leader: false },
  ...values,
});
