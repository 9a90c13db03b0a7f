/** Types of the page: its state, the actions on it, modes and panels. */

import type { Move, Game, Position, Preset, Endpoints, Side, MoveResult } from "./api.d.ts";
import type { GameNode, GameTree } from "../game/tree.js";

export type { GameNode, GameTree };

export type Endpoint = keyof Endpoints;

/** An opponent's name in the API: `level:1` to `level:10`, or `smart`. */
export type Opponent = string;

/**
 * The interface to the rules and the engine, implemented by `engine/http.js` and
 * `engine/worker-client.js`.
 */
export type Engine = {
  /** The implementation. */
  kind: "server" | "worker";
  /**
   * Sends a request. It rejects with an `EngineError`. It rejects with an `AbortError` after
   * `signal` is aborted, and then the engine stops the work too.
   */
  request<Q extends Endpoint>(
    endpoint: Q,
    body: Endpoints[Q]["request"],
    signal?: AbortSignal,
  ): Promise<Endpoints[Q]["response"]>;
};

/** A player at the start of the game. A swap exchanges the players (see `game/players.js`). */
export type Player =
  /** A person at this device; `name` comes from the tags of a record. */
  | { kind: "person"; name?: string }
  | { kind: "computer"; opponent: Opponent }
  /** A person at another device. The mode of the game makes this player's moves. */
  | { kind: "remote"; name: string };

export type Players = { south: Player; north: Player };

export type Speed = "off" | "slow" | "normal" | "fast";

export type DialogId = "new-game" | "settings" | "help" | "resign";

export type Settings = {
  /** The speed of the animation of a sowing; `off` shows only its result. */
  speed: Speed;
  /** Names of houses: letters, or the columns of the CS 32 assignment. */
  labels: "letters" | "columns";
  theme: "auto" | "light" | "dark";
  /** Whether the board shows the margin of each move. */
  margins: boolean;
  /** Whether keys without a modifier are commands. */
  keys: boolean;
};

/** Options of a new game. */
export type NewGame = { rules: string; position: string; players: Players };

/** A label on a house, such as the margin of its move. */
export type Mark = {
  move: Move;
  /** A short text, such as `+8`. A margin that is not proven has a sign such as `~`. */
  text: string;
  /** The text for screen readers, such as `margin +8, proven`. */
  label: string;
  proven: boolean;
  best: boolean;
};

/** Marks and the text of their position. The board draws them on that position only. */
export type Marks = { position: string; marks: Mark[] };

/** A running animation of a move, from `before` to `moveResult.after`. */
export type SowingAnimation = { id: number; before: Position; moveResult: MoveResult };

/** An error message; `retry` repeats the failed action. */
export type ErrorNotice = { message: string; retry: null | (() => void) };

/** A game to which the player can return while the board shows something else. */
export type SuspendedGame = { tree: GameTree; players: Players; mode: string };

export type State = {
  /** The game; `null` until the first position has loaded. */
  tree: GameTree | null;
  players: Players;
  /**
   * `play`, `explore` (the person at this device moves for both sides), or a mode that a panel
   * registered.
   */
  mode: string;
  /** In mode `explore`: the game to which "Back to the game" returns. */
  suspendedGame: SuspendedGame | null;
  /** In every mode but `play`: the last game in mode `play`. */
  localGame: SuspendedGame | null;
  /**
   * The reason, in a sentence, why hints and analyses are locked; `null` while they are allowed.
   */
  analysisLock: string | null;
  /** The running animation. The computer does not move until it has ended. */
  animation: SowingAnimation | null;
  /** A phrase for the request that the page is waiting for, such as `Level 2 is thinking`. */
  busy: null | { kind: "sow" | "opponent" | "hint" | "start"; phrase: string };
  hint: null | { position: string; move: Move; best: boolean };
  marks: Marks | null;
  error: ErrorNotice | null;
  settings: Settings;
  /** The rule presets; empty until they have loaded. */
  presets: Preset[];
  /** The id of the open panel. */
  panel: string | null;
};

