/** The parts that all actions share, and the changes of the state that all of them make. */

import { errorText, isAbort } from "../../engine/errors.js";
import { currentMode } from "../modes.js";

/** @import { AnalysisCache } from "../../analysis/cache.js" */
/** @import { createStore } from "../store.js" */
/** @import { DialogId, Engine, GameTree, Mode, State } from "../../types/app.d.ts" */

/**
 * The parts of the page that the actions need.
 *
 * @typedef {object} ActionParts
 * @property {ReturnType<typeof createStore<State>>} store
 * @property {Engine} engine
 * @property {AnalysisCache} analysisCache
 * @property {ReadonlyMap<string, Mode>} modes
 * @property {(id: DialogId) => void} openDialog
 * @property {() => Promise<boolean>} confirmDiscard asks whether an unfinished game may be replaced
 * @property {() => void} startLocalGame starts the game of the page, which a link can delay
 */

/**
 * The parts with what the actions remember.
 *
 * @typedef {ActionParts & {
 *   requests: AbortController,
 *   starts: AbortController,
 *   animationCount: number,
 *   previewCount: number,
 * }} ActionContext
 */

/**
 * Returns the context of actions that have not started anything. `requests` aborts the current
 * request for a move or a hint, and `starts` that for the game that replaces the one on the board.
 * `previewCount` is the number of previews that were requested; a response to an earlier one is not
 * shown.
 *
 * @param {ActionParts} parts
 * @returns {ActionContext}
 */
export const initialContext = (parts) => ({
  ...parts,
  requests: new AbortController(),
  starts: new AbortController(),
  animationCount: 0,
  previewCount: 0,
});

/** Returns the mode of the page. @param {ActionContext} context */
export const modeOf = ({ modes, store }) => currentMode(modes, store.get());

/**
 * Calls `use` with the tree if there is one.
 *
 * @param {ActionContext} context
 * @param {(tree: GameTree) => void} use
 */
export function withTree({ store }, use) {
  const { tree } = store.get();
  if (tree) {
    use(tree);
  }
}

/**
 * Aborts the current request for a move or a hint and returns a signal for the next one.
 *
 * @param {ActionContext} context
 */
export function abortRequest(context) {
  context.requests.abort();
  context.requests = new AbortController();
  return context.requests.signal;
}

/**
 * Aborts all current requests and returns a signal for the start of a game.
 *
 * @param {ActionContext} context
 */
export function abortStart(context) {
  abortRequest(context);
  context.starts.abort();
  context.starts = new AbortController();
  return context.starts.signal;
}

/**
 * Shows another game at once. A game that is being started no longer replaces it.
 *
 * @param {ActionContext} context
 * @param {Partial<State>} change
 */
export function replaceGame(context, change) {
  abortStart(context);
  updateAtOnce(context, { busy: null, ...change });
}

/**
 * Shows another node or tree at once, without an animation and without the position editor. A game
 * that is being started still replaces it, because the person has chosen that game, and a friend or
 * the page can make moves meanwhile.
 *
 * @param {ActionContext} context
 * @param {Partial<State>} change
 */
export function updateAtOnce(context, change) {
  abortRequest(context);
  const { tree, flipped, busy } = context.store.get();
  const isOtherGame = change.tree && change.tree.start !== tree?.start;
  context.store.update({
    animation: null,
    hint: null,
    busy: busy?.kind === "start" ? busy : null,
    preview: null,
    notice: null,
    error: null,
    editor: null,
    flipped: flipped && !isOtherGame,
    ...change,
  });
}

/**
 * Shows an error message. It ignores an `AbortError`.
 *
 * @param {ActionContext} context
 * @param {unknown} error
 * @param {() => void} [retry]
 */
export function showError({ store }, error, retry) {
  if (!isAbort(error)) {
    const message = errorText(error);
    store.update({ error: { message, retry: retry ?? null } });
  }
}

/**
 * Ends the wait for a request that has failed and shows the error. After an abort, the request that
 * replaced this one has set `busy`.
 *
 * @param {ActionContext} context
 * @param {unknown} error
 * @param {() => void} retry
 */
export function endRequest(context, error, retry) {
  if (!isAbort(error)) {
    context.store.update({ busy: null });
    showError(context, error, retry);
  }
}
