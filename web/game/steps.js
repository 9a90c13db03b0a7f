/**
 * Steps through the moves of the game on the board. A step back from a game in play shows it in mode
 * `explore`; a step to its last move returns to it.
 */

import { editInExploreMode, LESSON_MODE } from "./modes.js";
import * as game from "./tree.js";

/** @import { App, GameTree, State } from "../types/app.d.ts" */

/** @typedef {"first" | "back" | "forward" | "last"} StepTarget */

/**
 * Returns the path of the node to which a step leads, or `null` if the game is there already.
 *
 * @param {GameTree} tree
 * @param {StepTarget} which
 * @returns {number[] | null}
 */
export function stepPath(tree, which) {
  const at = game.path(tree);
  switch (which) {
    case "first":
      return at.length > 0 ? [] : null;
    case "back":
      return at.length > 0 ? at.slice(0, -1) : null;
    case "forward":
      return game.canRedo(tree) ? game.path(game.redo(tree)) : null;
    case "last":
      return game.canRedo(tree) ? game.redo(tree).line : null;
  }
}

/**
 * Returns whether a path is the current node of the suspended game, whose moves have not changed.
 *
 * @param {Pick<State, "tree" | "suspendedGame">} state
 * @param {number[]} at
 */
export function isSuspendedNode({ tree, suspendedGame }, at) {
  return (
    suspendedGame !== null &&
    suspendedGame.tree.children === tree?.children &&
    String(game.path(suspendedGame.tree)) === String(at)
  );
}

/**
 * Shows the node at a path.
 *
 * @param {App} app
 * @param {number[]} at
 */
export function showNode(app, at) {
  const state = app.state();
  if (!state.tree || String(game.path(state.tree)) === String(at)) {
    return;
  }
  if (state.mode === "explore" && isSuspendedNode(state, at)) {
    app.actions.resume();
  } else {
    editInExploreMode(app, (tree) => game.goTo(tree, at));
  }
}

/**
 * Makes a step.
 *
 * @param {App} app
 * @param {StepTarget} which
 */
export function step(app, which) {
  const { tree, mode } = app.state();
  const at = tree && mode !== LESSON_MODE && stepPath(tree, which);
  if (at) {
    showNode(app, at);
  }
}
