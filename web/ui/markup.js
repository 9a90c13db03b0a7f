/** Elements made in code. */

/**
 * The element with an id, which the page must have.
 *
 * @param {string} id
 * @returns {HTMLElement}
 */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) {
    throw new Error(`the page has no element #${id}`);
  }
  return found;
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
export function segments(name, legend, options) {
  const choices = options.map(([value, label]) =>
    html("label", {}, html("input", { type: "radio", name, value }), html("span", {}, label)),
  );
  return html("fieldset", { class: "segments" }, html("legend", {}, legend), html("div", {}, ...choices));
}
