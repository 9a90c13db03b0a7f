/**
 * The layout of the board in CSS pixels: the viewer's row below, the other row above, each store at
 * its owner's right hand. The stores lie between the rows if stores beside the rows would make the
 * houses too narrow to touch. Rows that are still too wide scroll, and the stores do not.
 */

import { opposite, SIDES } from "../game/players.js";
import { columnOf, houseLetter } from "./labels.js";

/** @import { Pit, Side } from "../types/api.d.ts" */

/** @typedef {{ x: number, y: number }} Point */

/**
 * The geometry of a pit: a hollow with round ends and the plaque with its count.
 *
 * @typedef {object} PitBox
 * @property {Point} centre
 * @property {number} rx half the hollow's width
 * @property {number} ry half the hollow's height
 * @property {Point} count the centre of the plaque
 * @property {Point} label the centre of the letter; for a store, of the count
 */

/**
 * @typedef {object} Layout
 * @property {number} width
 * @property {number} height
 * @property {number} pitch the distance between the centres of neighbouring houses
 * @property {number} plaque the largest width of a store's plaque
 * @property {number} seed half the length of a seed
 * @property {number} strip the height of the strip with counts and letters
 * @property {number} pad the width of the rim
 * @property {number} scale the size of texts, in multiples of their size on a small board
 * @property {boolean} scrolls whether the rows are wider than the available width; the positions of
 *   the stores are then relative to the visible part
 * @property {Side} bottom the side whose row is below
 * @property {Map<Pit, PitBox>} pits
 */

/** The largest width of a house, in pixels; a wider row is hard to read. */
const MAX_PITCH_PX = 240;

/** The width of a house, in pixels, from which texts grow with the board, and their largest scale. */
const SCALING_PITCH_PX = 118;
const MAX_SCALE = 1.7;

/**
 * The smallest width of a house, in pixels, so that it can be touched. The board becomes wider than
 * its space if necessary.
 */
const MIN_PITCH_PX = 30;

/** The width of a house, in pixels, below which the stores lie between the rows. */
const MIN_TOUCH_WIDTH_PX = 32;

/** The height of stores between the rows and the width of their plaques, in pixels. */
const MIDDLE_STORE_HEIGHT_PX = 44;
const MIDDLE_PLAQUE_WIDTH_PX = 46;

/** The width of a store, in pitches. */
const STORE_WIDTH_RATIO = 0.94;

/**
 * Half the width of a house, in pitches: with stores beside the rows, and with stores between them.
 */
const HOUSE_RADIUS_RATIO = 0.44;
const NARROW_HOUSE_RADIUS_RATIO = 0.46;

/** The rim of a narrow board, in pixels. */
const THIN_RIM_PX = 6;

/** The width from which the board shows large counts, in pixels. */
const WIDE_LAYOUT_PX = 620;

/** The height from which the board shows large counts, in pixels. */
const HIGH_LAYOUT_PX = 420;

/**
 * The height of a narrow house, in pixels, and its largest ratio to the distance of houses: on a
 * small board, which a thumb can touch, and on a large one. Houses are lower in a low window.
 */
const NARROW_HEIGHT = {
  small: { px: 112, pitches: 3.4 },
  large: { px: 190, pitches: 5 },
};

/** The smallest height of a house that shows seeds, in pixels. */
const MIN_HOUSE_HEIGHT_PX = 46;

/** The largest ratio of height and width of a house that is wide enough to touch. */
const HOUSE_ASPECT_RATIO = 1.85;

/**
 * @param {number} min
 * @param {number} value
 * @param {number} most
 */
const clamp = (min, value, most) => Math.min(Math.max(value, min), most);

/**
 * Returns the layout of a board.
 *
 * @param {number} houses the number of houses of a side
 * @param {number} space the available width
 * @param {number} [height] the available height
 * @param {Side} [bottom] the side whose row is below
 * @returns {Layout}
 */
