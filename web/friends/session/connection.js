/**
 * The WebSocket connection to a game on the server, with reconnection. A connection counts as lost
 * when the server leaves a message or a ping without a reply, although the browser calls it open.
 */

import { onWake } from "../../engine/wake.js";
import {
  connectionLimitOf,
  FINAL_REFUSALS,
  isReplyTo,
  refusalOfClose,
  retryDelay,
} from "../state.js";

/** @import { WakeCause } from "../../engine/wake.js" */
/** @import { ConnectionStatus, FromServer, Refusal, ToServer } from "../../types/friend.d.ts" */

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

/**
 * The parts of the page that a connection calls.
 *
 * @typedef {object} Callbacks
 * @property {() => WebSocket} open opens a socket to the game
 * @property {() => ToServer} hello returns the first message over each socket
 * @property {(message: FromServer, isFirstState: boolean) => void} onMessage receives each message,
 *   and whether it is the first state over its socket: then the server has processed all earlier
 *   messages or never received them
 * @property {(messages: ToServer[]) => void} onUnanswered receives the messages over a socket that has
 *   ended, whose replies have not arrived
 * @property {OnStatus} onStatus
 */

/**
 * Receives each status, with the reason after a failure, and the live connections that the server
 * allows if it has named this number.
 *
 * @callback OnStatus
 * @param {ConnectionStatus} status
 * @param {Refusal | null} refusal
 * @param {number | null} limit
 * @returns {void}
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
 * @property {ToServer[]} pendingMessages messages over the current socket without a reply
 * @property {boolean} hasState whether a state has arrived over the current socket
 */

/** @typedef {{ callbacks: Callbacks, state: ConnectionState }} ConnectionParts */

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
 * @param {Refusal} refusal
 * @param {number | null} limit
 */
function retry(parts, refusal, limit) {
  const { callbacks, state } = parts;
  drop(parts);
  state.tries += 1;
  callbacks.onStatus("retrying", refusal, limit);
  state.retry = window.setTimeout(() => connect(parts), retryDelay(state.tries, Math.random()));
}

/** @param {ConnectionParts} parts @param {WebSocket} socket an open one @param {ToServer} message */
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
      sendOver(parts, socket, { type: "ping" });
    }
  }, PING_INTERVAL_MS);
}

/** @param {ConnectionParts} parts @param {string} text */
function receive(parts, text) {
  const { callbacks, state } = parts;
  /** @type {FromServer} */
  const message = JSON.parse(text);
  const isFirstState = message.type === "state" && !state.hasState;
  state.hasState ||= isFirstState;
  const remaining = state.pendingMessages.filter((sent) => !isReplyTo(sent, message));
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
  const { callbacks, state } = parts;
  const refusal = refusalOfClose(code);
  if (FINAL_REFUSALS.has(refusal)) {
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
    sendOver(parts, socket, { type: "ping" });
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
 * @param {Callbacks} callbacks
 */
export function createConnection(callbacks) {
  /** @type {ConnectionParts} */
  const parts = { callbacks, state: initialState() };
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
     * @param {ToServer} message
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

/** @typedef {ReturnType<typeof createConnection>} Connection */
