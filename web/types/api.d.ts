// The requests and responses of the API. `npm run api` writes this file from the types of kalah-api.

/** A value for each side. */
export interface BySide<T> {
  south: T;
  north: T;
}

/** A house by its letter, capital for South's and small for North's, or a store by its side. */
export type Pit = string;

/** A house by its letter, or `swap`. */
export type Move = string;

/** The accuracy of a player: 100 × (1 − cost ÷ stake), over the plies for which the margins of all moves are proven. */
export interface Accuracy {
  /** The cost of these plies, in seeds. */
  cost: number;
  /** The accuracy in percent, from 0 to 100; `null` if nothing was at stake. */
  percent: number | null;
  /** The number of plies that count. */
  plies: number;
  /** The stake of these plies, in seeds. */
  stake: number;
}

/** The margins of the response to the request `analyze`. */
export interface AnalysisInput {
  /** The lower bound, in seeds. */
  lower: number;
  /** The expected margin of the side to move, in seeds. */
  margin: number;
  /** The bounds of moves; a legal move that is missing is not analyzed. */
  moves: MoveBoundsInput[];
  /** The upper bound, in seeds. */
  upper: number;
}

/** The request `analyze`: proves the margins of moves. */
export interface AnalyzeRequest {
  /** The number of moves that get a line in `moves`, the best ones; none by default, and all if it is at least the number of moves. */
  lines?: number;
  /** The position; `6x4` by default. */
  position?: string | null;
  /** The moves whose margins to prove; all by default. */
  prove?: MovesToProve;
  /** The rules: the name of a preset or all four fields; `cs32` by default. */
  rules?: string | null;
  /** The time limit, such as `500ms`; five seconds by default. */
  time?: string | null;
}

/** The result of an analysis, or a snapshot of it while it runs. Margins are from the view of the side to move. */
export interface AnalyzeResponse {
  /** The best move found; `null` if the game is over. */
  best: Move | null;
  /** The depth of the last completed iteration, in turns. */
  depth: number;
  /** Whether the bounds are equal. */
  exact: boolean;
  /** Whether it is proven that no other move gains more than the best one. */
  is_best_proven: boolean;
  /** The principal variation, beginning with the best move. It may stop before the end of the game. */
  line: Move[];
  /** The lower bound, in seeds. */
  lower: number;
  /** The expected margin, in seeds; it is proven if the bounds are exact. */
  margin: number;
  /** All legal moves: houses in sowing order, then `swap`. */
  moves: AnalyzedMove[];
  /** The number of nodes searched. */
  nodes: number;
  /** The number of nodes searched in a second. */
  nodes_per_second: number;
  /** The position as text. */
  position: string;
  /** The rules as text. */
  rules: string;
  /** The time used, in seconds. */
  seconds: number;
  /** The number of gains read from endgame tables. */
  table_hits: number;
  /** The side to move. */
  to_move: Side;
  /** The upper bound, in seeds. */
  upper: number;
}

/** A move of an analysis. */
export interface AnalyzedMove {
  /** The depth of the search behind the estimate, in turns; 0 for the static evaluation. */
  depth: number;
  /** The expected margin, in seeds: within the bounds, and never more than that of the best move. */
  estimate: number;
  /** Whether the bounds are equal. */
  exact: boolean;
  /** The expected moves, beginning with this one, if the request asked for its line. */
  line?: Move[];
  /** The lower bound, in seeds. */
  lower: number;
  /** The move. */
  move: Move;
  /** The upper bound, in seeds. */
  upper: number;
}

/** Proven bounds of a margin. */
export interface Bounds {
  /** Whether the bounds are equal. */
  exact: boolean;
  /** The lower bound, in seeds. */
  lower: number;
  /** The upper bound, in seeds. */
  upper: number;
}

/** A capture. */
export interface Capture {
  /** The opposite house, which was emptied. */
  from: Pit;
  /** The own house that the last seed fell into. */
  house: Pit;
  /** The number of seeds that went to the store, including the last seed. */
  seeds: number;
}

/** The request `choose`: chooses a move as an opponent of the user. */
export interface ChooseRequest {
  /** `level:1` to `level:10`, or `smart`, the same player as `level:10`. */
  opponent: string;
  /** The position; `6x4` by default. */
  position?: string | null;
  /** The rules: the name of a preset or all four fields; `cs32` by default. */
  rules?: string | null;
  /** The seed of the random errors of levels; 0 by default. */
  seed?: number;
  /** The time limit, such as `500ms`; five seconds by default. Only `smart` and `level:10` use it. */
  time?: string | null;
}

