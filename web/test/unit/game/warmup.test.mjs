import assert from "node:assert/strict";
import { test } from "node:test";

import { DEFAULT_SETTINGS } from "../../../storage/formats.js";
import { createStore, initialState } from "../../../game/store.js";
import { fromLine } from "../../../game/tree.js";
import { startWarmup, WARMUP_TIME } from "../../../game/warmup.js";
import { makeMoveResult, makePosition } from "../../positions.mjs";

/** @import { Engine, Players, State } from "../../../types/app.d.ts" */

/**
 * Creates a page with a game against `opponent`. Its engine records requests and does not respond
 * before `answer` is called.
 *
 * @param {{ opponent?: string, kind?: Engine["kind"], pointer?: string }} given
 */
function page({ opponent = "smart", kind = "worker", pointer = "fine" }) {
  globalThis.matchMedia = /** @type {typeof matchMedia} */ (
    (/** @type {string} */ query) => ({ matches: query === `(pointer: ${pointer})` })
  );
  /** @type {Players} */
  const players = { south: { kind: "person" }, north: { kind: "computer", opponent } };
  const store = createStore({ ...initialState(), players });
  const requests = /** @type {unknown[]} */ ([]);
  let answer = () => {};
  const engine = /** @type {Engine} */ ({
    kind,
    search: /** @type {Engine["search"]} */ (
      (
        /** @type {string} */ endpoint,
        /** @type {object} */ body,
        /** @type {AbortSignal | undefined} */ signal,
      ) => {
        requests.push({ endpoint, ...body });
        return new Promise((resolve, reject) => {
          signal?.addEventListener("abort", () => {
            requests.push("aborted");
            reject(signal.reason);
          });
          answer = () => resolve(/** @type {never} */ ({ seeds: 22 }));
        });
      }
    ),
  });
  startWarmup({ engine, subscribe: store.subscribe });
  /** Changes the state and notifies its subscribers. @param {Partial<State>} change */
  const setState = async (change) => {
    store.update(change);
    await nextTask();
  };
  return { setState, requests, answer: () => answer() };
}

const nextTask = () => new Promise((resolve) => setTimeout(resolve));

const BEGIN = makePosition();
const START = fromLine(BEGIN, []);
const SOWN = fromLine(BEGIN, [makeMoveResult("A")]);
const TURN_LATER = fromLine(BEGIN, [makeMoveResult("A"), makeMoveResult("a")]);

test("the engine is prepared once for each turn of a person", async () => {
  const { setState, requests, answer } = page({});
  await setState({ tree: START });
  const start = {
    endpoint: "prepare",
    rules: "cs32",
    position: makePosition().position,
    time: WARMUP_TIME,
  };
  assert.deepEqual(requests, [start]);
  await setState({ panel: null });
  await setState({ tree: SOWN });
  await setState({ tree: TURN_LATER });
  assert.equal(requests.length, 1, "no second warm-up before the first has ended");
  answer();
  await nextTask();
  await setState({ tree: SOWN });
  assert.equal(requests.length, 1, "no warm-up while the computer searches");
  await setState({ tree: TURN_LATER });
  assert.deepEqual(requests.at(-1), { ...start, position: "after a" });
});

test("there is no warm-up without a searching opponent, with a server, or on a phone", async () => {
  for (const given of [
    { opponent: "level:9" },
    { kind: /** @type {const} */ ("server") },
    { pointer: "coarse" },
  ]) {
    const { setState, requests } = page(given);
    await setState({ tree: START });
    assert.deepEqual(requests, []);
  }
});

test("a hint or another game aborts the warm-up, and margins prevent it", async () => {
  const { setState, requests } = page({});
  await setState({ tree: START });
  await setState({ busy: { kind: "hint", phrase: "Thinking" } });
  assert.deepEqual(requests.slice(1), ["aborted"]);
  await setState({ busy: null, tree: TURN_LATER });
  assert.equal(requests.length, 3);
  await setState({
    tree: fromLine(makePosition(), []),
    players: { south: { kind: "person" }, north: { kind: "person" } },
  });
  assert.deepEqual(requests.slice(3), ["aborted"]);
  const other = page({});
  await other.setState({ tree: START, settings: { ...DEFAULT_SETTINGS, margins: true } });
  assert.deepEqual(other.requests, []);
});
