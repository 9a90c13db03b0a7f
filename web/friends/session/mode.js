/** The mode of a game with a friend: the server confirms each move of the player here. */

import { moveResultsTo } from "../../game/tree.js";
import { texts } from "../../texts/texts.js";
import { canRequestRematch, isOwnTurn, statusText } from "../state.js";

/** @import { SessionData } from "./session.js" */
/** @import { Move } from "../../types/api.d.ts" */
/** @import { Mode } from "../../types/app.d.ts" */
/** @import { FriendState, ToServer } from "../../types/friend.d.ts" */

/**
 * Sends a message that is not repeated if it cannot be sent.
 *
 * @param {SessionData} session
 * @param {ToServer} message
 */
export function send({ connection, store }, message) {
  if (!connection?.send(message)) {
    store.update({ error: texts.friends.noConnection });
  }
}

/**
 * Sends a move. It stays pending until the server confirms it, also without a connection.
 *
 * @param {SessionData} session
 * @param {Move} move
 */
function requestMove({ connection, store }, move) {
  const { snapshot } = store.get();
  if (snapshot && isOwnTurn(store.get())) {
    const pending = { ply: snapshot.plies.length + 1, move };
    store.update({ pending, error: null });
    connection?.send({ type: "move", ...pending });
  }
}

/**
 * @param {Parameters<NonNullable<Mode["can"]>>[0]} what
 * @param {FriendState} state
 */
function can(what, state) {
  const { snapshot } = state;
  switch (what) {
    case "hint":
      return snapshot !== null && snapshot.ending === null;
    case "resign":
      return Boolean(snapshot?.you) && snapshot?.ending === null;
    case "rematch":
      return canRequestRematch(state);
    default:
      return false;
  }
}

/**
 * Returns the mode.
 *
 * @param {SessionData} session
 * @returns {Mode}
 */
export function friendMode(session) {
  const { store } = session;
  return {
    canMove: ({ tree }) =>
      tree !== null &&
      isOwnTurn(store.get()) &&
      moveResultsTo(tree).length === store.get().snapshot?.plies.length,
    requestMove: (move) => requestMove(session, move),
    undo() {},
    redo() {},
    can: (what) => can(what, store.get()),
    resign: () => send(session, { type: "resign" }),
    rematch() {
      if (canRequestRematch(store.get())) {
        send(session, { type: "rematch", action: "offer" });
      }
    },
    status: () => statusText(store.get()),
  };
}
