/** The title and the icon of the browser's tab, which count the games that wait for the player. */

import { waitingCount } from "./session/own-games.js";

/** @import { Session } from "./session/session.js" */

/** The largest number that the icon shows. */
const MAX_SHOWN = 9;

/** The side of the icon's drawing, and the circle with the number. */
const ICON_SIDE = 64;
const BADGE_RADIUS = 17;

/**
 * Returns a title with the number of waiting games in front of it.
 *
 * @param {string} title
 * @param {number} count
 */
export const titleWithCount = (title, count) => (count > 0 ? `(${count}) ${title}` : title);

/**
 * Returns the drawing of the icon with a number.
 *
 * @param {string} svg the icon, whose `viewBox` has a side of 64
 * @param {number} count
 */
export function iconWithCount(svg, count) {
  const text = count > MAX_SHOWN ? `${MAX_SHOWN}+` : String(count);
  const at = ICON_SIDE - BADGE_RADIUS;
  const badge =
    `<circle cx="${at}" cy="${at}" r="${BADGE_RADIUS}" fill="#b3261e"/>` +
    `<text x="${at}" y="${at + 9}" font-family="sans-serif" font-size="26" font-weight="bold" ` +
    `text-anchor="middle" fill="#fff">${text}</text>`;
  return svg.replace(/<\/svg>\s*$/, `${badge}</svg>`);
}

/**
 * Keeps the number of waiting games in the title, which other parts of the page change, and in the
 * icon.
 *
 * @param {Session} session
 */
export function startTab(session) {
  const icon = document.querySelector("link[rel=icon]");
  // The published page has a hash in the name of its icon.
  const address = icon instanceof HTMLLinkElement ? icon.href : "";
  /** @type {Promise<string> | null} */
  let drawing = null;
  let shown = 0;

  function drawTitle() {
    const title = document.title.replace(/^\(\d+\) /, "");
    const counted = titleWithCount(title, shown);
    if (document.title !== counted) {
      document.title = counted;
    }
  }

  async function drawIcon() {
    if (!(icon instanceof HTMLLinkElement)) {
      return;
    }
    if (shown === 0) {
      icon.href = address;
      return;
    }
    drawing ??= fetch(address).then((response) => (response.ok ? response.text() : ""));
    const svg = iconWithCount(await drawing, shown);
    icon.href = svg === "" ? address : `data:image/svg+xml,${encodeURIComponent(svg)}`;
  }

  session.subscribe((friendState) => {
    const count = waitingCount(friendState);
    if (count !== shown) {
      shown = count;
      drawTitle();
      void drawIcon();
    }
  });
  const title = document.querySelector("title");
  if (title) {
    new MutationObserver(drawTitle).observe(title, { childList: true });
  }
}
