// Requests and responses of the API: the types of crate kalah-api.

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
  to_move: Side;
  stores: BySide<number>;
  /** Seeds of the houses in the owner's sowing order. */
  rows: BySide<number[]>;
  /** The legal moves in order; empty if the game is over. */
  legal_moves: Move[];
  is_over: boolean;
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
  is_swap: boolean;
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

/** A move of an analysis. */
export interface AnalyzedMove extends Bounds {
  move: Move;
  /** The expected margin, within the bounds; proven if `exact`. */
  estimate: number;
  /** The depth of the search behind the estimate, in turns; 0 for the static evaluation. */
  depth: number;
  /** The expected plies from this move on, if the request asked for them. */
  line?: Move[];
}

/**
 * An analysis of a position, or a snapshot of it while it runs. All margins are those of the player
 * to move.
 */
export interface Analysis extends Bounds {
  position: string;
  rules: string;
  to_move: Side;
  /** The expected margin; proven if `exact`. */
  margin: number;
  best: Move | null;
  /** Whether it is proven that no other move gains more than `best`. */
  is_best_proven: boolean;
  moves: AnalyzedMove[];
  /** The expected plies. */
  line: Move[];
  /** The number of positions searched, and how many of them in a second. */
  nodes: number;
  nodes_per_second: number;
  table_hits: number;
  /** The depth of the last completed iteration, in turns. */
  depth: number;
  seconds: number;
}

/** The place of an analysis that waits for an engine. */
export interface QueuePlace {
  /** The number of waiting requests that start earlier, plus 1. */
  place: number;
  expected_seconds: number;
}

/** The part of an analysis that a review needs. */
export interface AnalysisToReview {
  margin: number;
  lower: number;
  upper: number;
  moves: { move: Move; lower: number; upper: number }[];
}

/** An expected margin with its proven bounds. */
export interface Margin extends Bounds {
  margin: number;
}

/** The result of a game for a player. */
export type GameValue = "win" | "tie" | "loss";

/**
 * The grade of a move that is proven to cost points or seeds: `?!`, `?` or `??`. A win is worth a
 * point and a tie half a point. An inaccuracy costs at least 4 seeds; a mistake half a point, or at
 * least 8 seeds; a blunder a point, or half a point and at least 8 seeds.
 */
export type MoveGrade = "inaccuracy" | "mistake" | "blunder";

/** A ply of a reviewed game. Margins are those of the player who started as South. */
export interface ReviewedPly {
  /** The number of the ply, from 1. */
  ply: number;
  turn: number;
  side: Side;
  /** The player who moved, by the side at the start. */
  player: Side;
  move: Move;
  /** The margin before the ply; `null` if the position is not analyzed. */
  before: Margin | null;
  /** The margin after the ply; `null` if the position is not analyzed. */
  after: Margin | null;
  /** The margin of the best move minus that of this move. */
  cost: Bounds;
  /** The margin of the best move minus that of the worst; `null` unless all are proven. */
  stake: number | null;
  /** The grade of the move; `null` for a good move, and if the cost is not proven. */
  grade: MoveGrade | null;
  /** The best moves, if this move is proven to be worse. */
  better_moves: Move[];
  /** The proven change of the result for the player who moved. */
  value_change: { from: GameValue; to: GameValue } | null;
}

/** A player's accuracy over the plies that count; `null` percent if nothing was at stake. */
export interface Accuracy {
  percent: number | null;
  plies: number;
  cost: number;
  stake: number;
}

/** The review of a game. */
export interface Review {
  /** The margin before the first ply for the player who started as South. */
  start_margin: Margin | null;
  plies: ReviewedPly[];
  /** The accuracy of each player, by the side at the start. */
  accuracy: BySide<Accuracy>;
  /** The number of moves of each grade of each player, by the side at the start. */
  grades: BySide<Record<MoveGrade, number>>;
  /** The number of plies without a proven cost. */
  unproven: number;
}

/**
 * A position in which one move wins, or saves a tie, and no other move does. The margin is that of
 * the solution for the side to move.
 */
export interface Puzzle extends Margin {
  position: string;
  rules: string;
  to_move: Side;
  /** The result that only the solution reaches. */
  value: "win" | "tie";
  solution: Move;
  /** The computed difficulty, from 800 to 2400. */
  rating: number;
  /** The turns that a search has to look ahead to find the solution. */
  depth: number;
  moves: ({ move: Move } & Bounds)[];
  /** The solution and best play after it, to the end of the game if the proofs reach it. */
  line: Move[];
}

/**
 * A ply of a game with variations. Plies are a flat list in which each ply follows its parent. The
 * first of several plies with one parent is the main line.
 */
export interface Ply {
  /** The index of the previous ply in the list; `null` for a first ply. */
  parent: number | null;
  result: MoveResult;
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
  summary: string;
  played_by: string;
  ends: string;
  capture: string;
  swap: boolean;
  first_bonus: boolean;
  default: boolean;
  descriptions: string[];
}

interface AtPosition {
  rules?: string;
  position?: string;
}

/** The requests and responses of the endpoints. */
export interface Endpoints {
  rules: { request: Record<string, never>; response: Preset[] };
  position: { request: AtPosition; response: Position };
  move: { request: AtPosition & { move: Move }; response: MoveResult };
  play: {
    request: AtPosition & { moves: Move[] };
    response: { start: Position; plies: MoveResult[] };
  };
  /** `lines` is the number of moves that get a line, the best ones. */
  analyze: {
    request: AtPosition & { time?: string; prove?: "best" | "all"; lines?: number };
    response: Analysis;
  };
  choose: {
    request: AtPosition & { opponent: string; seed?: number; time?: string };
    response: { move: Move; bounds: Bounds | null; is_best: boolean };
  };
  /** Equal requests give equal puzzles; `puzzle` is `null` if another seed has to be tried. */
  puzzle: {
    request: AtPosition & { seed?: number; min_rating?: number; max_rating?: number };
    response: { puzzle: Puzzle | null };
  };
  /** The analyses are those of the position before each move and of the last position. */
  review: {
    request: AtPosition & { moves: Move[]; analyses: (AnalysisToReview | null)[] };
    response: Review;
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