/** The move of an opponent. */
export interface ChooseResponse {
  /** The proven bounds of its margin; `null` for an only move and for levels below the highest. */
  bounds: Bounds | null;
  /** Whether it is proven that no other move gains more. */
  is_best: boolean;
  /** The move. */
  move: Move;
}

/** The result of a game for a player. */
export type GameValue = "loss" | "tie" | "win";

/** A game with its variations. */
export interface Game {
  /** The comments before the first ply. */
  comments: string[];
  /** The plies, each after its parent. */
  plies: Ply[];
  /** The position before the first ply. */
  start: Position;
  /** The names and values of the tags, in the order of the text. */
  tags: [string, string][];
  /** The way in which the game ended: `normal`, `resign`, `unfinished` and so on. */
  termination: string;
  /** The winner, by the side at the end; `null` for a tie and for an unfinished game. */
  winner: Side | null;
}

/** The number of moves of each grade. */
export interface GradeCounts {
  /** The number of moves with the grade `blunder`. */
  blunder: number;
  /** The number of moves with the grade `inaccuracy`. */
  inaccuracy: number;
  /** The number of moves with the grade `mistake`. */
  mistake: number;
}

/** An expected margin with its proven bounds. */
export interface Margin {
  /** Whether the bounds are equal. */
  exact: boolean;
  /** The lower bound, in seeds. */
  lower: number;
  /** The expected margin, in seeds; it is proven if the bounds are exact. */
  margin: number;
  /** The upper bound, in seeds. */
  upper: number;
}

/** The proven bounds of the margin of a move. */
export interface MoveBoundsInput {
  /** The lower bound, in seeds. */
  lower: number;
  /** The move: a house or `swap`. */
  move: string;
  /** The upper bound, in seeds. */
  upper: number;
}

/** A move with the proven bounds of its margin. */
export interface MoveBounds {
  /** Whether the bounds are equal. */
  exact: boolean;
  /** The lower bound, in seeds. */
  lower: number;
  /** The move. */
  move: Move;
  /** The upper bound, in seeds. */
  upper: number;
}

/** The grade of a move that is proven to cost points or seeds. A win is worth a point and a tie half a point. */
export type MoveGrade = "inaccuracy" | "mistake" | "blunder";

/** The request `move`: makes a move in a position. */
export interface MoveRequest {
  /** A house of the side to move, or `swap`. */
  move: string;
  /** The position; `6x4` by default. */
  position?: string | null;
  /** The rules: the name of a preset or all four fields; `cs32` by default. */
  rules?: string | null;
}

/** The result of a move. */
export interface MoveResult {
  /** The position after the move. */
  after: Position;
  /** The capture, if the last seed made one. */
  capture: Capture | null;
  /** The effect of the last seed; `null` after a swap. */
  effect: SowEffect | null;
  /** Whether the move is a swap, which exchanges the sides of the players and moves no seed. */
  is_swap: boolean;
  /** The move. */
  move: Move;
  /** The pit that each seed fell into, in the order of sowing; at most 200 of them. */
  path: Pit[];
  /** The number of seeds sown. */
  seeds: number;
  /** The side that made it. */
  side: Side;
  /** The numbers of seeds that each side swept into its store, if the game ended. */
  swept: BySide<number> | null;
}

/** The moves whose margins an analysis proves. */
export type MovesToProve = "best" | "all";

/** The request `play`: makes moves one after another. */
export interface PlayRequest {
  /** The moves: houses or `swap`; at most 5,000. */
  moves: string[];
  /** The position before the first move; `6x4` by default. */
  position?: string | null;
  /** The rules: the name of a preset or all four fields; `cs32` by default. */
  rules?: string | null;
}

/** The results of a sequence of moves. */
export interface PlayResponse {
  /** The result of each move. */
  plies: MoveResult[];
  /** The position before the first move. */
  start: Position;
}

/** A ply of a game to write. */
export interface PlyInput {
  /** The comments after the move. */
  comments?: string[];
  /** The move: a house or `swap`. */
  move: string;
  /** The index of the ply before it; `null` for a first ply. */
  parent?: number | null;
}

/** A ply of a game with variations. */
export interface Ply {
  /** The comments after the move. */
  comments: string[];
  /** The index of the ply before it; `null` for a first ply. */
  parent: number | null;
  /** The move and its result. */
  result: MoveResult;
}

/** The request `position`: describes a position. */
export interface PositionRequest {
  /** The position; `6x4` by default. */
  position?: string | null;
  /** The rules: the name of a preset or all four fields; `cs32` by default. */
  rules?: string | null;
}

