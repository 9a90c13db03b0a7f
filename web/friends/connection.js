/** A live connection to a game on the server, made again whenever it is lost. */

import { formatJson, parseJson } from "../engine/json.js";
import { isReplyTo, FINAL_CLOSE_REASONS, retryDelay } from "./state.js";

/** @import { ConnectionStatus, FromServer, ToServer } from "../types/friend.d.ts" */

/** How long anything may stay without an answer before the connection is taken for lost, in milliseconds. */
const REPLY_TIMEOUT_MS = 6_000;

/** How long the connection itself may take before another one is tried, in milliseconds. */
const OPEN_TIMEOUT_MS = 15_000;

/**
 * @param {object} options
 * @param {() => WebSocket} options.open a socket to the game
 * @param {() => ToServer} options.hello what is said first over each socket
 * @param {(message: FromServer, anew: boolean) => void} options.onMessage hears also whether it answers the hello with how
 *   the game stands: then whatever was said before is lost or done
 * @param {(status: ConnectionStatus, why: string | null) => void} options.onStatus
 */
export function createConnection({ open, hello, onMessage, onStatus }) {
  /** @type {WebSocket | null} */
  let socket = null;
  let tries = 0;
  let ended = false;
  let retry = 0;
  let timeout = 0;
  /** What was said over this socket and has no answer yet. @type {ToServer[]} */
  let pendingMessages = [];
  /** Whether it was told over this socket how the game stands. */
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
    to.send(formatJson(message));
    pendingMessages.push(message);
    restartReplyTimeout();
  }

  /** Waits for what is not answered; any answer shows that the other end lives, and those left get their full time. */
  function restartReplyTimeout() {
    clearTimeout(timeout);
    if (pendingMessages.length > 0) {
      timeout = window.setTimeout(connect, REPLY_TIMEOUT_MS);
    }
  }

  /** @param {string} text */
  function receive(text) {
    /** @type {FromServer} */
    const message = parseJson(text);
    const isFirstState = message.type === "state" && !hasState;
    hasState ||= isFirstState;
    const remaining = pendingMessages.filter((sent) => !isReplyTo(sent, message));
    if (remaining.length < pendingMessages.length) {
      pendingMessages = remaining;
      restartReplyTimeout();
    }
    // Whoever is turned away is told why first, and is not live for that.
    if (message.type !== "problem") {
      tries = 0;
      onStatus("connected", null);
    }
    onMessage(message, isFirstState);
  }

  function connect() {
    drop();
    onStatus("connecting", null);
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
    current.onclose = ({ code }) => {
      if (current === socket) {
        handleClose(code);
      }
    };
  }

  /** @param {number} code */
  function handleClose(code) {
    drop();
    const why = FINAL_CLOSE_REASONS.get(code);
    if (why !== undefined) {
      ended = true;
      onStatus("denied", why);
      return;
    }
    tries += 1;
    onStatus("retrying", null);
    retry = window.setTimeout(connect, retryDelay(tries, Math.random()));
  }

  /** Tries at once, where nothing is there nor on its way. */
  function reconnectNow() {
    if (!ended && (!socket || socket.readyState > WebSocket.OPEN)) {
      connect();
    }
  }

  /** The network has gone: whatever the socket believes. */
  function handleOffline() {
    if (!ended) {
      drop();
      onStatus("retrying", null);
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
     * Says something, if there is a connection.
     *
     * @param {ToServer} message
     * @returns {boolean} whether there is
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
