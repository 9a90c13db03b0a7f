import assert from "node:assert/strict";
import { test } from "node:test";

import { shareSettings, storedSettings } from "../../../storage/settings.js";
import { DEFAULT_SETTINGS } from "../../../storage/formats.js";
import { createStore, initialState } from "../../../game/store.js";
import { memory, sharedLocks } from "./storages.mjs";

/** Lets subscribers run, and the changes that they make. */
const settle = () => new Promise((resolve) => setTimeout(resolve, 100));

test("tabs share their settings, and no tab undoes the change of another", async () => {
  const storage = memory();
  const locks = sharedLocks();
  let languages = 0;
  const makeTab = () => {
    const page = new EventTarget();
    const store = createStore(initialState());
    shareSettings(store, () => (languages += 1), { storage, locks, page });
    /** @param {Partial<typeof DEFAULT_SETTINGS>} change */
    const set = (change) => store.update({ settings: { ...store.get().settings, ...change } });
    const tell = () =>
      page.dispatchEvent(Object.assign(new Event("storage"), { key: "kalah.settings" }));
    return { store, set, tell };
  };
  const [a, b] = [makeTab(), makeTab()];
  a.set({ speed: "fast" });
  b.set({ lines: 3 });
  await settle();
  const both = { ...DEFAULT_SETTINGS, speed: "fast", lines: 3 };
  assert.deepEqual(storedSettings(storage), both);
  a.tell();
  await settle();
  assert.deepEqual(a.store.get().settings, both);
  // The language of another tab does not reload this one.
  b.set({ language: "de" });
  await settle();
  assert.equal(languages, 1);
  a.tell();
  await settle();
  a.set({ sound: false });
  await settle();
  assert.equal(languages, 1);
  assert.deepEqual(storedSettings(storage), { ...both, language: "de", sound: false });
});
