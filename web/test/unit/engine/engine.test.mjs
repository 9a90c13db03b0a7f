import assert from "node:assert/strict";
import { afterEach, test } from "node:test";

import { EngineError, isAbort } from "../../../engine/errors.js";
import { fetchJson, httpEngine } from "../../../engine/http.js";
import { createWorkerQueue, workerEngine } from "../../../engine/worker-client.js";

/** @typedef {{ id: number, endpoint: string, body: string }} WorkerRequest */

/** Creates workers that respond when the test says so. */
function fakeWorkers() {
  /**
   * @type {{
   *   requests: WorkerRequest[],
   *   ended: boolean,
   *   answer(data: object): void,
   *   fail(message: string): void,
   * }[]}
   */
  const workers = [];
  const create = () => {
    const worker = {
      /** @type {WorkerRequest[]} */
      requests: [],
      ended: false,
      /** @type {null | ((event: object) => void)} */
      onmessage: null,
      /** @type {null | ((event: object) => void)} */
      onerror: null,
      /** @param {WorkerRequest} request */
      postMessage: (request) => void worker.requests.push(request),
      terminate: () => void (worker.ended = true),
      /** @param {object} data */
      answer: (data) => worker.onmessage?.({ data: { id: worker.requests.at(-1)?.id, ...data } }),
      /** @param {string} message */
      fail: (message) => worker.onerror?.({ message, preventDefault: () => {} }),
    };
    workers.push(worker);
    return /** @type {Worker} */ (/** @type {unknown} */ (worker));
  };
  return { workers, create };
}

test("a worker receives one request at a time", async () => {
  const { workers, create } = fakeWorkers();
  const { request: send } = createWorkerQueue(create);
  assert.equal(workers.length, 0);
  const first = send("move", "{}");
  const second = send("position", "{}");
  assert.equal(workers.length, 1);
  assert.deepEqual(
    workers[0]?.requests.map(({ endpoint }) => endpoint),
    ["move"],
  );
  workers[0]?.answer({ response: "1" });
  assert.equal(await first, 1);
  workers[0]?.answer({ response: "2" });
  assert.equal(await second, 2);
  assert.equal(workers.length, 1);
});

test("aborting the current request terminates its worker", async () => {
  const { workers, create } = fakeWorkers();
  const { request: send } = createWorkerQueue(create);
  const ending = new AbortController();
  const first = send("analyze", "{}", ending.signal);
  const second = send("choose", "{}");
  ending.abort();
  await assert.rejects(first, { name: "AbortError" });
  assert.equal(workers[0]?.ended, true);
  workers[1]?.answer({ response: '{"move":"A"}' });
  assert.deepEqual(await second, { move: "A" });
});

test("aborting a queued request keeps the worker", async () => {
  const { workers, create } = fakeWorkers();
  const { request: send } = createWorkerQueue(create);
  const ending = new AbortController();
  const first = send("analyze", "{}");
  const second = send("choose", "{}", ending.signal);
  ending.abort();
  await assert.rejects(second, { name: "AbortError" });
  assert.equal(workers[0]?.ended, false);
  workers[0]?.answer({ response: "0" });
  assert.equal(await first, 0);
  await assert.rejects(send("choose", "{}", ending.signal), { name: "AbortError" });
});

test("a problem rejects the request, and a failed worker is replaced", async () => {
  const { workers, create } = fakeWorkers();
  const { request: send } = createWorkerQueue(create);
  const refused = send("move", "{}");
  workers[0]?.answer({
    problem: '{"type":"about:blank","title":"No","status":422,"detail":"why"}',
  });
  await assert.rejects(refused, { name: "EngineError", message: "No: why" });
  const trapped = send("move", "{}");
  workers[0]?.answer({ failure: "RuntimeError: unreachable" });
  await assert.rejects(trapped, /unreachable/);
  assert.equal(workers[0]?.ended, true);
  const lost = send("move", "{}");
  const next = send("move", "{}");
  workers[1]?.fail("out of memory");
  await assert.rejects(lost, /out of memory/);
  workers[2]?.answer({ response: "3" });
  assert.equal(await next, 3);
});

