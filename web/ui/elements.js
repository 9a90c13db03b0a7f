/** What the panels are made of: buttons, parts that open, words that change. */

import { html } from "./markup.js";

/**
 * A button that does something.
 *
 * @param {string} text
 * @param {() => void} onclick
 * @param {Parameters<typeof html>[1]} [attributes]
 */
export function button(text, onclick, attributes = {}) {
  return html("button", { type: "button", ...attributes, onclick }, text);
}

/**
 * Sets what an element says, and leaves it alone if it says so already: screen readers hear no repetition.
 *
 * @param {HTMLElement} element
 * @param {string} text
 */
export function say(element, text) {
  if (element.textContent !== text) {
    element.textContent = text;
  }
}

/**
 * A part of a panel that opens when it is wanted.
 *
 * @param {string} title
 * @param {...Node} content
 */
export function section(title, ...content) {
  return html("details", { class: "part" }, html("summary", {}, title), ...content);
}

/**
 * Copies a text, and tells on the button that it was done.
 *
 * @param {HTMLButtonElement} from
 * @param {string} text
 * @param {(error: Error) => void} onFailed hears it where the browser allows no copying
 */
export async function copy(from, text, onFailed) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    onFailed(new Error(`This browser does not let the page copy. Here it is: ${text}`));
    return;
  }
  const before = from.textContent;
  if (before !== COPIED) {
    from.textContent = COPIED;
    setTimeout(() => (from.textContent = before), COPIED_MS);
  }
}

const COPIED = "Copied";
/** How long a button says so, in milliseconds. */
const COPIED_MS = 1_500;
