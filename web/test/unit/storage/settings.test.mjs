import assert from "node:assert/strict";
import { test } from "node:test";

import { shareSettings, storedSettings } from "../../../storage/settings.js";
import { DEFAULT_SETTINGS } from "../../../storage/formats.js";
import { createStore, initialState } from "../../../game/store.js";
import { save } from "../../../storage/values.js";
import { holdLock, memory, sharedLocks } from "./storages.mjs";

/** @import { TestContext } from "node:test" */

/** The time for which a tab keeps its lock, in milliseconds. */
const SETTLE_MS = 20;

/** Lets subscribers run, and the changes that they make. @param {TestContext} t */
async function settle(t) {
  for (let changes = 0; changes < 3; changes += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    t.mock.timers.tick(SETTLE_MS);
  }
}

/** Returns tabs that share their settings. */
function makeTabs() {
  const storage = memory();
  const locks = sharedLocks();
  const languages = { count: 0 };
  const open = () => {
    const page = new EventTarget();
    const store = createStore(initialState());
    shareSettings(store, () => (languages.count += 1), { storage, locks, page });
    /** @param {Partial<typeof DEFAULT_SETTINGS>} change */
    const set = (change) => store.update({ settings: { ...store.get().settings, ...change } });
    const tell = () =>
      page.dispatchEvent(Object.assign(new Event("storage"), { key: "kalah.settings" }));
    return { store, set, tell };
  };
  return { open, storage, locks, languages };
}

test("tabs share their settings, and no tab undoes the change of another", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { open, storage, languages } = makeTabs();
  const [a, b] = [open(), open()];
  a.set({ speed: "fast" });
  b.set({ lines: 3 });
  await settle(t);
  const both = { ...DEFAULT_SETTINGS, speed: "fast", lines: 3 };
  assert.deepEqual(storedSettings(storage), both);
  a.tell();
  await settle(t);
  assert.deepEqual(a.store.get().settings, both);
  // The language of another tab does not reload this one.
  b.set({ language: "de" });
  await settle(t);
  assert.equal(languages.count, 1);
  a.tell();
  await settle(t);
  a.set({ sound: false });
  await settle(t);
  assert.equal(languages.count, 1);
  assert.deepEqual(storedSettings(storage), { ...both, language: "de", sound: false });
});

test("a change that waits for its lock outlasts the change of another tab", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { open, storage, locks } = makeTabs();
  const tab = open();
  const release = holdLock(locks, "kalah.settings");
  tab.set({ speed: "fast" });
  await settle(t);
  save("settings", { ...DEFAULT_SETTINGS, lines: 3 }, storage);
  tab.tell();
  await settle(t);
  const both = { ...DEFAULT_SETTINGS, speed: "fast", lines: 3 };
  assert.deepEqual(tab.store.get().settings, both);
  release();
  await settle(t);
  assert.deepEqual(storedSettings(storage), both);
  // A stored change is no longer pending.
  save("settings", DEFAULT_SETTINGS, storage);
  tab.tell();
  await settle(t);
  assert.deepEqual(tab.store.get().settings, DEFAULT_SETTINGS);
});
