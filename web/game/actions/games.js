/** The actions that replace the game on the board: new, stored, opened and suspended games. */

import { isAbort } from "../../engine/errors.js";
import { texts } from "../../texts/texts.js";
import { currentLocalGame, isPersonsTurn, runningLocalGame } from "../modes.js";
import { playersFromTags } from "../players.js";
import { parseSavedGame } from "../../storage/formats.js";
import { takeGrades } from "../../records/annotations.js";
import * as game from "../tree.js";
import { abortStart, endRequest, replaceGame, updateAtOnce, withTree } from "./context.js";

/** @import { ActionContext } from "./context.js" */
/** @import { SavedGame } from "../../storage/formats.js" */
/** @import { Game } from "../../types/api.d.ts" */
/** @import { GameTree, NewGame, Player, Players, SuspendedGame } from "../../types/app.d.ts" */

/** @type {Player} */
const PERSON = { kind: "person" };

/**
 * Starts a game. If that replaces an unfinished game, the person is asked first.
 *
 * @param {ActionContext} context
 * @param {NewGame} options
 * @returns {Promise<boolean>} whether the game has started
 */
export async function newGame(context, options) {
  const { store, engine, confirmDiscard } = context;
  const { rules, position, players } = options;
  if (runningLocalGame(store.get()) && !(await confirmDiscard())) {
    return false;
  }
  const signal = abortStart(context);
  store.update({ busy: { kind: "start", phrase: texts.game.settingUp }, error: null });
  try {
    const start = await engine.request("position", { rules, position }, signal);
    const before = store.get();
    const isUntouched = currentLocalGame(before)?.tree.children.length === 0;
    replaceGame(context, {
      tree: game.newTree(start),
      players,
      mode: "play",
      suspendedGame: null,
      localGame: null,
      discardedGame: runningLocalGame(before) ?? (isUntouched ? before.discardedGame : null),
      marks: null,
    });
    return true;
  } catch (error) {
    endRequest(context, error, () => void newGame(context, options));
    return false;
  }
}

/**
 * Restores the stored game. It rejects after a temporary error.
 *
 * @param {ActionContext} context
 * @param {unknown} stored
 * @returns {Promise<boolean>} false if the stored value is not a playable game
 */
