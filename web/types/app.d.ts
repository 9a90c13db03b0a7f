/** The page's own shapes: its state, what may be done to it, and what a panel is. */

import type { Move, Game, Position, Preset, Endpoints, Side, MoveResult } from "./api.d.ts";
import type { GameNode, GameTree } from "../game/tree.js";

export type { GameNode, GameTree };

export type Endpoint = keyof Endpoints;

/** `level:1` to `level:10`, or `perfect`. */
export type Opponent = string;

/** The interface to rules and engine, made by `engine/http.js` or `engine/worker-client.js`. */
export type Engine = {
  /** Which of the two implementations it is. */
  kind: "server" | "worker";
  /**
   * Puts a question. It fails with an `EngineError`, or with an `AbortError` once `signal` is aborted, and then the
   * work behind it stops too.
   */
  request<Q extends Endpoint>(
    endpoint: Q,
    body: Endpoints[Q]["request"],
    signal?: AbortSignal,
  ): Promise<Endpoints[Q]["response"]>;
};

/** Who makes a side's plies. Seats are those of the start: a swap exchanges them (see `game/players.js`). */
export type Player =
  /** Somebody at this device; `name` where a record tells it. */
  | { kind: "person"; name?: string }
  | { kind: "computer"; opponent: Opponent }
  /** A person elsewhere; the mode that is set brings the plies. */
  | { kind: "remote"; name: string };

export type Players = { south: Player; north: Player };

export type Speed = "off" | "slow" | "normal" | "fast";

export type DialogId = "new-game" | "settings" | "help" | "resign";

export type Settings = {
  /** How fast a sowing is shown; `off` shows only what comes of it. */
  speed: Speed;
  /** What houses are called: letters, or the assignment's columns. */
  labels: "letters" | "columns";
  theme: "auto" | "light" | "dark";
  /** Whether the margin of each move is wanted. */
  margins: boolean;
  /** Whether keys without a modifier do anything. */
  keys: boolean;
};

/** What `newGame` starts. */
export type NewGame = { rules: string; position: string; players: Players };

/** A word to be drawn on a house, such as its margin. */
export type Mark = {
  move: Move;
  /** Short, such as `+8`, with a sign of its own where it is not proven. */
  text: string;
  /** In words, for a screen reader: `margin +8, proven`. */
  label: string;
  proven: boolean;
  best: boolean;
};

/** Marks and the position text that they belong to; they are not drawn on any other. */
export type Marks = { position: string; marks: Mark[] };

/** A sowing that is being shown: the board has still `before` and turns it into `moveResult.after`. */
export type SowingAnimation = { id: number; before: Position; moveResult: MoveResult };

/** An error in words; `retry` does again what failed. */
export type ErrorNotice = { message: string; retry: null | (() => void) };

/** A game that waits while something else is on the board. */
export type SuspendedGame = { tree: GameTree; players: Players; mode: string };

export type State = {
  /** The game; `null` until the first position has come. */
  tree: GameTree | null;
  players: Players;
  /** `play`, `explore` (both sides are sown by hand, nobody answers), or one that a panel registered. */
  mode: string;
  /** While another line is looked at: the game that is gone back to. */
  suspendedGame: SuspendedGame | null;
  /** In every mode but `play`: the game that was last played so. */
  localGame: SuspendedGame | null;
  /** Why nothing is to be looked into now, in a sentence; `null` while everything may be. */
  analysisLock: string | null;
  /** The sowing being shown; nobody sows by machine until it is over. */
  animation: SowingAnimation | null;
  /** What is being waited for, as a phrase: `Level 2 is thinking`. */
  busy: null | { kind: "sow" | "opponent" | "hint" | "start"; phrase: string };
  hint: null | { position: string; move: Move; best: boolean };
  marks: Marks | null;
  error: ErrorNotice | null;
  settings: Settings;
  /** The rule presets; empty until they have come. */
  presets: Preset[];
  /** The open panel's id. */
  panel: string | null;
};

