<<<<<<< HEAD
/**
 * The questions that the page asks and the shape of their answers: what crates/kalah-api speaks, over
 * HTTP (`POST /api/v1/QUESTION`) and from the worker alike.
 *
 * Texts are those of the whole project: rules `cs32`, a position `6x4` or `<6,0,0,4,...> s`, a choice
 * `C`, `c` or `swap`, a pit a house's letter or its store's side.
 */

export type Side = "south" | "north";

/** A house's letter (South's are capitals), or the side that owns a store. */
export type Pit = string;

/** A house's letter, or `swap`. */
export type Choice = string;

/** A number for each side. */
export type Both = { south: number; north: number };

export type Position = {
  /** The rules, as canonical text. */
  rules: string;
  /** The position, as canonical text. */
  position: string;
  /** Houses a side. */
  houses: number;
  /** Who is to move. */
  side: Side;
  stores: Both;
  /** Seeds in each house, rows in their owner's sowing order. */
  rows: { south: number[]; north: number[] };
  /** The legal choices in order; none when the game is over. */
  choices: Choice[];
  /** Whether the game is over, and the position swept. */
  over: boolean;
};

export type Effect = "turn-passes" | "bonus-turn" | "capture";

export type Capture = {
  house: Pit;
  /** The opposite house. */
  from: Pit;
  /** All seeds that went to the store. */
  seeds: number;
};

/** One ply and what came of it. */
export type Sown = {
  choice: Choice;
  side: Side;
  /** The two people exchanged seats and nothing moved: no path, no effect. */
  swapped: boolean;
  /** The pit that each seed fell into, one after another. */
  path: Pit[];
  effect: null | Effect;
  capture: null | Capture;
  /** What each store got from its own row, if the game ended with this ply. */
  swept: null | Both;
  after: Position;
};

export type Bounds = { lower: number; upper: number; exact: boolean };

/** Margins are those of the player to move. */
export type Analysis = Bounds & {
  position: string;
  rules: string;
  side: Side;
  /** What to expect; proven if `exact`. */
=======
// What the page asks, and what it is answered: the types of crate kalah-api, which README.md beside that
// crate's sources explains.

export type Side = "south" | "north";

/** Something for each side. */
export interface BySide<T> { south: T; north: T }

/** A house's letter, capital for South's and small for North's; or a store. */
export type Pit = string;

/** What a player chooses: a house's letter, or `swap`. */
export type Choice = string;

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
  choices: Choice[];
  over: boolean;
}

export interface Capture { house: Pit; from: Pit; seeds: number }

/** What a choice did. */
export interface Sown {
  choice: Choice;
  side: Side;
  /** The two people exchanged seats: no seed moved, and the path is empty. */
  swapped: boolean;
  /** The pit that each seed fell into, one after another. */
  path: Pit[];
  effect: null | "turn-passes" | "bonus-turn" | "capture";
  capture: null | Capture;
  /** Seeds that each side swept, if the game ended. */
  swept: null | BySide<number>;
  after: Position;
}

export interface Bounds { lower: number; upper: number; exact: boolean }

/** What each choice is worth: margins for the player to move. */
export interface Analysis extends Bounds {
  position: string;
  rules: string;
  side: Side;
  /** What is expected; proven if `exact`. */
>>>>>>> browser
  margin: number;
  best: Choice | null;
  moves: ({ choice: Choice } & Bounds)[];
  /** The plies to expect. */
  line: Choice[];
  nodes: number;
  depth: number;
  seconds: number;
<<<<<<< HEAD
};

/** A ply of a game tree; its first child is the main line. */
export type Node = { sown: Sown; comments: string[]; children: Node[] };

export type Game = {
  tags: [string, string][];
  start: Position;
  comments: string[];
  children: Node[];
  /** How the game ended: `normal`, `resign`, ..., `unfinished`. */
  termination: string;
  winner: Side | null;
};

/** A ply of a game tree as `write` is given it. */
export type Branch = { choice: Choice; comments?: string[]; children?: Branch[] };

export type Preset = {
  name: string;
  /** The rules in a sentence for players. */
  sentence: string;
  /** Where they are played. */
  played_by: string;
  /** Whether the second player may exchange sides. */
  swap: boolean;
  default: boolean;
  phrases: string[];
};

/** `level:1` to `level:10`, or `perfect`. */
export type Opponent = string;

/** Rules and position of a question, `cs32` and `6x4` where they are left out. */
export type At = { rules?: string; position?: string };

/** Each question with its body and its answer. */
export type Questions = {
  rules: { body: undefined; answer: Preset[] };
  position: { body: At; answer: Position };
  sow: { body: At & { choice: Choice }; answer: Sown };
  analyse: { body: At & { time?: string; moves?: "best" | "all" }; answer: Analysis };
  choose: {
    body: At & { opponent: Opponent; seed?: number; time?: string };
    answer: { choice: Choice; proven: Bounds | null };
  };
  read: { body: { text: string }; answer: { games: Game[] } };
  write: {
    body: At & {
      tags?: [string, string][];
      comments?: string[];
      children: Branch[];
=======
}

/** A ply of a game with variations. Plies stand in a flat list, each after its parent; the first of the plies with one
 * parent is the main one. */
export interface Ply {
  /** The place of the ply before it in the list; none for a first ply. */
  parent: number | null;
  sown: Sown;
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
export interface PlyToWrite { parent: number | null; choice: Choice; comments?: string[] }

export interface Preset {
  name: string;
  sentence: string;
  played_by: string;
  swap: boolean;
  default: boolean;
  phrases: string[];
}

interface AtPosition { rules?: string; position?: string }

/** Every question by its name: what is asked, and what is answered. */
export interface Questions {
  rules: { ask: Record<string, never>; answer: Preset[] };
  position: { ask: AtPosition; answer: Position };
  sow: { ask: AtPosition & { choice: Choice }; answer: Sown };
  play: { ask: AtPosition & { choices: Choice[] }; answer: { start: Position; plies: Sown[] } };
  analyse: { ask: AtPosition & { time?: string; moves?: "best" | "all" }; answer: Analysis };
  choose: {
    ask: AtPosition & { opponent: string; seed?: number; time?: string };
    answer: { choice: Choice; proven: Bounds | null };
  };
  read: { ask: { text: string }; answer: { games: Game[] } };
  write: {
    ask: AtPosition & {
      tags?: [string, string][];
      comments?: string[];
      plies: PlyToWrite[];
>>>>>>> browser
      termination?: string;
      winner?: Side;
    };
    answer: { text: string };
  };
<<<<<<< HEAD
  play: { body: At & { choices: Choice[] }; answer: { start: Position; plies: Sown[] } };
};

export type Question = keyof Questions;

/** Why a question has no answer (RFC 9457). */
export type Problem = {
  type: string;
  title: string;
  status: number;
  detail?: string;
  /** The current state, where a ply came late (409). */
  state?: unknown;
};

/** What `engine.js` makes: the one door to rules and engine. */
export type Engine = {
  /** Which of the two implementations it is. */
  kind: "server" | "worker";
  /**
   * Puts a question. It fails with an `EngineError`, or with an `AbortError` once `signal` is aborted,
   * and then the work behind it stops too.
   */
  ask<Q extends Question>(
    question: Q,
    body: Questions[Q]["body"],
    signal?: AbortSignal,
  ): Promise<Questions[Q]["answer"]>;
};
=======
}

/** Why a question was not answered (RFC 9457). */
export interface Problem { type: string; title: string; status: number; detail: string }
>>>>>>> browser