test("puzzles are searches, and do not delay quick requests", async (t) => {
  const { workers, create } = fakeWorkers();
  const realWorker = globalThis.Worker;
  globalThis.Worker = /** @type {typeof Worker} */ (
    /** @type {unknown} */ (
      function () {
        return create();
      }
    )
  );
  t.after(() => {
    globalThis.Worker = realWorker;
  });
  const engine = workerEngine("engine/worker.js");
  const puzzle = engine.search("puzzle", { position: "4x3", seed: 7 });
  const position = engine.request("position", { position: "4x3" });
  assert.deepEqual(
    workers.map(({ requests }) => requests.map(({ endpoint }) => endpoint)),
    [["puzzle"], ["position"]],
  );
  assert.equal(workers[0]?.requests[0]?.body, '{"position":"4x3","seed":7}');
  workers[1]?.answer({ response: "1" });
  assert.equal(await position, 1);
  workers[0]?.answer({ response: '{"puzzle":null}' });
  assert.deepEqual(await puzzle, { puzzle: null });
});

const realFetch = globalThis.fetch;
const page = Object.assign(new EventTarget(), { baseURI: "http://kalah.test/", hidden: false });
const frame = new EventTarget();
Object.assign(globalThis, { document: page, window: frame });
afterEach(() => {
  globalThis.fetch = realFetch;
});

/** @param {(url: string, options: RequestInit) => Promise<Response>} answer */
function serve(answer) {
  globalThis.fetch = /** @type {typeof fetch} */ (
    (url, options) => answer(String(url), options ?? {})
  );
}

test("a request is posted as JSON, and one without a body uses GET", async () => {
  /** @type {[string, string | undefined, unknown][]} */
  const requests = [];
  serve(async (url, { method, body }) => {
    requests.push([url, method, body]);
    return new Response("[]");
  });
  const engine = httpEngine();
  await engine.request("position", { position: "6x4" });
  await engine.request("rules", null);
  assert.deepEqual(requests, [
    ["http://kalah.test/api/v1/position", "POST", '{"position":"6x4"}'],
    ["http://kalah.test/api/v1/rules", "GET", null],
  ]);
});

test("the program is the name of the server", async () => {
  serve(async (url, { method }) => {
    assert.deepEqual([url, method], ["http://kalah.test/api/v1/rules", "HEAD"]);
    return new Response(null, { headers: { server: "kalah/1.2.3" } });
  });
  assert.equal(await httpEngine().program(), "kalah/1.2.3");
});

test("a token is sent only in its header", async () => {
  serve(async (url, { headers, referrerPolicy }) => {
    assert.equal(url, "http://kalah.test/api/v1/games/x/plies");
    assert.equal(/** @type {Record<string, string>} */ (headers).authorization, "Bearer secret");
    assert.equal(referrerPolicy, "no-referrer");
    return new Response("{}");
  });
  await fetchJson("games/x/plies", { body: { ply: 1, move: "A" }, token: "secret" });
});

test("problems, network errors and invalid responses are EngineErrors", async () => {
  serve(
    async () =>
      new Response('{"type":"about:blank","title":"Busy","status":429,"detail":"later"}', {
        status: 429,
      }),
  );
  await assert.rejects(fetchJson("move", { body: {} }), {
    message: "Busy: later",
    isTemporary: true,
  });
  serve(async () => new Response("<html>", { status: 502 }));
  await assert.rejects(fetchJson("move", { body: {} }), {
    message: "The server responded with status 502",
  });
  serve(async () => new Response("<html>"));
  await assert.rejects(fetchJson("move", { body: {} }), /not JSON/);
  serve(async () => {
    throw new TypeError("Failed to fetch");
  });
  await assert.rejects(
    fetchJson("move", { body: {} }),
    (error) => error instanceof EngineError && error.isTemporary,
  );
});

