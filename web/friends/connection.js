/** The WebSocket connection to a game on the server, with reconnection. */

import {
  connectionLimitOf,
  FINAL_REFUSALS,
  isReplyTo,
  refusalOfClose,
  retryDelay,
} from "./state.js";

/** @import { ConnectionStatus, FromServer, Refusal, ToServer } from "../types/friend.d.ts" */

/** The time within which the server must reply, in milliseconds. */
const REPLY_TIMEOUT_MS = 6_000;

/** The time within which a socket must open, in milliseconds. */
const OPEN_TIMEOUT_MS = 15_000;

/**
 * Creates a connection.
 *
 * @param {object} options
 * @param {() => WebSocket} options.open opens a socket to the game
 * @param {() => ToServer} options.hello returns the first message over each socket
 * @param {(message: FromServer, isFirstState: boolean) => void} options.onMessage receives each
 *   message, and whether it is the first state over its socket: then the server has processed all
 *   earlier messages or never received them
 * @param {(status: ConnectionStatus, refusal: Refusal | null, limit: number | null) => void} options.onStatus
 *   receives each status, with the reason after a failure, and the live connections that the server
 *   allows if it has named this number
 */
export function createConnection({ open, hello, onMessage, onStatus }) {
  /** @type {WebSocket | null} */
  let socket = null;
  let tries = 0;
  let ended = false;
  let retry = 0;
  let timeout = 0;
  /** Messages over the current socket without a reply. @type {ToServer[]} */
  let pendingMessages = [];
  /** Whether a state has arrived over the current socket. */
  let hasState = false;

  function drop() {
    clearTimeout(timeout);
    clearTimeout(retry);
    pendingMessages = [];
    hasState = false;
    const old = socket;
    socket = null;
    old?.close();
  }

  /** @param {WebSocket} to an open one @param {ToServer} message */
  function sendOver(to, message) {
    to.send(JSON.stringify(message));
    pendingMessages.push(message);
    restartReplyTimeout();
  }

  /** Restarts the timeout of the pending messages. Any reply shows that the server is alive. */
  function restartReplyTimeout() {
    clearTimeout(timeout);
    if (pendingMessages.length > 0) {
      timeout = window.setTimeout(connect, REPLY_TIMEOUT_MS);
    }
  }

  /** @param {string} text */
  function receive(text) {
    /** @type {FromServer} */
    const message = JSON.parse(text);
    const isFirstState = message.type === "state" && !hasState;
    hasState ||= isFirstState;
    const remaining = pendingMessages.filter((sent) => !isReplyTo(sent, message));
    if (remaining.length < pendingMessages.length) {
      pendingMessages = remaining;
      restartReplyTimeout();
    }
    // The server sends a problem before it denies access, which is no sign of a connection.
    if (message.type !== "problem") {
      tries = 0;
      onStatus("connected", null, null);
    }
    onMessage(message, isFirstState);
  }

  function connect() {
    drop();
    onStatus("connecting", null, null);
    const current = open();
    socket = current;
    timeout = window.setTimeout(connect, OPEN_TIMEOUT_MS);
    current.onopen = () => {
      if (current === socket) {
        sendOver(current, hello());
      }
    };
    current.onmessage = ({ data }) => {
      if (current === socket) {
        receive(data);
      }
    };
    current.onclose = ({ code, reason }) => {
      if (current === socket) {
        handleClose(code, reason);
      }
    };
  }

  /** @param {number} code @param {string} reason */
  function handleClose(code, reason) {
    drop();
    const refusal = refusalOfClose(code);
    if (FINAL_REFUSALS.has(refusal)) {
      ended = true;
      onStatus("denied", refusal, null);
      return;
    }
    tries += 1;
    onStatus("retrying", refusal, connectionLimitOf(reason));
    retry = window.setTimeout(connect, retryDelay(tries, Math.random()));
  }

  /** Connects at once if there is no socket. */
  function reconnectNow() {
    if (!ended && (!socket || socket.readyState > WebSocket.OPEN)) {
      connect();
    }
  }

  /** Closes the socket when the network is lost. */
  function handleOffline() {
    if (!ended) {
      drop();
      onStatus("retrying", "unreachable", null);
    }
  }

  const handleVisibility = () => {
    if (!document.hidden) {
      reconnectNow();
    }
  };
  window.addEventListener("online", reconnectNow);
  window.addEventListener("offline", handleOffline);
  document.addEventListener("visibilitychange", handleVisibility);
  connect();

  return {
    reconnectNow,
    /**
     * Sends a message if there is a connection.
     *
     * @param {ToServer} message
     * @returns {boolean} whether the message was sent
     */
    send(message) {
      if (socket?.readyState !== WebSocket.OPEN) {
        return false;
      }
      sendOver(socket, message);
      return true;
    },
    end() {
      ended = true;
      window.removeEventListener("online", reconnectNow);
      window.removeEventListener("offline", handleOffline);
      document.removeEventListener("visibilitychange", handleVisibility);
      drop();
    },
  };
}

/** @typedef {ReturnType<typeof createConnection>} Connection */
