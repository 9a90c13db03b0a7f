import assert from "node:assert/strict";
import { test } from "node:test";

import { createStore } from "../../../game/store.js";

test("subscribers get several changes in one task as one", async () => {
  const store = createStore({ one: 1, two: 2 });
  /** @type {unknown[]} */
  const error = [];
  const stop = store.subscribe((state, previous) => error.push([state, previous]));
  store.update({ one: 3 });
  store.update({ two: 4 });
  assert.deepEqual(store.get(), { one: 3, two: 4 });
  await Promise.resolve();
  assert.deepEqual(error, [
    [
      { one: 3, two: 4 },
      { one: 1, two: 2 },
    ],
  ]);
  stop();
  store.update({ one: 5 });
  await Promise.resolve();
  assert.equal(error.length, 1);
});
