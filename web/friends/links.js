/** The links to a game with a friend: its address, and the way to another device of the player. */

import { friendFragment, seatFragment } from "../records/link.js";
import { texts } from "../texts/texts.js";
import { html } from "../ui/dom.js";
import { createDeviceLink, linkElement } from "./device-link.js";
import { linkForOthers } from "./network-address.js";

/** @import { Session } from "./session/session.js" */
/** @import { FriendState } from "../types/friend.d.ts" */

/**
 * Returns the link with which the player goes on with another device; `null` for a spectator.
 *
 * @param {Session} session
 */
async function seatLink(session) {
  const { access } = session.state();
  const code = await session.seatCode();
  return code && access
    ? { fragment: seatFragment(access.game, code.code), lifetime: code.expires_in_s }
    : null;
}

/**
 * Creates the links.
 *
 * @param {Session} session
 * @param {(error: unknown) => void} showError
 */
export function createLinks(session, showError) {
  const address = html("div", {});
  const device = createDeviceLink(
    {
      action: texts.friends.otherDevice,
      name: texts.friends.otherDeviceLink,
      purpose: texts.friends.otherDeviceText,
      create: () => seatLink(session),
    },
    showError,
  );
  const element = html("div", { class: "links" }, address, device.element);
  /** The link on the page, which keeps its elements and the focus. */
  let shownLink = "";
  return {
    element,
    /** @param {FriendState} friendState */
    draw({ access, snapshot }) {
      // The links appear when the server has confirmed that the game exists.
      element.hidden = !snapshot;
      device.element.hidden = !snapshot?.you;
      const fragment = access ? friendFragment(access.game) : "";
      const { link } = linkForOthers(fragment);
      if (access && link !== shownLink) {
        shownLink = link;
        const { gameLink: name, gameLinkText: purpose } = texts.friends;
        address.replaceChildren(linkElement({ name, purpose, fragment }, showError));
        device.clear();
      }
    },
  };
}
