/** Elements of the page, made in one expression. */

/**
 * What an element gets: a string or a number is an attribute, `true` an empty one, `false` and `null` none; a
 * function under `onclick` and the like hears that event.
 *
 * @typedef {Record<string, string | number | boolean | null | ((event: any) => void)>} Attributes
 */

/**
 * An element with its attributes and what stands in it; `null` and `false` in it are nothing.
 *
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} name
 * @param {Attributes} [attributes]
 * @param {...(Node | string | null | false)} content
 * @returns {HTMLElementTagNameMap[K]}
 */
export function make(name, attributes = {}, ...content) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") {
      element.addEventListener(key.replace(/^on/, ""), value);
    } else if (value !== null && value !== false) {
      element.setAttribute(key, value === true ? "" : String(value));
    }
  }
  element.append(...content.filter((part) => part !== null && part !== false));
  return element;
}

/**
 * A button that does something.
 *
 * @param {string} text
 * @param {() => void} onclick
 * @param {Attributes} [attributes]
 */
export function button(text, onclick, attributes = {}) {
  return make("button", { type: "button", ...attributes, onclick }, text);
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
 * @param {...(Node | string | null | false)} content
 */
export function section(title, ...content) {
  return make("details", { class: "part" }, make("summary", {}, title), ...content);
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