/** A server that never responds. */
const silence = (/** @type {string} */ _url, /** @type {RequestInit} */ { signal }) =>
  /** @type {Promise<Response>} */ (
    new Promise((_, reject) =>
      signal?.addEventListener("abort", () => reject(new DOMException("aborted", "AbortError"))),
    )
  );

test("a request times out, and aborting rejects with an AbortError", async () => {
  serve(silence);
  await assert.rejects(
    fetchJson("move", { body: {}, timeoutMs: 20 }),
    /no response within 0.02 seconds/,
  );
  const ending = new AbortController();
  const pending = fetchJson("move", { body: {}, signal: ending.signal });
  ending.abort();
  await assert.rejects(pending, { name: "AbortError" });
  await assert.rejects(fetchJson("move", { body: {}, signal: ending.signal }), {
    name: "AbortError",
  });
});

/** Lets promises settle. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

test("a request without a search is sent again after silence, once", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let count = 0;
  serve((url, options) => {
    count += url.endsWith("/position") ? 1 : 0;
    return silence(url, options);
  });
  const position = assert.rejects(
    httpEngine().request("position", { position: "6x4" }),
    /no response within 10 seconds/,
  );
  for (const milliseconds of [5_000, 2_000, 10_000]) {
    t.mock.timers.tick(milliseconds);
    await settle();
  }
  await position;
  assert.equal(count, 2);
});

/**
 * Responds with a stream of these parts. It stays open until the request is aborted, unless it has
 * the result.
 *
 * @param {string[]} parts
 */
function serveStream(parts) {
  const served = { url: "", cancelled: false };
  const encoder = new TextEncoder();
  serve(async (url, { signal }) => {
    served.url = url;
    const body = new ReadableStream({
      start(control) {
        parts.forEach((part) => control.enqueue(encoder.encode(part)));
        if (parts.at(-1)?.includes("event: done")) {
          control.close();
        }
        signal?.addEventListener("abort", () => {
          served.cancelled = true;
          control.error(new DOMException("aborted", "AbortError"));
        });
      },
      cancel: () => void (served.cancelled = true),
    });
    return new Response(body);
  });
  return served;
}

test("an analysis over the stream reports its place and its snapshots", async () => {
  const served = serveStream([
    'event: queued\ndata: {"place":3,"expected_seconds":12.5}\n\n',
    ': keep-alive\n\nevent: snapshot\ndata: {"mar',
    'gin":1}\n\nevent: done\ndata: {"margin":2}\n\n',
  ]);
  /** @type {any[]} */
  const received = [];
  const found = await httpEngine().analyze(
    { rules: "cs32", position: "<1,0,0,4,4> s", time: "5s", prove: "all", lines: 2 },
    {
      onQueued: (place) => received.push(place),
      onSnapshot: (snapshot) => received.push(snapshot),
    },
  );
  assert.equal(found.margin, 2);
  assert.deepEqual(received, [{ place: 3, expected_seconds: 12.5 }, { margin: 1 }]);
  const url = new URL(served.url);
  assert.equal(url.pathname, "/api/v1/analyses");
  assert.deepEqual(Object.fromEntries(url.searchParams), {
    rules: "cs32",
    position: "<1,0,0,4,4> s",
    time: "5s",
    prove: "all",
    lines: "2",
  });
  assert.equal(served.cancelled, false);
});

test("aborting an analysis closes its connection", async () => {
  const ending = new AbortController();
  const served = serveStream(['event: snapshot\ndata: {"margin":1}\n\n']);
  await assert.rejects(
    httpEngine().analyze({}, { signal: ending.signal, onSnapshot: () => ending.abort() }),
    { name: "AbortError" },
  );
  assert.equal(served.cancelled, true);
});