export async function restore(context, stored) {
  const { store, engine } = context;
  const saved = parseSavedGame(stored);
  if (!saved) {
    return false;
  }
  const { rules, position, moves, depth, players, termination, winner } = saved;
  const signal = abortStart(context);
  store.update({ busy: { kind: "start", phrase: texts.game.settingUp } });
  try {
    const { start, plies } = await engine.request("play", { rules, position, moves }, signal);
    const line = game.fromLine(start, plies);
    const tree = game.endGame(game.goTo(line, line.line.slice(0, depth)), termination, winner);
    replaceGame(context, { tree, players, mode: "play" });
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

/**
 * Shows the game of another tab that has gone on with the one on the board. The computer's moves are
 * left to that tab: the board follows when a person is to move, or the game is over.
 *
 * @param {ActionContext} context
 * @param {SavedGame} saved
 * @returns {Promise<boolean>} false if the page could not show the game and can try again
 */
export async function follow(context, saved) {
  const { store, engine } = context;
  const { tree: before, mode } = store.get();
  if (!before) {
    return false;
  }
  const { rules, position, moves, depth, termination, winner } = saved;
  try {
    const { plies } = await engine.request("play", { rules, position, moves });
    const line = game.fromLine(before.start, plies);
    const tree = game.endGame(game.goTo(line, line.line.slice(0, depth)), termination, winner);
    const now = store.get();
    if (game.gameResult(tree) === null && !isPersonsTurn(now, tree)) {
      // The next move of the other tab brings this game again.
      return true;
    }
    const isUnchanged = now.tree === before && now.mode === mode && now.busy?.kind !== "sow";
    if (isUnchanged) {
      updateAtOnce(context, { tree });
    }
    return isUnchanged;
  } catch {
    return false;
  }
}

/**
 * Plays on from the current node. If that replaces another unfinished game, the person is asked
 * first.
 *
 * @param {ActionContext} context
 * @param {Players} [players] by default those of the last game
 */
export async function playFromHere(context, players) {
  const { store, confirmDiscard } = context;
  const { tree, suspendedGame, players: current } = store.get();
  if (!tree) {
    return;
  }
  const running = runningLocalGame(store.get());
  const isReplaced = running !== null && running.tree.start !== tree.start;
  if (isReplaced && !(await confirmDiscard())) {
    return;
  }
  replaceGame(context, {
    tree: game.gameResult(tree) ? tree : game.truncate(tree),
    mode: "play",
    players: players ?? suspendedGame?.players ?? current,
    suspendedGame: null,
    localGame: null,
    discardedGame: running,
  });
}

/**
 * Shows a game from a record or a link in mode `explore`, at a path.
 *
 * @param {ActionContext} context
 * @param {Game} record
 * @param {number[]} [at]
 */
export function openGame(context, record, at = []) {
  const state = context.store.get();
  const { mode, tree, players } = state;
  // The player does not need to return to a game without moves.
  const isUntouched = !tree || (mode === "play" && tree.children.length === 0);
  const onBoard = isUntouched ? null : { mode, tree, players };
  const { tree: opened, grades } = takeGrades(game.fromGame(record));
  replaceGame(context, {
    tree: game.goTo(opened, at),
    grades,
    hasOwnGrades: false,
    players: playersFromTags(record.tags),
    mode: "explore",
    suspendedGame: mode === "explore" ? state.suspendedGame : onBoard,
    localGame: currentLocalGame(state),
    marks: null,
  });
}

/**
 * Goes on with an unfinished game at its end. The game that it replaces remains in the list of
 * games.
 *
 * @param {ActionContext} context
 * @param {Game} record
 * @param {Players} players at the start
 * @returns {GameTree}
 */
export function continueGame(context, record, players) {
  const all = game.fromGame(record);
  const tree = game.goTo(all, all.line);
  replaceGame(context, {
    tree,
    players,
    mode: "play",
    suspendedGame: null,
    localGame: null,
    discardedGame: runningLocalGame(context.store.get()),
    marks: null,
  });
  return tree;
}

/**
 * Sets mode, tree and players together.
 *
 * @param {ActionContext} context
 * @param {string} mode
 * @param {GameTree | null} tree
 * @param {Players} players
 */
export function enterMode(context, mode, tree, players) {
  // A mode that the person is leaving enters itself again with the next state of its game.
  const enter = mode === context.store.get().mode ? updateAtOnce : replaceGame;
  enter(context, {
    mode,
    tree,
    players,
    suspendedGame: null,
    localGame: currentLocalGame(context.store.get()),
    marks: null,
  });
}

/**
 * Lets the person at this device move for both sides, and keeps the game.
 *
 * @param {ActionContext} context
 */
export function explore(context) {
  withTree(context, (tree) => {
    const state = context.store.get();
    const { mode, players } = state;
    if (mode !== "explore") {
      const byHand = (/** @type {Player} */ player) => (player.kind === "person" ? player : PERSON);
      replaceGame(context, {
        mode: "explore",
        players: { south: byHand(players.south), north: byHand(players.north) },
        suspendedGame: { mode, tree, players },
        localGame: currentLocalGame(state),
      });
    }
  });
}

/** @param {ActionContext} context @param {SuspendedGame} suspended */
function resumeGame(context, suspended) {
  const { localGame } = context.store.get();
  replaceGame(context, {
    ...suspended,
    suspendedGame: null,
    localGame: suspended.mode === "play" ? null : localGame,
    marks: null,
  });
}

/** Returns to the suspended game. @param {ActionContext} context */
export function resume(context) {
  const { suspendedGame } = context.store.get();
  if (suspendedGame) {
    resumeGame(context, suspendedGame);
  }
}

/** Returns to the local game, or starts it. @param {ActionContext} context */
export function resumeLocalGame(context) {
  const { mode, localGame } = context.store.get();
  if (mode !== "play" && localGame) {
    resumeGame(context, localGame);
  } else if (mode !== "play") {
    // The game that the person leaves ends at once, and not when the other one has been set up.
    replaceGame(context, { mode: "play", tree: null, suspendedGame: null, marks: null });
    context.startLocalGame();
  }
}

/** Returns to the unfinished game that another one has replaced. @param {ActionContext} context */
export function restoreDiscarded(context) {
  const { discardedGame } = context.store.get();
  if (discardedGame) {
    replaceGame(context, {
      ...discardedGame,
      suspendedGame: null,
      localGame: null,
      discardedGame: null,
      marks: null,
    });
  }
}

/**
 * Changes the tree without making a move.
 *
 * @param {ActionContext} context
 * @param {(tree: GameTree) => GameTree} change
 */
export function editTree(context, change) {
  withTree(context, (tree) => {
    const edited = change(tree);
    if (game.isAtSamePly(tree, edited)) {
      context.store.update({ tree: edited });
    } else {
      updateAtOnce(context, { tree: edited });
    }
  });
}
