/** The challenges of a room: the own one, and those that the person here can accept. */

import { texts } from "../../texts/texts.js";
import { button, html, keyedChildren } from "../../ui/dom.js";
import { hasRounds, mayChallenge, memberName, ownGame, ownMember } from "../state.js";

/** @import { Challenge, RoomSnapshot, RoomState } from "../../types/room.d.ts" */
/** @import { RoomSession } from "../session/session.js" */

/**
 * Returns the challenges that the person here sees: the own one, and those to the person or to all.
 *
 * @param {RoomSnapshot} room
 */
export const visibleChallenges = ({ challenges, you: { member } }) =>
  challenges.filter(({ from, to }) => from === member || to === null || to === member);

/**
 * Describes a challenge.
 *
 * @param {RoomSnapshot} room
 * @param {Challenge} challenge
 */
export function challengeText(room, { from, to }) {
  const { member } = room.you;
  if (from === member) {
    return to === null
      ? texts.rooms.youChallengeAll
      : texts.rooms.youChallenge(memberName(room, to));
  }
  const name = memberName(room, from);
  return to === null ? texts.rooms.challengesAll(name) : texts.rooms.challengesYou(name);
}

/**
 * Creates the line of a challenge, with the buttons that answer it.
 *
 * @param {RoomSession} session
 * @param {RoomSnapshot} room
 * @param {Challenge} challenge
 */
function challengeLine(session, room, { from, to }) {
  const name = memberName(room, from);
  const withdraw = () => void session.act({ command: "withdraw-challenge" });
  const accept = () => void session.act({ command: "accept-challenge", from });
  const decline = () => void session.act({ command: "decline-challenge", from });
  const declining = button(texts.rooms.decline, decline, {
    class: "small",
    "aria-label": texts.rooms.declineOf(name),
  });
  const accepting = button(texts.rooms.accept, accept, {
    class: "small main",
    "aria-label": texts.rooms.acceptOf(name),
  });
  const buttons =
    from === room.you.member
      ? [button(texts.rooms.withdraw, withdraw, { class: "small" })]
      : [accepting, ...(to === null ? [] : [declining])];
  return html(
    "li",
    {},
    html("span", {}, challengeText(room, { from, to })),
    html("span", { class: "tools" }, ...buttons),
  );
}

/**
 * Creates the part.
 *
 * @param {RoomSession} session
 */
export function createChallenges(session) {
  const list = html("ul", { class: "room-list" });
  const toAll = button(
    texts.rooms.challengeAll,
    () => void session.act({ command: "challenge", to: null }),
    { class: "main" },
  );
  const element = html(
    "section",
    {},
    html("h3", {}, texts.rooms.challenges),
    list,
    html("div", { class: "tools" }, toAll),
  );

  return {
    element,
    /** @param {RoomState} state */
    draw({ room }) {
      const isShown =
        room !== null && !hasRounds(room) && !room.closed && ownMember(room) && !ownGame(room);
      element.hidden = !isShown;
      if (!room || !isShown) {
        return;
      }
      const shown = visibleChallenges(room);
      const byKey = new Map(
        shown.map((challenge) => [
          `${challenge.from} ${challenge.to} ${challengeText(room, challenge)}`,
          challenge,
        ]),
      );
      keyedChildren(list, [...byKey.keys()], (key) =>
        challengeLine(session, room, byKey.get(key) ?? { from: 0, to: null }),
      );
      list.hidden = shown.length === 0;
      toAll.hidden = room.format !== "free" || !mayChallenge(room);
    },
  };
}
