/**
 * The layout of the board in CSS pixels: the viewer's row below, the other row above, each store at
 * its owner's right hand. The stores lie between the rows if stores beside the rows would make the
 * houses too narrow to touch. Rows that are still too wide scroll, and the stores do not.
 */

import { opposite, SIDES } from "../game/players.js";
import { columnOf, houseLetter, parseHouse } from "./labels.js";

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

/** The width of a house from which texts grow with it, in pixels, and their largest scale. */
const SCALING_PITCH_PX = 118;
const MAX_SCALE = 1.7;

/**
 * The smallest width of a house, in pixels, so that it can be touched. The board becomes wider than
 * its space if necessary.
 */
const MIN_PITCH_PX = 30;

/** The smallest width of a house for each digit of the counts that are to be expected, in pixels. */
const MIN_DIGIT_WIDTH_PX = 10;

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

/** The rim of a large board, and of a board whose stores lie between the rows, in pixels. */
const LARGE_RIM_PX = 22;
const THIN_RIM_PX = 6;

/** The rim of other boards, in multiples of the available width and in pixels. */
const RIM = { ratio: 0.028, minPx: 8, maxPx: 16 };

/** The width from which the board shows large counts, in pixels. */
const WIDE_LAYOUT_PX = 620;

/** The height from which the board shows large counts, in pixels. */
const HIGH_LAYOUT_PX = 420;

/** The height of the strip with large counts at scale 1, and with small ones, in pixels. */
const LARGE_STRIP_PX = 58;
const SMALL_STRIP_PX = 46;

/** The gap between the rows, in pitches, and its range in pixels; the upper end is at scale 1. */
const GAP = { pitches: 0.16, minPx: 8, maxPx: 18 };

/**
 * The height of a narrow house, in pixels, and its largest ratio to the distance of houses: on a
 * small board, which a thumb can touch, and on a large one. Houses are lower in a low window.
 */
const NARROW_HEIGHT = {
  small: { px: 112, pitches: 3.4 },
  large: { px: 190, pitches: 5 },
};

/** The smallest height of a house that shows seeds, in pixels. */
const MIN_HOUSE_HEIGHT_PX = 36;

/** The largest ratio of height and width of a house that is wide enough to touch. */
const HOUSE_ASPECT_RATIO = 1.85;

/** Half the width of a store beside the rows, in widths of its space. */
const STORE_RADIUS_RATIO = 0.45;

/**
 * The distances from the owner's edge of the board, in heights of the strip: of a letter, of the
 * count of a house, which lies between the letter and the house, and of the count of a store.
 */
const LABEL_DEPTH = 0.2;
const COUNT_DEPTH = 0.64;
const STORE_COUNT_DEPTH = 0.5;

/** The space between a store between the rows and its plaque, and beside the plaque, in pixels. */
const MIDDLE_SPACE_PX = 2;

/** Half the length of a seed: a part of it grows with the pitch. */
const SEED = { basePx: 3.6, pitches: 0.068, minPx: 4.8, maxPx: 11.6 };

/** The width by which rounding may make a row wider than its space, in pixels. */
const ROUNDING_PX = 1;

/**
 * @param {number} min
 * @param {number} value
 * @param {number} most
 */
const clamp = (min, value, most) => Math.min(Math.max(value, min), most);

/** The size of the counts. @typedef {"large" | "small"} Size */

/**
 * The board and its space.
 *
 * @typedef {object} BoardSpace
 * @property {number} houses the number of houses of a side
 * @property {number} seeds the number of seeds on the board
 * @property {number} width the available width
 */

/**
 * Returns the smallest width of a house, so that it can be touched and has room for its count. A column
 * has the average of two houses while none of them is in a store, and few houses have more.
 *
 * @param {BoardSpace} board
 */
function minPitch({ houses, seeds }) {
  const digits = String(Math.ceil(seeds / houses)).length;
  return Math.max(MIN_PITCH_PX, digits * MIN_DIGIT_WIDTH_PX);
}

