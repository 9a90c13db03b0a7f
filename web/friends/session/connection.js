/**
 * The WebSocket connection to a game or a room on the server, with reconnection. A connection counts as
 * lost when the server leaves a message or a ping without a reply, although the browser calls it open.
 */

import { onWake } from "../../engine/wake.js";
import { connectionLimitOf, retryDelay } from "../state.js";

/** @import { WakeCause } from "../../engine/wake.js" */
/** @import { ConnectionStatus } from "../../types/friend.d.ts" */

/** The time within which the server must reply, in milliseconds. */
const REPLY_TIMEOUT_MS = 6_000;

/** The time within which a socket must open, in milliseconds. */
const OPEN_TIMEOUT_MS = 15_000;

/** The silence after which the page sends a ping, in milliseconds. */
const PING_INTERVAL_MS = 5_000;

/**
 * The time within which the server must reply after the page has been in the background, in
 * milliseconds. It is short, because the connection may have been lost there.
 */
const WAKE_TIMEOUT_MS = 2_500;

/** A message of either side; the first one of the server is a `state`. @typedef {{ type: string }} Message */

/**
 * The messages of the page, those of the server, and the reasons why there is no connection.
 *
 * @template {Message} Sent
 * @template {Message} Received
 * @template {string} Reason
 * @typedef {object} Protocol
 * @property {(sent: Sent, received: Received) => boolean} isReplyTo returns whether a message of the
 *   server is the reply to a message of the page
 * @property {(code: number) => Reason} refusalOfClose returns the reason of a close code
 * @property {ReadonlySet<Reason>} finalRefusals the reasons after which the connection ends
 */

/**
 * The parts of the page that a connection calls.
 *
 * @template {Message} Sent
 * @template {Message} Received
 * @template {string} Reason
 * @typedef {object} Callbacks
 * @property {() => WebSocket} open opens a socket
 * @property {() => Sent} hello returns the first message over each socket
 * @property {(message: Received, isFirstState: boolean) => void} onMessage receives each message,
 *   and whether it is the first state over its socket: then the server has processed all earlier
 *   messages or never received them
 * @property {(messages: Sent[]) => void} onUnanswered receives the messages over a socket that has
 *   ended, whose replies have not arrived
 * @property {(status: ConnectionStatus, refusal: Reason | null, limit: number | null) => void} onStatus
 *   receives each status, with the reason after a failure, and the live connections that the server
 *   allows if it has named this number
 */

/**
 * @typedef {object} ConnectionState
 * @property {WebSocket | null} socket
 * @property {number} tries the failed attempts since the last reply
 * @property {boolean} hasEnded
 * @property {number} retry the timer of the next attempt
 * @property {number} timeout the timer of a reply or of an opening socket
 * @property {number} wakeTimeout the shorter timer of a reply after the page has been in the background;
 *   0 without one
 * @property {number} ping the timer of the next ping
 * @property {boolean} isConnected whether the server has answered over the current socket
 * @property {Message[]} pendingMessages messages over the current socket without a reply
 * @property {boolean} hasState whether a state has arrived over the current socket
 */

/** The message that tests a connection. */
const PING = { type: "ping" };

/**
 * @typedef {{ protocol: Protocol<any, any, any>, callbacks: Callbacks<any, any, any>,
 *   state: ConnectionState }} ConnectionParts
 */

/** @returns {ConnectionState} */
const initialState = () => ({
  socket: null,
  tries: 0,
  hasEnded: false,
  retry: 0,
  timeout: 0,
  wakeTimeout: 0,
  ping: 0,
  isConnected: false,
  pendingMessages: [],
  hasState: false,
});

/** Closes the socket and forgets what belongs to it. @param {ConnectionParts} parts */
function drop({ callbacks, state }) {
  const { pendingMessages } = state;
  clearReplyTimeout(state);
  clearTimeout(state.retry);
  clearTimeout(state.ping);
  state.isConnected = false;
  state.pendingMessages = [];
  state.hasState = false;
  const old = state.socket;
  state.socket = null;
  old?.close();
  if (pendingMessages.length > 0) {
    callbacks.onUnanswered(pendingMessages);
  }
}

/** Drops the socket and opens another one. @param {ConnectionParts} parts */
function connect(parts) {
  const { callbacks, state } = parts;
  drop(parts);
  callbacks.onStatus("connecting", null, null);
  const socket = callbacks.open();
  state.socket = socket;
  setReplyTimeout(parts, OPEN_TIMEOUT_MS);
  socket.onopen = () => {
    if (socket === state.socket) {
      sendOver(parts, socket, callbacks.hello());
    }
  };
  socket.onmessage = ({ data }) => {
    if (socket === state.socket) {
      receive(parts, data);
    }
  };
  socket.onclose = ({ code, reason }) => {
    if (socket === state.socket) {
      handleClose(parts, code, reason);
    }
  };
}

/** @param {ConnectionState} state */
function clearReplyTimeout(state) {
  clearTimeout(state.timeout);
  clearTimeout(state.wakeTimeout);
  state.wakeTimeout = 0;
}

/**
 * Gives the connection up unless a reply comes in time.
 *
 * @param {ConnectionParts} parts
 * @param {number} ms
 */
function setReplyTimeout(parts, ms) {
  clearReplyTimeout(parts.state);
  parts.state.timeout = window.setTimeout(() => retry(parts, "unreachable", null), ms);
}

/**
 * Gives the server less time for its reply, and never more: several events in a row count as the
 * first.
 *
 * @param {ConnectionParts} parts
 * @param {number} ms
 */
