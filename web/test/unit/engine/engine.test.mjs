import assert from "node:assert/strict";
import { afterEach, test } from "node:test";

import { EngineError } from "../../../engine/errors.js";
import { httpEngine, request } from "../../../engine/http.js";
import { lane } from "../../../engine/worker-client.js";

/** @typedef {{ id: number, question: string, body: string }} Asked */

/** Workers that answer when the test says so. */
function workshop() {
  /** @type {{ asked: Asked[], ended: boolean, answer(data: object): void, fail(message: string): void }[]} */
  const made = [];
  const create = () => {
    const worker = {
      /** @type {Asked[]} */
      asked: [],
      ended: false,
      /** @type {null | ((event: object) => void)} */
      onmessage: null,
      /** @type {null | ((event: object) => void)} */
      onerror: null,
      /** @param {Asked} asked */
      postMessage: (asked) => void worker.asked.push(asked),
      terminate: () => void (worker.ended = true),
      /** @param {object} data */
      answer: (data) => worker.onmessage?.({ data: { id: worker.asked.at(-1)?.id, ...data } }),
      /** @param {string} message */
      fail: (message) => worker.onerror?.({ message, preventDefault: () => {} }),
    };
    made.push(worker);
    return /** @type {Worker} */ (/** @type {unknown} */ (worker));
  };
  return { made, create };
}

test("a worker is asked one question after another", async () => {
  const { made, create } = workshop();
  const { ask } = lane(create);
  assert.equal(made.length, 0);
  const first = ask("sow", "{}");
  const second = ask("position", "{}");
  assert.equal(made.length, 1);
  assert.deepEqual(
    made[0]?.asked.map(({ question }) => question),
    ["sow"],
  );
  made[0]?.answer({ answer: "1" });
  assert.equal(await first, 1);
  made[0]?.answer({ answer: "2" });
  assert.equal(await second, 2);
  assert.equal(made.length, 1);
});

test("a question called off ends its worker, and the next one gets a new worker", async () => {
  const { made, create } = workshop();
  const { ask } = lane(create);
  const ending = new AbortController();
  const first = ask("analyse", "{}", ending.signal);
  const second = ask("choose", "{}");
  ending.abort();
  await assert.rejects(first, { name: "AbortError" });
  assert.equal(made[0]?.ended, true);
  made[1]?.answer({ answer: '{"choice":"A"}' });
  assert.deepEqual(await second, { choice: "A" });
});

test("a question called off before its turn disturbs nobody", async () => {
  const { made, create } = workshop();
  const { ask } = lane(create);
  const ending = new AbortController();
  const first = ask("analyse", "{}");
  const second = ask("choose", "{}", ending.signal);
  ending.abort();
  await assert.rejects(second, { name: "AbortError" });
  assert.equal(made[0]?.ended, false);
  made[0]?.answer({ answer: "0" });
  assert.equal(await first, 0);
  await assert.rejects(ask("choose", "{}", ending.signal), { name: "AbortError" });
});

test("a problem is an error in words, and a worker that dies is replaced", async () => {
  const { made, create } = workshop();
  const { ask } = lane(create);
  const refused = ask("sow", "{}");
  made[0]?.answer({ problem: '{"type":"about:blank","title":"No","status":422,"detail":"why"}' });
  await assert.rejects(refused, { name: "EngineError", message: "No: why" });
  const trapped = ask("sow", "{}");
  made[0]?.answer({ broken: "RuntimeError: unreachable" });
  await assert.rejects(trapped, /unreachable/);
  assert.equal(made[0]?.ended, true);
  const lost = ask("sow", "{}");
  const next = ask("sow", "{}");
  made[1]?.fail("out of memory");
  await assert.rejects(lost, /out of memory/);
  made[2]?.answer({ answer: "3" });
  assert.equal(await next, 3);
});

const realFetch = globalThis.fetch;
Object.assign(globalThis, { document: { baseURI: "http://kalah.test/" } });
afterEach(() => {
  globalThis.fetch = realFetch;
});

/** @param {(url: string, options: RequestInit) => Promise<Response>} answer */
function serve(answer) {
  globalThis.fetch = /** @type {typeof fetch} */ ((url, options) => answer(String(url), options ?? {}));
}

test("a question is posted as JSON, and the one without a body is got", async () => {
  /** @type {[string, string | undefined, unknown][]} */
  const asked = [];
  serve(async (url, { method, body }) => {
    asked.push([url, method, body]);
    return new Response("[]");
  });
  const engine = httpEngine();
  await engine.ask("position", { position: "6x4" });
  await engine.ask("rules", {});
  assert.deepEqual(asked, [
    ["http://kalah.test/api/v1/position", "POST", '{"position":"6x4"}'],
    ["http://kalah.test/api/v1/rules", "GET", null],
  ]);
});

test("a token goes into its header and nowhere else", async () => {
  serve(async (url, { headers, referrerPolicy }) => {
    assert.equal(url, "http://kalah.test/api/v1/games/x/plies");
    assert.equal(/** @type {Record<string, string>} */ (headers).authorization, "Bearer secret");
    assert.equal(referrerPolicy, "no-referrer");
    return new Response("{}");
  });
  await request("games/x/plies", { body: { ply: 1, choice: "A" }, token: "secret" });
});

test("problems, silence and nonsense from a server are errors in words", async () => {
  serve(async () => new Response('{"type":"about:blank","title":"Busy","status":429,"detail":"later"}', { status: 429 }));
  await assert.rejects(request("sow", { body: {} }), { message: "Busy: later", passing: true });
  serve(async () => new Response("<html>", { status: 502 }));
  await assert.rejects(request("sow", { body: {} }), { message: "The server answered 502" });
  serve(async () => new Response("<html>"));
  await assert.rejects(request("sow", { body: {} }), /no JSON/);
  serve(async () => {
    throw new TypeError("Failed to fetch");
  });
  await assert.rejects(request("sow", { body: {} }), (error) => error instanceof EngineError && error.passing);
});

/** A server that never answers, but notices that nobody waits any more. */
const silence = (/** @type {string} */ _url, /** @type {RequestInit} */ { signal }) =>
  /** @type {Promise<Response>} */ (
    new Promise((_, reject) =>
      signal?.addEventListener("abort", () => reject(new DOMException("aborted", "AbortError"))),
    )
  );

test("nobody waits for ever, and what is called off is called off", async () => {
  serve(silence);
  await assert.rejects(request("sow", { body: {}, patienceMs: 20 }), /no answer in 0.02 seconds/);
  const ending = new AbortController();
  const asked = request("sow", { body: {}, signal: ending.signal });
  ending.abort();
  await assert.rejects(asked, { name: "AbortError" });
  await assert.rejects(request("sow", { body: {}, signal: ending.signal }), { name: "AbortError" });
});
