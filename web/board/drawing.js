/** The drawing of a wooden board in SVG: the plank, the hollows, the plaques and the seeds. */

import { parseHouse } from "./labels.js";

/** @import { Layout, PitBox, Point } from "./layout.js" */
/** @import { Pit } from "../types/api.d.ts" */

const SVG = "http://www.w3.org/2000/svg";

/** The distance between the lines of the grain, in pixels. */
const GRAIN_PX = 9;

/** The height of the waves of the grain, in distances of its lines, so that lines nearly touch. */
const WAVE_HEIGHT = 1.7;

/** Half the width of the line around the plank, in pixels: the line lies inside the drawing. */
const EDGE_PX = 1;

/** The distance of the seam from the ends of the plank, in multiples of the rim. */
const SEAM_INSET = 2;

/** The width of the lip around a hollow, and the inset of the shade in it, in pixels. */
const LIP_PX = 2;
const SHADE_INSET_PX = 1.5;

/** The radius of the plank's corners, in multiples of the rim. */
export const CORNER_RADIUS = 1.7;

/**
 * The placement of a seed, relative to the centre of its pit.
 *
 * @typedef {{ x: number, y: number, turn: number, kind: number }} Seed
 */

/** The number of kinds of seeds in the drawing. */
const SEED_KINDS = 5;

/** The most seeds that are drawn in a pit. The count beside it shows the exact number. */
export const MAX_DRAWN_SEEDS = { house: 36, store: 90 };

/** The angle between a seed and the next, as in a sunflower, so that seeds never line up. */
const GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5));

/** The area of a seed in a layer, in squares of its half length. Seeds overlap a little. */
const SEED_AREA = 5.2;

/** The largest displacement of a seed from its place in the pattern, in half lengths. */
const SCATTER = 0.55;

/** The distance of the outermost seeds from the edge of a pit, in half lengths. */
const EDGE_DISTANCE = 1.35;

/** The least number of seeds in a layer, so that seeds in a tiny pit do not form a tower. */
const MIN_LAYER_SEEDS = 4;

/** How much narrower each further layer is, and how much higher it lies, in half lengths. */
const LAYER_NARROWING = 0.35;
const LAYER_HEIGHT = 0.3;

/** The number of random values that one seed, or one line of the grain, may use. */
const SALTS = 8;

/**
 * Returns a pseudo-random number from 0 to 1 that depends only on the arguments.
 *
 * @param {string} text
 * @param {number} salt
 */
function stableRandom(text, salt) {
  // FNV-1a with a final mixing step, so that similar salts give different numbers.
  let hash = 0x811c9dc5 ^ salt;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39);
  return ((hash ^ (hash >>> 15)) >>> 0) / 2 ** 32;
}

/**
 * Returns the placement of the seed with an index in a pit.
 *
 * The first layer fills the pit from its centre. Each further layer lies on it and is narrower.
 *
 * @param {Pit} pit
 * @param {number} index from 0
 * @param {{ rx: number, ry: number }} box
 * @param {number} size half a seed's length
 * @returns {Seed}
 */
export function seedPlacement(pit, index, { rx, ry }, size) {
  const reachX = Math.max(rx - EDGE_DISTANCE * size, 0);
  const reachY = Math.max(ry - EDGE_DISTANCE * size, 0);
  const room = Math.floor((Math.PI * reachX * reachY) / (SEED_AREA * size * size));
  const perLayer = Math.max(MIN_LAYER_SEEDS, room);
  const layer = Math.floor(index / perLayer);
  const inLayer = index % perLayer;
  const out = Math.sqrt((inLayer + 1 / 2) / perLayer) / (1 + LAYER_NARROWING * layer);
  const angle = inLayer * GOLDEN_ANGLE + stableRandom(pit, -1 - layer) * 2 * Math.PI;
  const random = (/** @type {number} */ salt) => stableRandom(pit, index * SALTS + salt);
  const scatter = SCATTER * size;
  const lift = layer * size * LAYER_HEIGHT;
  return {
    x: reachX * out * Math.cos(angle) + (random(1) - 1 / 2) * scatter,
    y: reachY * out * Math.sin(angle) + (random(2) - 1 / 2) * scatter - lift,
    turn: Math.round(random(3) * 360),
    kind: Math.floor(random(4) * SEED_KINDS),
  };
}

/**
 * Creates an SVG element.
 *
 * @param {string} name
 * @param {Record<string, string | number>} [attributes]
 * @param {Element[]} [children]
 * @returns {SVGElement}
 */
export function svgElement(name, attributes = {}, children = []) {
  const element = /** @type {SVGElement} */ (document.createElementNS(SVG, name));
  for (const [key, value] of Object.entries(attributes)) {
    element.setAttribute(key, String(value));
  }
  element.append(...children);
  return element;
}

/**
 * Creates a gradient. The style sheet defines the colours of its stops.
 *
 * @param {"linearGradient" | "radialGradient"} kind
 * @param {string} id
 * @param {Record<string, string | number>} attributes
 * @param {[number, string][]} stops offset and class of each
 */
function gradient(kind, id, attributes, stops) {
  return svgElement(
    kind,
    { id, ...attributes },
    stops.map(([offset, name]) => svgElement("stop", { offset, class: name })),
  );
}

/**
 * Creates the definitions of the gradients and of the kinds of seeds. A seed has half a length of
 * one unit.
 */
