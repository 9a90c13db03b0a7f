/** The links to a game with a friend: the invitation, the own link, and that for spectators. */

import { friendFragment, watchFragment, withFragment } from "../records/link.js";
import { texts } from "../texts/texts.js";
import { button, copyToClipboard, html } from "../ui/dom.js";
import { drawQrCode } from "./qr-code.js";
import { accessFragment } from "./session/access.js";

/** @import { FriendState } from "../types/friend.d.ts" */

/**
 * @typedef {object} Link
 * @property {string} name
 * @property {string} purpose
 * @property {string} fragment
 * @property {boolean} hasCode whether the link is also shown as a QR code, for another device
 */

/**
 * Returns the links to the game of the session.
 *
 * @param {Pick<FriendState, "access" | "friendToken">} friendState
 * @returns {Link[]}
 */
function linksTo({ access, friendToken }) {
  if (!access) {
    return [];
  }
  /** @type {Link[]} */
  const links = [];
  if (friendToken) {
    links.push({
      name: texts.friends.invitation,
      purpose: texts.friends.invitationText,
      fragment: friendFragment(access.game, friendToken),
      hasCode: true,
    });
  }
  if (access.token) {
    links.push({
      name: texts.friends.privateLink,
      purpose: texts.friends.privateLinkText,
      fragment: accessFragment(access),
      hasCode: false,
    });
  }
  links.push({
    name: texts.friends.spectatorLink,
    purpose: texts.friends.spectatorLinkText,
    fragment: watchFragment(access.game),
    hasCode: true,
  });
  return links;
}

/** Scrolls an element that has been opened into view. @param {ToggleEvent} event */
function showWhole({ newState, currentTarget }) {
  if (newState === "open" && currentTarget instanceof HTMLElement) {
    currentTarget.scrollIntoView({ block: "nearest" });
  }
}

/**
 * @param {Link} link
 * @param {(error: unknown) => void} showError
 */
function linkElement({ name, purpose, fragment, hasCode }, showError) {
  const address = withFragment(window.location.href, fragment);
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
    hasCode ? codeElement(name, address) : null,
  );
}

/** @param {string} name @param {string} address */
function codeElement(name, address) {
  return html(
    "details",
    { ontoggle: showWhole },
    html("summary", {}, texts.friends.qrCode),
    drawQrCode(address, texts.friends.qrCodeOf(name)),
  );
}

/**
 * Creates the links.
 *
 * @param {(error: unknown) => void} showError
 */
export function createLinks(showError) {
  const element = html("div", { class: "links" });
  /** The fragments of the links that are drawn; equal ones keep their elements and the focus. */
  let drawn = "";
  return {
    element,
    /** @param {FriendState} friendState */
    draw(friendState) {
      // The links appear when the server has confirmed that the game exists.
      element.hidden = !friendState.snapshot;
      const links = linksTo(friendState);
      const fragments = links.map(({ fragment }) => fragment).join(" ");
      if (links.length > 0 && fragments !== drawn) {
        drawn = fragments;
        element.replaceChildren(...links.map((link) => linkElement(link, showError)));
      }
    },
  };
}
