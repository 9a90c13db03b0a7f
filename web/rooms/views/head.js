/** The head of a room: its name and code, its games, and the connection. */

import { texts } from "../../texts/texts.js";
import { button, html, setText } from "../../ui/dom.js";
import { shownCode } from "../codes.js";
import { connectionText, roomText } from "../descriptions.js";

/** @import { RoomState } from "../../types/room.d.ts" */
/** @import { RoomSession } from "../session/session.js" */

/**
 * Creates the head.
 *
 * @param {RoomSession} session
 */
export function createHead(session) {
  const name = html("h2", { class: "room-name", tabindex: -1 });
  const code = html("p", { class: "room-code-line" });
  const text = html("p", { class: "note" });
  const connection = html("p", { class: "connection-status", role: "status" });
  const reconnect = button(texts.friends.connectNow, session.reconnectNow, { class: "small" });
  const element = html("div", { class: "room-head" }, name, code, text, connection, reconnect);
  return {
    element,
    focus: () => name.focus({ preventScroll: true }),
    /** @param {RoomState} state */
    draw(state) {
      const { access, room, connectionStatus, refusal } = state;
      const known = room?.name ?? access?.name;
      setText(name, known || shownCode(access?.code ?? ""));
      setText(code, access ? texts.rooms.codeIs(shownCode(access.code)) : "");
      setText(text, room ? roomText(room) : "");
      const problem = connectionText(state);
      setText(connection, problem);
      connection.hidden = problem === "";
      reconnect.hidden =
        connectionStatus !== "retrying" && (connectionStatus !== "denied" || refusal === "removed");
    },
  };
}
