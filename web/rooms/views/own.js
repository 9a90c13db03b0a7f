/** The part about the person here: the own game, what the person waits for, and the own place. */

import { FRIEND_MODE } from "../../friends/state.js";
import { texts } from "../../texts/texts.js";
import { button, html, setText } from "../../ui/dom.js";
import { ask } from "../../ui/question.js";
import { situation, standingText } from "../descriptions.js";
import { ownGame, ownMember } from "../state.js";

/** @import { Session as FriendSession } from "../../friends/session/session.js" */
/** @import { App } from "../../types/app.d.ts" */
/** @import { RoomSnapshot, RoomState } from "../../types/room.d.ts" */
/** @import { RoomSession } from "../session/session.js" */

/**
 * Asks whether to leave the room, and leaves it.
 *
 * @param {RoomSession} session
 */
async function leave(session) {
  const answers = {
    yes: texts.rooms.leaveYes,
    no: texts.rooms.stay,
    text: texts.rooms.leaveText,
  };
  if (await ask(texts.rooms.leaveQuestion, answers)) {
    await session.leave();
  }
}

/**
 * Creates the part.
 *
 * @param {App} app
 * @param {RoomSession} session
 * @param {FriendSession} friend
 */
export function createOwnPart(app, session, friend) {
  const text = html("p", { class: "room-situation", role: "status" });
  const place = html("p", { class: "summary" });
  const play = button(texts.rooms.play, playOwnGame, { class: "main play" });
  const element = html("div", { class: "room-own" }, text, place, play);

  function playOwnGame() {
    const { room } = session.state();
    const game = room && ownGame(room);
    if (game) {
      session.openGame(game);
    }
  }

  /** Returns whether the board shows the own game. @param {RoomSnapshot} room */
  const isOnBoard = (room) =>
    app.state().mode === FRIEND_MODE && friend.state().access?.game === ownGame(room)?.game;

  return {
    element,
    /** @param {RoomState} state */
    draw(state) {
      const { room } = state;
      if (!room) {
        element.hidden = true;
        return;
      }
      const sentences = situation(room);
      const isPlaying = ownGame(room) !== null && isOnBoard(room);
      setText(text, (isPlaying ? [...sentences, texts.rooms.playing] : sentences).join(" "));
      text.hidden = sentences.length === 0;
      const standing = standingText(state, room.you.member);
      setText(place, standing);
      place.hidden = standing === "";
      play.hidden = ownGame(room) === null || isPlaying;
      element.hidden = text.hidden && place.hidden && play.hidden;
    },
  };
}

/**
 * Creates the part with which a member changes the name or leaves, and any visitor closes the view.
 *
 * @param {App} app
 * @param {RoomSession} session
 */
export function createExits(app, session) {
  const leaving = button(texts.rooms.leave, () => void leave(session), { class: "small" });
  const close = button(texts.rooms.close, session.closeView, { class: "small" });
  const field = html("input", { id: "room-own-name", type: "text", class: "name-field" });
  const form = html(
    "form",
    { class: "tools", onsubmit: rename },
    html("label", { for: field.id }, texts.rooms.yourName),
    field,
    html("button", { type: "submit", class: "small" }, texts.rooms.saveName),
  );
  const naming = html("details", {}, html("summary", {}, texts.rooms.changeName), form);
  const element = html("div", {}, naming, html("div", { class: "tools" }, leaving, close));
  /** The own name that the field shows. */
  let shownName = "";

  /** @param {SubmitEvent} event */
  async function rename(event) {
    event.preventDefault();
    if (await session.act({ command: "set-name", name: field.value.trim() })) {
      naming.open = false;
      app.announce(texts.friends.nameSaved);
    }
  }

  return {
    element,
    /** @param {RoomState} state */
    draw({ room }) {
      const own = room && ownMember(room);
      naming.hidden = !own || room.closed;
      leaving.hidden = !own || room.closed;
      if (own && own.name !== shownName) {
        shownName = own.name;
        field.value = own.name;
      }
    },
  };
}
