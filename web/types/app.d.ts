/** Types of the page: its state, the actions on it, modes and panels. */

import type { AnalyzeResponse, SearchEndpoint } from "./api.d.ts";
import type { Move, MoveGrade, Game, Position, Preset, Endpoints, Side } from "./api.d.ts";
import type { MoveResult } from "./api.d.ts";
import type { AnalysisCache } from "../analysis/cache.js";
import type { GameNode, GameTree } from "../game/tree.js";
import type { Draft } from "../board/position-draft.js";

export type { GameNode, GameTree };

/** The endpoints without a search. */
export type QuickEndpoint = Exclude<keyof Endpoints, SearchEndpoint>;

/** The endpoints that search and have one response; `analyze` reports while it works. */
export type OneResponseSearch = Exclude<SearchEndpoint, "analyze">;

/** The place of an analysis that waits for an engine of a server. */
export type QueuePlace = {
  /** The number of waiting requests that start earlier, plus 1. */
  place: number;
  expected_seconds: number;
};

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
  request<Q extends QuickEndpoint>(
    endpoint: Q,
    body: Endpoints[Q]["request"],
    signal?: AbortSignal,
  ): Promise<Endpoints[Q]["response"]>;
  /** Sends a request that searches, as `request` does; quick requests do not wait for it. */
  search<Q extends OneResponseSearch>(
    endpoint: Q,
    body: Endpoints[Q]["request"],
    signal?: AbortSignal,
  ): Promise<Endpoints[Q]["response"]>;
  /**
   * Analyzes a position and reports the results so far while it works. It resolves to the last
   * result, and rejects as `request` does.
   */
  analyze(
    body: Endpoints["analyze"]["request"],
    options?: {
      signal?: AbortSignal;
      onSnapshot?: (snapshot: AnalyzeResponse) => void;
      /** Receives the place of an analysis that has to wait. */
      onQueued?: (place: QueuePlace) => void;
    },
  ): Promise<AnalyzeResponse>;
  /** Returns the name of the program with its version, such as `kalah/0.1.0+6f4e49a1`. */
  program(): Promise<string | null>;
};

/** A player at the start of the game. A swap exchanges the players (see `game/players.js`). */
export type Player =
  /** A person at this device; `name` comes from the tags of a record or from the person. */
  | { kind: "person"; name?: string }
  | { kind: "computer"; opponent: Opponent }
  /**
   * A person at another device. The mode of the game makes this player's moves. `isNamed` tells
   * whether the person has given the name; otherwise the name is a word such as `Friend`.
   */
  | { kind: "remote"; name: string; isNamed?: boolean };

export type Players = { south: Player; north: Player };

export type Speed = "off" | "slow" | "normal" | "fast";

export type DialogId = "new-game" | "settings" | "help" | "share" | "resign";

export type Settings = {
  /** The speed of the animation of a sowing; `off` shows only its result. */
  speed: Speed;
  /** Names of houses: letters, or the columns of the CS 32 assignment. */
  labels: "letters" | "columns";
  /** The look of the board and its seeds. */
  look: "wood" | "clear" | "numbers";
  theme: "auto" | "light" | "dark";
  /** The language of the page; `auto` is that of the browser. */
  language: "auto" | "en" | "de";
  /** Whether the board shows the score of each move. */
  margins: boolean;
  /** The number of moves whose line the analysis shows, 1 to 3. */
  lines: number;
  /** Whether keys without a modifier are commands. */
  keys: boolean;
  /** Whether the board has sounds. */
  sound: boolean;
};

/** Options of a new game. */
export type NewGame = { rules: string; position: string; players: Players };

/** The grade of a move that the page shows and records keep: that of a review, or `beautiful`. */
export type ShownGrade = MoveGrade | "beautiful";

