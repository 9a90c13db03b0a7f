/** The settings in the browser's storage, which all tabs share. */

import { parseSettings } from "./formats.js";
import { changeStored, load, onOtherTabChange } from "./values.js";

/** @import { ChangeOptions } from "./values.js" */
/** @import { createStore } from "../game/store.js" */
/** @import { Settings, State } from "../types/app.d.ts" */

/** The name of the stored settings. */
const NAME = "settings";

/** Returns the stored settings. @param {Storage} [storage] */
export const storedSettings = (storage) => parseSettings(load(NAME, storage));

/**
 * Returns the settings that differ from earlier ones.
 *
 * @param {Settings} settings
 * @param {Settings} before
 * @returns {Partial<Settings>}
 */
const changedSettings = (settings, before) =>
  Object.fromEntries(
    Object.entries(settings).filter(
      ([name, value]) => before[/** @type {keyof Settings} */ (name)] !== value,
    ),
  );

/**
 * Stores the settings that change in this tab, and follows the changes of other tabs.
 *
 * @param {Pick<ReturnType<typeof createStore<State>>, "get" | "update" | "subscribe">} store
 * @param {() => void} onLanguage called after the person has selected a language in this tab
 * @param {ChangeOptions} [options]
 */
export function shareSettings(store, onLanguage, options = {}) {
  /** The settings of another tab. @type {Settings | null} */
  let followed = null;
  store.subscribe(({ settings }, { settings: before }) => {
    if (settings === before || settings === followed) {
      return;
    }
    const changed = changedSettings(settings, before);
    const storing = changeStored(
      NAME,
      (stored) => (stored === null ? settings : { ...parseSettings(stored), ...changed }),
      options,
    );
    if (changed.language !== undefined) {
      void storing.then(onLanguage);
    }
  });
  onOtherTabChange(
    NAME,
    () => {
      if (load(NAME, options.storage) !== null) {
        followed = storedSettings(options.storage);
        store.update({ settings: followed });
      }
    },
    options.page,
  );
}