export function drawDefinitions() {
  const kinds = Array.from({ length: SEED_KINDS }, (_, kind) => [
    gradient("radialGradient", `shine-${kind}`, { cx: 0.36, cy: 0.3, r: 0.8 }, [
      [0, `seed-light seed-${kind}`],
      [1, `seed-dark seed-${kind}`],
    ]),
    svgElement("g", { id: `seed-${kind}` }, [
      svgElement("ellipse", { class: "seed-shade", cx: 0.05, cy: 0.1, rx: 1.14, ry: 0.92 }),
      svgElement("ellipse", { rx: 1, ry: 0.76, fill: `url(#shine-${kind})` }),
      svgElement("ellipse", { class: "seed-glint", cx: -0.3, cy: -0.28, rx: 0.26, ry: 0.13 }),
    ]),
  ]).flat();
  return svgElement("defs", {}, [
    gradient("linearGradient", "plank", { x1: 0, y1: 0, x2: 0, y2: 1 }, [
      [0, "plank-top"],
      [0.5, "plank-middle"],
      [1, "plank-bottom"],
    ]),
    gradient("radialGradient", "hollow", { cx: 0.5, cy: 1, r: 1.05 }, [
      [0, "hollow-bottom"],
      [0.55, "hollow-middle"],
      [1, "hollow-top"],
    ]),
    gradient("linearGradient", "lip", { x1: 0, y1: 0, x2: 0, y2: 1 }, [
      [0, "lip-top"],
      [1, "lip-bottom"],
    ]),
    ...kinds,
  ]);
}

/**
 * Draws the plank with its grain.
 *
 * @param {Layout} layout
 */
export function drawPlank({ width, height, pad }) {
  const corner = pad * CORNER_RADIUS;
  const lines = [];
  for (let y = GRAIN_PX / 2, line = 0; y < height; y += GRAIN_PX, line += 1) {
    const heightAt = (/** @type {number} */ salt) =>
      y + (stableRandom("grain", line * SALTS + salt) - 1 / 2) * GRAIN_PX * WAVE_HEIGHT;
    const third = width / 3;
    const curve = `${third} ${heightAt(2)} ${2 * third} ${heightAt(3)} ${width} ${heightAt(4)}`;
    lines.push(`M0 ${heightAt(1)}C${curve}`);
  }
  const rim = {
    x: EDGE_PX,
    y: EDGE_PX,
    width: width - 2 * EDGE_PX,
    height: height - 2 * EDGE_PX,
    rx: corner,
  };
  const shape = { ...rim, fill: "url(#plank)" };
  return svgElement("g", {}, [
    svgElement("clipPath", { id: "plank-edge" }, [svgElement("rect", rim)]),
    svgElement("rect", shape),
    svgElement("path", { class: "grain", d: lines.join(""), "clip-path": "url(#plank-edge)" }),
    svgElement("rect", { ...rim, class: "rim" }),
    svgElement("path", {
      class: "seam",
      d: `M${SEAM_INSET * pad} ${height / 2}H${width - SEAM_INSET * pad}`,
    }),
  ]);
}

/**
 * Draws a hollow with an empty group of class `seeds`.
 *
 * @param {PitBox} box
 */
export function drawHollow({ centre, rx, ry }) {
  const shape = (/** @type {number} */ out) => ({
    x: -rx - out,
    y: -ry - out,
    width: Math.max(2 * (rx + out), 0),
    height: Math.max(2 * (ry + out), 0),
    rx: Math.max(Math.min(rx, ry) + out, 0),
  });
  return svgElement("g", { class: "pit", transform: `translate(${centre.x} ${centre.y})` }, [
    svgElement("rect", { ...shape(LIP_PX), fill: "url(#lip)" }),
    svgElement("rect", { ...shape(0), fill: "url(#hollow)" }),
    svgElement("rect", { class: "shade", ...shape(-SHADE_INSET_PX) }),
    svgElement("g", { class: "seeds" }),
  ]);
}

/**
 * Draws a seed.
 *
 * @param {{ x: number, y: number, turn: number, kind: number }} seed
 * @param {number} size half its length
 */
export function drawSeed({ x, y, turn, kind }, size) {
  const place = `translate(${x.toFixed(1)} ${y.toFixed(1)})`;
  const transform = `${place} rotate(${turn}) scale(${size.toFixed(2)})`;
  return svgElement("use", { href: `#seed-${kind}`, transform });
}

/**
 * Adds seeds to a group or removes some until the group shows a pit's count. The other seeds do not
 * move.
 *
 * @param {Element} group
 * @param {string} pit
 * @param {number} count
 * @param {PitBox} box
 * @param {number} size
 */
export function fillPit(group, pit, count, box, size) {
  const max = parseHouse(pit) ? MAX_DRAWN_SEEDS.house : MAX_DRAWN_SEEDS.store;
  const target = Math.min(count, max);
  while (group.childElementCount > target) {
    group.lastElementChild?.remove();
  }
  while (group.childElementCount < target) {
    group.append(drawSeed(seedPlacement(pit, group.childElementCount, box, size), size));
  }
}

/**
 * Draws a text.
 *
 * @param {Point} at
 * @param {string} name its class
 * @param {string} text
 */
export function drawText({ x, y }, name, text) {
  const element = svgElement("text", { class: name, x, y });
  element.textContent = text;
  return element;
}

/**
 * Draws the plaque behind a count.
 *
 * @param {Point} at
 * @param {number} width
 * @param {number} height
 */
export function drawPlaque({ x, y }, width, height) {
  return svgElement("rect", {
    class: "plaque",
    x: x - width / 2,
    y: y - height / 2,
    width,
    height,
    rx: height / 2,
  });
}
