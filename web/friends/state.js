/** The state of a game with a friend: pure functions that apply the server's messages. */

import { NO_RESPONSE_STATUS, SERVER_ERROR_STATUS } from "../engine/errors.js";
import { opposite } from "../game/players.js";
import { durationText } from "./clock-times.js";
import { detailText, problemTitle } from "../texts/from-server.js";
import { texts } from "../texts/texts.js";

/** @import { FriendState, FromServer, GameAccess, GamePhase } from "../types/friend.d.ts" */
/** @import { GameSnapshot, Refusal, ToServer } from "../types/friend.d.ts" */

/** The name of the mode for games with friends. */
export const FRIEND_MODE = "friend";

/** The state without a game. @type {Readonly<FriendState>} */
export const INITIAL_FRIEND_STATE = {
  access: null,
  ownGames: [],
  snapshot: null,
  clockReceivedAt: 0,
  connectionStatus: "off",
  refusal: null,
  connectionLimit: null,
  pending: null,
  said: null,
  linkError: null,
  error: null,
};

/**
 * The refusals by the close codes of the server (docs/friends.md). A browser reports 1006 for a
 * connection that failed without a code.
 *
 * @type {ReadonlyMap<number, Refusal>}
 */
const REFUSALS_BY_CLOSE_CODE = new Map([
  [1006, "unreachable"],
  [1008, "tooManyMessages"],
  [1011, "serverFailed"],
  [1012, "restarting"],
  [1013, "gameFull"],
  [4403, "noAccess"],
  [4404, "noSuchGame"],
  [4409, "replaced"],
  [4429, "addressFull"],
]);

/**
 * The refusals by the HTTP statuses of `GET games/GAME`; 0 is the status without a response.
 *
 * @type {ReadonlyMap<number, Refusal>}
 */
const REFUSALS_BY_STATUS = new Map([
  [NO_RESPONSE_STATUS, "unreachable"],
  [403, "noAccess"],
  [404, "noSuchGame"],
  [429, "tooManyMessages"],
  [503, "restarting"],
]);

/**
 * Returns whether the page shows a game with a friend, or waits for one.
 *
 * @param {Pick<FriendState, "access" | "linkError">} state
 */
export const hasFriendLink = ({ access, linkError }) => access !== null || linkError !== null;

/** The refusals after which the page does not connect again by itself. */
export const FINAL_REFUSALS = new Set(
  /** @type {Refusal[]} */ (["noSuchGame", "noAccess", "replaced"]),
);

/**
 * Returns the reason of a closed connection.
 *
 * @param {number} code
 * @returns {Refusal}
 */
export const refusalOfClose = (code) => REFUSALS_BY_CLOSE_CODE.get(code) ?? "unreachable";

/**
 * Returns the number of live connections that the server allows, from the text with which it closes
 * one connection too many; `null` for another text.
 *
 * @param {string} text
 */
export function connectionLimitOf(text) {
  const count = /\b(\d+) live connections?\b/.exec(text)?.[1];
  return count === undefined ? null : Number(count);
}

/**
 * Returns the reason why no live connection opens, from the status of a request for the same game.
 * With status 200 only live connections fail, for example because of a proxy.
 *
 * @param {number} status
 * @returns {Refusal}
 */
export function refusalOfStatus(status) {
  const known = REFUSALS_BY_STATUS.get(status);
  return known ?? (status >= SERVER_ERROR_STATUS ? "serverFailed" : "noLiveConnection");
}

/** A minute, to which the time for a first move is rounded up, in milliseconds. */
const MINUTE_MS = 60_000;

/** The first and the longest delay before a reconnection, in milliseconds. */
const FIRST_RETRY_DELAY_MS = 500;
const MAX_RETRY_DELAY_MS = 15_000;

/**
 * Returns the delay before a reconnection. It doubles with each attempt and has a random part, so
 * that browsers do not reconnect at the same time.
 *
 * @param {number} tries the number of failed attempts, from 1
 * @param {number} random from 0 to 1
 */
export function retryDelay(tries, random) {
  const full = Math.min(FIRST_RETRY_DELAY_MS * 2 ** (tries - 1), MAX_RETRY_DELAY_MS);
  return full * (1 / 2 + random / 2);
}

/**
 * Returns the state after a message.
 *
 * @param {FriendState} state
 * @param {FromServer} message
 * @param {number} now the time of `performance.now()`, in milliseconds
 * @returns {FriendState}
 */
