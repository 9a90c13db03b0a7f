/** Types of the report of a tournament: its data, and the state of its script. */

/** A side of the board: South or North. */
export type Side = "s" | "n";

/** A position from which games begin. */
export type Start = {
  houses: number;
  /** South's houses in the order of sowing, South's store, and the same for North. */
  pits: number[];
  /** The fragment of a link to a game without its moves. */
  link: string;
};

/** A game in the data. */
export type Row = [
  number: string,
  /** The indices of the names of the players. */
  south: number,
  north: number,
  winner: "" | Side,
  ending: string,
  plies: number,
  /** The number of plies of the opening. */
  opening: number,
  /** The index of the start. */
  start: number,
  /** The end in words. */
  end: string,
  /** The last lines on standard error of a program that has crashed. */
  stderr: string,
];

/** The data of all games but their plies and records. */
export type Index = {
  /** The address of a page for analyses. */
  page: string | null;
  /** The folder of the logs, with its slash. */
  logs: string | null;
  games_per_block: number;
  names: string[];
  /** Whether the engine with the name at the same place is a program, whose games have logs. */
  programs: boolean[];
  starts: Start[];
  games: Row[];
};

/** A game of the list. Its sides are those on which the players began. */
export type Game = {
  /** The place in the list of all games. */
  place: number;
  number: string;
  round: string;
  names: Record<Side, string>;
  hasProgram: boolean;
  winner: "" | Side;
  ending: string;
  plies: number;
  opening: number;
  start: Start;
  end: string;
  stderr: string;
};

/** The board after a ply, or at the start. */
export type Frame = {
  /** The letter of the house, `~` for a swap, nothing at the start. */
  move: string;
  /** The side that has moved. */
  mover: "" | Side;
  /** The side to move, nothing at the end. */
  next: "" | Side;
  /** Whether the players have exchanged sides. */
  swapped: boolean;
  pits: number[];
};

/** The values of the filters, which are empty where all games match. */
export type Filters = {
  engine: string;
  opponent: string;
  result: string;
  ending: string;
  round: string;
};

/** The state that the address has. */
export type View = {
  filters: Filters;
  /** The page of the list, from 0. */
  page: number;
  /** The number of the open game. */
  game: string;
  /** The ply on its board, by default the last one. */
  ply: number | null;
};
