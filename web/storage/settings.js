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
 * The settings of a tab.
 *
 * @typedef {object} SharedSettings
 * @property {SettingsStore} store
 * @property {() => void} onLanguage called after the person has selected a language in this tab
 * @property {ChangeOptions} options
 * @property {Settings | null} followed the settings that this tab has taken over from another one
 * @property {Set<Partial<Settings>>} pending the changes of this tab that are not stored yet
 */

/** @typedef {Pick<ReturnType<typeof createStore<State>>, "get" | "update" | "subscribe">} SettingsStore */

/**
 * Stores the settings that have changed in this tab.
 *
 * @param {SharedSettings} shared
 * @param {Settings} settings
 * @param {Settings} before
 */
async function storeChange({ pending, options, onLanguage }, settings, before) {
  const changed = changedSettings(settings, before);
  pending.add(changed);
  await changeStored(
    NAME,
    (stored) => {
      pending.delete(changed);
      return stored === null ? settings : { ...parseSettings(stored), ...changed };
    },
    options,
  );
  if (changed.language !== undefined) {
    onLanguage();
  }
}

/** Takes over the settings of another tab. @param {SharedSettings} shared */
function follow(shared) {
  const { store, options, pending } = shared;
  if (load(NAME, options.storage) !== null) {
    /** @type {Settings} */
    const settings = Object.assign(storedSettings(options.storage), ...pending);
    shared.followed = settings;
    store.update({ settings });
  }
}

/**
 * Stores the settings that change in this tab, and follows the changes of other tabs.
 *
 * @param {SettingsStore} store
 * @param {() => void} onLanguage called after the person has selected a language in this tab
 * @param {ChangeOptions} [options]
 */
export function shareSettings(store, onLanguage, options = {}) {
  /** @type {SharedSettings} */
  const shared = { store, onLanguage, options, followed: null, pending: new Set() };
  store.subscribe(({ settings }, { settings: before }) => {
    if (settings !== before && settings !== shared.followed) {
      void storeChange(shared, settings, before);
    }
  });
  onOtherTabChange(NAME, () => follow(shared), options.page);
}