export function applyMessage(state, message, now) {
  switch (message.type) {
    case "state": {
      const { plies, ending, to_move: mover, you } = message.state;
      const { pending } = state;
      // A pending move stays while it is still possible: its ply is the next one, and the player is
      // to move.
      const isStillPossible =
        pending !== null && plies.length === pending.ply - 1 && mover === you && !ending;
      return {
        ...state,
        snapshot: message.state,
        clockReceivedAt: now,
        pending: isStillPossible ? pending : null,
      };
    }
    case "move":
      return applyMoveMessage(state, message, now);
    case "pong":
      return applyPong(state, message, now);
    case "phrase":
      return { ...state, said: { side: message.side, phrase: message.phrase } };
    case "problem": {
      const { problem, ply } = message;
      const isPending = ply !== undefined && state.pending?.ply === ply;
      const text = detailText(problem.detail ?? "") || problemTitle(problem);
      return {
        ...state,
        ...(problem.state && {
          snapshot: /** @type {GameSnapshot} */ (problem.state),
          clockReceivedAt: now,
        }),
        pending: isPending ? null : state.pending,
        // Before the first state the close code has the reason.
        error: state.snapshot ? texts.friends.serverSays(text) : null,
      };
    }
  }
}

/**
 * @param {FriendState} state
 * @param {Extract<FromServer, { type: "move" }>} message
 * @param {number} now
 * @returns {FriendState}
 */
function applyMoveMessage(state, { ply, result, clock }, now) {
  const { snapshot, pending } = state;
  if (!snapshot || ply !== snapshot.plies.length + 1) {
    // The page knows this ply already, or misses an earlier ply and will receive a state.
    return state;
  }
  return {
    ...state,
    snapshot: {
      ...snapshot,
      plies: [...snapshot.plies, result.move],
      position: result.after,
      to_move: result.after.to_move,
      // The next move ends the offer of a takeback.
      takeback: { offered_by: null, declined_by: null, plies_left: null },
      clock: clock ?? snapshot.clock,
    },
    clockReceivedAt: clock ? now : state.clockReceivedAt,
    pending: pending && pending.ply <= ply ? null : pending,
    error: null,
  };
}

/**
 * Sets the clock to that of the server, unless a message about another ply is on its way.
 *
 * @param {FriendState} state
 * @param {Extract<FromServer, { type: "pong" }>} message
 * @param {number} now
 * @returns {FriendState}
 */
function applyPong(state, { plies, clock }, now) {
  const { snapshot } = state;
  if (!clock || !snapshot || snapshot.plies.length !== plies) {
    return state;
  }
  return { ...state, snapshot: { ...snapshot, clock }, clockReceivedAt: now };
}

/**
 * Returns the first message over a new connection.
 *
 * @param {GameAccess} access
 * @param {number} since the number of known plies
 * @returns {ToServer}
 */
export function helloMessage({ token }, since) {
  return { type: "hello", ...(token && { token }), since };
}

/**
 * Returns whether a message is the reply to a sent message. A problem without a ply may be the
 * reply to any message.
 *
 * @param {ToServer} sent
 * @param {FromServer} message
 */
export function isReplyTo(sent, message) {
  switch (message.type) {
    case "state":
      return sent.type !== "move" || message.state.plies.length >= sent.ply;
    case "move":
      return sent.type === "ping" || (sent.type === "move" && message.ply >= sent.ply);
    case "pong":
      return sent.type === "ping";
    case "phrase":
      return sent.type === "phrase" && message.phrase === sent.phrase;
    case "problem":
      return message.ply === undefined || (sent.type === "move" && message.ply === sent.ply);
  }
}

/** The protocol of the live connection to a game. */
export const GAME_PROTOCOL = { isReplyTo, refusalOfClose, finalRefusals: FINAL_REFUSALS };

/**
 * Returns whether the player is to move now.
 *
 * @param {FriendState} state
 */
export function isOwnTurn({ snapshot, pending }) {
  return (
    snapshot !== null &&
    !snapshot.ending &&
    !snapshot.paused &&
    snapshot.you === snapshot.to_move &&
    pending === null
  );
}

/**
 * Describes why there is no connection.
 *
 * @param {Refusal} refusal
 * @param {number | null} limit the live connections that the server allows, if known
 */
function refusalText(refusal, limit) {
  const text = texts.friends.refusals[refusal];
  return typeof text === "function" ? text(limit) : text;
}

/**
 * Describes the state of the connection.
 *
 * @param {Pick<FriendState, "connectionStatus" | "refusal" | "connectionLimit" | "snapshot">} state
 */