/** What may be done to the state. None of them throws: what fails is told as `trouble`. */
export type Actions = {
  /** A person's click on a house, or on `swap`: the mode decides what it does. */
  chooseMove(move: Move): void;
  /**
   * Makes a ply at the current node and shows it. It resolves to whether it was made; with `onlyIfAt` it is not made
   * where the game has moved on from that node meanwhile.
   */
  makeMove(move: Move, onlyIfAt?: GameTree): Promise<boolean>;
  /** A ply whose outcome is known already (a friend's, a read game's): made and shown. */
  applyMove(moveResult: MoveResult): void;
  undo(): void;
  redo(): void;
  /** Goes to a node of the tree, `[]` the start. */
  goTo(path: number[]): void;
  newGame(game: NewGame): Promise<boolean>;
  /** The same rules, board and players again, sides exchanged between them. */
  rematch(): void;
  /** The side that a person plays gives up: South's or North's, the one to move where both are persons. */
  resign(): void;
  hint(): void;
  /** Replaces the game by a read or linked one, at a path; to be looked at (`explore`). */
  openGame(game: Game, path?: number[]): void;
  /** Changes the tree without playing: comments, promotion, removal. */
  editTree(change: (tree: GameTree) => GameTree): void;
  /** Leaves `play` (parking the game) so that both sides can be sown freely from here. */
  explore(): void;
  /** Goes back to the parked game. */
  resume(): void;
  /** Goes back to the game that was last in mode `play`. */
  resumeLocalGame(): void;
  /** Plays on from the current node as a game; the players are those of the last game if left out. */
  playFromHere(players?: Players): void;
  /** Sets mode and players together; a panel that registered a mode enters it so. */
  enterMode(mode: string, tree: GameTree, players: Players): void;
  setMarks(marks: Marks | null): void;
  /** Closes hints, margins, analysis and review, with the reason in a sentence, or opens them. */
  setAnalysisLock(why: string | null): void;
  setSettings(change: Partial<Settings>): void;
  /** Opens a panel by id; `null` closes it. */
  openPanel(id: string | null): void;
  /** Draws everything again: a mode has something else to say. */
  refresh(): void;
  openDialog(id: DialogId): void;
  /** Tells what failed. Errors of a question called off are no trouble and are passed over. */
  showError(error: unknown, retry?: () => void): void;
  dismissError(): void;
  /** The board has shown a motion to its end. */
  animationEnded(id: number): void;
};

/** How a mode answers what a person does. Each may be left out: then it is what `explore` does. */
export type Mode = {
  /** Whether a person may make a move now. */
  canMove?(state: State): boolean;
  chooseMove?(move: Move): void;
  undo?(): void;
  redo?(): void;
  /** Whether there is anything to undo, redo, resign or ask a hint for. */
  can?(what: "undo" | "redo" | "resign" | "hint" | "rematch", state: State): boolean;
  resign?(): void;
  rematch?(): void;
  /** What the line above the board says; `null` for the usual words. */
  status?(state: State): string | null;
};

export type App = {
  engine: Engine;
  /** Whether the page comes from a server that has games with friends: `<html data-friends="here">`. */
  hasFriendGames: boolean;
  /** The state as it is now; a value that is never changed. */
  state(): State;
  actions: Actions;
  /** Called after every change, once for several in one task; returns how to stop. */
  subscribe(listener: (state: State, previous: State) => void): () => void;
  registerMode(name: string, mode: Mode): void;
  /** Says something to screen readers, politely. */
  announce(text: string): void;
};

/**
 * A panel. It is handed its own empty element and the app once, when it is first opened, and may return what
 * draws it: called with each new state while the panel is open, and never to change any state.
 */
export type Panel = {
  id: string;
  title: string;
  /** Whether it is there only where the page comes from a server that has games with friends. */
  needsServer?: boolean;
  create(element: HTMLElement, app: App): void | ((state: State, previous: State) => void);
  /** Called once when the page starts, open or not: register modes, read the URL fragment. */
  start?(app: App): void;
};

/** A side of the board as it is played now. */
export type PlayerOnSide = { side: Side; player: Player; name: string };
