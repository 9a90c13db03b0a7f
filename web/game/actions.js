/** The actions: all functions that change the state (see `Actions` in types/app.d.ts). */

import { hintFromAnalysis } from "../analysis/hint.js";
import { isAbort } from "../engine/errors.js";
import { texts } from "../texts/texts.js";
import { currentMode } from "./modes.js";
import { playersFromTags } from "./players.js";
import { parseSavedGame } from "./storage.js";
import * as game from "./tree.js";

/** @import { AnalysisCache } from "../analysis/cache.js" */
/** @import { createStore } from "./store.js" */
/** @import { Actions, DialogId, Engine, GameTree } from "../types/app.d.ts" */
/** @import { Mode, Player, State, SuspendedGame } from "../types/app.d.ts" */

/** @type {Player} */
const PERSON = { kind: "person" };

/**
 * Returns the game in mode `play`, on the board or suspended.
 *
 * @param {State} state
 * @returns {SuspendedGame | null}
 */
export function currentLocalGame({ mode, tree, players, localGame }) {
  return mode === "play" && tree ? { mode, tree, players } : localGame;
}

/**
 * Returns the unfinished game in mode `play`, on the board or suspended, if it has moves.
 *
 * @param {State} state
 * @returns {SuspendedGame | null}
 */
export function runningLocalGame(state) {
  const local = currentLocalGame(state);
  const isRunning = local && local.tree.children.length > 0 && !game.gameResult(local.tree);
  return isRunning ? local : null;
}

/** The time limit of a hint, in seconds. */
const HINT_TIME_S = 2;

/**
 * Returns whether two trees are at the same ply of the same game. Comments and other branches may
 * differ.
 *
 * @param {GameTree | null} one
 * @param {GameTree | null} other
 */
export function isAtSamePly(one, other) {
  return (
    one !== null &&
    other !== null &&
    one.start === other.start &&
    one.termination === other.termination &&
    game.currentNode(one)?.moveResult === game.currentNode(other)?.moveResult
  );
}

/**
 * Creates the actions.
 *
 * @param {object} parts
 * @param {ReturnType<typeof createStore<State>>} parts.store
 * @param {Engine} parts.engine
 * @param {AnalysisCache} parts.analysisCache
 * @param {ReadonlyMap<string, Mode>} parts.modes
 * @param {(id: DialogId) => void} parts.openDialog
 * @param {() => Promise<boolean>} [parts.confirmDiscard] asks whether an unfinished game may be
 *   replaced
 * @param {() => void} parts.startLocalGame starts the game of the page, which a link can delay
 * @returns {Actions & { restore(stored: unknown): Promise<boolean>, loadPresets(): Promise<void> }}
 */
