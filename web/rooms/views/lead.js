/** The controls of the leader: rounds, the pause of all games, other devices, and the end of the room. */

import { createDeviceLink } from "../../friends/device-link.js";
import { texts } from "../../texts/texts.js";
import { button, html, setText } from "../../ui/dom.js";
import { ask } from "../../ui/question.js";
import { hasRounds, runningCount } from "../state.js";

/** @import { App } from "../../types/app.d.ts" */
/** @import { RoomSnapshot, RoomState } from "../../types/room.d.ts" */
/** @import { RoomSession } from "../session/session.js" */

/**
 * Starts a round. The leader decides whether it voids the games that still run.
 *
 * @param {RoomSession} session
 * @param {RoomSnapshot} room
 */
async function startRound(session, room) {
  const running = runningCount(room);
  const answers = {
    yes: texts.rooms.startYes,
    no: texts.rooms.wait,
    text: texts.rooms.startText,
  };
  if (running === 0 || (await ask(texts.rooms.startQuestion(running), answers))) {
    await session.lead({
      command: "start-round",
      void_running: room.next_round === "running-games",
    });
  }
}

/**
 * Closes the room if the leader confirms it.
 *
 * @param {RoomSession} session
 */
async function closeRoom(session) {
  const answers = {
    yes: texts.rooms.closeYes,
    no: texts.rooms.keepOpen,
    text: texts.rooms.closeText,
  };
  if (await ask(texts.rooms.closeQuestion, answers)) {
    await session.lead({ command: "close" });
  }
}

/**
 * Returns whether the leader can start a round.
 *
 * @param {Pick<RoomSnapshot, "next_round">} room
 */
export const canStartRound = ({ next_round: next }) => next === "ready" || next === "running-games";

/**
 * Creates a button of the leader.
 *
 * @param {RoomSession} session
 * @param {string} text
 * @param {(room: RoomSnapshot) => unknown} act
 * @param {Parameters<typeof html>[1]} [attributes]
 */
function leaderButton(session, text, act, attributes) {
  const onclick = () => {
    const { room } = session.state();
    if (room) {
      void act(room);
    }
  };
  return button(text, onclick, attributes);
}

/**
 * Creates the controls of rounds and pauses.
 *
 * @param {RoomSession} session
 */
export function createLeading(session) {
  const start = leaderButton(
    session,
    "",
    (room) => canStartRound(room) && startRound(session, room),
    { class: "main" },
  );
  const pause = leaderButton(session, "", (room) =>
    session.lead({ command: room.paused ? "resume" : "pause" }),
  );
  const state = html("p", { class: "note" });
  const element = html(
    "section",
    {},
    html("h3", {}, texts.rooms.leading),
    html("div", { class: "tools" }, start, pause),
    state,
  );
  return {
    element,
    /** @param {RoomState} roomState */
    draw({ room }) {
      element.hidden = !room?.you.leader || room.closed;
      if (!room || element.hidden) {
        return;
      }
      start.hidden = !hasRounds(room);
      setText(
        start,
        room.round === 0 ? texts.rooms.startFirst : texts.rooms.startRound(room.round + 1),
      );
      start.ariaDisabled = String(!canStartRound(room));
      setText(state, room.next_round ? texts.rooms.nextRound[room.next_round] : "");
      state.hidden = start.hidden || room.next_round === null;
      setText(pause, room.paused ? texts.rooms.resume : texts.rooms.pause);
    },
  };
}

/**
 * Creates the part with the projector page, the end of the room, and the way to another device.
 *
 * @param {App} app
 * @param {RoomSession} session
 */
export function createMoreLeading(app, session) {
  const projector = button(texts.rooms.openProjector, session.openProjector);
  const close = leaderButton(session, texts.rooms.closeRoom, () => closeRoom(session));
  const device = createDeviceLink(
    {
      action: texts.rooms.leadElsewhere,
      name: texts.rooms.leadElsewhereLink,
      purpose: texts.rooms.leadElsewhereText,
      create: session.leaderLink,
    },
    (error) => app.actions.showError(error),
  );
  const element = html(
    "section",
    {},
    html("h3", {}, texts.rooms.moreLeading),
    html("div", { class: "tools" }, projector, close),
    html("p", { class: "note" }, texts.rooms.projectorText),
    html("p", { class: "note" }, texts.rooms.secretHere),
    device.element,
  );
  /** The code of the room on the page. A link is for one room. */
  let shownCode = "";
  return {
    element,
    /** @param {RoomState} roomState */
    draw({ room }) {
      element.hidden = !room?.you.leader;
      if (room && room.code !== shownCode) {
        shownCode = room.code;
        device.clear();
      }
      close.hidden = room?.closed ?? true;
    },
  };
}
