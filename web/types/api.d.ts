// Requests and responses of the API: the types of crate kalah-api. The API's JSON has `choice` and
// `choices` where these types have `move` and `moves`: `engine/json.js` translates them.

export type Side = "south" | "north";

/** A value for each side. */
export interface BySide<T> {
  south: T;
  north: T;
}

/**
 * A house's letter, upper case for South and lower case for North; or a side's name for its store.
 */
export type Pit = string;

/** A move: a house's letter, or `swap`. */
export type Move = string;

/** A playable position. The rows are swept if the game is over. */
export interface Position {
  rules: string;
  position: string;
  houses: number;
  side: Side;
  stores: BySide<number>;
  /** Seeds of the houses in the owner's sowing order. */
  rows: BySide<number[]>;
  /** The legal moves in order; empty if the game is over. */
  moves: Move[];
  over: boolean;
}

export interface Capture {
  house: Pit;
  from: Pit;
  seeds: number;
}

/** The result of a move. */
export interface MoveResult {
  move: Move;
  side: Side;
  /**
   * Whether the move was a swap: the players exchanged sides, no seed moved, and the path is empty.
   */
  swapped: boolean;
  /** The number of seeds sown. */
  seeds: number;
  /** The pit of each seed in order; for a very large number of seeds, the first pits. */
  path: Pit[];
  effect: null | "turn-passes" | "bonus-turn" | "capture";
  capture: null | Capture;
  /** The seeds that each side swept, if the game ended. */
  swept: null | BySide<number>;
  after: Position;
}

export interface Bounds {
  lower: number;
  upper: number;
  exact: boolean;
}

/** An analysis of a position. All margins are those of the player to move. */
export interface Analysis extends Bounds {
  position: string;
  rules: string;
  side: Side;
  /** The expected margin; proven if `exact`. */
  margin: number;
  best: Move | null;
  moves: ({ move: Move } & Bounds)[];
  /** The expected plies. */
  line: Move[];
  nodes: number;
  depth: number;
  seconds: number;
}

/**
 * A ply of a game with variations. Plies are a flat list in which each ply follows its parent. The
 * first of several plies with one parent is the main line.
 */
export interface Ply {
  /** The index of the previous ply in the list; `null` for a first ply. */
  parent: number | null;
  sown: MoveResult;
  comments: string[];
}

/** A game from a record. */
export interface Game {
  tags: [string, string][];
  start: Position;
  /** Comments before the first ply. */
  comments: string[];
  plies: Ply[];
  termination: string;
  winner: Side | null;
}

/** A ply in a request to `write`. */
export interface PlyToWrite {
  parent: number | null;
  move: Move;
  comments?: string[];
}

export interface Preset {
  name: string;
  sentence: string;
  played_by: string;
  swap: boolean;
  default: boolean;
  phrases: string[];
}

interface AtPosition {
  rules?: string;
  position?: string;
}

/** The requests and responses of the endpoints. */
export interface Endpoints {
  rules: { request: Record<string, never>; response: Preset[] };
  position: { request: AtPosition; response: Position };
  sow: { request: AtPosition & { move: Move }; response: MoveResult };
  play: {
    request: AtPosition & { moves: Move[] };
    response: { start: Position; plies: MoveResult[] };
  };
  analyse: { request: AtPosition & { time?: string; moves?: "best" | "all" }; response: Analysis };
  choose: {
    request: AtPosition & { opponent: string; seed?: number; time?: string };
    response: { move: Move; proven: Bounds | null; best: boolean };
  };
  /** Builds an endgame table with `seeds` seeds; only the engine in a worker has this endpoint. */
  prepare: { request: AtPosition & { time?: string }; response: { seeds: number } };
  read: { request: { text: string }; response: { games: Game[] } };
  write: {
    request: AtPosition & {
      tags?: [string, string][];
      comments?: string[];
      plies: PlyToWrite[];
      termination?: string;
      winner?: Side;
    };
    response: { text: string };
  };
}

/** A problem document (RFC 9457). */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
}