export function createActions({
  store,
  engine,
  analysisCache,
  modes,
  openDialog,
  confirmDiscard = () => Promise.resolve(true),
  startLocalGame,
}) {
  /** Aborts the current request for a move, a hint or a new game. */
  let requests = new AbortController();
  let animationCount = 0;
  /** The number of previews that were requested; a response to an earlier one is not shown. */
  let previewCount = 0;

  const mode = () => currentMode(modes, store.get());

  /**
   * Calls `use` with the tree if there is one.
   *
   * @param {(tree: GameTree) => void} use
   */
  function withTree(use) {
    const { tree } = store.get();
    if (tree) {
      use(tree);
    }
  }

  /** Aborts the current request and returns a signal for the next one. */
  function abortRequest() {
    requests.abort();
    requests = new AbortController();
    return requests.signal;
  }

  /**
   * Shows another node or tree at once, without an animation and without the position editor.
   *
   * @param {Partial<State>} change
   */
  function updateAtOnce(change) {
    abortRequest();
    const { tree, flipped } = store.get();
    const isOtherGame = change.tree && change.tree.start !== tree?.start;
    store.update({
      animation: null,
      hint: null,
      busy: null,
      preview: null,
      notice: null,
      error: null,
      editor: null,
      flipped: flipped && !isOtherGame,
      ...change,
    });
  }

  /** @type {Actions["showError"]} */
  function showError(error, retry) {
    if (!isAbort(error)) {
      const message = error instanceof Error ? error.message : String(error);
      store.update({ error: { message, retry: retry ?? null } });
    }
  }

  /** @type {Actions["applyMove"]} */
  function applyMove(moveResult) {
    withTree((tree) => {
      const before = game.position(tree);
      let after = game.addMove(tree, moveResult);
      if (store.get().mode !== "explore") {
        // A move in play belongs to the main line; the moves that were undone become a variation.
        after = game.promoteBranch(after, game.path(after));
      }
      animationCount += 1;
      updateAtOnce({
        tree: after,
        animation: { id: animationCount, before, moveResult },
        // A friend's move does not end the editing of a position.
        editor: store.get().editor,
      });
    });
  }

  /** @type {Actions["makeMove"]} */
  async function makeMove(move, expectedTree) {
    const { tree, busy } = store.get();
    if (!tree || busy?.kind === "sow" || (expectedTree && !isAtSamePly(tree, expectedTree))) {
      return false;
    }
    const existing = game
      .childrenAt(tree, game.path(tree))
      .find((node) => node.moveResult.move === move);
    if (existing) {
      applyMove(existing.moveResult);
      return true;
    }
    const { rules, position } = game.position(tree);
    const signal = abortRequest();
    store.update({ busy: { kind: "sow", phrase: texts.game.sowing }, error: null });
    try {
      const moveResult = await engine.request("move", { rules, position, move }, signal);
      if (!isAtSamePly(store.get().tree, tree)) {
        return false;
      }
      applyMove(moveResult);
      return true;
    } catch (error) {
      if (!isAbort(error)) {
        store.update({ busy: null });
        showError(error, () => void makeMove(move, tree));
      }
      return false;
    }
  }

  /** @type {Actions["newGame"]} */
  async function newGame({ rules, position, players }) {
    const before = store.get();
    const running = runningLocalGame(before);
    if (running && !(await confirmDiscard())) {
      return false;
    }
    const isUntouched = currentLocalGame(before)?.tree.children.length === 0;
    const signal = abortRequest();
    store.update({ busy: { kind: "start", phrase: texts.game.settingUp }, error: null });
    try {
      const start = await engine.request("position", { rules, position }, signal);
      updateAtOnce({
        tree: game.newTree(start),
        players,
        mode: "play",
        suspendedGame: null,
        localGame: null,
        discardedGame: running ?? (isUntouched ? before.discardedGame : null),
        marks: null,
      });
      return true;
    } catch (error) {
      if (!isAbort(error)) {
        store.update({ busy: null });
        showError(error, () => void newGame({ rules, position, players }));
      }
      return false;
    }
  }

  /** Restores the stored game. It resolves to false if the stored value is not a playable game. */
  async function restore(/** @type {unknown} */ stored) {
    const saved = parseSavedGame(stored);
    if (!saved) {
      return false;
    }
    const { rules, position, moves, depth, players, termination, winner } = saved;
    const signal = abortRequest();
    store.update({ busy: { kind: "start", phrase: texts.game.settingUp } });
    try {
      const { start, plies } = await engine.request("play", { rules, position, moves }, signal);
      const line = game.fromLine(start, plies);
      const tree = game.endGame(game.goTo(line, line.line.slice(0, depth)), termination, winner);
      updateAtOnce({ tree, players, mode: "play" });
      return true;
    } catch (error) {
      if (isAbort(error)) {
        // The request that replaced this one has set `busy`.
        throw error;
      }
      store.update({ busy: null });
      if (!(/** @type {any} */ (error).isTemporary)) {
        return false;
      }
      throw error;
    }
  }

  async function loadPresets() {
    try {
      store.update({ presets: await engine.request("rules", {}) });
    } catch (error) {
      showError(error, () => {
        store.update({ error: null });
        void loadPresets();
      });
    }
  }

  /** @type {Actions["preview"]} */
  async function preview(move) {
    previewCount += 1;
    const count = previewCount;
    const { tree, preview: shown } = store.get();
    if (shown) {
      store.update({ preview: null });
    }
    if (!tree || move === null) {
      return;
    }
    const { rules, position } = game.position(tree);
    try {
      // The request is not aborted, because that would stop the worker.
      const moveResult = await engine.request("move", { rules, position, move });
      if (count === previewCount && isAtSamePly(store.get().tree, tree)) {
        store.update({ preview: { position, moveResult }, notice: null });
      }
    } catch {
      // The request for the move itself reports the error.
    }
  }

  /** @type {Actions["playFromHere"]} */
  async function playFromHere(players) {
    const { tree, suspendedGame, players: current } = store.get();
    if (!tree) {
      return;
    }
    const running = runningLocalGame(store.get());
    const isReplaced = running !== null && running.tree.start !== tree.start;
    if (isReplaced && !(await confirmDiscard())) {
      return;
    }
    updateAtOnce({
      tree: game.gameResult(tree) ? tree : game.truncate(tree),
      mode: "play",
      players: players ?? suspendedGame?.players ?? current,
      suspendedGame: null,
      localGame: null,
      discardedGame: running,
    });
  }

  /** @type {Actions["hint"]} */
  async function hint() {
    const state = store.get();
    const { tree } = state;
    if (!tree || state.busy || state.analysisLock || !mode().can("hint", state)) {
      return;
    }
    const at = game.position(tree);
    const known = analysisCache.cached(at);
    const isShown = state.settings.margins || state.panel === "analysis";
    if (known && isShown) {
      store.update({ error: null, hint: hintFromAnalysis(known) });
      return;
    }
    const signal = abortRequest();
    store.update({
      busy: { kind: "hint", phrase: texts.game.searchingHint },
      error: null,
      hint: null,
    });
    try {
      const analysis = await analysisCache.analyze(at, {
        seconds: HINT_TIME_S,
        prove: "best",
        signal,
      });
      if (isAtSamePly(store.get().tree, tree)) {
        store.update({ busy: null, hint: hintFromAnalysis(analysis) });
      }
    } catch (error) {
      if (!isAbort(error)) {
        store.update({ busy: null });
        showError(error, () => void hint());
      }
    }
  }

  /** @type {Actions["updateHint"]} */
  function updateHint(analysis) {
    const { hint: shown } = store.get();
    const updated = hintFromAnalysis(analysis);
    if (
      shown &&
      updated &&
      shown.position === updated.position &&
      JSON.stringify(shown) !== JSON.stringify(updated)
    ) {
      store.update({ hint: updated });
    }
  }

  /** @type {Actions["openGame"]} */
  function openGame(record, at = []) {
    const state = store.get();
    const { mode: name, tree, players } = state;
    // The player does not need to return to a game without moves.
    const untouched = !tree || (name === "play" && tree.children.length === 0);
    const suspendedGame =
      name === "explore" ? state.suspendedGame : untouched ? null : { mode: name, tree, players };
    const opened = game.goTo(game.fromGame(record), at);
    updateAtOnce({
      tree: opened,
      players: playersFromTags(record.tags),
      mode: "explore",
      suspendedGame,
      localGame: currentLocalGame(state),
      marks: null,
    });
  }

  /** @type {Actions["enterMode"]} */
  function enterMode(name, tree, players) {
    updateAtOnce({
      mode: name,
      tree,
      players,
      suspendedGame: null,
      localGame: currentLocalGame(store.get()),
      marks: null,
    });
  }

  /**
   * Lets the person at this device move for both sides, and keeps the game.
   *
   * @type {Actions["explore"]}
   */
  function explore() {
    withTree((tree) => {
      const state = store.get();
      const { mode: name, players } = state;
      if (name !== "explore") {
        const byHand = (/** @type {Player} */ player) =>
          player.kind === "person" ? player : PERSON;
        updateAtOnce({
          mode: "explore",
          players: { south: byHand(players.south), north: byHand(players.north) },
          suspendedGame: { mode: name, tree, players },
          localGame: currentLocalGame(state),
        });
      }
    });
  }

  /** @param {SuspendedGame} suspended */
  const resumeGame = (suspended) => {
    const { localGame } = store.get();
    updateAtOnce({
      ...suspended,
      suspendedGame: null,
      localGame: suspended.mode === "play" ? null : localGame,
      marks: null,
    });
  };

  return {
    requestMove: (move) => mode().requestMove(move),
    makeMove,
    applyMove,
    undo: () => mode().undo(),
    redo: () => mode().redo(),
    goTo: (path) => withTree((tree) => updateAtOnce({ tree: game.goTo(tree, path) })),
    newGame,
    rematch: () => mode().rematch(),
    resign: () => mode().resign(),
    hint: () => void hint(),
    updateHint,
    openGame,
    editTree: (change) =>
      withTree((tree) => {
        const edited = change(tree);
        if (isAtSamePly(tree, edited)) {
          store.update({ tree: edited });
        } else {
          updateAtOnce({ tree: edited });
        }
      }),
    explore,
    resume() {
      const { suspendedGame } = store.get();
      if (suspendedGame) {
        resumeGame(suspendedGame);
      }
    },
    resumeLocalGame() {
      const { mode: name, localGame } = store.get();
      if (name !== "play" && localGame) {
        resumeGame(localGame);
      } else if (name !== "play") {
        startLocalGame();
      }
    },
    playFromHere: (players) => void playFromHere(players),
    restoreDiscarded() {
      const { discardedGame } = store.get();
      if (discardedGame) {
        updateAtOnce({
          ...discardedGame,
          suspendedGame: null,
          localGame: null,
          discardedGame: null,
          marks: null,
        });
      }
    },
    preview: (move) => void preview(move),
    notify: (text) =>
      withTree((tree) =>
        store.update({ notice: { position: game.position(tree).position, text } }),
      ),
    enterMode,
    refresh: () => store.update({}),
    setPlayers: (players) => store.update({ players }),
    setMarks: (marks) => store.update({ marks }),
    setGrades: (grades) => store.update({ grades }),
    setEditor: (editor) => store.update({ editor }),
    setAnalysisLock(analysisLock) {
      if (analysisLock !== store.get().analysisLock) {
        store.update({ analysisLock });
      }
    },
    setScoresLock(scoresLock) {
      if (scoresLock !== store.get().scoresLock) {
        store.update({ scoresLock });
      }
    },
    setSettings: (change) => store.update({ settings: { ...store.get().settings, ...change } }),
    flip: () => store.update({ flipped: !store.get().flipped }),
    openPanel: (panel) => store.update({ panel }),
    openDialog(id) {
      if (store.get().presets.length === 0) {
        void loadPresets();
      }
      openDialog(id);
    },
    showError,
    dismissError: () => store.update({ error: null }),
    animationEnded(id) {
      if (store.get().animation?.id === id) {
        store.update({ animation: null });
      }
    },
    restore,
    loadPresets,
  };
}
