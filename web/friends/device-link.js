/** A link with its QR code, and the button that creates one for another device of the same person. */

import { texts } from "../texts/texts.js";
import { button, copyToClipboard, html } from "../ui/dom.js";
import { linkForOthers } from "./network-address.js";
import { drawQrCode } from "./qr-code.js";

const MS_PER_SECOND = 1000;

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
  const copy = button(texts.common.copy, () => void copyToClipboard(copy, address, showError), {
    class: "small",
    "aria-label": texts.friends.copyLink(name),
  });
  return html(
    "div",
    { class: "link" },
    html("p", {}, html("b", {}, `${name}.`), ` ${purpose}`),
    html("div", { class: "tools" }, field, copy),
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
 * Creates a button that shows a link for another device, which works once. The link disappears with
 * its button *Close*, and at the end of its lifetime.
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
  /** Cancels the pending response and the timer of the link. */
  let control = new AbortController();
  const show = button(action, () => void showLink(), { class: "small" });
  const element = html("div", {}, html("div", { class: "tools" }, show), link);

  function clear() {
    control.abort();
    control = new AbortController();
    link.replaceChildren();
  }

  async function showLink() {
    clear();
    const { signal } = control;
    try {
      const code = await create();
      if (code && !signal.aborted) {
        draw(code, signal);
      }
    } catch (error) {
      if (!signal.aborted) {
        showError(error);
      }
    }
  }

  /** @param {{ fragment: string, lifetime: number }} code @param {AbortSignal} signal */
  function draw({ fragment, lifetime }, signal) {
    const close = button(
      texts.common.close,
      () => {
        clear();
        show.focus();
      },
      { class: "small", "aria-label": texts.friends.closeLink(name) },
    );
    link.replaceChildren(
      linkElement({ name, purpose: purpose(lifetime), fragment }, showError),
      html("div", { class: "tools" }, close),
    );
    // The other device reads the code, which scrolls into view when it opens.
    link.querySelector("details")?.setAttribute("open", "");
    const timer = setTimeout(clear, lifetime * MS_PER_SECOND);
    signal.addEventListener("abort", () => clearTimeout(timer));
  }
  return { element, clear };
}