/**
 * The widths on a board.
 *
 * @typedef {object} Widths
 * @property {boolean} storesBetweenRows
 * @property {number} pad
 * @property {number} pitch
 * @property {number} rx half the width of a house
 * @property {number} storeWidth the width of the space of a store; 0 for stores between the rows
 * @property {number} width the width of the board
 * @property {number} visibleWidth the width of the visible part of the board
 */

/**
 * Returns the widths on a board.
 *
 * @param {BoardSpace} board
 * @param {Size} size
 * @returns {Widths}
 */
function widthsOf(board, size) {
  const { houses, width: space } = board;
  const rim = size === "large" ? LARGE_RIM_PX : clamp(RIM.minPx, space * RIM.ratio, RIM.maxPx);
  const pitchBesideStores = (space - 2 * rim) / (houses + 2 * STORE_WIDTH_RATIO);
  const storesBetweenRows = 2 * HOUSE_RADIUS_RATIO * pitchBesideStores < MIN_TOUCH_WIDTH_PX;
  const pad = storesBetweenRows ? THIN_RIM_PX : rim;
  const pitch = clamp(
    minPitch(board),
    storesBetweenRows ? (space - 2 * pad) / houses : pitchBesideStores,
    MAX_PITCH_PX,
  );
  const storeWidth = storesBetweenRows ? 0 : pitch * STORE_WIDTH_RATIO;
  const width = pitch * houses + 2 * storeWidth + 2 * pad;
  return {
    storesBetweenRows,
    pad,
    pitch,
    rx: pitch * (storesBetweenRows ? NARROW_HOUSE_RADIUS_RATIO : HOUSE_RADIUS_RATIO),
    storeWidth,
    width,
    visibleWidth: width > space + ROUNDING_PX ? space : width,
  };
}

/**
 * The heights on a board, and the scale of its texts.
 *
 * @typedef {object} Heights
 * @property {number} scale
 * @property {number} strip
 * @property {number} gap the gap between the rows, or above and below stores between them
 * @property {number} ry half the height of a house
 * @property {number} height the height of the board
 */

/**
 * Returns the heights on a board.
 *
 * @param {Widths} widths
 * @param {number} space the available height
 * @param {Size} size
 * @returns {Heights}
 */
function heightsOf({ storesBetweenRows, pad, pitch, rx }, space, size) {
  const isLarge = size === "large";
  const scale = isLarge ? clamp(1, pitch / SCALING_PITCH_PX, MAX_SCALE) : 1;
  const strip = isLarge ? LARGE_STRIP_PX * scale : SMALL_STRIP_PX;
  const gap = clamp(GAP.minPx, pitch * GAP.pitches, GAP.maxPx * scale);
  const middle = storesBetweenRows ? MIDDLE_STORE_HEIGHT_PX + 2 * gap : gap;
  // Stores between the rows do not make the board higher.
  const narrow = NARROW_HEIGHT[size];
  const wantedHeight = Math.max(
    2 * rx * HOUSE_ASPECT_RATIO,
    Math.min(narrow.px, pitch * narrow.pitches) - (middle - gap) / 2,
  );
  const availableHeight = (space - 2 * pad - 2 * strip - middle) / 2;
  const houseHeight = clamp(
    MIN_HOUSE_HEIGHT_PX,
    wantedHeight,
    Math.max(availableHeight, MIN_HOUSE_HEIGHT_PX),
  );
  const ry = houseHeight / 2;
  return { scale, strip, gap, ry, height: 2 * pad + 2 * strip + 4 * ry + middle };
}

/**
 * Returns a function from a distance to the edge of a side's row to a place on the drawing.
 *
 * @param {Side} side
 * @param {Widths} widths
 * @param {Heights} heights
 */
const depthOf =
  (side, { pad }, { height }) =>
  (/** @type {number} */ depth) =>
    side === "south" ? height - pad - depth : pad + depth;

/**
 * Returns the geometry of a house.
 *
 * @param {Side} side
 * @param {number} column from 1 at the left
 * @param {Widths} widths
 * @param {Heights} heights
 * @returns {PitBox}
 */
