/**
 * Where everything on the board lies, in CSS pixels: South below, North above, each one's store at its right hand. Where
 * the stores beside the rows would make the houses too narrow for a finger, they lie between the rows.
 */

import { SIDES } from "../game/players.js";
import { columnOf, houseLetter } from "./labels.js";

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
const MAX_PITCH_PX = 118;

/** And no narrower, so that each house can be touched: where there is not the room, the board is wider than its space. */
const MIN_PITCH_PX = 27;

/** A house that is narrower than this has no stores beside its row, in pixels. */
const MIN_TOUCH_WIDTH_PX = 32;

/** The height of stores between the rows, and the width of their plaques, in pixels. */
const MIDDLE_STORE_HEIGHT_PX = 44;
const MIDDLE_PLAQUE_WIDTH_PX = 46;

/** A store's width, in house pitches. */
const STORE_WIDTH_RATIO = 0.94;

/** A house's half width, in pitches: beside stores, and where they lie between the rows. */
const HOUSE_RADIUS_RATIO = 0.44;
const NARROW_HOUSE_RADIUS_RATIO = 0.46;

/** The rim of a board on which every pixel counts. */
const THIN_RIM_PX = 6;

/** The width from which a board has room for large counts. */
const WIDE_LAYOUT_PX = 620;

/** The height from which it has. */
const HIGH_LAYOUT_PX = 420;

/** A house is at least this high, so that a thumb finds it on a phone, unless the window is too low for it. */
const MIN_TOUCH_HEIGHT_PX = 112;

/** The lowest house that still shows seeds. */
const MIN_HOUSE_HEIGHT_PX = 46;

/** How much higher than wide a house is where there is room. */
const HOUSE_ASPECT_RATIO = 1.14;

/**
 * @param {number} min
 * @param {number} value
 * @param {number} most
 */
const clamp = (min, value, most) => Math.min(Math.max(value, min), most);

/**
 * The board for some houses a side in a space.
 *
 * @param {number} houses
 * @param {number} space how wide it may be
 * @param {number} [height] how high it may be
 * @returns {Layout}
 */
export function boardLayout(houses, space, height = Infinity) {
  const isLarge = space >= WIDE_LAYOUT_PX && height >= HIGH_LAYOUT_PX;
  const strip = isLarge ? 58 : 46;
  const rim = isLarge ? 22 : clamp(8, space * 0.028, 16);
  const pitchBesideStores = (space - 2 * rim) / (houses + 2 * STORE_WIDTH_RATIO);
  const storesBetweenRows = 2 * HOUSE_RADIUS_RATIO * pitchBesideStores < MIN_TOUCH_WIDTH_PX;
  const pad = storesBetweenRows ? THIN_RIM_PX : rim;
  const pitch = clamp(
    MIN_PITCH_PX,
    storesBetweenRows ? (space - 2 * pad) / houses : pitchBesideStores,
    MAX_PITCH_PX,
  );
  const storeWidth = storesBetweenRows ? 0 : pitch * STORE_WIDTH_RATIO;
  const width = pitch * houses + 2 * storeWidth + 2 * pad;
  const gap = clamp(8, pitch * 0.16, 18);
  const middle = storesBetweenRows ? MIDDLE_STORE_HEIGHT_PX + 2 * gap : gap;
  const rx = pitch * (storesBetweenRows ? NARROW_HOUSE_RADIUS_RATIO : HOUSE_RADIUS_RATIO);
  // Stores between the rows are no reason for a higher board.
  const wantedHeight = Math.max(
    2 * rx * HOUSE_ASPECT_RATIO,
    Math.min(MIN_TOUCH_HEIGHT_PX, pitch * 3.4) - (middle - gap) / 2,
  );
  const availableHeight = (height - 2 * pad - 2 * strip - middle) / 2;
  const ry =
    clamp(MIN_HOUSE_HEIGHT_PX, wantedHeight, Math.max(availableHeight, MIN_HOUSE_HEIGHT_PX)) / 2;
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
      pits.set(houseLetter(side, house), {
        centre: { x, y: edge + inward * (strip + ry) },
        rx,
        ry,
        label: { x, y: edge + inward * strip * 0.2 },
        count: { x, y: edge + inward * strip * 0.64 },
      });
    }
    if (storesBetweenRows) {
      // South's plaque at the right end, North's at the left; the hollows meet in the middle.
      const outward = south ? 1 : -1;
      const reach = width / 2 - pad - MIDDLE_PLAQUE_WIDTH_PX;
      const at = {
        x: width / 2 + outward * (reach + MIDDLE_PLAQUE_WIDTH_PX / 2),
        y: boardHeight / 2,
      };
      const centre = { x: width / 2 + (outward * (reach + gap / 2)) / 2, y: boardHeight / 2 };
      pits.set(side, {
        centre,
        rx: (reach - gap / 2) / 2 - 2,
        ry: MIDDLE_STORE_HEIGHT_PX / 2,
        label: at,
        count: at,
      });
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
  const plaque = storesBetweenRows ? MIDDLE_PLAQUE_WIDTH_PX - 2 : storeWidth;
  return {
    width,
    height: boardHeight,
    pitch,
    plaque,
    seed: clamp(4.8, 3.6 + pitch * 0.068, 11.6),
    strip,
    pad,
    pits,
  };
}

/**
 * The house in a row, or the one across, that an arrow key leads to.
 *
 * @param {number} houses
 * @param {Side} side
 * @param {number} house
 * @param {"left" | "right" | "up" | "down"} direction
 * @returns {{ side: Side, house: number }}
 */
export function neighbour(houses, side, house, direction) {
  if (direction === "up" || direction === "down") {
    const other = direction === "up" ? "north" : "south";
    return other === side ? { side, house } : { side: other, house: houses + 1 - house };
  }
  const step = (direction === "right") === (side === "south") ? 1 : -1;
  return { side, house: clamp(1, house + step, houses) };
}