test("a problem in the stream, its early end and silence are EngineErrors", async (t) => {
  serveStream([
    'event: problem\ndata: {"type":"about:blank","title":"Busy","status":503,"detail":"later"}\n\n',
  ]);
  await assert.rejects(httpEngine().analyze({}), { message: "Busy: later", isTemporary: true });
  serve(async () => new Response("event: snapshot\ndata: {}\n\n"));
  await assert.rejects(httpEngine().analyze({}), /the connection ended before the result/);
  serve(async () => new Response("event: done\ndata: {\n\n"));
  await assert.rejects(httpEngine().analyze({}), /not JSON/);
  t.mock.timers.enable({ apis: ["setTimeout"] });
  serveStream([]);
  const silent = assert.rejects(httpEngine().analyze({}), /no response within 9 seconds/);
  await settle();
  t.mock.timers.tick(9_000);
  await silent;
});

/** A stream with one result. */
const choiceOfA = () => new Response('event: done\ndata: {"move":"A"}\n\n');

/**
 * Responds to the first searches in these ways, and to the next one with a result.
 *
 * @param {((url: string, options: RequestInit) => Promise<Response>)[]} answers
 */
function serveSearches(answers) {
  const served = { count: 0, probes: 0 };
  serve(async (url, options) => {
    if (url.endsWith("/rules")) {
      served.probes += 1;
      return new Response("[]");
    }
    const answer = answers[served.count];
    served.count += 1;
    return answer ? answer(url, options) : choiceOfA();
  });
  return served;
}

/** A stream that begins, and sends nothing more. */
const silentStream = async (/** @type {string} */ _url, /** @type {RequestInit} */ { signal }) => {
  const start = (/** @type {ReadableStreamDefaultController} */ control) =>
    signal?.addEventListener("abort", () => control.error(signal.reason));
  return new Response(new ReadableStream({ start }));
};

const searchMove = (/** @type {AbortSignal} */ signal) =>
  httpEngine().search("choose", { opponent: "smart", time: "5s" }, signal);

test("a search is a POST request with a stream of events", async () => {
  /** @type {RequestInit[]} */
  const requests = [];
  serve(async (url, options) => {
    assert.equal(url, "http://kalah.test/api/v1/puzzle");
    requests.push(options);
    return new Response('event: done\ndata: {"puzzle":null}\n\n');
  });
  assert.deepEqual(await httpEngine().search("puzzle", { seed: 7 }), { puzzle: null });
  const [{ method, headers, body } = {}] = requests;
  assert.deepEqual([method, body], ["POST", '{"seed":7}']);
  assert.deepEqual(headers, {
    "content-type": "application/json",
    accept: "text/event-stream",
  });
});

test("a search is sent again when its network has gone", async () => {
  const served = serveSearches([silence]);
  const ending = new AbortController();
  const found = searchMove(ending.signal);
  await settle();
  frame.dispatchEvent(new Event("online"));
  assert.deepEqual(await found, { move: "A" });
  assert.equal(served.count, 2);
  serve(silence);
  const aborted = searchMove(ending.signal);
  ending.abort();
  await assert.rejects(aborted, { name: "AbortError" });
});

test("a search is sent again after seconds over a connection that is lost", async (t) => {
  for (const [lost, seconds, event] of /** @type {const} */ ([
    [silence, 5],
    [silentStream, 9],
    [silentStream, 5, "visibilitychange"],
  ])) {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const served = serveSearches([lost]);
    const found = searchMove(new AbortController().signal);
    for (let second = 0; second < seconds; second += 1) {
      await settle();
      assert.equal(served.count, 1);
      if (event) {
        page.dispatchEvent(new Event(event));
      }
      t.mock.timers.tick(1_000);
    }
    assert.deepEqual(await found, { move: "A" });
    assert.deepEqual(served, { count: 2, probes: 6 });
    t.mock.timers.reset();
  }
});