function houseBox(side, column, widths, heights) {
  const { pad, pitch, rx, storeWidth } = widths;
  const { strip, ry } = heights;
  const yAt = depthOf(side, widths, heights);
  const x = pad + storeWidth + (column - 1 / 2) * pitch;
  return {
    centre: { x, y: yAt(strip + ry) },
    rx,
    ry,
    label: { x, y: yAt(strip * LABEL_DEPTH) },
    count: { x, y: yAt(strip * COUNT_DEPTH) },
  };
}

/**
 * Returns the geometry of a store between the rows: South's plaque is at the right end, North's at
 * the left, and the hollows meet in the middle.
 *
 * @param {Side} side
 * @param {Widths} widths
 * @param {Heights} heights
 * @returns {PitBox}
 */
function middleStoreBox(side, { pad, visibleWidth }, { gap, height }) {
  const outward = side === "south" ? 1 : -1;
  const reach = Math.max(visibleWidth / 2 - pad - MIDDLE_PLAQUE_WIDTH_PX, 0);
  const plaque = {
    x: visibleWidth / 2 + outward * (reach + MIDDLE_PLAQUE_WIDTH_PX / 2),
    y: height / 2,
  };
  return {
    centre: { x: visibleWidth / 2 + (outward * (reach + gap / 2)) / 2, y: height / 2 },
    rx: Math.max((reach - gap / 2) / 2 - MIDDLE_SPACE_PX, 0),
    ry: MIDDLE_STORE_HEIGHT_PX / 2,
    label: plaque,
    count: plaque,
  };
}

/**
 * Returns the geometry of a store beside the rows.
 *
 * @param {Side} side
 * @param {Widths} widths
 * @param {Heights} heights
 * @returns {PitBox}
 */
function storeBox(side, widths, heights) {
  const { pad, storeWidth, width } = widths;
  const { strip, height } = heights;
  const yAt = depthOf(side, widths, heights);
  const x = side === "south" ? width - pad - storeWidth / 2 : pad + storeWidth / 2;
  const storeHeight = height - 2 * pad - strip;
  return {
    centre: { x, y: yAt(strip + storeHeight / 2) },
    rx: storeWidth * STORE_RADIUS_RATIO,
    ry: storeHeight / 2,
    label: { x, y: yAt(strip * LABEL_DEPTH) },
    count: { x, y: yAt(strip * STORE_COUNT_DEPTH) },
  };
}

/**
 * Returns the layout of a board.
 *
 * @param {number} houses the number of houses of a side
 * @param {number} space the available width
 * @param {number} [height] the available height
 * @param {Side} [bottom] the side whose row is below
 * @param {number} [seeds] the number of seeds on the board
 * @returns {Layout}
 */
export function boardLayout(houses, space, height = Infinity, bottom = "south", seeds = 0) {
  const size = space >= WIDE_LAYOUT_PX && height >= HIGH_LAYOUT_PX ? "large" : "small";
  const widths = widthsOf({ houses, seeds, width: space }, size);
  const heights = heightsOf(widths, height, size);
  const { storesBetweenRows, pad, pitch, storeWidth, width, visibleWidth } = widths;
  /** @type {Map<Pit, PitBox>} */
  const pits = new Map();
  for (const side of SIDES) {
    for (let house = 1; house <= houses; house += 1) {
      const column = columnOf(side, house, houses);
      pits.set(houseLetter(side, house), houseBox(side, column, widths, heights));
    }
    pits.set(side, (storesBetweenRows ? middleStoreBox : storeBox)(side, widths, heights));
  }
  if (bottom === "north") {
    turn(pits, width, visibleWidth, heights.height);
  }
  const growingSeed = clamp(SEED.minPx, SEED.basePx + pitch * SEED.pitches, SEED.maxPx);
  return {
    width,
    height: heights.height,
    pitch,
    plaque: storesBetweenRows ? MIDDLE_PLAQUE_WIDTH_PX - MIDDLE_SPACE_PX : storeWidth,
    seed: growingSeed * Math.max(1, pitch / SCALING_PITCH_PX),
    strip: heights.strip,
    pad,
    scale: heights.scale,
    scrolls: visibleWidth < width,
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
    const across = parseHouse(pit) ? width : visibleWidth;
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
