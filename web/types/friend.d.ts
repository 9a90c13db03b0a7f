/** A game with a friend over the server: what the two ends tell each other, and what the page knows of it. */

import type { Move, Position, Problem, Side, MoveResult } from "./api.d.ts";

/** A clock at the moment at which it is told of, in milliseconds. */
export type Clock = {
  initial_ms: number;
  increment_ms: number;
  south_ms: number;
  north_ms: number;
  running: Side | null;
};

/** How a game with a friend stands. */
export type GameSnapshot = {
  game: string;
  rules: string;
  start: string;
  plies: Move[];
  position: Position;
  side_to_move: Side;
  /** Where the one who asks sits; `null` for who watches. */
  you: Side | null;
  clock: Clock | null;
  over: null | { termination: string; winner: Side | null };
  rematch: { offered_by: Side | null; game: string | null };
  connected: { south: boolean; north: boolean };
};

/** Answer to `POST games`. */
export type CreatedGame = {
  game: string;
  side: Side;
  token: string;
  friend_token: string;
  state: GameSnapshot;
};

export type FromServer =
  | { type: "state"; state: GameSnapshot }
  | { type: "sown"; ply: number; sown: MoveResult; clock?: Clock }
  | { type: "problem"; problem: Problem & { state?: GameSnapshot }; ply?: number };

export type ToServer =
  | { type: "hello"; token?: string; since?: number }
  | { type: "sow"; ply: number; move: Move }
  | { type: "resign" }
  | { type: "rematch" };

/** Which game, and the right to sow in it; without a token one watches. */
export type GameAccess = { game: string; token: string | null };

/** A seat that the browser keeps, with the friend's right until the friend has come. */
export type StoredAccess = { game: string; token: string; friendToken: string | null };

/**
 * What may come of a game: it is `open`, or after its end another one is `asked` for by the friend, `awaited` because it
 * was asked for here, or has begun as the `next`; or nothing does and it is `over`.
 */
export type GamePhase =
  "open" | "rematch-offered" | "rematch-requested" | "rematch-started" | "over";

/**
 * Whether the server is heard: `waiting` until the next try, `gone` for good, because there is no such game or no such
 * right.
 */
export type ConnectionStatus = "off" | "connecting" | "connected" | "retrying" | "denied";

/** What the page knows of its game with a friend; a value that is never changed. */
export type FriendState = {
  /** `null` where no such game is on. */
  access: GameAccess | null;
  /** The friend's right, where the game was made in this browser and the friend has not come: for the link to send. */
  friendToken: string | null;
  /** A seat that was left, to come back to: its game is not over, or the friend would like another one. */
  leftGame: (GameAccess & { phase: "open" | "rematch-offered" }) | null;
  snapshot: GameSnapshot | null;
  /** When the standing's clock was told, by the page's own clock, in milliseconds. */
  clockReceivedAt: number;
  connectionStatus: Exclude<ConnectionStatus, "denied">;
  /** The sowing that was sent and not answered. */
  pending: null | { ply: number; move: Move };
  /** What the server refused or why the game is gone, in words. */
  error: string | null;
};
