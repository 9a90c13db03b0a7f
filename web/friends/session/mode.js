/** The mode of a game with a friend: the server confirms each move of the player here. */

import { parseHouse } from "../../board/labels.js";
import { moveResultsTo } from "../../game/tree.js";
import { texts } from "../../texts/texts.js";
import { canRequestRematch, isOwnTurn, maySeeScores, statusText } from "../state.js";

/** @import { SessionData } from "./session.js" */
/** @import { Move, Pit } from "../../types/api.d.ts" */
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
 * Returns whether the player may choose a house ahead: an own one, while it is the friend's turn.
 *
 * @param {FriendState} state
 * @param {Pit} pit
 */
const canPremove = ({ snapshot }, pit) =>
  snapshot !== null &&
  snapshot.you !== null &&
  !snapshot.paused &&
  snapshot.you !== snapshot.to_move &&
  !snapshot.ending &&
  parseHouse(pit)?.side === snapshot.you;

/**
 * Chooses a house as the next move while it is the friend's turn, or takes the choice back.
 *
 * @param {SessionData} session
 * @param {Pit} pit
 */
function premove({ app }, pit) {
  const isRemoved = app.state().premove === pit;
  app.actions.setPremove(isRemoved ? null : pit);
  app.announce(isRemoved ? texts.friends.premoveRemoved : texts.friends.premoveSet(pit));
}

/**
 * Makes the move that the player has chosen ahead, when it is the player's turn.
 *
 * @param {SessionData} session
 */
export function makePremove(session) {
  const { app, store } = session;
  const { premove: move } = app.state();
  const { snapshot } = store.get();
  if (move === null || !snapshot || (!snapshot.ending && !isOwnTurn(store.get()))) {
    return;
  }
  app.actions.setPremove(null);
  if (snapshot.position.legal_moves.includes(move)) {
    requestMove(session, move);
  } else if (!snapshot.ending) {
    app.announce(texts.friends.premoveIllegal(move));
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
      return snapshot !== null && snapshot.ending === null && maySeeScores(snapshot);
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
    canPremove: (pit) => canPremove(store.get(), pit),
    premove: (pit) => premove(session, pit),
    hidesControls: () => store.get().snapshot?.ending === null,
    undo() {},
    redo() {},
    can: (what) => can(what, store.get()),
    resign: () => send(session, { type: "resign" }),
    rematch() {
      if (canRequestRematch(store.get())) {
        send(session, { type: "rematch", action: "offer" });
      }
    },
    status: ({ premove: move }) =>
      statusText(store.get()) ?? (move === null ? null : texts.friends.premoveSet(move)),
  };
}
