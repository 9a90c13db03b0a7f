/** Going about in a game without playing it. */

/** @import { App, GameTree } from "../types/app.d.ts" */

/**
 * Changes the place in the game, or the game, to look at it: one that is being played waits meanwhile, and nobody answers.
 *
 * @param {App} app
 * @param {(tree: GameTree) => GameTree} change
 */
export function look(app, change) {
  if (app.state().mode !== "explore") {
    app.actions.explore();
  }
  app.actions.editTree(change);
}
