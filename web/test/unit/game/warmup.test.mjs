import assert from "node:assert/strict";
import { test } from "node:test";

import { DEFAULTS } from "../../../game/storage.js";
import { createStore } from "../../../game/store.js";
import { fromLine } from "../../../game/tree.js";
import { startReadiness, TIME } from "../../../game/warmup.js";
import { aPosition, aSown } from "../../positions.mjs";

/** @import { Engine, Players, State } from "../../../types/app.d.ts" */

/**
 * A page with a game against `opponent`, and what its engine was asked: nothing of it is answered before `answer`.
 *
 * @param {{ opponent?: string, kind?: Engine["kind"], pointer?: string }} given
 */
function page({ opponent = "perfect", kind = "worker", pointer = "fine" }) {
  globalThis.matchMedia = /** @type {typeof matchMedia} */ (
    (/** @type {string} */ query) => ({ matches: query === `(pointer: ${pointer})` })
  );
  /** @type {Players} */
  const players = { south: { kind: "person" }, north: { kind: "computer", opponent } };
  const initial = /** @type {State} */ ({
    ...{ tree: null, players, mode: "play", parked: null, home: null, closed: null, motion: null, busy: null, hint: null, marks: null },
    ...{ trouble: null, settings: DEFAULTS, presets: [], panel: null },
  });
  const store = createStore(initial);
  const asked = /** @type {unknown[]} */ ([]);
  let answer = () => {};
  const engine = /** @type {Engine} */ ({
    kind,
    ask: /** @type {Engine["ask"]} */ (
      (/** @type {string} */ question, /** @type {object} */ body, /** @type {AbortSignal | undefined} */ signal) => {
        asked.push({ question, ...body });
        return new Promise((resolve, reject) => {
          signal?.addEventListener("abort", () => {
            asked.push("called off");
            reject(signal.reason);
          });
          answer = () => resolve(/** @type {never} */ ({ seeds: 22 }));
        });
      }
    ),
  });
  startReadiness({ engine, subscribe: store.subscribe });
  /** Becomes that, and everybody is told. @param {Partial<State>} change */
  const become = async (change) => {
    store.update(change);
    await nextTask();
  };
  return { become, asked, answer: () => answer() };
}

const nextTask = () => new Promise((resolve) => setTimeout(resolve));

const BEGIN = aPosition();
const START = fromLine(BEGIN, []);
const SOWN = fromLine(BEGIN, [aSown("A")]);
const TURN_LATER = fromLine(BEGIN, [aSown("A"), aSown("a")]);

test("while a person thinks the engine gets ready, once for each turn", async () => {
  const { become, asked, answer } = page({});
  await become({ tree: START });
  const start = { question: "prepare", rules: "cs32", position: aPosition().position, time: TIME };
  assert.deepEqual(asked, [start]);
  await become({ panel: null });
  await become({ tree: SOWN });
  await become({ tree: TURN_LATER });
  assert.equal(asked.length, 1, "not again before it is ready");
  answer();
  await nextTask();
  await become({ tree: SOWN });
  assert.equal(asked.length, 1, "not while the computer thinks");
  await become({ tree: TURN_LATER });
  assert.deepEqual(asked.at(-1), { ...start, position: "after a" });
});

test("nobody gets ready for an opponent that does not search, for a server, or with a phone's battery", async () => {
  for (const given of [{ opponent: "level:9" }, { kind: /** @type {const} */ ("server") }, { pointer: "coarse" }]) {
    const { become, asked } = page(given);
    await become({ tree: START });
    assert.deepEqual(asked, []);
  }
});

test("who asks for a hint or leaves the game does not wait for it, and who looks at margins has no use for it", async () => {
  const { become, asked } = page({});
  await become({ tree: START });
  await become({ busy: { kind: "hint", phrase: "Thinking" } });
  assert.deepEqual(asked.slice(1), ["called off"]);
  await become({ busy: null, tree: TURN_LATER });
  assert.equal(asked.length, 3);
  await become({ tree: fromLine(aPosition(), []), players: { south: { kind: "person" }, north: { kind: "person" } } });
  assert.deepEqual(asked.slice(3), ["called off"]);
  const other = page({});
  await other.become({ tree: START, settings: { ...DEFAULTS, margins: true } });
  assert.deepEqual(other.asked, []);
});
