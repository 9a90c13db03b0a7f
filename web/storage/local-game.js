/**
 * The local game in the browser's storage. All tabs share one stored game, with which a new tab
 * begins. Each tab also keeps its own game for a reload, because another tab may have stored another
 * one.
 */

import { continues, isEqual, mayReplace, parseSavedGame } from "./formats.js";
import { changeStored, load, onOtherTabChange, save, windowStorage } from "./values.js";

/** @import { ChangeOptions } from "./values.js" */
/** @import { SavedGame } from "./formats.js" */

/** The name of the game in both storages. */
const NAME = "game";

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
 * Creates the access of a tab to the stored game.
 *
 * @param {ChangeOptions & { ownStorage?: Storage | undefined }} [options]
 */
export function createLocalGame({ ownStorage = windowStorage(), ...options } = {}) {
  const readShared = () => parseSavedGame(load(NAME, options.storage));
  /** The shared game that this tab has stored or read last. @type {SavedGame | null} */
  let known = null;

  return {
    /** Returns the game with which the tab begins. */
    load() {
      known = readShared();
      return firstGame(parseSavedGame(load(NAME, ownStorage)), known);
    },

    /** Stores the game of the tab. @param {SavedGame} game */
    async store(game) {
      save(NAME, game, ownStorage);
      await changeStored(
        NAME,
        (value) => {
          const stored = parseSavedGame(value);
          const isNewGame = stored?.isOver === true && game.moves.length === 0;
          if (!isNewGame && !mayReplace(stored, known, game)) {
            return undefined;
          }
          known = game;
          return game;
        },
        options,
      );
    },

    /**
     * Returns the shared game if another tab has gone on with that of this tab.
     *
     * @param {SavedGame} game the game of this tab
     */
    newer(game) {
      const shared = readShared();
      const isNewer = shared && continues(game, shared) && !isEqual(game, shared);
      return isNewer ? shared : null;
    },

    /** @param {() => void} listener called after another tab has stored a game */
    subscribe: (listener) => onOtherTabChange(NAME, listener, options.page),
  };
}
