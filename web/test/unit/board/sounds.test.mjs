import assert from "node:assert/strict";
import { test } from "node:test";

import { createSounds, NOTES } from "../../../board/sounds.js";

/** Creates sounds on a context that counts its oscillators and whose clock the test sets. */
function makeSounds() {
  const clock = { seconds: 0, on: true, opened: 0, notes: 0 };
  const node = {
    connect: () => node,
    gain: { setValueAtTime() {}, exponentialRampToValueAtTime() {} },
    frequency: { value: 0 },
    start: () => (clock.notes += 1),
    stop() {},
  };
  const context = {
    state: "running",
    get currentTime() {
      return clock.seconds;
    },
    createOscillator: () => node,
    createGain: () => node,
  };
  const sounds = createSounds(
    () => clock.on,
    () => {
      clock.opened += 1;
      return /** @type {AudioContext} */ (/** @type {unknown} */ (context));
    },
  );
  return { clock, sounds };
}

test("there is no sound before the first gesture, and none that the settings forbid", () => {
  const { clock, sounds } = makeSounds();
  sounds.play("end");
  assert.deepEqual([clock.opened, clock.notes], [0, 0]);
  clock.on = false;
  sounds.unlock();
  sounds.play("end");
  assert.deepEqual([clock.opened, clock.notes], [0, 0]);
  clock.on = true;
  sounds.unlock();
  sounds.unlock();
  sounds.play("end");
  assert.deepEqual([clock.opened, clock.notes], [1, NOTES.end.length]);
});

test("a fast sowing has fewer ticks than seeds", () => {
  const { clock, sounds } = makeSounds();
  sounds.unlock();
  for (let seed = 0; seed < 10; seed += 1) {
    sounds.play("sow");
    clock.seconds += 0.01;
  }
  assert.equal(clock.notes, 2);
  clock.seconds += 1;
  sounds.play("sow");
  assert.equal(clock.notes, 3);
});

test("a browser without sounds is no error", () => {
  const sounds = createSounds(
    () => true,
    () => {
      throw new Error("no sounds");
    },
  );
  sounds.unlock();
  sounds.play("sow");
});
