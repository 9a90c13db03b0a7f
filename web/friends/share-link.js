/** A link to hand on: its field, the buttons that share and copy it, and its QR code. */

import { texts } from "../texts/texts.js";
import { button, copyToClipboard, html, setText } from "../ui/dom.js";
import { linkForOthers } from "./network-address.js";
import { drawQrCode } from "./qr-code.js";

/** @import { App } from "../types/app.d.ts" */

/** The longest link with a QR code, in characters: the modules of a longer one are too small. */
const MAX_CODE_LENGTH = 700;

/**
 * Creates the parts of a link.
 *
 * @param {App} app
 * @param {{ label: string, message: string }} options the name of the link, and the text that is
 *   shared with it
 */
export function createShareLink(app, { label, message }) {
  const field = html("input", {
    type: "text",
    readonly: true,
    class: "full-width",
    "aria-label": label,
    onfocus: () => field.select(),
  });
  const copy = button(
    texts.common.copy,
    () => void copyToClipboard(copy, field.value, (error) => app.actions.showError(error)),
    { "aria-label": texts.friends.copyLink(label) },
  );
  const share = button(texts.friends.share, () => void shareLink(app, message, field.value), {
    class: "main",
  });
  share.hidden = !navigator.share;
  copy.classList.toggle("main", share.hidden);
  const code = html("div", { class: "invitation-code" });
  const note = html("p", { class: "note wrong" });

  /**
   * Shows the link with a fragment. Returns whether others reach it, and whether it has a QR code.
   *
   * @param {string} fragment
   */
  function draw(fragment) {
    const { link, isReachable } = linkForOthers(fragment);
    const hasCode = link.length <= MAX_CODE_LENGTH;
    if (field.value !== link) {
      field.value = link;
      code.replaceChildren(
        hasCode ? drawQrCode(link, texts.friends.qrCodeOf(label)) : texts.friends.noQrCode,
      );
    }
    setText(note, isReachable ? "" : texts.friends.onlyThisMachine);
    note.hidden = isReachable;
    copy.disabled = share.disabled = false;
    return { isReachable, hasCode };
  }

  /** Shows that there is no link. */
  function clear() {
    field.value = "";
    code.replaceChildren();
    note.hidden = true;
    copy.disabled = share.disabled = true;
  }
  return { field, share, copy, note, code, draw, clear };
}

/**
 * Opens the device's menu for sharing.
 *
 * @param {App} app
 * @param {string} text
 * @param {string} url
 */
export async function shareLink(app, text, url) {
  try {
    await navigator.share({ title: texts.page.title, text, url });
  } catch (error) {
    // The person has closed the menu.
    if (!(error instanceof DOMException && error.name === "AbortError")) {
      app.actions.showError(error);
    }
  }
}
