/**
 * The notice in place of the board until the game of a friend's link has arrived: that the page is
 * connecting, why it was refused, or why the link cannot be read.
 */

import { texts } from "../texts/texts.js";
import { button, byId, html, setText } from "../ui/dom.js";
import { connectionText, FRIEND_MODE, hasFriendLink } from "./state.js";

/** @import { Session } from "./session/session.js" */
/** @import { App } from "../types/app.d.ts" */

/**
 * Shows the notice while the page waits for the game of its link.
 *
 * @param {App} app
 * @param {Session} session
 */
export function startConnectionNotice(app, session) {
  const notice = byId("friend-connection");
  const status = html("p", { role: "status" });
  const retry = button(texts.common.tryAgain, session.reconnectNow, { class: "main" });
  const leave = button(texts.friends.startAnother, () => {
    session.leave();
    app.actions.openDialog("new-game");
  });
  notice.append(
    html("h2", {}, texts.friends.noticeTitle),
    status,
    html("div", { class: "buttons" }, retry, leave),
  );

  function draw() {
    const { tree, mode } = app.state();
    const friendState = session.state();
    const { linkError, refusal } = friendState;
    const isWaiting = hasFriendLink(friendState) && tree === null && mode === FRIEND_MODE;
    const hadFocus = notice.contains(document.activeElement);
    notice.hidden = !isWaiting;
    // The style sheet hides the rest of the game view.
    notice.closest(".game")?.toggleAttribute("data-waiting", isWaiting);
    if (isWaiting) {
      setText(status, linkError ?? connectionText(friendState));
      retry.hidden = refusal === null;
    } else if (hadFocus) {
      byId("board").focus({ preventScroll: true });
    }
  }
  session.subscribe(draw);
  app.subscribe(draw);
  draw();
}