/** A playable position. When the game is over, the seeds have been swept. */
export interface Position {
  /** The number of houses a side, from 1 to 26. */
  houses: number;
  /** Whether the game is over. */
  is_over: boolean;
  /** The legal moves: houses in sowing order, then `swap`. Empty when the game is over. */
  legal_moves: Move[];
  /** The position as text. */
  position: string;
  /** The numbers of seeds in the houses, in the sowing order of their owner. */
  rows: BySide<number[]>;
  /** The rules as text. */
  rules: string;
  /** The numbers of seeds in the stores. */
  stores: BySide<number>;
  /** The side to move. */
  to_move: Side;
}

/** The request `prepare`: builds an endgame table for later searches of the same game. A client sends it to a worker that is idle. */
export interface PrepareRequest {
  /** The position; `6x4` by default. */
  position?: string | null;
  /** The rules: the name of a preset or all four fields; `cs32` by default. */
  rules?: string | null;
  /** The time limit, such as `500ms`; five seconds by default. Building may take one and a half times as long. */
  time?: string | null;
}

/** The size of the endgame table. */
export interface PrepareResponse {
  /** The table has the gains of all positions with at most this number of seeds in the houses, which need no search; 0 if there is no table. */
  seeds: number;
}

/** A preset of the rules with its descriptions for players. */
export interface Preset {
  /** The captures: `opposite` if they need seeds in the opposite house, or `always`. */
  capture: string;
  /** Whether these are the rules of a request that names none. */
  default: boolean;
  /** Phrases about the end of the game, captures, the swap, and bonus turns at the first move. */
  descriptions: string[];
  /** The end of the game: `stuck` if the side to move has no move, or `row` if a row is empty. */
  ends: string;
  /** Whether the first move may give a bonus turn. */
  first_bonus: boolean;
  /** The name of the preset, which requests accept as `rules`. */
  name: string;
  /** The programs and places that use these rules. */
  played_by: string;
  /** A sentence about its end of the game, its captures, and its unusual rules. */
  summary: string;
  /** Whether the sides may be exchanged at ply 2. */
  swap: boolean;
}

/** A problem document in the format of RFC 9457. */
export interface ProblemDetails {
  /** The error message. */
  detail: string;
  /** The HTTP status: 400, 404 or 422. */
  status: number;
  /** The kind of problem in a few words. */
  title: string;
  /** The kind of problem, as a relative URI. */
  type: string;
}

/** The request `puzzle`: finds a puzzle in games between computer players. Equal requests give equal puzzles. */
export interface PuzzleRequest {
  /** The greatest rating; 2400 by default. */
  max_rating?: number | null;
  /** The least rating; 800 by default. */
  min_rating?: number | null;
  /** The position in which the games begin; `6x4` by default. */
  position?: string | null;
  /** The rules: the name of a preset or all four fields; `cs32` by default. */
  rules?: string | null;
  /** The seed of the games; 0 by default. A client that wants another puzzle sends another seed. */
  seed?: number;
}

/** The response to `puzzle`. */
export interface PuzzleResponse {
  /** The puzzle; `null` if the games of this seed have none that fits the request. The next seed may have one. It is rare on boards of ten houses a side, and unlikely on larger ones. */
  puzzle: Puzzle | null;
}

/** A puzzle. Margins are those of the side to move. */
export interface Puzzle {
  /** The turns that a search has to look ahead to find the solution. */
  depth: number;
  /** Whether the bounds are equal. */
  exact: boolean;
  /** The solution and best play after it, to the end of the game if the proofs reach it. */
  line: Move[];
  /** The lower bound, in seeds. */
  lower: number;
  /** The expected margin, in seeds; it is proven if the bounds are exact. */
  margin: number;
  /** All legal moves with their bounds: houses in sowing order, then `swap`. */
  moves: MoveBounds[];
  /** The position as text. */
  position: string;
  /** The computed difficulty; it is not measured with people. */
  rating: number;
  /** The rules as text. */
  rules: string;
  /** The solution: the only move that reaches this result. */
  solution: Move;
  /** The side to move. */
  to_move: Side;
  /** The upper bound, in seeds. */
  upper: number;
  /** The result that only the solution reaches: `win` or `tie`. */
  value: GameValue;
}

/** The request `read`: parses game records. */
export interface ReadRequest {
  /** The text of any number of records, with at most 5,000 plies. */
  text: string;
}

/** The games of a text. */
export interface ReadResponse {
  /** The games in the order of the text. */
  games: Game[];
}

