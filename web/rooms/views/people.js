/** The people of a room: who is here, the challenge to one of them, and what the leader can do. */

import { nameProblem } from "../../friends/names.js";
import { texts } from "../../texts/texts.js";
import { button, html, keyedChildren, setText } from "../../ui/dom.js";
import { ask } from "../../ui/question.js";
import { activeCount, canChallenge, memberName, memberOf } from "../state.js";

/** @import { Member, RoomSnapshot, RoomState } from "../../types/room.d.ts" */
/** @import { RoomSession } from "../session/session.js" */

/** The most people that the list shows. */
const MAX_SHOWN = 200;

/** The marks of a member who is connected, and of one who is not. */
const HERE_MARK = "\u25cf";
const AWAY_MARK = "\u25cb";

/**
 * Returns the members in the order of the list: first those who have not left. Only the leader sees
 * those who have been removed.
 *
 * @param {RoomSnapshot} room
 */
export function listedMembers({ members, you }) {
  const active = members.filter(({ status }) => status === "active");
  const left = members.filter(({ status }) => status === "left");
  const removed = you.leader ? members.filter(({ status }) => status === "removed") : [];
  return [...active, ...left, ...removed];
}

/**
 * Describes whether a member is here.
 *
 * @param {Member} member
 */
export function presenceText({ status, connected }) {
  if (status === "active") {
    return connected ? texts.rooms.here : texts.rooms.notHere;
  }
  return status === "left" ? texts.rooms.hasLeft : texts.rooms.wasRemoved;
}

/**
 * Creates the form with which the leader renames a member.
 *
 * @param {number} number
 * @param {RoomSession} session
 * @param {() => void} onEnd
 */
function createRenaming(number, session, onEnd) {
  const field = html("input", {
    type: "text",
    class: "name-field",
    oninput: () => field.setCustomValidity(nameProblem(field.value)),
  });
  const element = html(
    "form",
    { class: "tools", onsubmit: save },
    field,
    html("button", { type: "submit", class: "small" }, texts.rooms.save),
    button(texts.rooms.cancel, end, { class: "small" }),
  );
  element.hidden = true;

  function end() {
    element.hidden = true;
    onEnd();
  }

  /** @param {SubmitEvent} event */
  async function save(event) {
    event.preventDefault();
    if (await session.lead({ command: "rename", member: number, name: field.value.trim() })) {
      end();
    }
  }

  return {
    element,
    /** Opens the form. @param {string} name */
    open(name) {
      field.value = name;
      field.ariaLabel = texts.rooms.newName(name);
      element.hidden = false;
      field.focus();
      field.select();
    },
  };
}

/**
 * Asks whether to remove a member, and removes the member.
 *
 * @param {Member} member
 * @param {RoomSession} session
 */
async function remove({ number, name }, session) {
  const answers = {
    yes: texts.rooms.removeYes,
    no: texts.rooms.cancel,
    text: texts.rooms.removeText,
  };
  if (await ask(texts.rooms.removeQuestion(name), answers)) {
    await session.lead({ command: "remove", member: number });
  }
}

/**
 * Creates the row of a member.
 *
 * @param {number} number
 * @param {RoomSession} session
 */
function createRow(number, session) {
  const member = () => memberOf(session.state().room ?? { members: [] }, number);
  const mark = html("span", { class: "presence", "aria-hidden": "true" });
  const name = html("span", { class: "name" });
  const presence = html("span", { class: "note" });
  const challenge = button(
    texts.rooms.challenge,
    () => void session.act({ command: "challenge", to: number }),
    { class: "small" },
  );
  const rename = button(texts.rooms.rename, () => renaming.open(member()?.name ?? ""), {
    class: "small",
  });
  const removal = button(texts.rooms.remove, () => removeMember(), { class: "small" });
  const renaming = createRenaming(number, session, () => rename.focus());
  const element = html(
    "li",
    {},
    html("span", { class: "who" }, mark, name, presence),
    html("span", { class: "tools" }, challenge, rename, removal),
    renaming.element,
  );

  function removeMember() {
    const now = member();
    if (now) {
      void remove(now, session);
    }
  }

  /** @param {RoomSnapshot} room @param {Member} now */
  function draw(room, now) {
    const isActive = now.status === "active";
    const isOwn = now.number === room.you.member;
    setText(mark, isActive && now.connected ? HERE_MARK : AWAY_MARK);
    setText(name, memberName(room, now.number));
    setText(presence, isOwn ? texts.rooms.you : presenceText(now));
    challenge.hidden = !canChallenge(room, now);
    challenge.ariaLabel = texts.rooms.challengeNamed(now.name);
    rename.hidden = !room.you.leader || !isActive || room.closed;
    rename.ariaLabel = texts.rooms.renameNamed(now.name);
    removal.hidden = rename.hidden;
    removal.ariaLabel = texts.rooms.removeNamed(now.name);
    element.classList.toggle("gone", !isActive);
  }
  return { element, draw };
}

/**
 * Creates the list.
 *
 * @param {RoomSession} session
 */
export function createPeople(session) {
  const title = html("summary", {});
  const list = html("ul", { class: "room-list people" });
  const none = html("p", { class: "note" }, texts.rooms.noPeople);
  const more = html("p", { class: "note" });
  const element = html("details", { class: "panel-section", open: true }, title, list, more, none);
  /** The rows by the numbers of their members. @type {Map<string, ReturnType<typeof createRow>>} */
  const rows = new Map();
  /** The room that is drawn; its list stays as long as the room does. @type {RoomSnapshot | null} */
  let shownRoom = null;

  /** @param {string} key */
  function create(key) {
    const row = createRow(Number(key), session);
    rows.set(key, row);
    return row.element;
  }

  return {
    element,
    /** @param {RoomState} state */
    draw({ room }) {
      element.hidden = !room;
      if (!room || room === shownRoom) {
        return;
      }
      if (room.code !== shownRoom?.code) {
        // The numbers of another room are those of other members.
        rows.clear();
        list.replaceChildren();
      }
      shownRoom = room;
      setText(title, texts.rooms.people(activeCount(room)));
      const members = listedMembers(room);
      const shown = members.slice(0, MAX_SHOWN);
      keyedChildren(
        list,
        shown.map(({ number }) => String(number)),
        create,
      );
      shown.forEach((member) => rows.get(String(member.number))?.draw(room, member));
      none.hidden = members.length > 0;
      list.hidden = members.length === 0;
      setText(more, texts.rooms.more(members.length - shown.length));
      more.hidden = members.length === shown.length;
    },
  };
}