function shortenReplyTimeout(parts, ms) {
  const { state } = parts;
  state.wakeTimeout ||= window.setTimeout(() => retry(parts, "unreachable", null), ms);
}

/**
 * Drops the socket, and opens another one after a delay that grows with each failure.
 *
 * @param {ConnectionParts} parts
 * @param {string} refusal
 * @param {number | null} limit
 */
function retry(parts, refusal, limit) {
  const { callbacks, state } = parts;
  drop(parts);
  state.tries += 1;
  callbacks.onStatus("retrying", refusal, limit);
  state.retry = window.setTimeout(() => connect(parts), retryDelay(state.tries, Math.random()));
}

/** @param {ConnectionParts} parts @param {WebSocket} socket an open one @param {Message} message */
function sendOver(parts, socket, message) {
  const { pendingMessages } = parts.state;
  socket.send(JSON.stringify(message));
  pendingMessages.push(message);
  // A further message gives the server no more time to reply to an earlier one.
  if (pendingMessages.length === 1) {
    setReplyTimeout(parts, REPLY_TIMEOUT_MS);
  }
}

/**
 * Sends a ping after a silence, unless the server has to reply already.
 *
 * @param {ConnectionParts} parts
 */
function restartPingTimer(parts) {
  const { state } = parts;
  clearTimeout(state.ping);
  state.ping = window.setTimeout(() => {
    const { socket, pendingMessages } = state;
    if (socket?.readyState === WebSocket.OPEN && pendingMessages.length === 0) {
      sendOver(parts, socket, PING);
    }
  }, PING_INTERVAL_MS);
}

/** @param {ConnectionParts} parts @param {string} text */
function receive(parts, text) {
  const { protocol, callbacks, state } = parts;
  /** @type {Message} */
  const message = JSON.parse(text);
  const isFirstState = message.type === "state" && !state.hasState;
  state.hasState ||= isFirstState;
  const remaining = state.pendingMessages.filter((sent) => !protocol.isReplyTo(sent, message));
  if (remaining.length < state.pendingMessages.length) {
    state.pendingMessages = remaining;
    if (remaining.length > 0) {
      // The server is alive, and gets its time for the other messages.
      setReplyTimeout(parts, REPLY_TIMEOUT_MS);
    } else {
      clearReplyTimeout(state);
    }
  }
  restartPingTimer(parts);
  // The server sends a problem before it denies access, which is no sign of a connection.
  if (message.type !== "problem" && !state.isConnected) {
    state.tries = 0;
    state.isConnected = true;
    callbacks.onStatus("connected", null, null);
  }
  callbacks.onMessage(message, isFirstState);
}

/** @param {ConnectionParts} parts @param {number} code @param {string} reason */
function handleClose(parts, code, reason) {
  const { protocol, callbacks, state } = parts;
  const refusal = protocol.refusalOfClose(code);
  if (protocol.finalRefusals.has(refusal)) {
    drop(parts);
    state.hasEnded = true;
    callbacks.onStatus("denied", refusal, null);
  } else {
    retry(parts, refusal, connectionLimitOf(reason));
  }
}

/**
 * Connects at once if there is no socket, or if its network has gone. Otherwise the server must
 * reply within a short time.
 *
 * @param {ConnectionParts} parts
 * @param {WakeCause} cause
 */
function check(parts, cause) {
  const { hasEnded, socket, pendingMessages } = parts.state;
  if (hasEnded) {
    return;
  }
  const isOpening = socket?.readyState === WebSocket.CONNECTING;
  const isOpen = socket?.readyState === WebSocket.OPEN;
  if (!(isOpening || (isOpen && cause === "page"))) {
    connect(parts);
    return;
  }
  if (isOpen && pendingMessages.length === 0) {
    sendOver(parts, socket, PING);
  }
  shortenReplyTimeout(parts, isOpen ? WAKE_TIMEOUT_MS : REPLY_TIMEOUT_MS);
}

/** Closes the socket when the network is lost. @param {ConnectionParts} parts */
function handleOffline(parts) {
  if (!parts.state.hasEnded) {
    drop(parts);
    parts.callbacks.onStatus("retrying", "unreachable", null);
  }
}

/**
 * Creates a connection.
 *
 * @template {Message} Sent
 * @template {Message} Received
 * @template {string} Reason
 * @param {Protocol<Sent, Received, Reason>} protocol
 * @param {Callbacks<Sent, Received, Reason>} callbacks
 */
export function createConnection(protocol, callbacks) {
  /** @type {ConnectionParts} */
  const parts = { protocol, callbacks, state: initialState() };
  const { state } = parts;
  const stopListening = onWake((cause) => check(parts, cause));
  const onOffline = () => handleOffline(parts);
  window.addEventListener("offline", onOffline);
  connect(parts);

  return {
    /** Connects at once if there is no connection, and otherwise tests it. */
    reconnectNow: () => check(parts, "page"),
    /**
     * Sends a message if there is a connection.
     *
     * @param {Sent} message
     * @returns {boolean} whether the message was sent
     */
    send(message) {
      const { socket } = state;
      if (socket?.readyState !== WebSocket.OPEN) {
        return false;
      }
      sendOver(parts, socket, message);
      return true;
    },
    end() {
      state.hasEnded = true;
      stopListening();
      window.removeEventListener("offline", onOffline);
      drop(parts);
    },
  };
}

/**
 * @template {Message} Sent
 * @typedef {ReturnType<typeof createConnection<Sent, Message, string>>} Connection
 */
