/** The forms with which a person opens a room by its code, and enters it with a name. */

import { errorText } from "../../engine/errors.js";
import { nameProblem, rememberedName, rememberName } from "../../friends/names.js";
import { texts } from "../../texts/texts.js";
import { button, html, keyedChildren, setText } from "../../ui/dom.js";
import { LOBBY_CODE, parseCode, shownCode } from "../codes.js";
import { ownMember } from "../state.js";

/** @import { App } from "../../types/app.d.ts" */
/** @import { RoomSnapshot, RoomState } from "../../types/room.d.ts" */
/** @import { RoomSession } from "../session/session.js" */

/**
 * Creates the form for the code of a room.
 *
 * @param {RoomSession} session
 * @param {{ id: string, label: string }} options the id of the field, and its label
 */
function createCodeForm(session, { id, label }) {
  const field = html("input", {
    id,
    type: "text",
    class: "code-field",
    autocomplete: "off",
    autocapitalize: "characters",
    spellcheck: "false",
    required: true,
    oninput: check,
  });

  function check() {
    const isCode = field.value === "" || parseCode(field.value) !== null;
    field.setCustomValidity(isCode ? "" : texts.rooms.codeProblem);
  }

  /** @param {SubmitEvent} event */
  function open(event) {
    event.preventDefault();
    const code = parseCode(field.value);
    if (code) {
      field.value = "";
      session.openRoom(code);
    }
  }

  return html(
    "form",
    { class: "form", onsubmit: open },
    html(
      "div",
      { class: "tools" },
      html("label", { for: field.id }, label),
      field,
      html("button", { type: "submit", class: "main" }, texts.rooms.open),
    ),
  );
}

/**
 * Creates the part of the panel without an open room: the lobby, the own rooms, and the form for a
 * code.
 *
 * @param {RoomSession} session
 */
export function createEntrance(session) {
  const lobby = html(
    "div",
    { class: "tools" },
    button(texts.rooms.lobby, () => session.openRoom(LOBBY_CODE), { class: "main" }),
    html("span", { class: "note" }, texts.rooms.lobbyText),
  );
  const list = html("ul", { class: "my-games" });
  const own = html("section", {}, html("h3", {}, texts.rooms.ownRooms), list);
  const problem = html("p", { class: "note wrong", role: "status" });
  const element = html(
    "div",
    {},
    problem,
    html("p", {}, texts.rooms.intro),
    lobby,
    html("h3", {}, texts.rooms.enterTitle),
    createCodeForm(session, { id: "room-code", label: texts.rooms.code }),
    own,
  );
  return {
    element,
    /** @param {RoomState} state */
    draw({ ownRooms, hasLobby, linkError }) {
      lobby.hidden = !hasLobby;
      own.hidden = ownRooms.length === 0;
      setText(problem, linkError ?? "");
      problem.hidden = linkError === null;
      const byKey = new Map(ownRooms.map((access) => [JSON.stringify(access), access]));
      keyedChildren(list, [...byKey.keys()], (key) => {
        const { code = "", name = "", leader = null } = byKey.get(key) ?? {};
        const leading = leader ? html("span", { class: "note" }, texts.rooms.asLeader) : null;
        return html(
          "li",
          {},
          html(
            "button",
            { type: "button", onclick: () => session.openRoom(code) },
            html("b", {}, name || shownCode(code)),
            html("span", {}, texts.rooms.codeIs(shownCode(code))),
            leading,
          ),
        );
      });
    },
  };
}

/**
 * Creates the form for another code, in place of a room that the server does not have.
 *
 * @param {RoomSession} session
 */
export function createOtherCodeForm(session) {
  const element = createCodeForm(session, { id: "other-code", label: texts.rooms.otherCode });
  return {
    element,
    /** @param {RoomState} state */
    draw({ room, refusal }) {
      element.hidden = room !== null || refusal !== "noSuchRoom";
    },
  };
}

/**
 * Returns whether the person here has left the room.
 *
 * @param {RoomSnapshot} room
 */
const hasLeft = ({ you, members }) =>
  members.some(({ number, status }) => number === you.member && status === "left");

/** Creates the field for the name of a member, which contains the last name. */
function createNameField() {
  const field = html("input", {
    id: "room-name",
    type: "text",
    class: "name-field",
    autocomplete: "nickname",
    required: true,
    value: rememberedName(),
    oninput: () => field.setCustomValidity(nameProblem(field.value)),
  });
  return field;
}

/**
 * Creates the form with which a person becomes a member of the open room.
 *
 * @param {App} app
 * @param {RoomSession} session
 */
export function createNameForm(app, session) {
  const text = html("p", {});
  const title = html("summary", { hidden: true }, texts.rooms.enterAsLeader);
  const field = createNameField();
  const submit = html("button", { type: "submit", class: "main" });
  const problem = html("p", { class: "note wrong", role: "status" });
  const label = html("label", { for: field.id }, texts.rooms.yourName);
  const line = html("div", { class: "tools" }, label, field, submit);
  const form = html("form", { class: "form", onsubmit: enter }, text, line, problem);
  const element = html("details", { class: "room-enter", open: true }, title, form);

  /** @param {SubmitEvent} event */
  async function enter(event) {
    event.preventDefault();
    const name = field.value.trim();
    if (name === "") {
      setText(problem, texts.rooms.nameMissing);
      return;
    }
    submit.disabled = true;
    setText(problem, "");
    try {
      await session.enter(name);
      void rememberName(name);
      app.announce(texts.rooms.entered(name));
    } catch (error) {
      setText(problem, errorText(error));
      field.focus();
    } finally {
      submit.disabled = false;
    }
  }

  /** @param {RoomSnapshot} room */
  function drawReason(room) {
    const { leader: isLeader } = room.you;
    // A leader plays only on request, and sees the boards first.
    if (title.hidden === isLeader) {
      title.hidden = !isLeader;
      element.open = !isLeader;
    }
    text.hidden = isLeader && !hasLeft(room);
    setText(text, hasLeft(room) ? texts.rooms.left : texts.rooms.watching);
    setText(submit, hasLeft(room) ? texts.rooms.enterAgain : texts.rooms.enter);
  }

  return {
    element,
    /** @param {RoomState} state */
    draw({ room, connectionStatus }) {
      const isMember = room !== null && ownMember(room) !== null;
      element.hidden = !room || isMember || room.closed || connectionStatus === "denied";
      if (room) {
        drawReason(room);
      }
    },
  };
}
