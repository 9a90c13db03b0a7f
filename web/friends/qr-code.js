/** QR codes of links, drawn as SVG without a request to another server. */

import { svgElement } from "../board/drawing.js";
import { encode } from "../vendor/uqr.js";

/** The width of the empty border around a code, in modules, which ISO/IEC 18004 requires. */
const BORDER = 4;

/**
 * Returns the modules of the code of a text with its border; `true` is dark.
 *
 * @param {string} text
 * @returns {boolean[][]}
 */
export const qrModules = (text) => encode(text, { ecc: "M", border: BORDER }).data;

/**
 * Draws the code of a text. It is dark on light in every theme, because many cameras read no other
 * codes.
 *
 * @param {string} text
 * @param {string} label the text for screen readers
 */
export function drawQrCode(text, label) {
  const modules = qrModules(text);
  const size = modules.length;
  const svg = svgElement("svg", {
    class: "qr-code",
    role: "img",
    "aria-label": label,
    viewBox: `0 0 ${size} ${size}`,
    "shape-rendering": "crispEdges",
  });
  const squares = modules.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])),
  );
  svg.append(
    svgElement("rect", { class: "light", width: String(size), height: String(size) }),
    svgElement("path", { class: "dark", d: squares.join("") }),
  );
  return svg;
}
