/** The actions: all functions that change the state (see `Actions` in types/app.d.ts). */

import { chosenRules, storeRules, withDefaultRules } from "../../storage/chosen-rules.js";
import * as game from "../tree.js";
import { initialContext, modeOf, showError, updateAtOnce, withTree } from "./context.js";
import * as games from "./games.js";
import * as moves from "./moves.js";

/** @import { ActionContext, ActionParts } from "./context.js" */
/** @import { SavedGame } from "../../storage/formats.js" */
/** @import { Actions } from "../../types/app.d.ts" */

/**
 * Creates the actions.
 *
 * @param {Omit<ActionParts, "confirmDiscard"> & Partial<ActionParts>} parts without `confirmDiscard`, games are
 *   replaced without a question
 * @returns {Actions & { restore(stored: unknown): Promise<boolean>, loadPresets(): Promise<void>,
 *   follow(saved: SavedGame): Promise<boolean> }}
 */
export function createActions(parts) {
  const context = initialContext({ confirmDiscard: () => Promise.resolve(true), ...parts });
  return {
    ...gameActions(context),
    ...moveActions(context),
    ...viewActions(context),
    ...storeActions(context),
    restore: (stored) => games.restore(context, stored),
    follow: (saved) => games.follow(context, saved),
    loadPresets: () => loadPresets(context),
  };
}

/**
 * Returns the actions that replace the game on the board or its current node.
 *
 * @param {ActionContext} context
 */
const gameActions = (context) =>
  /** @satisfies {Partial<Actions>} */ ({
    newGame: (options) => games.newGame(context, options),
    rematch: () => modeOf(context).rematch(),
    openGame: (record, path) => games.openGame(context, record, path),
    continueGame: (record, players) => games.continueGame(context, record, players),
    editTree: (change) => games.editTree(context, change),
    goTo: (path) =>
      withTree(context, (tree) => updateAtOnce(context, { tree: game.goTo(tree, path) })),
    explore: () => games.explore(context),
    resume: () => games.resume(context),
    resumeLocalGame: () => games.resumeLocalGame(context),
    playFromHere: (players) => void games.playFromHere(context, players),
    restoreDiscarded: () => games.restoreDiscarded(context),
    enterMode: (mode, tree, players) => games.enterMode(context, mode, tree, players),
  });

/**
 * Returns the actions on moves.
 *
 * @param {ActionContext} context
 */
const moveActions = (context) =>
  /** @satisfies {Partial<Actions>} */ ({
    requestMove: (move) => modeOf(context).requestMove(move),
    makeMove: (move, expectedTree) => moves.makeMove(context, move, expectedTree),
    applyMove: (moveResult) => moves.applyMove(context, moveResult),
    undo: () => modeOf(context).undo(),
    redo: () => modeOf(context).redo(),
    resign: () => modeOf(context).resign(),
    preview: (move) => void moves.preview(context, move),
    hint: () => void moves.hint(context),
    updateHint: (analysis) => moves.updateHint(context, analysis),
  });

/**
 * Returns the actions on what the page shows beside the game.
 *
 * @param {ActionContext} context
 */
function viewActions(context) {
  const { store } = context;
  return /** @satisfies {Partial<Actions>} */ ({
    notify: (text) =>
      withTree(context, (tree) =>
        store.update({ notice: { position: game.position(tree).position, text } }),
      ),
    showError: (error, retry) => showError(context, error, retry),
    dismissError: () => store.update({ error: null }),
    flip: () => store.update({ flipped: !store.get().flipped }),
    setSettings: (change) => store.update({ settings: { ...store.get().settings, ...change } }),
    openPanel: (panel) => store.update({ panel }),
    openDialog(id) {
      if (store.get().presets.length === 0) {
        void loadPresets(context);
      }
      context.openDialog(id);
    },
    animationEnded(id) {
      if (store.get().animation?.id === id) {
        store.update({ animation: null });
      }
    },
  });
}

/**
 * Returns the actions that set one value of the state.
 *
 * @param {ActionContext} context
 */
function storeActions({ store }) {
  return /** @satisfies {Partial<Actions>} */ ({
    refresh: () => store.update({}),
    chooseRules(rules) {
      void storeRules(rules);
      store.update({ presets: withDefaultRules(store.get().presets, rules) });
    },
    setPlayers: (players) => store.update({ players }),
    setMarks: (marks) => store.update({ marks }),
    setPremove(premove) {
      if (premove !== store.get().premove) {
        store.update({ premove });
      }
    },
    setGrades: (grades) => store.update({ grades, hasOwnGrades: grades.size > 0 }),
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
  });
}

/** @param {ActionContext} context */
async function loadPresets(context) {
  const { store, engine } = context;
  try {
    const presets = await engine.request("rules", null);
    store.update({ presets: withDefaultRules(presets, chosenRules()) });
  } catch (error) {
    showError(context, error, () => {
      store.update({ error: null });
      void loadPresets(context);
    });
  }
}
