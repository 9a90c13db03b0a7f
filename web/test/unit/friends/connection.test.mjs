import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";

import { createConnection } from "../../../friends/session/connection.js";
import { GAME_PROTOCOL } from "../../../friends/state.js";

/** @import { ToServer } from "../../../types/friend.d.ts" */

/** The longest delay of the first attempt after a failure, in milliseconds. */
const RETRY_MS = 500;

/** The server's reply to a hello. */
const STATE = { type: "state", state: { plies: [] } };

/** A WebSocket whose other end is the test. */
class Socket {
  readyState = 0;
  /** @type {any[]} */
  sent = [];
  /** Whether the other end answers pings. */
  isAlive = true;
  /** @type {null | (() => void)} */
  onopen = null;
  /** @type {null | ((event: { data: string }) => void)} */
  onmessage = null;
  /** @type {null | ((event: { code: number, reason: string }) => void)} */
  onclose = null;

  /** @param {string} text */
  send(text) {
    const message = JSON.parse(text);
    this.sent.push(message);
    if (message.type === "ping" && this.isAlive) {
      queueMicrotask(() => this.receive({ type: "pong" }));
    }
  }

  close() {
    this.readyState = 3;
  }

  open() {
    this.readyState = 1;
    this.onopen?.();
  }

  /** @param {unknown} message */
  receive(message) {
    this.onmessage?.({ data: JSON.stringify(message) });
  }

  /** @param {number} code @param {string} [reason] */
  closeWith(code, reason = "") {
    this.readyState = 3;
    this.onclose?.({ code, reason });
  }
}

beforeEach(() => {
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout"] });
  const page = Object.assign(new EventTarget(), { hidden: false });
  const globals = /** @type {any} */ (globalThis);
  globals.WebSocket = { CONNECTING: 0, OPEN: 1, CLOSING: 2, CLOSED: 3 };
  globals.document = page;
  globals.window = Object.assign(new EventTarget(), {
    setTimeout: (/** @type {() => void} */ then, /** @type {number} */ ms) => setTimeout(then, ms),
  });
});

function connect() {
  /** @type {Socket[]} */
  const sockets = [];
  /** @type {string[]} */
  const statuses = [];
  /** @type {(string | null)[]} */
  const reasons = [];
  /** @type {(number | null)[]} */
  const limits = [];
  /** @type {[string, boolean][]} */
  const received = [];
  /** @type {string[]} */
  const unanswered = [];
  const connection = createConnection(GAME_PROTOCOL, {
    open: () => {
      const socket = new Socket();
      sockets.push(socket);
      return /** @type {any} */ (socket);
    },
    hello: () => /** @type {ToServer} */ ({ type: "hello", since: 0 }),
    onMessage: ({ type }, anew) => void received.push([type, anew]),
    onUnanswered: (messages) => void unanswered.push(...messages.map(({ type }) => type)),
    onStatus(status, reason, limit) {
      statuses.push(status);
      reasons.push(reason);
      limits.push(limit);
    },
  });
  const last = () => /** @type {Socket} */ (sockets.at(-1));
  return { connection, sockets, statuses, reasons, limits, received, unanswered, last };
}

test("reconnectNow does not replace a socket that is opening", () => {
  const { connection, sockets, last } = connect();
  connection.reconnectNow();
  const { window: around, document: page } = /** @type {any} */ (globalThis);
  around.dispatchEvent(new Event("online"));
  page.dispatchEvent(new Event("visibilitychange"));
  assert.equal(sockets.length, 1);
  last().closeWith(1006);
  connection.reconnectNow();
  assert.equal(sockets.length, 2);
  mock.timers.tick(600_000);
  connection.end();
});

test("a socket that does not open is replaced", () => {
  const { connection, sockets } = connect();
  mock.timers.tick(14_000);
  assert.equal(sockets.length, 1);
  mock.timers.tick(2_000);
  mock.timers.tick(RETRY_MS);
  assert.equal(sockets.length, 2);
  connection.end();
});

