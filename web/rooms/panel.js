/** The panel of rooms: the way into a room, a new room, and the open room. */

import { sessionOf as friendSessionOf } from "../friends/panel.js";
import { texts } from "../texts/texts.js";
import { html } from "../ui/dom.js";
import { createRoomForm } from "./forms/create.js";
import { createEntrance, createNameForm, createOtherCodeForm } from "./forms/enter.js";
import { announceRoom, startPauseNotice, startRoomNotice, startRoomView } from "./notices.js";
import { startProjector } from "./projector.js";
import { createRoomSession } from "./session/session.js";
import { ROOM_PANEL_ID } from "./state.js";
import { createBoards } from "./views/boards.js";
import { createChallenges } from "./views/challenges.js";
import { createGames } from "./views/games.js";
import { createHead } from "./views/head.js";
import { createInvitation } from "./views/invite.js";
import { createLeading, createMoreLeading } from "./views/lead.js";
import { createExits, createOwnPart } from "./views/own.js";
import { createPeople } from "./views/people.js";
import { createDownloads, createStandings } from "./views/standings.js";

/** @import { App, Panel, State } from "../types/app.d.ts" */
/** @import { RoomSession } from "./session/session.js" */

/** The session of the page. @type {RoomSession | null} */
let pageSession = null;

/** @param {App} app */
function sessionOf(app) {
  pageSession ??= createRoomSession(app, friendSessionOf(app));
  return pageSession;
}

/**
 * Returns the code of the open room with the token for it; `null` without an open room.
 *
 * @param {App} app
 * @returns {{ code: string, token: string | null } | null}
 */
export function openRoom(app) {
  if (!app.hasFriendGames) {
    return null;
  }
  const { room, access } = sessionOf(app).state();
  return room && { code: room.code, token: access?.token ?? access?.leader ?? null };
}

/** @type {Panel} */
export const ROOM_PANEL = {
  id: ROOM_PANEL_ID,
  title: texts.rooms.title,
  needsServer: true,
  start(app) {
    const session = sessionOf(app);
    startRoomView(app, session);
    startProjector(app, session);
    startRoomNotice(app, session, friendSessionOf(app));
    startPauseNotice(app, session, friendSessionOf(app));
    announceRoom(app, session);
    session.start();
  },
  create: (element, app) => createRoomPanel(element, app, sessionOf(app)),
};

/**
 * Creates the part of the panel about the open room: the own part and the boards beside the people and
 * the standings where there is room for both.
 *
 * @param {App} app
 * @param {RoomSession} session
 */
function createRoomPart(app, session) {
  const friend = friendSessionOf(app);
  const parts = {
    head: createHead(session),
    otherCode: createOtherCodeForm(session),
    name: createNameForm(app, session),
    own: createOwnPart(app, session, friend),
    challenges: createChallenges(session),
    leading: createLeading(session),
    invitation: createInvitation(app),
    games: createGames(session),
    boards: createBoards(session),
    moreLeading: createMoreLeading(app, session),
    people: createPeople(session),
    standings: createStandings(),
    downloads: createDownloads(),
    exits: createExits(app, session),
  };
  const { head, otherCode, name, own, challenges, leading, invitation, games, boards } = parts;
  const { moreLeading, people, standings, downloads, exits } = parts;
  const element = html(
    "div",
    { class: "room" },
    head.element,
    otherCode.element,
    html(
      "div",
      { class: "room-columns" },
      html(
        "div",
        {},
        own.element,
        leading.element,
        name.element,
        invitation.element,
        challenges.element,
        games.element,
        boards.element,
        moreLeading.element,
      ),
      html("div", {}, standings.element, people.element, downloads.element, exits.element),
    ),
  );
  return {
    element,
    focus: head.focus,
    draw: () => Object.values(parts).forEach((part) => part.draw(session.state())),
  };
}

/**
 * @param {HTMLElement} element
 * @param {App} app
 * @param {RoomSession} session
 */
function createRoomPanel(element, app, session) {
  const entrance = createEntrance(session);
  const form = createRoomForm(async (options) => {
    try {
      await session.createRoom(options);
    } catch (error) {
      app.actions.showError(error);
    }
  });
  const room = createRoomPart(app, session);
  element.append(room.element, entrance.element, form.element);

  /** @param {State} state */
  function draw(state) {
    const isOpen = session.state().access !== null;
    const hadFocus = element.contains(document.activeElement);
    room.element.hidden = !isOpen;
    entrance.element.hidden = isOpen;
    form.element.hidden = isOpen;
    if (isOpen) {
      room.draw();
      if (hadFocus && document.activeElement?.closest("[hidden]")) {
        // The element with the focus is hidden by now.
        room.focus();
      }
    } else {
      session.findLobby();
      entrance.draw(session.state());
      form.draw(state);
    }
  }
  session.subscribe(() => draw(app.state()));
  return draw;
}
