/** How seeds lie in a pit: scattered, but each in the same place every time, so that a heap grows and never jumps. */

/** @import { Pit } from "../types/api.d.ts" */

/** @typedef {{ x: number, y: number, turn: number, kind: number }} Seed where a seed lies, from the pit's middle */

/** Kinds of seeds that the drawing knows. */
export const KINDS = 5;

/** More seeds than these are not drawn: the heap is full, and the count tells the rest. */
export const MOST_DRAWN = { house: 36, store: 90 };

/** The angle between one seed and the next that never lines them up: a sunflower's. */
const GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5));

/** How much room a seed takes in a layer, in squares of its half length: a little overlap looks right. */
const ROOM = 5.2;

/** How far a seed lies off its place in the pattern, in its half lengths. */
const SCATTER = 0.55;

/**
 * A number from 0 to 1 that looks like chance and is always the same.
 *
 * @param {string} text
 * @param {number} salt
 */
export function steady(text, salt) {
  // FNV-1a, and a last stir so that near salts lie far apart.
  let hash = 0x811c9dc5 ^ salt;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39);
  return ((hash ^ (hash >>> 15)) >>> 0) / 2 ** 32;
}

/**
 * Where the seed with an index lies in a pit.
 *
 * The first layer fills the pit from its middle; each further layer lies on it, narrower, as a heap does.
 *
 * @param {Pit} pit
 * @param {number} index from 0
 * @param {{ rx: number, ry: number }} box
 * @param {number} size half a seed's length
 * @returns {Seed}
 */
export function place(pit, index, { rx, ry }, size) {
  const reachX = Math.max(rx - 1.35 * size, 0);
  const reachY = Math.max(ry - 1.35 * size, 0);
  const perLayer = Math.max(4, Math.floor((Math.PI * reachX * reachY) / (ROOM * size * size)));
  const layer = Math.floor(index / perLayer);
  const inLayer = index % perLayer;
  const out = Math.sqrt((inLayer + 0.5) / perLayer) / (1 + 0.35 * layer);
  const angle = inLayer * GOLDEN_ANGLE + steady(pit, -1 - layer) * 2 * Math.PI;
  const chance = (/** @type {number} */ salt) => steady(pit, index * 8 + salt);
  const off = () => SCATTER * size;
  return {
    x: reachX * out * Math.cos(angle) + (chance(1) - 0.5) * off(),
    y: reachY * out * Math.sin(angle) + (chance(2) - 0.5) * off() - layer * size * 0.3,
    turn: Math.round(chance(3) * 360),
    kind: Math.floor(chance(4) * KINDS),
  };
}
