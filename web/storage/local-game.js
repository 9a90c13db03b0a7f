/**
 * The local game in the browser's storage. All tabs share one stored game, with which a new tab
 * begins. Each tab also keeps its own game for a reload, because another tab may have stored another
 * one.
 */

import { continues, isEqual, mayReplace, parseSavedGame } from "./formats.js";
import { load, onOtherTabChange, save, windowStorage, withLock } from "./values.js";

/** @import { ChangeOptions } from "./values.js" */
/** @import { SavedGame } from "./formats.js" */

/** The name of the game in both storages. */
export const GAME_NAME = "game";

/**
 * Returns the game with which a tab begins: its own one, or the shared one if that continues it or
 * if the tab has none.
 *
 * @param {SavedGame | null} own
 * @param {SavedGame | null} shared
 */
export const firstGame = (own, shared) =>
  own && !(shared && continues(own, shared)) ? own : shared;

/**
 * The access of a tab to the stored game.
 *
 * @typedef {object} TabGame
 * @property {ChangeOptions} options
 * @property {Storage | undefined} ownStorage
 * @property {SavedGame | null} known the game with which the tab has begun, or that it has stored last
 */

/** @param {TabGame} tab */
const readShared = ({ options }) => parseSavedGame(load(GAME_NAME, options.storage));

/** @param {TabGame} tab */
function loadFirst(tab) {
  tab.known = firstGame(parseSavedGame(load(GAME_NAME, tab.ownStorage)), readShared(tab));
  return tab.known;
}

/** Replaces the shared game if the tab may. @param {TabGame} tab @param {SavedGame} game */
function replaceShared(tab, game) {
  const shared = readShared(tab);
  const isNewGame = shared?.isOver === true && game.moves.length === 0;
  const isReplaced = isNewGame || mayReplace(shared, tab.known, game);
  if (isReplaced && (isEqual(shared, game) || save(GAME_NAME, game, tab.options.storage))) {
    tab.known = game;
  }
}

/**
 * Creates the access of a tab to the stored game.
 *
 * @param {ChangeOptions & { ownStorage?: Storage | undefined }} [options]
 */
export function createLocalGame({ ownStorage = windowStorage(), ...options } = {}) {
  /** @type {TabGame} */
  const tab = { options, ownStorage, known: null };
  return {
    /** Returns the game with which the tab begins. */
    load: () => loadFirst(tab),

    /** Stores the game of the tab. @param {SavedGame} game */
    async store(game) {
      save(GAME_NAME, game, ownStorage);
      await withLock(GAME_NAME, () => replaceShared(tab, game), options);
    },

    /**
     * Returns the shared game if another tab has gone on with that of this tab.
     *
     * @param {SavedGame} game the game of this tab
     */
    newer(game) {
      const shared = readShared(tab);
      const isNewer = shared && continues(game, shared) && !isEqual(game, shared);
      return isNewer ? shared : null;
    },

    /** @param {() => void} listener called after another tab has stored a game */
    subscribe: (listener) => onOtherTabChange(GAME_NAME, listener, options.page),
  };
}

/** @typedef {ReturnType<typeof createLocalGame>} LocalGame */