test("only a reply to the move stops the reply timeout", async () => {
  const { connection, sockets, last } = connect();
  last().open();
  last().receive(STATE);
  assert.equal(connection.send({ type: "move", ply: 1, move: "C" }), true);
  mock.timers.tick(4_000);
  // The friend has joined: this state is no reply to the move.
  last().receive(STATE);
  last().receive({ type: "problem", problem: { title: "Late" }, ply: 7 });
  mock.timers.tick(3_000);
  mock.timers.tick(RETRY_MS);
  assert.equal(sockets.length, 2, "the timeout was not stopped");
  last().open();
  last().receive(STATE);
  connection.send({ type: "move", ply: 1, move: "C" });
  last().receive({ type: "move", ply: 1, result: { move: "C" } });
  for (let seconds = 0; seconds < 20; seconds += 5) {
    mock.timers.tick(5_000);
    await settle();
  }
  assert.equal(sockets.length, 2, "the timeout was stopped");
  connection.end();
});

/** Lets the other ends of sockets answer. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

test("a silent connection gets a ping, and without an answer another socket", async () => {
  const { connection, sockets, statuses, last } = connect();
  last().open();
  last().receive(STATE);
  for (let pings = 1; pings <= 3; pings += 1) {
    mock.timers.tick(5_000);
    assert.deepEqual(last().sent.at(-1), { type: "ping" });
    assert.equal(last().sent.length, pings + 1);
    await settle();
  }
  assert.equal(sockets.length, 1);
  assert.deepEqual(statuses, ["connecting", "connected"]);
  // Now the network loses everything, and the browser reports nothing.
  last().isAlive = false;
  mock.timers.tick(5_000);
  mock.timers.tick(5_900);
  assert.equal(sockets.length, 1);
  mock.timers.tick(200);
  assert.equal(statuses.at(-1), "retrying");
  mock.timers.tick(RETRY_MS);
  assert.equal(sockets.length, 2);
  last().open();
  assert.deepEqual(last().sent, [{ type: "hello", since: 0 }]);
  last().receive(STATE);
  assert.equal(statuses.at(-1), "connected");
  connection.end();
  mock.timers.tick(60_000);
  assert.equal(sockets.length, 2);
});

test("a ping does not give the server more time for a move", async () => {
  const { connection, sockets, last } = connect();
  last().open();
  last().receive(STATE);
  mock.timers.tick(4_000);
  connection.send({ type: "move", ply: 1, move: "C" });
  mock.timers.tick(5_900);
  assert.equal(sockets.length, 1);
  connection.send({ type: "resign" });
  mock.timers.tick(200);
  mock.timers.tick(RETRY_MS);
  assert.equal(sockets.length, 2);
  connection.end();
});

test("a server that never replies is asked after growing delays", () => {
  const { connection, sockets, last } = connect();
  let before = 0;
  for (const leastDelay of [250, 500, 1_000, 2_000, 4_000, 7_500, 7_500]) {
    last().open();
    mock.timers.tick(6_000);
    assert.equal(sockets.length, before + 1);
    mock.timers.tick(leastDelay - 1);
    assert.equal(sockets.length, before + 1, `after ${leastDelay} ms`);
    mock.timers.tick(leastDelay + 1);
    before += 1;
    assert.equal(sockets.length, before + 1);
  }
  connection.end();
});

test("a page that becomes visible expects an answer within a short time", async () => {
  const { connection, sockets, last } = connect();
  last().open();
  last().receive(STATE);
  const { document: page } = /** @type {any} */ (globalThis);
  page.dispatchEvent(new Event("visibilitychange"));
  assert.deepEqual(last().sent.at(-1), { type: "ping" });
  await settle();
  mock.timers.tick(3_000);
  assert.equal(sockets.length, 1, "the server has answered");
  last().isAlive = false;
  page.hidden = true;
  page.dispatchEvent(new Event("visibilitychange"));
  mock.timers.tick(1_000);
  assert.equal(last().sent.length, 2, "a hidden page does not ask");
  page.hidden = false;
  page.dispatchEvent(new Event("visibilitychange"));
  mock.timers.tick(2_600);
  mock.timers.tick(RETRY_MS);
  assert.equal(sockets.length, 2);
  connection.end();
});

