/** Elements made in code. */

/**
 * The element with an id, which the page must have.
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
 * An element with attributes (`true` for an empty one, `false` and `null` for none; a function under `onclick` and the
 * like hears that event) and what stands in it, where `null` is nothing.
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
 * One of the page's icons.
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
 * Radio buttons side by side.
 *
 * @param {string} name
 * @param {string} legend
 * @param {[string, string][]} options value and label of each
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
export function setText(element, text) {
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
export function detailsSection(title, ...content) {
  return html("details", { class: "panel-section" }, html("summary", {}, title), ...content);
}

/**
 * Copies a text, and tells on the button that it was done.
 *
 * @param {HTMLButtonElement} from
 * @param {string} text
 * @param {(error: Error) => void} onFailed hears it where the browser allows no copying
 */
export async function copyToClipboard(from, text, onFailed) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    onFailed(new Error(`This browser does not let the page copy. Here it is: ${text}`));
    return;
  }
  const before = from.textContent;
  if (before !== COPIED_LABEL) {
    from.textContent = COPIED_LABEL;
    setTimeout(() => (from.textContent = before), COPIED_MS);
  }
}

const COPIED_LABEL = "Copied";
/** How long a button says so, in milliseconds. */
const COPIED_MS = 1_500;

/** Announcements kept in the document: enough for a reader that lags, few enough not to pile up. */
const MAX_ANNOUNCEMENTS = 8;

/**
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
