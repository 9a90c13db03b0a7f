/** A live connection to a game on the server, made again whenever it is lost. */

import { CLOSED_FOR_GOOD, pauseBefore } from "./friend-state.js";

/** @import { Contact, FromServer, ToServer } from "./friend.d.ts" */

/** How long a sowing may stay without an answer before the connection is taken for lost, in milliseconds. */
const ANSWER_MS = 6_000;

/**
 * @param {object} options
 * @param {() => WebSocket} options.open a socket to the game
 * @param {() => ToServer} options.hello what is said first over each socket
 * @param {(message: FromServer) => void} options.onMessage
 * @param {(contact: Contact, why: string | null) => void} options.onContact
 */
export function createConnection({ open, hello, onMessage, onContact }) {
  /** @type {WebSocket | null} */
  let socket = null;
  let tries = 0;
  let ended = false;
  let retry = 0;
  let overdue = 0;

  function drop() {
    clearTimeout(overdue);
    clearTimeout(retry);
    const old = socket;
    socket = null;
    old?.close();
  }

  /** @param {string} text */
  function hear(text) {
    clearTimeout(overdue);
    /** @type {FromServer} */
    const message = JSON.parse(text);
    // Whoever is turned away is told why first, and is not live for that.
    if (message.type !== "problem") {
      tries = 0;
      onContact("live", null);
    }
    onMessage(message);
  }

  function connect() {
    drop();
    onContact("connecting", null);
    const mine = open();
    socket = mine;
    mine.onopen = () => mine.send(JSON.stringify(hello()));
    mine.onmessage = ({ data }) => {
      if (mine === socket) {
        hear(data);
      }
    };
    mine.onclose = ({ code }) => {
      if (mine === socket) {
        lost(code);
      }
    };
  }

  /** @param {number} code */
  function lost(code) {
    drop();
    const why = CLOSED_FOR_GOOD.get(code);
    if (why !== undefined) {
      ended = true;
      onContact("gone", why);
      return;
    }
    tries += 1;
    onContact("waiting", null);
    retry = window.setTimeout(connect, pauseBefore(tries, Math.random()));
  }

  /** Tries at once, where there is nothing yet. */
  function hurry() {
    if (!ended && socket?.readyState !== WebSocket.OPEN) {
      connect();
    }
  }

  /** The network has gone: whatever the socket believes. */
  function offline() {
    if (!ended) {
      drop();
      onContact("waiting", null);
    }
  }

  const shown = () => {
    if (!document.hidden) {
      hurry();
    }
  };
  window.addEventListener("online", hurry);
  window.addEventListener("offline", offline);
  document.addEventListener("visibilitychange", shown);
  connect();

  return {
    hurry,
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
      socket.send(JSON.stringify(message));
      clearTimeout(overdue);
      overdue = window.setTimeout(connect, ANSWER_MS);
      return true;
    },
    end() {
      ended = true;
      window.removeEventListener("online", hurry);
      window.removeEventListener("offline", offline);
      document.removeEventListener("visibilitychange", shown);
      drop();
    },
  };
}

/** @typedef {ReturnType<typeof createConnection>} Connection */