/** The request `review`: reviews a game whose positions the client has analyzed.  The request does no search. A client analyzes the positions one by one with `analyze`, so that it can show the progress, and reviews the game with those analyses that it has. */
export interface ReviewRequest {
  /** The analyses of the position before each move and of the last position, in order; `null` for a position without an analysis. */
  analyses: (AnalysisInput | null)[];
  /** The moves: houses or `swap`; at most 5,000. */
  moves: string[];
  /** The position before the first move; `6x4` by default. */
  position?: string | null;
  /** The rules: the name of a preset or all four fields; `cs32` by default. */
  rules?: string | null;
}

/** The review of a game: the cost and the grade of each ply, and the accuracy of each player. */
export interface Review {
  /** The accuracy of each player, by the side on which that player began. */
  accuracy: BySide<Accuracy>;
  /** The number of moves of each grade of each player, by the side on which that player began. */
  grades: BySide<GradeCounts>;
  /** The plies in order. */
  plies: ReviewedPly[];
  /** The margin before the first ply for the player who began as South; `null` if the position is not analyzed. */
  start_margin: Margin | null;
  /** The number of plies whose cost is not proven. */
  unproven: number;
}

/** A ply and its cost. Margins are those of the player who began as South. */
export interface ReviewedPly {
  /** The margin with best play after the ply; `null` if it is not analyzed. */
  after: Margin | null;
  /** The margin with best play from the position before the ply; `null` if it is not analyzed. */
  before: Margin | null;
  /** The moves with the best margin, if it is proven that the ply cost something. */
  better_moves: Move[];
  /** The margin of the best move minus that of the move made, at least 0. */
  cost: Bounds;
  /** The grade of the move; `null` for a good move, and if the cost is not proven. */
  grade: MoveGrade | null;
  /** The move. */
  move: Move;
  /** The player who moved, by the side on which that player began. */
  player: Side;
  /** The number of the ply, from 1. */
  ply: number;
  /** The side that moved. */
  side: Side;
  /** The margin of the best move minus that of the worst; `null` unless the margins of all moves are proven. */
  stake: number | null;
  /** The number of the turn, as in records. */
  turn: number;
  /** The change of the result for the player who moved, if both results are proven and differ. */
  value_change: ValueChange | null;
}

/** A side of the board. */
export type Side = "south" | "north";

/** The effect of the last seed of a sowing. */
export type SowEffect = "turn-passes" | "bonus-turn" | "capture";

/** The result of a game with best play before and after a ply. */
export interface ValueChange {
  /** The result before the ply. */
  from: GameValue;
  /** The result after the ply. */
  to: GameValue;
}

/** The request `write`: writes a game as a record. */
export interface WriteRequest {
  /** The comments before the first ply. */
  comments?: string[];
  /** The plies, each after its parent. */
  plies: PlyInput[];
  /** The position before the first ply; `6x4` by default. */
  position?: string | null;
  /** The rules: the name of a preset or all four fields; `cs32` by default. */
  rules?: string | null;
  /** The names and values of tags. Those that follow from the game, such as `Rules` and `Result`, are ignored. */
  tags?: [string, string][];
  /** The way in which the game ended, such as `resign`; by default, it follows from the board. */
  termination?: string | null;
  /** The winner, by the side at the end, if the game was decided before its end. Ignored without a termination. */
  winner?: Side | null;
}

/** A record. */
export interface WriteResponse {
  /** The text of the record. */
  text: string;
}

/** The requests and responses by endpoint; a request without fields is `null`. */
export interface Endpoints {
  /** Returns the presets, the default first. */
  rules: { request: null; response: Preset[] };
  /** Describes a position. */
  position: { request: PositionRequest; response: Position };
  /** Makes a move in a position. */
  move: { request: MoveRequest; response: MoveResult };
  /** Makes moves one after another. */
  play: { request: PlayRequest; response: PlayResponse };
  /** Parses game records. */
  read: { request: ReadRequest; response: ReadResponse };
  /** Writes a game as a record. */
  write: { request: WriteRequest; response: WriteResponse };
  /** Computes the cost of each ply of a game. */
  review: { request: ReviewRequest; response: Review };
  /** Proves the margins of moves. */
  analyze: { request: AnalyzeRequest; response: AnalyzeResponse };
  /** Chooses a move of an opponent. */
  choose: { request: ChooseRequest; response: ChooseResponse };
  /** Builds an endgame table for later searches. */
  prepare: { request: PrepareRequest; response: PrepareResponse };
  /** Finds a puzzle with its solution. */
  puzzle: { request: PuzzleRequest; response: PuzzleResponse };
}

/** The endpoints that search, or prepare a search, up to a time limit. */
export type SearchEndpoint = "analyze" | "choose" | "prepare" | "puzzle";
