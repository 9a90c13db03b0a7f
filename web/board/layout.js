/**
 * Where everything on the board lies, in CSS pixels: South below, North above, each one's store at its right hand. Where
 * the stores beside the rows would make the houses too narrow for a finger, they lie between the rows.
 */

import { SIDES } from "../game/players.js";
import { columnOf, letter } from "./labels.js";

/** @import { Pit, Side } from "../types/api.d.ts" */

/** @typedef {{ x: number, y: number }} Point */

/**
 * @typedef {object} PitBox a pit: a hollow with round ends, and the plaque with its count
 * @property {Point} centre
 * @property {number} rx half the hollow's width
 * @property {number} ry half its height
 * @property {Point} count the middle of the plaque
 * @property {Point} label the middle of the letter; for a store, where its count stands
 */

/**
 * @typedef {object} Layout
 * @property {number} width
 * @property {number} height
 * @property {number} pitch from the middle of one house to the next
 * @property {number} plaque how wide the plaque of a store may be
 * @property {number} seed half the length of a seed
 * @property {number} strip the height of the strip that holds counts and letters
 * @property {number} pad the rim
 * @property {Map<Pit, PitBox>} pits
 */

/** A board is no wider than this, in pixels a house: beyond it the eye loses the row. */
const WIDEST_PITCH = 118;

/** And no narrower, so that each house can be touched: where there is not the room, the board is wider than its space. */
const NARROWEST_PITCH = 27;

/** A house that is narrower than this has no stores beside its row, in pixels. */
const FINGER_PX = 32;

/** The height of stores between the rows, and the width of their plaques, in pixels. */
const BETWEEN_PX = 44;
const PLAQUE_PX = 46;

/** A store's width, in house pitches. */
const STORE_SHARE = 0.94;

/** A house's half width, in pitches: beside stores, and where they lie between the rows. */
const HOUSE_SHARE = 0.44;
const NARROW_SHARE = 0.46;

/** The rim of a board on which every pixel counts. */
const THIN_PX = 6;

/** The width from which a board has room for large counts. */
const ROOMY_PX = 620;

/** The height from which it has. */
const ROOMY_HEIGHT_PX = 420;

/** A house is at least this high, so that a thumb finds it on a phone, unless the window is too low for it. */
const THUMB_PX = 112;

/** The lowest house that still shows seeds. */
const LOWEST_PX = 46;

/** How much higher than wide a house is where there is room. */
const ROUND = 1.14;

/**
 * @param {number} least
 * @param {number} value
 * @param {number} most
 */
const clamp = (least, value, most) => Math.min(Math.max(value, least), most);

/**
 * The board for some houses a side in a space.
 *
 * @param {number} houses
 * @param {number} space how wide it may be
 * @param {number} [height] how high it may be
 * @returns {Layout}
 */
export function layout(houses, space, height = Infinity) {
  const roomy = space >= ROOMY_PX && height >= ROOMY_HEIGHT_PX;
  const strip = roomy ? 58 : 46;
  const rim = roomy ? 22 : clamp(8, space * 0.028, 16);
  const besides = (space - 2 * rim) / (houses + 2 * STORE_SHARE);
  const between = 2 * HOUSE_SHARE * besides < FINGER_PX;
  const pad = between ? THIN_PX : rim;
  const pitch = clamp(NARROWEST_PITCH, between ? (space - 2 * pad) / houses : besides, WIDEST_PITCH);
  const storeWidth = between ? 0 : pitch * STORE_SHARE;
  const width = pitch * houses + 2 * storeWidth + 2 * pad;
  const gap = clamp(8, pitch * 0.16, 18);
  const middle = between ? BETWEEN_PX + 2 * gap : gap;
  const rx = pitch * (between ? NARROW_SHARE : HOUSE_SHARE);
  // Stores between the rows are no reason for a higher board.
  const wanted = Math.max(2 * rx * ROUND, Math.min(THUMB_PX, pitch * 3.4) - (middle - gap) / 2);
  const room = (height - 2 * pad - 2 * strip - middle) / 2;
  const ry = clamp(LOWEST_PX, wanted, Math.max(room, LOWEST_PX)) / 2;
  const boardHeight = 2 * pad + 2 * strip + 4 * ry + middle;

  /** @type {Map<Pit, PitBox>} */
  const pits = new Map();
  for (const side of SIDES) {
    const south = side === "south";
    // The strip lies at the owner's edge of the board; `inward` leads from there to the middle.
    const edge = south ? boardHeight - pad : pad;
    const inward = south ? -1 : 1;
    for (let house = 1; house <= houses; house += 1) {
      const x = pad + storeWidth + (columnOf(side, house, houses) - 0.5) * pitch;
      pits.set(letter(side, house), {
        centre: { x, y: edge + inward * (strip + ry) },
        rx,
        ry,
        label: { x, y: edge + inward * strip * 0.2 },
        count: { x, y: edge + inward * strip * 0.64 },
      });
    }
    if (between) {
      // South's plaque at the right end, North's at the left; the hollows meet in the middle.
      const outward = south ? 1 : -1;
      const reach = width / 2 - pad - PLAQUE_PX;
      const at = { x: width / 2 + outward * (reach + PLAQUE_PX / 2), y: boardHeight / 2 };
      const centre = { x: width / 2 + (outward * (reach + gap / 2)) / 2, y: boardHeight / 2 };
      pits.set(side, { centre, rx: (reach - gap / 2) / 2 - 2, ry: BETWEEN_PX / 2, label: at, count: at });
      continue;
    }
    const x = south ? width - pad - storeWidth / 2 : pad + storeWidth / 2;
    const storeHeight = boardHeight - 2 * pad - strip;
    pits.set(side, {
      centre: { x, y: edge + inward * (strip + storeHeight / 2) },
      rx: storeWidth * 0.45,
      ry: storeHeight / 2,
      label: { x, y: edge + inward * strip * 0.2 },
      count: { x, y: edge + inward * strip * 0.5 },
    });
  }
  const plaque = between ? PLAQUE_PX - 2 : storeWidth;
  return { width, height: boardHeight, pitch, plaque, seed: clamp(4.8, 3.6 + pitch * 0.068, 11.6), strip, pad, pits };
}

/**
 * The house in a row, or the one across, that an arrow key leads to.
 *
 * @param {number} houses
 * @param {Side} side
 * @param {number} house
 * @param {"left" | "right" | "up" | "down"} way
 * @returns {{ side: Side, house: number }}
 */
export function neighbour(houses, side, house, way) {
  if (way === "up" || way === "down") {
    const other = way === "up" ? "north" : "south";
    return other === side ? { side, house } : { side: other, house: houses + 1 - house };
  }
  const step = (way === "right") === (side === "south") ? 1 : -1;
  return { side, house: clamp(1, house + step, houses) };
}
