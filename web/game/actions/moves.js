/** The actions on moves: their requests, their results on the board, previews and hints. */

import { hintFromAnalysis } from "../../analysis/hint.js";
import { texts } from "../../texts/texts.js";
import * as game from "../tree.js";
import { abortRequest, endRequest, modeOf, updateAtOnce, withTree } from "./context.js";

/** @import { ActionContext } from "./context.js" */
/** @import { AnalyzeResponse, Move, MoveResult } from "../../types/api.d.ts" */
/** @import { GameTree } from "../../types/app.d.ts" */

/** The time limit of a hint, in seconds. */
const HINT_TIME_S = 2;

/**
 * Makes a move whose result is known and starts its animation.
 *
 * @param {ActionContext} context
 * @param {MoveResult} moveResult
 */
export function applyMove(context, moveResult) {
  const { store } = context;
  withTree(context, (tree) => {
    const before = game.position(tree);
    let after = game.addMove(tree, moveResult);
    if (store.get().mode !== "explore") {
      // A move in play belongs to the main line; the moves that were undone become a variation.
      after = game.promoteBranch(after, game.path(after));
    }
    context.animationCount += 1;
    updateAtOnce(context, {
      tree: after,
      animation: { id: context.animationCount, before, moveResult },
      // A friend's move does not end the editing of a position.
      editor: store.get().editor,
    });
  });
}

/**
 * Makes a move at the current node. With `expectedTree`, it makes no move if the game has left that
 * tree's node since.
 *
 * @param {ActionContext} context
 * @param {Move} move
 * @param {GameTree} [expectedTree]
 * @returns {Promise<boolean>} whether the move was made
 */
export async function makeMove(context, move, expectedTree) {
  const { store, engine } = context;
  const { tree, busy } = store.get();
  if (!tree || busy?.kind === "sow" || (expectedTree && !game.isAtSamePly(tree, expectedTree))) {
    return false;
  }
  const existing = game
    .childrenAt(tree, game.path(tree))
    .find((node) => node.moveResult.move === move);
  if (existing) {
    applyMove(context, existing.moveResult);
    return true;
  }
  const { rules, position } = game.position(tree);
  const signal = abortRequest(context);
  store.update({ busy: { kind: "sow", phrase: texts.game.sowing }, error: null });
  try {
    const moveResult = await engine.request("move", { rules, position, move }, signal);
    if (!game.isAtSamePly(store.get().tree, tree)) {
      return false;
    }
    applyMove(context, moveResult);
    return true;
  } catch (error) {
    endRequest(context, error, () => void makeMove(context, move, tree));
    return false;
  }
}

/**
 * Requests the result of a move and shows it as preview.
 *
 * @param {ActionContext} context
 * @param {Move | null} move `null` removes the preview
 */
export async function preview(context, move) {
  const { store, engine } = context;
  context.previewCount += 1;
  const count = context.previewCount;
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
    if (count === context.previewCount && game.isAtSamePly(store.get().tree, tree)) {
      store.update({ preview: { position, moveResult }, notice: null });
    }
  } catch {
    // The request for the move itself reports the error.
  }
}

/**
 * Shows a hint: that of the analysis on the page, or of a new one.
 *
 * @param {ActionContext} context
 */
export async function hint(context) {
  const { store, analysisCache } = context;
  const state = store.get();
  const { tree } = state;
  if (!tree || state.busy || state.analysisLock || !modeOf(context).can("hint", state)) {
    return;
  }
  const at = game.position(tree);
  const known = analysisCache.cached(at);
  const isShown = state.settings.margins || state.panel === "analysis";
  if (known && isShown) {
    store.update({ error: null, hint: hintFromAnalysis(known) });
    return;
  }
  const signal = abortRequest(context);
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
    if (game.isAtSamePly(store.get().tree, tree)) {
      store.update({ busy: null, hint: hintFromAnalysis(analysis) });
    }
  } catch (error) {
    endRequest(context, error, () => void hint(context));
  }
}

/**
 * Changes the hint so that it agrees with a newer analysis of its position.
 *
 * @param {ActionContext} context
 * @param {AnalyzeResponse} analysis
 */
export function updateHint({ store }, analysis) {
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
