import assert from "node:assert/strict";
import { test } from "node:test";

import {
  changeStored,
  load,
  onOtherTab,
  save,
  storedNames,
  withLock,
} from "../../../storage/values.js";
import { holdLock, memory, refusing, sharedLocks } from "./storages.mjs";

/** @param {unknown} stored */
const plusOne = (stored) => Number(stored ?? 0) + 1;

test("saved values are loaded, and storage errors are ignored", async () => {
  const storage = memory();
  assert.equal(save("settings", { speed: "fast" }, storage), true);
  assert.deepEqual(load("settings", storage), { speed: "fast" });
  assert.deepEqual(storedNames("set", storage), ["settings"]);
  assert.equal(load("game", storage), null);
  assert.equal(save("settings", {}, refusing()), false);
  assert.equal(load("settings", refusing()), null);
  await changeStored("settings", () => 1, { storage: refusing(), locks: null });
  storage.setItem("kalah.game", "{not json");
  assert.equal(load("game", storage), null);
});

test("each change is based on the changes of other tabs", async () => {
  const storage = memory();
  const locks = sharedLocks();
  const page = new EventTarget();
  await Promise.all(
    Array.from({ length: 5 }, () => changeStored("count", plusOne, { storage, locks, page })),
  );
  assert.equal(load("count", storage), 5);
  // A value that stays the same is not written, so that other tabs are not told.
  let writes = 0;
  const counted = /** @type {Storage} */ (
    /** @type {unknown} */ ({ getItem: () => "5", setItem: () => (writes += 1) })
  );
  await changeStored("count", (stored) => stored, { storage: counted, locks, page });
  await changeStored("count", () => undefined, { storage: counted, locks, page });
  assert.equal(writes, 0);
});

test("one tab at a time changes a value", async () => {
  const locks = sharedLocks();
  const page = new EventTarget();
  /** @type {string[]} */
  const order = [];
  const first = withLock("topic", () => order.push("first"), { locks, page });
  const second = withLock("topic", () => order.push("second"), { locks, page });
  const other = withLock("other", () => order.push("other"), { locks, page });
  await Promise.all([first, other]);
  // The first tab keeps its lock until other tabs have received the value.
  assert.deepEqual(order, ["first", "other"]);
  await second;
  assert.deepEqual(order, ["first", "other", "second"]);
});

test("without locks a change is made at once", () => {
  const storage = memory();
  void changeStored("count", plusOne, { storage, locks: null, page: new EventTarget() });
  assert.equal(load("count", storage), 1);
});

test("a change that waits for its lock is made once when the page ends", async () => {
  const storage = memory();
  const locks = sharedLocks();
  const page = new EventTarget();
  const release = holdLock(locks, "kalah.count");
  const change = changeStored("count", plusOne, { storage, locks, page });
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(load("count", storage), null);
  page.dispatchEvent(new Event("pagehide"));
  assert.equal(load("count", storage), 1);
  release();
  await change;
  page.dispatchEvent(new Event("pagehide"));
  assert.equal(load("count", storage), 1);
});

test("a browser that refuses locks does not prevent changes", async () => {
  const storage = memory();
  const locks = { request: () => Promise.reject(new DOMException("denied", "SecurityError")) };
  await changeStored("count", plusOne, { storage, locks, page: new EventTarget() });
  assert.equal(load("count", storage), 1);
});

test("a change that fails is not made again", async () => {
  const page = new EventTarget();
  let calls = 0;
  const fail = () => {
    calls += 1;
    throw new Error("as it should");
  };
  for (const locks of [sharedLocks(), null]) {
    calls = 0;
    await assert.rejects(withLock("x", fail, { locks, page }), /as it should/);
    assert.equal(calls, 1);
  }
});

test("a tab that keeps its lock stops no other tab for ever", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const storage = memory();
  const locks = sharedLocks();
  const release = holdLock(locks, "kalah.count");
  const change = changeStored("count", plusOne, { storage, locks, page: new EventTarget() });
  t.mock.timers.tick(2_000);
  assert.equal(load("count", storage), null);
  t.mock.timers.tick(1_000);
  await change;
  assert.equal(load("count", storage), 1);
  // The tab does not make the change again when it could have the lock.
  release();
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(load("count", storage), 1);
});

test("changes of other tabs are reported with the name of the value", () => {
  const page = new EventTarget();
  /** @type {(string | null)[]} */
  const names = [];
  onOtherTab((name) => names.push(name), page);
  for (const key of ["kalah.game", "another.page", "kalah.played.x", null]) {
    page.dispatchEvent(Object.assign(new Event("storage"), { key }));
  }
  assert.deepEqual(names, ["game", "played.x", null]);
});