export function connectionText({ connectionStatus, refusal, connectionLimit, snapshot }) {
  if (connectionStatus === "connected" || connectionStatus === "off") {
    return connectionStatus === "off" ? "" : texts.friends.connected;
  }
  if (refusal && (connectionStatus === "denied" || !snapshot)) {
    const reason = refusalText(refusal, connectionLimit);
    return connectionStatus === "denied" ? reason : `${reason} ${texts.friends.keepsTrying}`;
  }
  return snapshot ? texts.friends.reconnecting : texts.friends.connecting;
}

/**
 * Returns whether the friend is connected; `null` for a spectator.
 *
 * @param {FriendState} state
 */
export function isFriendConnected({ snapshot }) {
  if (!snapshot?.you) {
    return null;
  }
  return snapshot.connected[opposite(snapshot.you)];
}

/**
 * Returns the phase of a game.
 *
 * @param {Pick<GameSnapshot, "ending" | "you" | "rematch">} snapshot
 * @returns {GamePhase}
 */
export function gamePhase({ ending, you, rematch }) {
  if (!ending) {
    return "open";
  }
  if (rematch.game) {
    return "rematch-started";
  }
  if (you !== null && rematch.declined_by !== null && rematch.declined_by !== you) {
    return "rematch-declined";
  }
  if (you === null || rematch.offered_by === null) {
    return "over";
  }
  return rematch.offered_by === you ? "rematch-requested" : "rematch-offered";
}

/**
 * Returns whether the player can offer a rematch. An offer of the friend has its own buttons.
 *
 * @param {FriendState} state
 */
export function canRequestRematch({ snapshot }) {
  // A room pairs its members itself.
  const hasFriend = snapshot !== null && snapshot.free_seat === null && !snapshot.room;
  return hasFriend && snapshot.you !== null && gamePhase(snapshot) === "over";
}

/**
 * Returns the status line of the game, or `null` for the default text.
 *
 * @param {FriendState} state
 */
export function statusText({ connectionStatus, refusal, connectionLimit, pending, snapshot }) {
  if (!snapshot) {
    return null;
  }
  if (snapshot.ending) {
    return endedStatusText(snapshot);
  }
  if (connectionStatus === "denied" && refusal) {
    return refusalText(refusal, connectionLimit);
  }
  if (connectionStatus !== "connected") {
    return texts.friends.reconnecting;
  }
  if (snapshot.paused) {
    return texts.rooms.pausedStatus;
  }
  if (pending) {
    return texts.friends.sendingMove;
  }
  if (snapshot.free_seat !== null) {
    return snapshot.you ? texts.friends.notJoined : texts.friends.seatIsFree;
  }
  const { clock } = snapshot;
  // By correspondence the clock of each move runs from its beginning.
  const left = clock?.by_correspondence ? null : (clock?.first_move_ms ?? null);
  if (left === null || snapshot.you === null) {
    return null;
  }
  const time = durationText(Math.ceil(left / MINUTE_MS) * MINUTE_MS);
  if (snapshot.room) {
    return snapshot.you === snapshot.to_move
      ? texts.rooms.firstMove(time)
      : texts.rooms.othersFirstMove(friendName(snapshot), time);
  }
  return snapshot.you === snapshot.to_move
    ? texts.friends.firstMove(time)
    : texts.friends.friendsFirstMove(friendName(snapshot), time);
}

/** The termination of a game whose result the leader of its room has set. */
const ADJUDICATED = "adjudicated";

/** @param {GameSnapshot} snapshot */
function endedStatusText(snapshot) {
  if (snapshot.room) {
    return snapshot.ending?.termination === ADJUDICATED ? texts.rooms.adjudicated : null;
  }
  // `offers.js` shows an open offer of a rematch.
  return gamePhase(snapshot) === "rematch-declined"
    ? texts.friends.rematchDeclined(friendName(snapshot))
    : null;
}

/**
 * Returns whether the receiver of a snapshot may see scores during the game: a spectator if the players
 * allow it, and a player in a room with the help of the engine.
 *
 * @param {Pick<GameSnapshot, "you" | "spectator_scores" | "room">} snapshot
 */
export const maySeeScores = ({ you, spectator_scores: isAllowed, room }) =>
  you === null ? isAllowed : (room?.engine_help ?? false);

/**
 * Returns the name of the other player: the name that the friend has given, or "Your friend".
 *
 * @param {Pick<GameSnapshot, "you" | "names">} snapshot
 */
export function friendName({ you, names }) {
  return (you && names[opposite(you)]) ?? texts.friends.yourFriend;
}
