/** The live region: what screen readers are told, one sentence after another. */

/** Announcements kept in the document: enough for a reader that lags, few enough not to pile up. */
const KEPT = 8;

/**
 * @param {HTMLElement} region an element with `role="log"`
 * @returns {(text: string) => void}
 */
export function announcer(region) {
  return (text) => {
    const line = document.createElement("p");
    line.textContent = text;
    region.append(line);
    while (region.children.length > KEPT) {
      region.firstElementChild?.remove();
    }
  };
}
