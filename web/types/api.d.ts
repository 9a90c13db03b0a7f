// What the page asks, and what it is answered: the types of crate kalah-api.

export type Side = "south" | "north";

/** Something for each side. */
export interface BySide<T> {
  south: T;
  north: T;
}

/** A house's letter, capital for South's and small for North's; or a store. */
export type Pit = string;

/** What a player chooses: a house's letter, or `swap`. */
export type Move = string;

/** A playable position; swept when the game is over. */
export interface Position {
  rules: string;
  position: string;
  houses: number;
  side: Side;
  stores: BySide<number>;
  /** In the owner's sowing order. */
  rows: BySide<number[]>;
  /** Legal ones in order; none when the game is over. */
  moves: Move[];
  over: boolean;
}

export interface Capture {
  house: Pit;
  from: Pit;
  seeds: number;
}

/** What a move did. */
export interface MoveResult {
  move: Move;
  side: Side;
  /** The two people exchanged seats: no seed moved, and the path is empty. */
  swapped: boolean;
  /** How many seeds were sown. */
  seeds: number;
  /** The pit that each seed fell into, one after another; of very many seeds, the first. */
  path: Pit[];
  effect: null | "turn-passes" | "bonus-turn" | "capture";
  capture: null | Capture;
  /** Seeds that each side swept, if the game ended. */
  swept: null | BySide<number>;
  after: Position;
}

export interface Bounds {
  lower: number;
  upper: number;
  exact: boolean;
}

/** What each move is worth: margins for the player to move. */
export interface Analysis extends Bounds {
  position: string;
  rules: string;
  side: Side;
  /** What is expected; proven if `exact`. */
  margin: number;
  best: Move | null;
  moves: ({ move: Move } & Bounds)[];
  /** The plies to expect. */
  line: Move[];
  nodes: number;
  depth: number;
  seconds: number;
}

/** A ply of a game with variations. Plies stand in a flat list, each after its parent; the first of the plies with one
 * parent is the main one. */
export interface Ply {
  /** The place of the ply before it in the list; none for a first ply. */
  parent: number | null;
  sown: MoveResult;
  comments: string[];
}

/** A game that was read. */
export interface Game {
  tags: [string, string][];
  start: Position;
  /** Before the first ply. */
  comments: string[];
  plies: Ply[];
  termination: string;
  winner: Side | null;
}

/** What `write` is told of a ply. */
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

/** Every question by its name: what is asked, and what is answered. */
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
  /** For an engine of the page's own, which then has an endgame table of so many seeds. */
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

/** Why a question was not answered (RFC 9457). */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
}