/** The actions on the state. No action throws: a failure sets `error` in the state. */
export type Actions = {
  /** Requests a move for the person at this device. The mode decides how it is made. */
  requestMove(move: Move): void;
  /**
   * Makes a move at the current node and starts its animation. It resolves to whether the move was
   * made. With `expectedTree`, it makes no move if the game has since left that tree's node.
   */
  makeMove(move: Move, onlyIfAt?: GameTree): Promise<boolean>;
  /** Makes a move whose result is known already, such as a friend's, and starts its animation. */
  applyMove(moveResult: MoveResult): void;
  undo(): void;
  redo(): void;
  /** Goes to a node of the tree; `[]` is the start. */
  goTo(path: number[]): void;
  newGame(game: NewGame): Promise<boolean>;
  /** Starts a game with the same rules and board, and with the players exchanged. */
  rematch(): void;
  /** Resigns for the person at this device, or for the side to move if two persons play here. */
  resign(): void;
  hint(): void;
  /** Shows a game from a record or a link in mode `explore`, at a path. */
  openGame(game: Game, path?: number[]): void;
  /** Changes the tree without making a move: comments, promotion, removal. */
  editTree(change: (tree: GameTree) => GameTree): void;
  /** Changes from `play` to `explore` and keeps the game as `suspendedGame`. */
  explore(): void;
  /** Returns to `suspendedGame`. */
  resume(): void;
  /** Returns to `localGame`. */
  resumeLocalGame(): void;
  /** Plays on from the current node. The default for the players is those of the last game. */
  playFromHere(players?: Players): void;
  /** Sets mode, tree and players together, for a panel that registered a mode. */
  enterMode(mode: string, tree: GameTree, players: Players): void;
  setMarks(marks: Marks | null): void;
  /** Locks hints, margins, analysis and review for a reason, or unlocks them with `null`. */
  setAnalysisLock(reason: string | null): void;
  setSettings(change: Partial<Settings>): void;
  /** Opens a panel by its id; `null` closes the open panel. */
  openPanel(id: string | null): void;
  /** Draws everything again after the data of a mode has changed. */
  refresh(): void;
  openDialog(id: DialogId): void;
  /** Shows an error message. It ignores an `AbortError`. */
  showError(error: unknown, retry?: () => void): void;
  dismissError(): void;
  /** Ends the animation with this id. */
  animationEnded(id: number): void;
};

/** The handlers of a mode. A handler that a mode leaves out is that of `explore`. */
export type Mode = {
  /** Whether the person at this device may move now. */
  canMove?(state: State): boolean;
  requestMove?(move: Move): void;
  undo?(): void;
  redo?(): void;
  /** Whether the action is available. */
  can?(what: "undo" | "redo" | "resign" | "hint" | "rematch", state: State): boolean;
  resign?(): void;
  rematch?(): void;
  /** The text of the status line; `null` for the default text. */
  status?(state: State): string | null;
};

export type App = {
  engine: Engine;
  /** Whether the server offers games with friends: `<html data-friends="enabled">`. */
  hasFriendGames: boolean;
  /** Returns the current state, an immutable value. */
  state(): State;
  actions: Actions;
  /**
   * Calls `listener` after every change, once for several changes in one task. It returns a
   * function that unsubscribes.
   */
  subscribe(listener: (state: State, previous: State) => void): () => void;
  registerMode(name: string, mode: Mode): void;
  /** Announces a text to screen readers without interrupting them. */
  announce(text: string): void;
};

/**
 * A panel. `create` receives the panel's own empty element and the app when the panel opens for the
 * first time. It may return a function that draws the panel. The page calls that function with each
 * new state while the panel is open, and the function never changes the state.
 */
export type Panel = {
  id: string;
  title: string;
  /** Whether the panel needs a server that offers games with friends. */
  needsServer?: boolean;
  create(element: HTMLElement, app: App): void | ((state: State, previous: State) => void);
  /** Called once when the page starts, to register modes and to read the URL fragment. */
  start?(app: App): void;
};

/** A player on a side of the board after the swaps. */
export type PlayerOnSide = { side: Side; player: Player; name: string };
