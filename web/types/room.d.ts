/** Types of rooms: the messages between page and server, and the page's state. */

import type { Position, ProblemDetails, Side } from "./api.d.ts";
import type { Clock, ConnectionStatus } from "./friend.d.ts";

/** How the games of a room are paired. */
export type RoomFormat = "free" | "round-robin" | "swiss" | "ladder";

/** Whether the next round can start, and why not; `null` in formats without rounds. */
export type NextRound = null | "ready" | "running-games" | "too-few-members" | "all-met";

/** The values of a room without its people and games. */
export type RoomHead = {
  code: string;
  name: string;
  rules: string;
  /** The start of the games, as text. */
  start: string;
  clock: null | { initial_ms: number; increment_ms: number };
  format: RoomFormat;
  games_per_pairing: number;
  /** The plies of the drawn openings that both games of a pairing begin with. */
  opening_plies: number;
  engine_help: boolean;
  is_lobby: boolean;
  /** The round that has begun last; 0 before the first one. */
  round: number;
  paused: boolean;
  closed: boolean;
  revision: number;
  next_round: NextRound;
};

/** A person who has entered a room. */
export type Member = {
  /** The number of the member, from 1. */
  number: number;
  name: string;
  /** Whether a program plays. */
  bot: boolean;
  status: "active" | "left" | "removed";
  connected: boolean;
};

/** A result by the sides on which the members began; `null` for a voided game. */
export type RoomWinner = Side | "tie" | null;

/** A game of a room. */
export type RoomGame = {
  game: string;
  /** 0 in formats without rounds. */
  round: number;
  /** The number of the pairing in its round, from 1. */
  pairing: number;
  leg: number;
  /** The members by the sides on which they began. */
  south: number;
  north: number;
  plies: number;
  to_move: Side | null;
  /** Whether the members have exchanged their sides. */
  swapped: boolean;
  /** The position, by the sides now. */
  position: Pick<Position, "rows" | "stores">;
  clock: Clock | null;
  ending: null | {
    termination: string;
    winner: RoomWinner;
    seeds: { south: number; north: number };
  };
};

/** A challenge of a member to another one, or to all. */
export type Challenge = { from: number; to: number | null };

/** The state of a room in a message of the server. */
export type RoomSnapshot = RoomHead & {
  members: Member[];
  games: RoomGame[];
  byes: { round: number; member: number }[];
  challenges: Challenge[];
  standings_revision: number;
  you: { member: number | null; leader: boolean };
};

/** A row of the standings. */
export type Standing = {
  rank: number;
  member: number;
  points: number;
  games: number;
  wins: number;
  ties: number;
  losses: number;
  byes: number;
  buchholz: number;
  sonneborn_berger: number;
  /** In Elo, relative to the mean of the room. */
  rating: null | { value: number; error: number | null };
};

/** The response to `GET rooms/CODE/standings`. */
export type Standings = { revision: number; standings: Standing[] };

/** A change of a room. An entry replaces the one with the same number or game. */
export type RoomUpdate = {
  type: "update";
  revision: number;
  room?: RoomHead;
  members?: Member[];
  games?: RoomGame[];
  challenges?: Challenge[];
  standings_revision?: number;
};

export type FromRoom =
  | { type: "state"; state: RoomSnapshot }
  | RoomUpdate
  | { type: "pong" }
  | { type: "problem"; problem: ProblemDetails };

export type ToRoom =
  { type: "hello"; token?: string; leader?: string; boards?: boolean } | { type: "ping" };

/** The commands of the leader and of members. */
export type RoomCommand =
  | { command: "start-round"; void_running: boolean }
  | { command: "pause" | "resume" | "close" | "leave" | "withdraw-challenge" }
  | { command: "end-game"; game: string; result: Side | "tie" | "void" }
  | { command: "rename"; member: number; name: string }
  | { command: "remove"; member: number }
  | { command: "set-name"; name: string }
  | { command: "challenge"; to: number | null }
  | { command: "accept-challenge" | "decline-challenge"; from: number };

/** The options of a new room, the body of `POST rooms`. */
export type RoomOptions = {
  name: string;
  rules: string;
  position: string;
  clock?: { initial: string; increment: string };
  format: RoomFormat;
  games_per_pairing: number;
  opening_plies: number;
  engine_help: boolean;
};

/**
 * The access to a room that the browser stores. The token of a member is that of the member's games
 * too. While `isEntering` it is not known whether the server has accepted the token.
 */
export type RoomAccess = {
  code: string;
  /** The name of the room. */
  name: string;
  token: string | null;
  leader: string | null;
  isEntering: boolean;
};

/** The reason why there is no connection. The texts are `texts.rooms.refusals`. */
export type RoomRefusal =
  | "noSuchRoom"
  | "noAccess"
  | "removed"
  | "replaced"
  | "roomFull"
  | "addressFull"
  | "tooManyMessages"
  | "restarting"
  | "serverFailed"
  | "noLiveConnection"
  | "unreachable";

/** The page's state of its room, an immutable value. */
export type RoomState = {
  /** The access to the open room; `null` if no room is open. */
  access: RoomAccess | null;
  room: RoomSnapshot | null;
  standings: Standings | null;
  /** The rooms to which the person can return. */
  ownRooms: readonly RoomAccess[];
  hasLobby: boolean;
  connectionStatus: ConnectionStatus;
  refusal: RoomRefusal | null;
  connectionLimit: number | null;
  /** The reason why the link of a room cannot be read. */
  linkError: string | null;
};
