/** A link with its QR code, and the button that creates one for another device of the same person. */

import { texts } from "../texts/texts.js";
import { button, copyToClipboard, html } from "../ui/dom.js";
import { linkForOthers } from "./network-address.js";
import { drawQrCode } from "./qr-code.js";

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
export function linkElement({ name, purpose, fragment }, showError) {
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
 * Creates a button that shows a link for another device, which works once.
 *
 * @param {object} options
 * @param {string} options.action the text of the button
 * @param {string} options.name the name of the link
 * @param {(seconds: number) => string} options.purpose the text for the time in which the link works
 * @param {() => Promise<{ fragment: string, lifetime: number } | null>} options.create creates the
 *   fragment of the link, which works for `lifetime` seconds; `null` without the right to do so
 * @param {(error: unknown) => void} showError
 */
export function createDeviceLink({ action, name, purpose, create }, showError) {
  const link = html("div", {});
  const show = button(action, () => void showLink(), { class: "small" });
  const element = html("div", {}, html("div", { class: "tools" }, show), link);

  async function showLink() {
    try {
      const created = await create();
      if (created) {
        const { fragment, lifetime } = created;
        link.replaceChildren(
          linkElement({ name, purpose: purpose(lifetime), fragment }, showError),
        );
        // The other device reads the code, which scrolls into view when it opens.
        link.querySelector("details")?.setAttribute("open", "");
      }
    } catch (error) {
      showError(error);
    }
  }
  return { element, clear: () => link.replaceChildren() };
}
