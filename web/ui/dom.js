/** Functions that create and change elements. */

import { texts } from "../texts/texts.js";

/** The duration of the confirmation, in milliseconds. */
const COPIED_MS = 1_500;

/**
 * Returns the element with an id, which must exist.
 *
 * @param {string} id
 * @returns {HTMLElement}
 */
export function byId(id) {
  const element = document.getElementById(id);
  if (!element) {
    throw new Error(`the page has no element #${id}`);
  }
  return element;
}

/**
 * Creates an element with attributes and children. An attribute `true` is empty, `false` and `null`
 * omit the attribute, and a function under a name such as `onclick` becomes a listener. A child
 * `null` is omitted.
 *
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} name
 * @param {Record<string, string | number | boolean | null | ((event: any) => void)>} [attributes]
 * @param {...(Node | string | null)} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function html(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") {
      element.addEventListener(key.replace(/^on/, ""), value);
    } else if (value !== null && value !== false) {
      element.setAttribute(key, value === true ? "" : String(value));
    }
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

/**
 * Creates an icon of the page's symbols.
 *
 * @param {string} name
 */
export function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
  use.setAttribute("href", `#i-${name}`);
  svg.append(use);
  return svg;
}

/**
 * Creates a group of radio buttons.
 *
 * @param {string} name
 * @param {string} legend
 * @param {readonly (readonly [string, string])[]} options value and label of each button
 */
export function radioGroup(name, legend, options) {
  const moves = options.map(([value, label]) =>
    html("label", {}, html("input", { type: "radio", name, value }), html("span", {}, label)),
  );
  return html(
    "fieldset",
    { class: "segments" },
    html("legend", {}, legend),
    html("div", {}, ...moves),
  );
}

/**
 * Creates a button.
 *
 * @param {string} text
 * @param {() => void} onclick
 * @param {Parameters<typeof html>[1]} [attributes]
 */
export function button(text, onclick, attributes = {}) {
  return html("button", { type: "button", ...attributes, onclick }, text);
}

/**
 * Sets an element's text. An equal text is not set again, because screen readers would repeat it.
 *
 * @param {HTMLElement} element
 * @param {string} text
 */
export function setText(element, text) {
  if (element.textContent !== text) {
    element.textContent = text;
  }
}

/**
 * Changes the children of an element to those of some keys, in order. A child stays if its key
 * stays, so that a focused element keeps the focus.
 *
 * @param {HTMLElement} parent an element whose children all come from this function
 * @param {readonly string[]} keys different keys
 * @param {(key: string) => HTMLElement} create creates the child of a new key
 * @returns {HTMLElement[]} the children in order
 */
export function keyedChildren(parent, keys, create) {
  const existing = new Map(
    /** @type {HTMLElement[]} */ ([...parent.children]).map((child) => [child.dataset.key, child]),
  );
  const children = keys.map((key) => {
    const child = existing.get(key) ?? create(key);
    child.dataset.key = key;
    return child;
  });
  const isSame =
    children.length === parent.children.length &&
    children.every((child, index) => child === parent.children[index]);
  if (!isSame) {
    const { activeElement } = document;
    parent.replaceChildren(...children);
    if (activeElement instanceof HTMLElement && parent.contains(activeElement)) {
      activeElement.focus({ preventScroll: true });
    }
  }
  return children;
}

/**
 * Returns whether all of an element is in the window, below the board that covers the upper part of
 * a narrow page.
 *
 * @param {HTMLElement} element
 */
export function isInView(element) {
  const { top, bottom, height } = element.getBoundingClientRect();
  const { scrollPaddingTop } = getComputedStyle(document.documentElement);
  // Without a padding its value is no number.
  const covered = Number.parseFloat(scrollPaddingTop) || 0;
  return height > 0 && top >= covered && bottom <= window.innerHeight;
}

/**
 * Scrolls an element to the top of its page or panel unless all of it is visible. On a narrow page
 * the board is above it then.
 *
 * @param {HTMLElement} element
 */
export function bringIntoView(element) {
  // The element has its content and its place in the next frame.
  requestAnimationFrame(() => {
    if (!isInView(element)) {
      element.scrollIntoView({ block: "start" });
    }
  });
}

/**
 * Creates a section of a panel that a person can open.
 *
 * @param {string} title
 * @param {...Node} content
 */
export function detailsSection(title, ...content) {
  return html("details", { class: "panel-section" }, html("summary", {}, title), ...content);
}

/**
 * Copies a text with the command of the browser, and returns whether it has done so.
 *
 * @param {string} text
 */
function copyByCommand(text) {
  const { activeElement } = document;
  const field = html("textarea", { class: "visually-hidden", readonly: true }, text);
  // An open dialog makes the rest of the document inert.
  (activeElement?.closest("dialog") ?? document.body).append(field);
  field.select();
  // Older versions of iOS select nothing in a field that is read-only.
  field.setSelectionRange(0, text.length);
  try {
    return document.execCommand("copy");
  } finally {
    field.remove();
    if (activeElement instanceof HTMLElement) {
      activeElement.focus({ preventScroll: true });
    }
  }
}

/**
 * Copies a text to the clipboard. Browsers have `navigator.clipboard` in secure contexts only, so not
 * over plain HTTP from another machine.
 *
 * @param {string} text
 */
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyByCommand(text);
  }
}

/**
 * Copies a text to the clipboard and confirms it on a button.
 *
 * @param {HTMLButtonElement} from
 * @param {string} text
 * @param {(error: Error) => void} onFailed called if the browser does not copy
 */
export async function copyToClipboard(from, text, onFailed) {
  if (!(await copy(text))) {
    onFailed(new Error(texts.common.notCopied(text)));
    return;
  }
  const { textContent: before, ariaLabel } = from;
  if (before !== texts.common.copied) {
    // Without its own name the button has that of its text, which screen readers read.
    from.ariaLabel = null;
    from.textContent = texts.common.copied;
    setTimeout(() => {
      from.textContent = before;
      from.ariaLabel = ariaLabel;
    }, COPIED_MS);
  }
}

/** The delay before the address of a saved file is revoked, in milliseconds. */
const REVOKE_DELAY_MS = 10_000;

/**
 * Saves a text as a file on the device.
 *
 * @param {string} name the name of the file
 * @param {string} text
 */
export const saveText = (name, text) => saveBlob(name, new Blob([text], { type: "text/plain" }));

/**
 * Saves a blob as a file on the device.
 *
 * @param {string} name the name of the file
 * @param {Blob} blob
 */
export function saveBlob(name, blob) {
  const address = URL.createObjectURL(blob);
  html("a", { href: address, download: name }).click();
  // The browser has the address when the click returns, but may still read the file.
  setTimeout(() => URL.revokeObjectURL(address), REVOKE_DELAY_MS);
}

/** The most announcements in the document; older ones are removed. */
const MAX_ANNOUNCEMENTS = 8;

/**
 * Returns a function that announces texts to screen readers.
 *
 * @param {HTMLElement} region an element with `role="log"`
 * @returns {(text: string) => void}
 */
export function createAnnouncer(region) {
  return (text) => {
    const line = document.createElement("p");
    line.textContent = text;
    region.append(line);
    while (region.children.length > MAX_ANNOUNCEMENTS) {
      region.firstElementChild?.remove();
    }
  };
}