test("a search that waits in the queue of a live server is not sent again", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  /** @type {ReadableStreamDefaultController | undefined} */
  let stream;
  const send = (/** @type {string} */ text) => stream?.enqueue(new TextEncoder().encode(text));
  const served = serveSearches([
    async () => new Response(new ReadableStream({ start: (control) => void (stream = control) })),
  ]);
  const found = searchMove(new AbortController().signal);
  for (let seconds = 0; seconds < 60; seconds += 3) {
    await settle();
    page.dispatchEvent(new Event("visibilitychange"));
    send(":\n\n");
    await settle();
    t.mock.timers.tick(3_000);
  }
  send('event: done\ndata: {"move":"B"}\n\n');
  stream?.close();
  assert.deepEqual(await found, { move: "B" });
  assert.equal(served.count, 1);
});

test("a search fails if the server cannot be reached, or refuses it", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let served = serveSearches([silence, silence]);
  const lost = assert.rejects(
    searchMove(new AbortController().signal),
    /no response within 5 seconds/,
  );
  for (let tries = 0; tries < 2; tries += 1) {
    await settle();
    t.mock.timers.tick(5_000);
  }
  await lost;
  assert.equal(served.count, 2);
  served = serveSearches([
    async () => new Response('{"title":"Busy","status":429}', { status: 429 }),
  ]);
  await assert.rejects(searchMove(new AbortController().signal), { message: /Busy/ });
  assert.equal(served.count, 1);
});

test("a stream fails at once with its network, and soon in a page that becomes visible", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  serveStream(['event: snapshot\ndata: {"margin":1}\n\n']);
  const moved = assert.rejects(httpEngine().analyze({}), /check that .* the network works/);
  await settle();
  frame.dispatchEvent(new Event("online"));
  await moved;

  serveStream(['event: snapshot\ndata: {"margin":1}\n\n']);
  const slept = assert.rejects(httpEngine().analyze({}), /no response within 5 seconds/);
  await settle();
  page.dispatchEvent(new Event("visibilitychange"));
  t.mock.timers.tick(5_000);
  await slept;
});

test("a page that becomes visible gives a silent stream no more time", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  serveStream(['event: snapshot\ndata: {"margin":1}\n\n']);
  const silent = assert.rejects(httpEngine().analyze({}), /no response within 9 seconds/);
  await settle();
  t.mock.timers.tick(10_000);
  page.dispatchEvent(new Event("visibilitychange"));
  t.mock.timers.tick(2_000);
  await silent;

  serveStream(['event: snapshot\ndata: {"margin":1}\n\n']);
  const often = assert.rejects(httpEngine().analyze({}), /no response within 5 seconds/);
  await settle();
  for (let seconds = 0; seconds < 5; seconds += 1) {
    page.dispatchEvent(new Event("visibilitychange"));
    t.mock.timers.tick(1_000);
  }
  await often;
});

test("a worker posts snapshots before the result of an analysis", async () => {
  const { workers, create } = fakeWorkers();
  const { request: send } = createWorkerQueue(create);
  /** @type {any[]} */
  const received = [];
  const found = send("analyze", "{}", undefined, (snapshot) => received.push(snapshot));
  workers[0]?.answer({ snapshot: '{"depth":1}' });
  workers[0]?.answer({ snapshot: '{"depth":2}' });
  workers[0]?.answer({ response: '{"depth":3}' });
  assert.deepEqual(await found, { depth: 3 });
  assert.deepEqual(received, [{ depth: 1 }, { depth: 2 }]);
});

test("EngineErrors have messages for players", () => {
  const error = EngineError.fromText(
    '{"type":"about:blank","title":"No","status":422,"detail":"`Z` is no house"}',
    500,
    "x",
  );
  assert.equal(error.message, "No: “Z” is no house");
  assert.equal(error.isTemporary, false);
  const odd = EngineError.fromText("<html>", 502, "The server responded with status 502");
  assert.equal(odd.message, "The server responded with status 502");
  assert.equal(odd.isTemporary, true);
  assert.equal(EngineError.unreachable("why").isTemporary, true);
  assert.equal(isAbort(new DOMException("", "AbortError")), true);
  assert.equal(isAbort(odd), false);
});
