/** A live connection to a game on the server, made again whenever it is lost. */

import { answers, CLOSED_FOR_GOOD, pauseBefore } from "./state.js";

/** @import { Contact, FromServer, ToServer } from "../types/friend.d.ts" */

/** How long anything may stay without an answer before the connection is taken for lost, in milliseconds. */
const ANSWER_MS = 6_000;

/** How long the connection itself may take before another one is tried, in milliseconds. */
const OPEN_MS = 15_000;

/**
 * @param {object} options
 * @param {() => WebSocket} options.open a socket to the game
 * @param {() => ToServer} options.hello what is said first over each socket
 * @param {(message: FromServer, anew: boolean) => void} options.onMessage hears also whether it answers the hello with how
 *   the game stands: then whatever was said before is lost or done
 * @param {(contact: Contact, why: string | null) => void} options.onContact
 */
export function createConnection({ open, hello, onMessage, onContact }) {
  /** @type {WebSocket | null} */
  let socket = null;
  let tries = 0;
  let ended = false;
  let retry = 0;
  let overdue = 0;
  /** What was said over this socket and has no answer yet. @type {ToServer[]} */
  let unanswered = [];
  /** Whether it was told over this socket how the game stands. */
  let stands = false;

  function drop() {
    clearTimeout(overdue);
    clearTimeout(retry);
    unanswered = [];
    stands = false;
    const old = socket;
    socket = null;
    old?.close();
  }

  /** @param {WebSocket} to an open one @param {ToServer} message */
  function tell(to, message) {
    to.send(JSON.stringify(message));
    unanswered.push(message);
    wait();
  }

  /** Waits for what is not answered; any answer shows that the other end lives, and those left get their full time. */
  function wait() {
    clearTimeout(overdue);
    if (unanswered.length > 0) {
      overdue = window.setTimeout(connect, ANSWER_MS);
    }
  }

  /** @param {string} text */
  function hear(text) {
    /** @type {FromServer} */
    const message = JSON.parse(text);
    const anew = message.type === "state" && !stands;
    stands ||= anew;
    const left = unanswered.filter((said) => !answers(said, message));
    if (left.length < unanswered.length) {
      unanswered = left;
      wait();
    }
    // Whoever is turned away is told why first, and is not live for that.
    if (message.type !== "problem") {
      tries = 0;
      onContact("live", null);
    }
    onMessage(message, anew);
  }

  function connect() {
    drop();
    onContact("connecting", null);
    const mine = open();
    socket = mine;
    overdue = window.setTimeout(connect, OPEN_MS);
    mine.onopen = () => {
      if (mine === socket) {
        tell(mine, hello());
      }
    };
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

  /** Tries at once, where nothing is there nor on its way. */
  function hurry() {
    if (!ended && (!socket || socket.readyState > WebSocket.OPEN)) {
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
      tell(socket, message);
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
