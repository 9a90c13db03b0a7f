import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";

import { createConnection } from "../../../friends/connection.js";

/** How the server answers a hello. */
const STATE = { type: "state", state: { plies: [] } };

/** A socket whose other end is the test. */
class Socket {
  readyState = 0;
  /** @type {any[]} */
  sent = [];
  /** @type {null | (() => void)} */
  onopen = null;
  /** @type {null | ((event: { data: string }) => void)} */
  onmessage = null;
  /** @type {null | ((event: { code: number }) => void)} */
  onclose = null;

  /** @param {string} text */
  send(text) {
    this.sent.push(JSON.parse(text));
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

  /** @param {number} code */
  closeWith(code) {
    this.readyState = 3;
    this.onclose?.({ code });
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
  /** @type {[string, boolean][]} */
  const received = [];
  const connection = createConnection({
    open: () => {
      const socket = new Socket();
      sockets.push(socket);
      return /** @type {any} */ (socket);
    },
    hello: () => ({ type: "hello", since: 0 }),
    onMessage: ({ type }, anew) => void received.push([type, anew]),
    onStatus: (status) => void statuses.push(status),
  });
  const last = () => /** @type {Socket} */ (sockets.at(-1));
  return { connection, sockets, statuses, received, last };
}

test("nobody hurries past a connection that is on its way", () => {
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

test("a connection that never opens is tried anew", () => {
  const { connection, sockets } = connect();
  mock.timers.tick(14_000);
  assert.equal(sockets.length, 1);
  mock.timers.tick(2_000);
  assert.equal(sockets.length, 2);
  connection.end();
});

test("only its answer shows that a sowing was received", () => {
  const { connection, sockets, last } = connect();
  last().open();
  last().receive(STATE);
  assert.equal(connection.send({ type: "sow", ply: 1, move: "C" }), true);
  mock.timers.tick(4_000);
  // The friend has come: that is told, and answers nothing.
  last().receive(STATE);
  last().receive({ type: "problem", problem: { title: "Late" }, ply: 7 });
  mock.timers.tick(3_000);
  assert.equal(sockets.length, 2, "it waited on for what had come");
  last().open();
  last().receive(STATE);
  connection.send({ type: "sow", ply: 1, move: "C" });
  last().receive({ type: "sown", ply: 1, sown: { choice: "C" } });
  mock.timers.tick(60_000);
  assert.equal(sockets.length, 2, "it waited for what was answered");
  connection.end();
});

test("the state that answers a hello is told apart from those that come later", () => {
  const { connection, received, last } = connect();
  last().open();
  last().receive({ type: "sown", ply: 1, sown: { choice: "C" } });
  last().receive(STATE);
  last().receive(STATE);
  last().closeWith(1012);
  mock.timers.tick(1_000);
  last().open();
  last().receive(STATE);
  assert.deepEqual(received, [
    ["sown", false],
    ["state", true],
    ["state", false],
    ["state", true],
  ]);
  connection.end();
});

test("a game that is not there is not asked for again", () => {
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
