/** A game with a friend over the server: what the two ends tell each other, and what the page knows of it. */

import type { Choice, Position, Problem, Side, Sown } from "./api.d.ts";

/** A clock at the moment at which it is told of, in milliseconds. */
export type Clock = {
  initial_ms: number;
  increment_ms: number;
  south_ms: number;
  north_ms: number;
  running: Side | null;
};

/** How a game with a friend stands. */
export type Standing = {
  game: string;
  rules: string;
  start: string;
  plies: Choice[];
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
export type Made = { game: string; side: Side; token: string; friend_token: string; state: Standing };

export type FromServer =
  | { type: "state"; state: Standing }
  | { type: "sown"; ply: number; sown: Sown; clock?: Clock }
  | { type: "problem"; problem: Problem & { state?: Standing }; ply?: number };

export type ToServer =
  | { type: "hello"; token?: string; since?: number }
  | { type: "sow"; ply: number; choice: Choice }
  | { type: "resign" }
  | { type: "rematch" };

/** Which game, and the right to sow in it; without a token one watches. */
export type Seat = { game: string; token: string | null };

/** A seat that the browser keeps, with the friend's right until the friend has come. */
export type KeptSeat = { game: string; token: string; friendToken: string | null };

/**
 * What may come of a game: it is `open`, or after its end another one is `asked` for by the friend, `awaited` because it
 * was asked for here, or has begun as the `next`; or nothing does and it is `over`.
 */
export type Prospect = "open" | "asked" | "awaited" | "next" | "over";

/**
 * Whether the server is heard: `waiting` until the next try, `gone` for good, because there is no such game or no such
 * right.
 */
export type Contact = "off" | "connecting" | "live" | "waiting" | "gone";

/** What the page knows of its game with a friend; a value that is never changed. */
export type FriendState = {
  /** `null` where no such game is on. */
  seat: Seat | null;
  /** The friend's right, where the game was made in this browser and the friend has not come: for the link to send. */
  friendToken: string | null;
  /** A seat that was left, to come back to: its game is not over, or the friend would like another one. */
  waits: (Seat & { prospect: "open" | "asked" }) | null;
  standing: Standing | null;
  /** When the standing's clock was told, by the page's own clock, in milliseconds. */
  clockAt: number;
  contact: Exclude<Contact, "gone">;
  /** The sowing that was sent and not answered. */
  pending: null | { ply: number; choice: Choice };
  /** What the server refused or why the game is gone, in words. */
  trouble: string | null;
};