/** A label on a house, such as the margin of its move. */
export type Mark = {
  move: Move;
  /** A short text, such as `+8`. A margin that is not proven has a sign such as `~`. */
  text: string;
  /** The text for screen readers, such as `score +8, proven`. */
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

/** A hint for a position, from an analysis of it. */
export type Hint = {
  position: string;
  move: Move;
  /** Whether it is proven that no other move gains more. */
  isBestProven: boolean;
  /** The proven margin of the side to move; `null` if it is not proven. */
  margin: number | null;
  /** The depth of the analysis, in turns. */
  depth: number;
};

/** The position that a person sets up on the board. */
export type PositionEditor = {
  draft: Draft;
  /** The name or the text of the rules. */
  rules: string;
  /** Whether a click on a pit takes a seed away instead of adding one. */
  takesAway: boolean;
};

export type State = {
  /** The game; `null` until the first position, or the game of a link, has loaded. */
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
  /** The unfinished game that the game in mode `play` has replaced; an undo returns to it. */
  discardedGame: SuspendedGame | null;
  /**
   * The reason, in a sentence, why hints and analyses are locked; `null` while they are allowed.
   */
  analysisLock: string | null;
  /** The reason, in a sentence, why no scores are shown; `null` while they may be shown. */
  scoresLock: string | null;
  /** The running animation. The computer does not move until it has ended. */
  animation: SowingAnimation | null;
  /** A phrase for the request that the page is waiting for, such as `Looking for a hint`. */
  busy: null | { kind: "sow" | "opponent" | "hint" | "start"; phrase: string };
  hint: Hint | null;
  marks: Marks | null;
  /** The move that the page makes as soon as it is the turn of the person at this device. */
  premove: Move | null;
  /** The result of the move that the person points at, in the position with this text. */
  preview: null | { position: string; moveResult: MoveResult };
  /** The reason why a house cannot be played, in the position with this text. */
  notice: null | { position: string; text: string };
  /** The shown grades of moves of a reviewed game. */
  grades: ReadonlyMap<MoveResult, ShownGrade>;
  /** Whether the grades come from a review on this page, and not from a record. */
  hasOwnGrades: boolean;
  /** The position that is edited on the board; `null` while the board shows the game. */
  editor: PositionEditor | null;
  error: ErrorNotice | null;
  /** Whether the board is turned, so that the viewer's row is at the top. */
  flipped: boolean;
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
  makeMove(move: Move, expectedTree?: GameTree): Promise<boolean>;
  /** Makes a move whose result is known already, such as a friend's, and starts its animation. */
  applyMove(moveResult: MoveResult): void;
  undo(): void;
  redo(): void;
  /** Returns to `discardedGame`. */
  restoreDiscarded(): void;
  /** Goes to a node of the tree; `[]` is the start. */
  goTo(path: number[]): void;
  /**
   * Starts a game. If that replaces an unfinished game, the person is asked first, and an undo
   * returns to it.
   */
  newGame(game: NewGame): Promise<boolean>;
  /** Starts a game with the same rules and board, and with the players exchanged. */
  rematch(): void;
  /** Resigns for the person at this device, or for the side to move if two persons play here. */
  resign(): void;
  hint(): void;
  /** Changes the hint so that it agrees with a newer analysis of its position. */
  updateHint(analysis: AnalyzeResponse): void;
  /** Shows a game from a record or a link in mode `explore`, at a path. */
  openGame(game: Game, path?: number[]): void;
  /** Goes on with an unfinished game of the list of games at its end. Returns its tree. */
  continueGame(game: Game, players: Players): GameTree;
  /** Stores the rules by which the person plays, which the forms show first. */
  chooseRules(rules: string): void;
  /** Changes the tree without making a move: comments, promotion, removal. */
  editTree(change: (tree: GameTree) => GameTree): void;
  /** Changes from `play` to `explore` and keeps the game as `suspendedGame`. */
  explore(): void;
  /** Returns to `suspendedGame`. */
  resume(): void;
  /** Returns to `localGame`, or starts the game of the page if it has not started yet. */
  resumeLocalGame(): void;
  /**
   * Plays on from the current node. The default for the players is those of the last game. If that
   * replaces another unfinished game, the person is asked first.
   */
  playFromHere(players?: Players): void;
  /**
   * Sets mode, tree and players together, for a panel that registered a mode. The tree is `null`
   * while the panel waits for its game; then the board shows no game.
   */
  enterMode(mode: string, tree: GameTree | null, players: Players): void;
  /** Sets the names of the players, who stay the same. */
  setPlayers(players: Players): void;
  setMarks(marks: Marks | null): void;
  setPremove(premove: Move | null): void;
  /** Requests the result of a move and shows it as `preview`; `null` removes it. */
  preview(move: Move | null): void;
  /** Shows a text about the position in the status line. */
  notify(text: string): void;
  setGrades(grades: State["grades"]): void;
  /** Starts or changes the editing of a position on the board; `null` ends it. */
  setEditor(editor: PositionEditor | null): void;
  /** Locks hints, margins, analysis and review for a reason, or unlocks them with `null`. */
  setAnalysisLock(reason: string | null): void;
  /** Hides the scores of moves and the best lines for a reason, or allows them with `null`. */
  setScoresLock(reason: string | null): void;
  setSettings(change: Partial<Settings>): void;
  /** Turns the board by half a turn. The board of another game is not turned. */
  flip(): void;
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
  /** Whether the person at this device may choose this house ahead, before the own turn. */
  canPremove?(pit: Pit, state: State): boolean;
  /** Chooses a house ahead, or takes the choice back. */
  premove?(pit: Pit): void;
  undo?(): void;
  redo?(): void;
  /** Whether the action is available. */
  can?(what: "undo" | "redo" | "resign" | "hint" | "rematch", state: State): boolean;
  resign?(): void;
  rematch?(): void;
  /** Whether the controls that are not available are hidden, because they stay so. */
  hidesControls?(state: State): boolean;
  /** The text of the status line; `null` for the default text. */
  status?(state: State): string | null;
};

export type App = {
  engine: Engine;
  /** The cache of all analyses. */
  analysisCache: AnalysisCache;
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
export type PlayerOnSide = {
  side: Side;
  player: Player;
  name: string;
  /** Whether the player is the one person at this device. */
  isYou: boolean;
};
