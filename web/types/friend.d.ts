/** Types of games with friends: the messages between page and server, and the page's state. */

import type { Move, Position, ProblemDetails, Side, MoveResult } from "./api.d.ts";

/** The times of a player's clock, in milliseconds. */
export type ClockTimes = { initial_ms: number; increment_ms: number };

/** A clock at the time of a message, in milliseconds. */
export type Clock = {
  times: { south: ClockTimes; north: ClockTimes };
  /** Whether each move has the initial time. */
  by_correspondence: boolean;
  south_ms: number;
  north_ms: number;
  running: Side | null;
  /** The time left for the first move of the running side, before that move. */
  first_move_ms: number | null;
};

/** The room of a game, with what it allows the players. */
export type RoomOfGame = { code: string; name: string; engine_help: boolean; takebacks: boolean };

/** The state of a game with a friend in a message of the server. */
export type GameSnapshot = {
  game: string;
  rules: string;
  start: string;
  plies: Move[];
  position: Position;
  to_move: Side;
  /** The side of the player who receives the message; `null` for a spectator. */
  you: Side | null;
  /** The names that the players gave themselves, by their sides now. */
  names: { south: string | null; north: string | null };
  /** The side whose seat is free, before the second player has joined. */
  free_seat: Side | null;
  /** Whether spectators may see scores during the game. */
  spectator_scores: boolean;
  /** Whether neither, one or both players let the game count in the statistics of the server. */
  statistics: "none" | "offered" | "agreed";
  clock: Clock | null;
  ending: null | { termination: string; winner: Side | null };
  takeback: { offered_by: Side | null; declined_by: Side | null; plies_left: number | null };
  rematch: { offered_by: Side | null; declined_by: Side | null; game: string | null };
  connected: { south: boolean; north: boolean };
  /** The room whose members play the game; `null` for a game of two friends. */
  room: RoomOfGame | null;
  /** Whether the leader of the room has stopped the game for now. */
  paused: boolean;
};

/** The response to `POST games`. */
export type CreatedGame = {
  game: string;
  side: Side;
  token: string;
  state: GameSnapshot;
};

export type FromServer =
  | { type: "state"; state: GameSnapshot }
  | { type: "move"; ply: number; result: MoveResult; clock?: Clock }
  /** The reply to a ping, with the number of plies of its clock. */
  | { type: "pong"; plies?: number; clock?: Clock }
  | { type: "phrase"; side: Side; phrase: Phrase }
  | { type: "problem"; problem: ProblemDetails & { state?: GameSnapshot }; ply?: number };

export type ToServer =
  | { type: "hello"; token?: string; since?: number }
  | { type: "move"; ply: number; move: Move }
  | { type: "resign" }
  | { type: "ping" }
  | { type: "phrase"; phrase: Phrase }
  | { type: "takeback" | "rematch"; action: OfferAction };

/** The action of a player on an offer. */
export type OfferAction = "offer" | "accept" | "decline" | "withdraw";

/** A phrase of a player to the other one. The texts are `texts.friends.phrases`. */
export type Phrase =
  "hello" | "good-luck" | "nice-move" | "oops" | "one-moment" | "thanks" | "good-game" | "goodbye";

/** A game and the token that allows moves in it; a spectator has no token. */
export type GameAccess = { game: string; token: string | null };

/** A game and the token of the player here, which the browser stores. */
export type OwnAccess = GameAccess & { token: string };

/**
 * Access that the browser stores. While `isJoining` it is not known whether the server has given the
 * free seat to the token. `hasSeenEnd` tells whether the player has seen the end of the game.
 */
export type StoredAccess = OwnAccess & { isJoining: boolean; hasSeenEnd: boolean };

/** The values of a game that the list of the own games shows. */
export type GameSummary = Pick<
  GameSnapshot,
  | "game"
  | "rules"
  | "start"
  | "to_move"
  | "you"
  | "names"
  | "free_seat"
  | "clock"
  | "ending"
  | "takeback"
  | "rematch"
  | "room"
> & { plies: number };

/**
 * A game of the player here that is not over, whose end the player has not seen, or whose friend has
 * offered a rematch.
 */
export type OwnGame = { access: OwnAccess; summary: GameSummary };

/**
 * The phase of a game. After its end, the friend may have offered a rematch (`rematch-offered`),
 * the player here may have requested one (`rematch-requested`), which the friend may have declined
 * (`rematch-declined`), or it has started (`rematch-started`).
 */
export type GamePhase =
  | "open"
  | "rematch-offered"
  | "rematch-requested"
  | "rematch-declined"
  | "rematch-started"
  | "over";

/**
 * The state of the connection. It is `retrying` until the next attempt. It is `denied` if the game
 * does not exist or the token is wrong; then the page stops trying.
 */
export type ConnectionStatus = "off" | "connecting" | "connected" | "retrying" | "denied";

/** The reason why there is no connection. The texts are `texts.friends.refusals`. */
export type Refusal =
  | "noSuchGame"
  | "noAccess"
  | "replaced"
  | "gameFull"
  | "addressFull"
  | "tooManyMessages"
  | "restarting"
  | "serverFailed"
  | "noLiveConnection"
  | "unreachable";

/** The page's state of its game with a friend, an immutable value. */
export type FriendState = {
  /** `null` if no game with a friend is open. */
  access: GameAccess | null;
  /** The games to which the player can return, also that on the board. */
  ownGames: readonly OwnGame[];
  snapshot: GameSnapshot | null;
  /** The time of `performance.now()` when the snapshot's clock arrived, in milliseconds. */
  clockReceivedAt: number;
  connectionStatus: ConnectionStatus;
  /** The reason of the last failed attempt to connect; `null` after a connection. */
  refusal: Refusal | null;
  /** The live connections that the server allows, if it closed one connection too many. */
  connectionLimit: number | null;
  /** The move that the page sent and the server has not confirmed. */
  pending: null | { ply: number; move: Move };
  /** The last phrase that a player said; each one is another object. */
  said: null | { side: Side; phrase: Phrase };
  /** The reason why the link cannot be read, while no game with a friend is open. */
  linkError: string | null;
  /** The reason why the server refused a message. */
  error: string | null;
};
