/** The panel for games with friends: the own games, a new one, its links, connection and rematch. */

import { sideName, SIDES } from "../game/players.js";
import { texts } from "../texts/texts.js";
import { bringIntoView, button, html, setText } from "../ui/dom.js";
import { startConnectionNotice } from "./connection-notice.js";
import { createFriendForm } from "./create/form.js";
import { gameText, startInvitation } from "./invitation.js";
import { createLinks } from "./links.js";
import { createMyGames } from "./my-games.js";
import { createNameField, rememberedName } from "./names.js";
import { announceFriend, startClocks, startReturnNotice } from "./notices.js";
import { startOfferAnswer, startOffers } from "./offers.js";
import { startPhrases } from "./phrases.js";
import { createSession } from "./session/session.js";
import {
  canRequestRematch,
  connectionText,
  FRIEND_MODE,
  friendName,
  isFriendConnected,
} from "./state.js";
import { startTab } from "./tab.js";

/** @import { Session } from "./session/session.js" */
/** @import { App, Panel, State } from "../types/app.d.ts" */
/** @import { FriendState } from "../types/friend.d.ts" */

/** The session of the page. @type {Session | null} */
let pageSession = null;

/** @type {Panel} */
export const FRIEND_PANEL = {
  id: "friend",
  title: texts.common.playFriend,
  needsServer: true,
  start(app) {
    const session = sessionOf(app);
    session.start();
    if (session.state().access) {
      app.actions.openPanel("friend");
    }
    startConnectionNotice(app, session);
    startInvitation(app, session);
    startPhrases(app, session);
    startTab(session);
    startClocks(app, session);
    startReturnNotice(app, session);
    startOffers(app, session);
    startOfferAnswer(app, session);
    announceFriend(app, session);
  },
  create: (element, app) => createFriendPanel(element, app, sessionOf(app)),
};

/**
 * Returns the session of games with friends, which the games of rooms share.
 *
 * @param {App} app
 */
export function sessionOf(app) {
  pageSession ??= createSession(app);
  return pageSession;
}

/** Describes the connected players. @param {FriendState} friendState */
function presenceText(friendState) {
  const { snapshot } = friendState;
  if (!snapshot) {
    return "";
  }
  const isConnected = isFriendConnected(friendState);
  if (isConnected === null) {
    const present = SIDES.filter((side) => snapshot.connected[side]).map(sideName);
    if (present.length === 0) {
      return texts.friends.spectatorAlone;
    }
    return texts.friends.spectator(present);
  }
  if (snapshot.free_seat !== null) {
    return texts.friends.notJoined;
  }
  const name = friendName(snapshot);
  return isConnected ? texts.friends.here(name) : texts.friends.notConnected(name);
}

/** The marks before the state of the connection. */
const CONNECTED_MARK = "\u25cf";
const NOT_CONNECTED_MARK = "\u25cb";

/**
 * Creates the form for the own name.
 *
 * @param {App} app
 * @param {Session} session
 */
function createNameForm(app, session) {
  const { label, field } = createNameField("friend-own-name");
  const submit = html("button", { type: "submit", class: "small" }, texts.friends.saveName);
  const element = html("form", { class: "tools", onsubmit: save }, label, field, submit);
  /** The own name that the field shows. @type {string | null} */
  let drawnName = null;

  /** @param {SubmitEvent} event */
  async function save(event) {
    event.preventDefault();
    try {
      await session.setName(field.value.trim());
      app.announce(texts.friends.nameSaved);
    } catch (error) {
      app.actions.showError(error);
    }
  }

  return {
    element,
    /** Shows the own name of the game. @param {FriendState} friendState */
    draw({ snapshot }) {
      // The names of a room's members belong to the room.
      element.hidden = !snapshot?.you || Boolean(snapshot.room);
      const own = snapshot?.you ? (snapshot.names[snapshot.you] ?? "") : null;
      if (own !== null && own !== drawnName) {
        field.value = own || rememberedName();
        drawnName = own;
      }
    },
  };
}

/**
 * Leaves the game, and shows the list of the other games that takes its place.
 *
 * @param {HTMLElement} gameView
 * @param {Session} session
 */
function leaveGame(gameView, session) {
  session.leave();
  if (gameView.parentElement) {
    bringIntoView(gameView.parentElement);
  }
}

/**
 * Creates the part of the panel about a game.
 *
 * @param {App} app
 * @param {Session} session
 */
function createGameView(app, session) {
  const connection = html("p", { class: "connection-status" });
  const presence = html("p", {});
  const rules = html("p", { class: "note" });
  const statistics = html("p", { class: "note" });
  const nameForm = createNameForm(app, session);
  const back = button(texts.game.backToGame, session.showOnBoard, { class: "main" });
  const reconnect = button(texts.friends.connectNow, session.reconnectNow, { class: "small" });
  const rematch = button(texts.controls.rematch, () => app.actions.rematch(), { class: "main" });
  const rematchLine = html("p", {});
  const links = createLinks(session, (error) => app.actions.showError(error));
  const leave = button(texts.friends.leave, () => leaveGame(element, session), {
    class: "small",
  });
  const element = html(
    "div",
    {},
    connection,
    presence,
    rules,
    statistics,
    nameForm.element,
    html("div", { class: "tools" }, back, reconnect, rematch),
    rematchLine,
    links.element,
    html("div", { class: "tools" }, leave),
  );

  /** @param {FriendState} friendState @param {State["mode"]} mode */
  function draw(friendState, mode) {
    const { snapshot, connectionStatus } = friendState;
    const isConnected = connectionStatus === "connected";
    const mark = isConnected ? CONNECTED_MARK : NOT_CONNECTED_MARK;
    // Without a game the notice in place of the board has this text and the button to connect.
    connection.hidden = !snapshot;
    setText(connection, `${mark} ${connectionText(friendState)}`);
    setText(presence, isConnected ? presenceText(friendState) : "");
    setText(rules, snapshot ? gameText(snapshot, snapshot.you) : "");
    const isShared = snapshot?.statistics === "agreed";
    statistics.hidden = !isShared;
    setText(statistics, isShared ? texts.friends.sharesOpenings : "");
    reconnect.hidden = connectionStatus !== "retrying" || !snapshot;
    back.hidden = mode === FRIEND_MODE || !snapshot;
    rematch.hidden = !canRequestRematch(friendState) || mode !== FRIEND_MODE;
    // The players see the offer below the board.
    const isOfferShown =
      snapshot && !snapshot.you && snapshot.ending && snapshot.rematch.offered_by;
    setText(rematchLine, isOfferShown ? texts.friends.rematchOffered : "");
    nameForm.draw(friendState);
    links.draw(friendState);
  }
  return { element, draw };
}

/**
 * @param {HTMLElement} element
 * @param {App} app
 * @param {Session} session
 */
function createFriendPanel(element, app, session) {
  const errorLine = html("p", { class: "note wrong", role: "status" });
  const form = createFriendForm(async (options) => {
    try {
      await session.createGame(options);
    } catch (error) {
      app.actions.showError(error);
    }
  });
  const game = createGameView(app, session);
  const myGames = createMyGames(session);
  element.append(errorLine, game.element, myGames.element, form.element);

  /** @param {State} state */
  function draw(state) {
    const friendState = session.state();
    const hasGame = friendState.access !== null;
    form.element.hidden = hasGame;
    game.element.hidden = !hasGame;
    setText(errorLine, friendState.error ?? "");
    myGames.draw(friendState);
    if (hasGame) {
      game.draw(friendState, state.mode);
    } else {
      form.draw(state);
    }
  }
  session.subscribe(() => draw(app.state()));
  return draw;
}
