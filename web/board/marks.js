/** The marks on the houses: the score of each move. */

/** @import { Mark, Marks } from "../types/app.d.ts" */
/** @import { Position } from "../types/api.d.ts" */

/**
 * The widths of a house, in pixels, below which a mark has neither `~`, `≥` or `≤` nor a star
 * beside it, and below which its sign is above its digits.
 */
const SMALL_MARK_PX = 76;
const STACKED_MARK_PX = 40;

/** The number of digits from which a small mark has no tick. */
const MANY_DIGITS = 3;

/**
 * Returns how marks are drawn, for the attribute `data-marks` of the board.
 *
 * @param {number} pitch the width of a house with its gaps, in pixels
 */
export function markSize(pitch) {
  return pitch < STACKED_MARK_PX ? "stacked" : pitch < SMALL_MARK_PX ? "small" : "large";
}

/**
 * Splits the text of a mark, so that a narrow house can omit the sign of an estimate or a
 * bound and show the sign of the score above its digits.
 *
 * @param {string} text
 */
export function markParts(text) {
  const [, about = "", sign = "", digits = text] =
    /^([~\u2265\u2264]?)([+\u2212]?)(.*)$/.exec(text) ?? [];
  return { about, sign, digits };
}

/**
 * Returns the marks if they belong to this position.
 *
 * @param {Marks | null} marks
 * @param {Position} at
 */
export function marksFor(marks, at) {
  return marks?.position === at.position ? marks.marks : null;
}

/**
 * Draws the mark of a house, or removes it.
 *
 * @param {HTMLButtonElement} button
 * @param {Mark | undefined} mark
 */
export function updateMark(button, mark) {
  const badge = button.querySelector(".mark");
  if (!mark) {
    badge?.remove();
    return;
  }
  const element = badge ?? document.createElement("span");
  const parts = markParts(mark.text);
  element.className = [
    "mark",
    mark.best && "best",
    mark.proven && "proven",
    parts.digits.length >= MANY_DIGITS && "long",
  ]
    .filter(Boolean)
    .join(" ");
  element.setAttribute("aria-hidden", "true");
  if (element.textContent !== mark.text) {
    element.replaceChildren(
      ...Object.entries(parts)
        .filter(([, text]) => text)
        .map(([name, text]) => {
          const part = document.createElement("span");
          part.className = `mark-${name}`;
          part.textContent = text;
          return part;
        }),
    );
  }
  if (!badge) {
    button.append(element);
  }
}
