/** The code of a room in large type, with the link to hand on and its QR code. */

import { loadNetworkAddresses } from "../../friends/network-address.js";
import { createShareLink } from "../../friends/share-link.js";
import { roomFragment } from "../../records/link.js";
import { texts } from "../../texts/texts.js";
import { html, setText } from "../../ui/dom.js";
import { shownCode } from "../codes.js";

/** @import { App } from "../../types/app.d.ts" */
/** @import { RoomState } from "../../types/room.d.ts" */

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
  /** The room that is drawn, and whether the section has been opened for its leader. */
  let drawn = "";
  let draw = () => {};

  /** @param {string} code @param {string} name */
  function create(code, name) {
    const link = createShareLink(app, {
      label: texts.rooms.link,
      message: texts.rooms.shareText(name, shownCode(code)),
    });
    const shown = html("p", { class: "room-code" });
    setText(shown, shownCode(code));
    content.replaceChildren(
      shown,
      html("p", { class: "note" }, texts.rooms.inviteText),
      html(
        "div",
        { class: "room-link" },
        html(
          "div",
          {},
          link.field,
          html("div", { class: "tools" }, link.share, link.copy),
          link.note,
        ),
        link.code,
      ),
    );
    draw = () => void link.draw(roomFragment(code));
  }

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
      if (key !== drawn) {
        drawn = key;
        create(room.code, room.name);
        // The leader needs the code first, until the first round has begun.
        element.open = room.you.leader && room.round === 0;
      }
      draw();
    },
  };
}
