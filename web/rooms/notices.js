/**
 * The parts of the page outside the panel that follow a room: the room in place of the board, the way
 * back to it, the notice over the board while its games are stopped, and announcements.
 */

import { FRIEND_MODE } from "../friends/state.js";
import { texts } from "../texts/texts.js";
import { button, byId, html, setText } from "../ui/dom.js";
import { connectionText, situation } from "./descriptions.js";
import { memberName, opponentIn, ownGame, ROOM_MODE } from "./state.js";

/** @import { Session as FriendSession } from "../friends/session/session.js" */
/** @import { App } from "../types/app.d.ts" */
/** @import { RoomSession } from "./session/session.js" */

/**
 * Marks the document while the page shows a room in place of the board. The style sheet gives the panel
 * the place of both. A game that takes the place of the room gets the focus that was on its button.
 *
 * @param {App} app
 * @param {RoomSession} session
 */
export function startRoomView(app, session) {
  let wasShown = false;
  let isFocusDue = false;
  const draw = () => {
    const { mode, tree } = app.state();
    const isShown = mode === ROOM_MODE;
    document.body.toggleAttribute("data-room", isShown && !session.isProjector());
    if (isShown !== wasShown) {
      wasShown = isShown;
      isFocusDue = mode === FRIEND_MODE;
      window.scrollTo(0, 0);
    }
    if (isFocusDue && tree) {
      isFocusDue = false;
      const { activeElement } = document;
      if (activeElement === document.body || activeElement?.closest("[hidden]")) {
        byId("board").focus({ preventScroll: true });
      }
    }
    const { room } = session.state();
    if (isShown && room) {
      document.title = texts.page.titleOf(room.name);
    }
  };
  app.subscribe(draw);
  session.subscribe(draw);
  draw();
}

/**
 * Shows the way back to the room while the page shows something else, and the way to the own game that
 * has begun.
 *
 * @param {App} app
 * @param {RoomSession} session
 * @param {FriendSession} friend
 */
export function startRoomNotice(app, session, friend) {
  const notice = byId("room-notice");
  const text = html("p", {});
  const play = button(texts.rooms.play, playOwnGame, { class: "main" });
  const back = button(texts.rooms.backToRoom, session.showRoom);
  notice.append(text, html("div", { class: "buttons" }, play, back));

  function playOwnGame() {
    const { room } = session.state();
    const game = room && ownGame(room);
    if (game) {
      session.openGame(game);
    }
  }

  function draw() {
    const { access, room } = session.state();
    const { mode } = app.state();
    const { snapshot, access: board } = friend.state();
    const own = room && ownGame(room);
    const isGame = mode === FRIEND_MODE;
    const isPlaying = isGame && snapshot !== null && snapshot.you !== null && !snapshot.ending;
    const hadFocus = notice.contains(document.activeElement);
    notice.hidden = !access || mode === ROOM_MODE || isPlaying;
    // Without a game of a room on the board, another notice leads to the own game.
    play.hidden = !own || board === null || own.game === board.game;
    back.classList.toggle("main", play.hidden);
    const ofRoom = texts.rooms.inTheRoom(room?.name ?? access?.name ?? "");
    const opponent = own && room ? memberName(room, opponentIn(own, room.you.member)) : "";
    setText(text, play.hidden ? (isGame ? ofRoom : "") : texts.rooms.yourGameRuns(opponent));
    text.hidden = text.textContent === "";
    if (hadFocus && notice.hidden && isGame) {
      byId("board").focus({ preventScroll: true });
    }
  }
  app.subscribe(draw);
  session.subscribe(draw);
  friend.subscribe(draw);
  draw();
}

/**
 * Shows over the board that the leader has stopped the games, or has closed the room.
 *
 * @param {App} app
 * @param {RoomSession} session
 * @param {FriendSession} friend
 */
export function startPauseNotice(app, session, friend) {
  const notice = byId("room-pause");

  function draw() {
    const { snapshot } = friend.state();
    const { room } = session.state();
    const isShown = app.state().mode === FRIEND_MODE && snapshot?.room && !snapshot.ending;
    const isClosed = room !== null && room.closed && room.code === snapshot?.room?.code;
    const reason = isClosed ? texts.rooms.closedShort : snapshot?.paused ? texts.rooms.paused : "";
    notice.hidden = !isShown || reason === "";
    setText(notice, isShown ? reason : "");
  }
  app.subscribe(draw);
  session.subscribe(draw);
  friend.subscribe(draw);
  draw();
}

/**
 * Announces rounds, pauses and the connection to screen readers.
 *
 * @param {App} app
 * @param {RoomSession} session
 */
export function announceRoom(app, session) {
  session.subscribe((state, previous) => {
    const { room } = state;
    const before = previous.room;
    if (!room || !before || room.code !== before.code) {
      return;
    }
    if (room.round !== before.round) {
      app.announce(texts.rooms.round(room.round));
    }
    const isStopped = room.paused !== before.paused || room.closed !== before.closed;
    if (isStopped && app.state().mode !== ROOM_MODE) {
      // The room itself shows it in an element that screen readers read.
      app.announce(situation(room)[0] ?? "");
    }
    const connection = connectionText(state);
    if (connection && connection !== connectionText(previous) && app.state().mode !== ROOM_MODE) {
      app.announce(connection);
    }
  });
}
