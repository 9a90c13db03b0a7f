/** The code of a room in large type, with the link to hand on and its QR code. */

import { loadNetworkAddresses } from "../../friends/network-address.js";
import { createShareLink } from "../../friends/share-link.js";
import { roomFragment } from "../../records/link.js";
import { texts } from "../../texts/texts.js";
import { html } from "../../ui/dom.js";
import { shownCode } from "../codes.js";

/** @import { App } from "../../types/app.d.ts" */
/** @import { RoomState } from "../../types/room.d.ts" */

/**
 * Creates the content for a room.
 *
 * @param {App} app
 * @param {{ code: string, name: string }} room
 */
function createContent(app, { code, name }) {
  const link = createShareLink(app, {
    label: texts.rooms.link,
    message: texts.rooms.shareText(name, shownCode(code)),
  });
  const tools = html("div", { class: "tools" }, link.share, link.copy);
  const parts = [
    html("p", { class: "room-code" }, shownCode(code)),
    html("p", { class: "note" }, texts.rooms.inviteText),
    html("div", { class: "room-link" }, html("div", {}, link.field, tools, link.note), link.code),
  ];
  return { parts, draw: () => void link.draw(roomFragment(code)) };
}

/**
 * Creates the part.
 *
 * @param {App} app
 */
export function createInvitation(app) {
  const content = html("div", {});
  const element = html(
    "details",
    { class: "panel-section room-invite" },
    html("summary", {}, texts.rooms.invite),
    content,
  );
  /** The room that is drawn, and whether the section was opened for its leader. */
  let shownKey = "";
  let wasFirst = false;
  let draw = () => {};

  void loadNetworkAddresses().then(() => draw());
  return {
    element,
    /** @param {RoomState} state */
    draw({ room }) {
      element.hidden = !room || room.closed;
      if (!room) {
        return;
      }
      const key = `${room.code} ${room.name}`;
      if (key !== shownKey) {
        shownKey = key;
        const created = createContent(app, room);
        content.replaceChildren(...created.parts);
        draw = created.draw;
      }
      // The leader needs the code first, until the games begin.
      const isFirst = room.you.leader && room.games.length === 0;
      if (isFirst !== wasFirst) {
        wasFirst = isFirst;
        element.open = isFirst;
      }
      draw();
    },
  };
}
