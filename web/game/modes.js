/**
 * The modes `play` and `explore`: which actions they allow and what these do. Panels register more
 * modes.
 */

import { opposite, ownSide, playerAt } from "./players.js";
import * as game from "./tree.js";

/** @import { Actions, App, GameTree, Mode, Players, State } from "../types/app.d.ts" */
/** @import { SuspendedGame } from "../types/app.d.ts" */

/** The mode of the lesson "How to play", in which the moves are given. */
export const LESSON_MODE = "lesson";

/**
 * Returns the mode of a state. Handlers that it leaves out come from `explore`.
 *
 * @param {ReadonlyMap<string, Mode>} modes
 * @param {State} state
 * @returns {Required<Mode>}
 */
export function currentMode(modes, state) {
  const explore = /** @type {Required<Mode>} */ (modes.get("explore"));
  return { ...explore, ...modes.get(state.mode) };
}

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

/**
 * Creates the two modes, by their names.
 *
 * @param {() => State} state
 * @param {() => Actions} actions
 * @returns {Map<string, Mode>}
 */
export const localModes = (state, actions) =>
  new Map([
    ["explore", exploreMode(state, actions)],
    ["play", playMode(state, actions)],
  ]);

/**
 * Creates the mode `explore`: the person at this device moves for both sides, at any node of the
 * tree.
 *
 * @param {() => State} state
 * @param {() => Actions} actions
 * @returns {Required<Mode>}
 */
function exploreMode(state, actions) {
  return {
    canMove: ({ tree, busy }) =>
      tree !== null && busy?.kind !== "sow" && !game.position(tree).is_over,
    requestMove: (move) => void actions().makeMove(move),
    canPremove: () => false,
    premove() {},
    hidesControls: () => false,
    undo() {
      const { tree } = state();
      if (tree && game.canUndo(tree)) {
        actions().goTo(game.path(tree).slice(0, -1));
      }
    },
    redo() {
      const { tree } = state();
      const next = tree && game.canRedo(tree) ? game.currentNode(game.redo(tree)) : null;
      if (next) {
        actions().applyMove(next.moveResult);
      }
    },
    can(action, { tree }) {
      if (!tree) {
        return false;
      }
      switch (action) {
        case "undo":
          return game.canUndo(tree);
        case "redo":
          return game.canRedo(tree);
        case "hint":
          return !game.position(tree).is_over;
        case "resign":
        case "rematch":
          return false;
      }
    },
    resign() {},
    rematch() {},
    status: () => null,
  };
}

/**
 * Creates the mode `play`: a game between persons at this device and the computer.
 *
 * @param {() => State} state
 * @param {() => Actions} actions
 * @returns {Mode}
 */
function playMode(state, actions) {
  return {
    canMove: (now) => now.tree !== null && now.busy?.kind !== "sow" && isPersonsTurn(now, now.tree),
    undo() {
      const now = state();
      const back = now.tree && undoToPersonsTurn(now, now.tree);
      if (back) {
        actions().editTree(() => back);
      } else {
        actions().restoreDiscarded();
      }
    },
    redo() {
      const now = state();
      const ahead = now.tree && redoToPersonsTurn(now, now.tree);
      if (ahead) {
        actions().goTo(game.path(ahead));
      }
    },
    can(action, now) {
      const { tree } = now;
      if (!tree) {
        return false;
      }
      switch (action) {
        case "undo":
          return undoToPersonsTurn(now, tree) !== null || now.discardedGame !== null;
        case "redo":
          return redoToPersonsTurn(now, tree) !== null;
        case "hint":
          return isPersonsTurn(now, tree);
        case "resign":
          return game.gameResult(tree) === null && game.canUndo(tree);
        case "rematch":
          return game.gameResult(tree) !== null;
      }
    },
    resign() {
      const now = state();
      if (now.tree && !game.gameResult(now.tree)) {
        const ended = withResignation(now.tree, now);
        actions().editTree(() => ended);
      }
    },
    rematch() {
      const { tree, players } = state();
      if (tree) {
        void actions().newGame(rematchGame(tree, players));
      }
    },
  };
}

/**
 * Returns whether a person is to move at the current node.
 *
 * @param {Pick<State, "players">} state
 * @param {GameTree} tree
 */
export function isPersonsTurn(state, tree) {
  return (
    game.gameResult(tree) === null &&
    playerAt(state, tree, game.position(tree).to_move).player.kind === "person"
  );
}

/**
 * Returns the game at the previous turn of a person.
 *
 * @param {State} state
 * @param {GameTree} tree
 * @returns {GameTree | null} `null` if there is no such turn
 */
function undoToPersonsTurn(state, tree) {
  // An undo also cancels a resignation.
  const unended = game.endGame(tree, game.UNFINISHED, null);
  let back = unended;
  while (game.canUndo(back)) {
    back = game.undo(back);
    if (isPersonsTurn(state, back)) {
      return back;
    }
  }
  return null;
}

/**
 * Returns the game at the next turn of a person, or at the end of the line.
 *
 * @param {State} state
 * @param {GameTree} tree
 * @returns {GameTree | null} `null` if there is no move to redo
 */
function redoToPersonsTurn(state, tree) {
  if (!game.canRedo(tree)) {
    return null;
  }
  let ahead = tree;
  do {
    ahead = game.redo(ahead);
  } while (game.canRedo(ahead) && !isPersonsTurn(state, ahead));
  return ahead;
}

/**
 * Returns the options of a rematch: the same start, the players exchanged.
 *
 * @param {GameTree} tree
 * @param {Players} players
 */
function rematchGame(tree, players) {
  return {
    rules: tree.start.rules,
    position: tree.start.position,
    players: { south: players.north, north: players.south },
  };
}

/**
 * Returns the game after the person at this device, or else the side to move, has resigned.
 *
 * @param {GameTree} tree
 * @param {Pick<State, "players">} state
 */
function withResignation(tree, state) {
  const side = ownSide(state, tree) ?? game.position(tree).to_move;
  return game.endGame(game.truncate(tree), "resign", opposite(side));
}

/**
 * Changes the tree or its current node in mode `explore`; a game in play is suspended.
 *
 * @param {App} app
 * @param {(tree: GameTree) => GameTree} change
 */
export function editInExploreMode(app, change) {
  if (app.state().mode !== "explore") {
    app.actions.explore();
  }
  app.actions.editTree(change);
}
