/** The links to a game with a friend: its address, and the way to another device of the player. */

import { friendFragment, seatFragment } from "../records/link.js";
import { texts } from "../texts/texts.js";
import { button, copyToClipboard, html } from "../ui/dom.js";
import { linkForOthers } from "./network-address.js";
import { drawQrCode } from "./qr-code.js";

/** @import { Session } from "./session/session.js" */
/** @import { FriendState } from "../types/friend.d.ts" */

/** Scrolls an element that has been opened into view. @param {ToggleEvent} event */
function showWhole({ newState, currentTarget }) {
  if (newState === "open" && currentTarget instanceof HTMLElement) {
    currentTarget.scrollIntoView({ block: "nearest" });
  }
}

/**
 * Returns the element of a link, with a button that copies it and its QR code.
 *
 * @param {{ name: string, purpose: string, fragment: string }} link
 * @param {(error: unknown) => void} showError
 */
function linkElement({ name, purpose, fragment }, showError) {
  const { link: address, isReachable } = linkForOthers(fragment);
  const field = html("input", {
    type: "text",
    readonly: true,
    class: "full-width",
    value: address,
    "aria-label": name,
    onfocus: () => field.select(),
  });
  const copied = button(texts.common.copy, () => void copyToClipboard(copied, address, showError), {
    class: "small",
    "aria-label": texts.friends.copyLink(name),
  });
  return html(
    "div",
    { class: "link" },
    html("p", {}, html("b", {}, `${name}.`), ` ${purpose}`),
    html("div", { class: "tools" }, field, copied),
    isReachable ? null : html("p", { class: "note wrong" }, texts.friends.onlyThisMachine),
    html(
      "details",
      { ontoggle: showWhole },
      html("summary", {}, texts.friends.qrCode),
      drawQrCode(address, texts.friends.qrCodeOf(name)),
    ),
  );
}

/**
 * Creates the part with which a player goes on playing on another device.
 *
 * @param {Session} session
 * @param {(error: unknown) => void} showError
 */
function createDevicePart(session, showError) {
  const link = html("div", {});
  const create = button(texts.friends.otherDevice, () => void show(), { class: "small" });
  const element = html("div", {}, html("div", { class: "tools" }, create), link);

  async function show() {
    try {
      const { access } = session.state();
      const code = await session.seatCode();
      if (code && access) {
        const fragment = seatFragment(access.game, code.code);
        const { otherDeviceLink: name, otherDeviceText } = texts.friends;
        const purpose = otherDeviceText(code.expires_in_s);
        link.replaceChildren(linkElement({ name, purpose, fragment }, showError));
        // The other device reads the code, which scrolls into view when it opens.
        link.querySelector("details")?.setAttribute("open", "");
      }
    } catch (error) {
      showError(error);
    }
  }
  return { element, clear: () => link.replaceChildren() };
}

/**
 * Creates the links.
 *
 * @param {Session} session
 * @param {(error: unknown) => void} showError
 */
export function createLinks(session, showError) {
  const address = html("div", {});
  const device = createDevicePart(session, showError);
  const element = html("div", { class: "links" }, address, device.element);
  /** The link that is drawn; it keeps its elements and the focus. */
  let drawn = "";
  return {
    element,
    /** @param {FriendState} friendState */
    draw({ access, snapshot }) {
      // The links appear when the server has confirmed that the game exists.
      element.hidden = !snapshot;
      device.element.hidden = !snapshot?.you;
      const fragment = access ? friendFragment(access.game) : "";
      const { link } = linkForOthers(fragment);
      if (access && link !== drawn) {
        drawn = link;
        const { gameLink: name, gameLinkText: purpose } = texts.friends;
        address.replaceChildren(linkElement({ name, purpose, fragment }, showError));
        device.clear();
      }
    },
  };
}