test("events in a row give the server no more time", () => {
  const { connection, sockets, last } = connect();
  const { document: page } = /** @type {any} */ (globalThis);
  last().isAlive = false;
  last().open();
  last().receive(STATE);
  for (let seconds = 0; seconds < 3; seconds += 1) {
    page.dispatchEvent(new Event("visibilitychange"));
    mock.timers.tick(1_000);
  }
  mock.timers.tick(RETRY_MS);
  assert.equal(sockets.length, 2);
  // A socket that is about to fail gets no more time, either.
  mock.timers.tick(13_000);
  page.dispatchEvent(new Event("visibilitychange"));
  mock.timers.tick(2_000);
  mock.timers.tick(2 * RETRY_MS);
  assert.equal(sockets.length, 3);
  connection.end();
});

test("another network replaces the socket at once, and so does a page from the cache", () => {
  for (const event of [
    new Event("online"),
    Object.assign(new Event("pageshow"), { persisted: true }),
  ]) {
    const { connection, sockets, last } = connect();
    last().open();
    last().receive(STATE);
    const { window: around } = /** @type {any} */ (globalThis);
    around.dispatchEvent(Object.assign(new Event("pageshow"), { persisted: false }));
    assert.equal(sockets.length, 1);
    around.dispatchEvent(event);
    assert.equal(sockets.length, 2);
    connection.end();
    around.dispatchEvent(new Event("online"));
    assert.equal(sockets.length, 2);
  }
});

test("messages whose replies do not arrive are reported", () => {
  const { connection, unanswered, last } = connect();
  last().open();
  last().receive(STATE);
  connection.send({ type: "resign" });
  assert.deepEqual(unanswered, []);
  mock.timers.tick(6_000);
  assert.deepEqual(unanswered, ["resign"]);
  mock.timers.tick(RETRY_MS);
  last().open();
  last().receive(STATE);
  connection.send({ type: "move", ply: 1, move: "C" });
  last().closeWith(1006);
  assert.deepEqual(unanswered, ["resign", "move"]);
  connection.end();
  assert.deepEqual(unanswered, ["resign", "move"]);
});

test("onMessage reports which state is the first over its socket", () => {
  const { connection, received, last } = connect();
  last().open();
  last().receive({ type: "move", ply: 1, result: { move: "C" } });
  last().receive(STATE);
  last().receive(STATE);
  last().closeWith(1012);
  mock.timers.tick(1_000);
  last().open();
  last().receive(STATE);
  assert.deepEqual(received, [
    ["move", false],
    ["state", true],
    ["state", false],
    ["state", true],
  ]);
  connection.end();
});

test("each failure reports its reason and is retried", () => {
  const { connection, sockets, reasons, last } = connect();
  for (const [code, reason] of /** @type {const} */ ([
    [1013, "gameFull"],
    [4429, "addressFull"],
    [1012, "restarting"],
    [1006, "unreachable"],
  ])) {
    const before = sockets.length;
    last().open();
    last().closeWith(code);
    assert.equal(reasons.at(-1), reason);
    mock.timers.tick(15_000);
    assert.equal(sockets.length, before + 1, reason);
  }
  connection.end();
});

test("a close because of too many connections reports their number", () => {
  const { connection, limits, last } = connect();
  last().open();
  last().closeWith(4429, "this address has 2 live connections of spectators, the maximum");
  assert.equal(limits.at(-1), 2);
  mock.timers.tick(15_000);
  last().open();
  last().closeWith(1006);
  assert.equal(limits.at(-1), null);
  connection.end();
});

test("a denied connection is not retried", () => {
  const { connection, sockets, statuses, last } = connect();
  last().open();
  last().receive({ type: "problem", problem: { title: "No such game" } });
  last().closeWith(4404);
  mock.timers.tick(600_000);
  connection.reconnectNow();
  assert.equal(sockets.length, 1);
  assert.equal(statuses.at(-1), "denied");
  assert.equal(connection.send({ type: "resign" }), false);
});