export function boardLayout(houses, space, height = Infinity, bottom = "south") {
  const isLarge = space >= WIDE_LAYOUT_PX && height >= HIGH_LAYOUT_PX;
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
  const scrolls = width > space + 1;
  const visibleWidth = scrolls ? space : width;
  const scale = isLarge ? clamp(1, pitch / SCALING_PITCH_PX, MAX_SCALE) : 1;
  const strip = isLarge ? 58 * scale : 46;
  const gap = clamp(8, pitch * 0.16, 18 * scale);
  const middle = storesBetweenRows ? MIDDLE_STORE_HEIGHT_PX + 2 * gap : gap;
  const rx = pitch * (storesBetweenRows ? NARROW_HOUSE_RADIUS_RATIO : HOUSE_RADIUS_RATIO);
  // Stores between the rows do not make the board higher.
  const narrow = isLarge ? NARROW_HEIGHT.large : NARROW_HEIGHT.small;
  const wantedHeight = Math.max(
    2 * rx * HOUSE_ASPECT_RATIO,
    Math.min(narrow.px, pitch * narrow.pitches) - (middle - gap) / 2,
  );
  const availableHeight = (height - 2 * pad - 2 * strip - middle) / 2;
  const ry =
    clamp(MIN_HOUSE_HEIGHT_PX, wantedHeight, Math.max(availableHeight, MIN_HOUSE_HEIGHT_PX)) / 2;
  const boardHeight = 2 * pad + 2 * strip + 4 * ry + middle;

  /** @type {Map<Pit, PitBox>} */
  const pits = new Map();
  for (const side of SIDES) {
    const south = side === "south";
    // The strip lies at the owner's edge of the board; `inward` points from there to the centre.
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
      // South's plaque is at the right end, North's at the left; the hollows meet in the middle.
      const outward = south ? 1 : -1;
      const reach = Math.max(visibleWidth / 2 - pad - MIDDLE_PLAQUE_WIDTH_PX, 0);
      const at = {
        x: visibleWidth / 2 + outward * (reach + MIDDLE_PLAQUE_WIDTH_PX / 2),
        y: boardHeight / 2,
      };
      const centre = {
        x: visibleWidth / 2 + (outward * (reach + gap / 2)) / 2,
        y: boardHeight / 2,
      };
      pits.set(side, {
        centre,
        rx: Math.max((reach - gap / 2) / 2 - 2, 0),
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
  if (bottom === "north") {
    turn(pits, width, visibleWidth, boardHeight);
  }
  const plaque = storesBetweenRows ? MIDDLE_PLAQUE_WIDTH_PX - 2 : storeWidth;
  return {
    width,
    height: boardHeight,
    pitch,
    plaque,
    seed: clamp(4.8, 3.6 + pitch * 0.068, 11.6) * Math.max(1, pitch / SCALING_PITCH_PX),
    strip,
    pad,
    scale,
    scrolls,
    bottom,
    pits,
  };
}

/**
 * Turns the board by half a turn, so that North's row is below.
 *
 * @param {Map<Pit, PitBox>} pits
 * @param {number} width
 * @param {number} visibleWidth the width in which the stores lie
 * @param {number} height
 */
function turn(pits, width, visibleWidth, height) {
  for (const [pit, { centre, rx, ry, count, label }] of pits) {
    const across = pit.length > 1 ? visibleWidth : width;
    const turned = (/** @type {Point} */ { x, y }) => ({ x: across - x, y: height - y });
    pits.set(pit, { centre: turned(centre), rx, ry, count: turned(count), label: turned(label) });
  }
}

/**
 * Returns the house to which an arrow key moves the focus: the next one in the row, or the opposite
 * one.
 *
 * @param {number} houses
 * @param {Side} side
 * @param {number} house
 * @param {"left" | "right" | "up" | "down"} direction
 * @param {Side} [bottom] the side whose row is below
 * @returns {{ side: Side, house: number }}
 */
export function neighbour(houses, side, house, direction, bottom = "south") {
  if (direction === "up" || direction === "down") {
    const other = direction === "up" ? opposite(bottom) : bottom;
    return other === side ? { side, house } : { side: other, house: houses + 1 - house };
  }
  const step = (direction === "right") === (side === bottom) ? 1 : -1;
  return { side, house: clamp(1, house + step, houses) };
}
