/** The elements of the pits: for each side a row of drawings and a list of buttons over it. */

import { texts } from "../texts/texts.js";
import { drawHollow, drawPlaque, drawText, svgElement } from "./drawing.js";
import { houseLetter, shortLabel } from "./labels.js";

/** @import { Layout, PitBox } from "./layout.js" */
/** @import { Pit, Position, Side } from "../types/api.d.ts" */
/** @import { Settings } from "../types/app.d.ts" */

/**
 * The elements of a pit: a house has a button, a store a list item for screen readers. While a
 * position is edited, a store has a button, too.
 *
 * @typedef {object} PitElements
 * @property {SVGElement} hollow
 * @property {Element} seeds
 * @property {SVGElement} amount the count in the hollow, for the look without seeds
 * @property {SVGElement} plate
 * @property {number} room the width of the plate, in pixels
 * @property {SVGElement} text
 * @property {HTMLButtonElement | null} button
 * @property {HTMLElement | null} store
 */

/**
 * The layers of the drawing. The stores have layers of their own, which stay in the visible part of
 * a board that scrolls.
 *
 * @typedef {object} Layers
 * @property {SVGElement} hollows
 * @property {SVGElement} words
 * @property {SVGElement} storeHollows
 * @property {SVGElement} storeWords
 */

/**
 * The values that the elements of the pits depend on.
 *
 * @typedef {object} PitOptions
 * @property {Position} at
 * @property {Layout} layout
 * @property {Settings["labels"]} labels
 * @property {boolean} isEditing whether the stores have buttons, too
 */

/** The distance of houses, in pixels, below which counts are smaller: `data-size` in the styles. */
const SMALL_PITCH_PX = 48;

/** The height of a plaque, in heights of the strip. It follows the size of its count. */
const PLAQUE_HEIGHT = { store: 0.62, house: 0.5, smallHouse: 0.46 };

/** The class of the count of a store. */
const STORE_COUNT = "count store";

/** The ratio of a plaque's width and height, for counts of up to three digits. */
const PLAQUE_ASPECT_RATIO = { store: 2, house: 1.65 };

/** The largest width of a house's plaque, in pitches, so that neighbouring plaques do not touch. */
const MAX_PLAQUE_WIDTH = 0.94;

/** The height of a count in a hollow, in half the smaller side of the hollow. */
const AMOUNT_HEIGHT = 1.1;

/** The width of a bold digit in the widest of the usual fonts, in heights of the font. */
const DIGIT_WIDTH = 0.7;

/** The share of a plate and of a hollow that a count may take up. */
const COUNT_SHARE = 0.94;

/** The distance of a count from the centre of the hollow of a house, in half its heights. */
const AMOUNT_OFFSET = 0.25;

/** @returns {Layers} */
export const emptyLayers = () => ({
  hollows: svgElement("g"),
  words: svgElement("g"),
  storeHollows: svgElement("g"),
  storeWords: svgElement("g"),
});

/**
 * Returns whether the houses of a board are so narrow that counts are smaller.
 *
 * @param {Layout} layout
 */
export const isSmall = ({ pitch }) => pitch < SMALL_PITCH_PX;

/**
 * Creates the pits of a side: the drawing in the layers, and the list of buttons.
 *
 * @param {Side} side
 * @param {PitOptions} options
 * @param {Layers} layers
 */
export function createRow(side, options, layers) {
  const { at, layout, labels, isEditing } = options;
  /** @type {Map<Pit, PitElements>} */
  const pits = new Map();
  const list = document.createElement("ol");
  list.className = `row ${side} ${side === layout.bottom ? "lower" : "upper"}`;
  list.setAttribute("aria-label", texts.board.rows[side]);
  for (let house = 1; house <= at.houses; house += 1) {
    const pit = houseLetter(side, house);
    const button = createButton(pit, layout);
    const item = document.createElement("li");
    item.append(button);
    list.append(item);
    pits.set(pit, { ...drawHouse(pit, layout, layers), button, store: null });
    const { label } = boxOf(layout, pit);
    layers.words.append(drawText(label, "letter", shortLabel(pit, at.houses, labels)));
  }
  const store = document.createElement("li");
  const button = isEditing ? createButton(side, layout) : null;
  if (button) {
    store.append(button);
  } else {
    store.className = "visually-hidden";
  }
  list.append(store);
  pits.set(side, { ...drawStore(side, layout, layers), button, store });
  return { list, pits };
}

/** @param {Layout} layout @param {Pit} pit */
const boxOf = (layout, pit) => /** @type {PitBox} */ (layout.pits.get(pit));

/** @param {Pit} pit @param {Layout} layout @param {Layers} layers */
function drawHouse(pit, layout, { hollows, words }) {
  const ratio = isSmall(layout) ? PLAQUE_HEIGHT.smallHouse : PLAQUE_HEIGHT.house;
  const height = layout.strip * ratio;
  const width = Math.min(layout.pitch * MAX_PLAQUE_WIDTH, height * PLAQUE_ASPECT_RATIO.house);
  return drawPit(boxOf(layout, pit), { width, height, className: "count" }, { hollows, words });
}

/** @param {Side} side @param {Layout} layout @param {Layers} layers */
function drawStore(side, layout, { storeHollows, storeWords }) {
  const height = layout.strip * PLAQUE_HEIGHT.store;
  const width = Math.min(layout.plaque, height * PLAQUE_ASPECT_RATIO.store);
  return drawPit(
    boxOf(layout, side),
    { width, height, className: STORE_COUNT },
    { hollows: storeHollows, words: storeWords },
  );
}

/**
 * @param {PitBox} box
 * @param {{ width: number, height: number, className: string }} plaque
 * @param {{ hollows: SVGElement, words: SVGElement }} layers
 */
function drawPit(box, { width, height, className }, { hollows, words }) {
  const isStore = className === STORE_COUNT;
  const hollow = drawHollow(box);
  const plate = drawPlaque(box.count, Math.max(height, width), height);
  const text = drawText(box.count, className, "");
  hollows.append(hollow);
  words.append(plate, text);
  const seeds = /** @type {Element} */ (hollow.querySelector(".seeds"));
  // The score of a move covers the other end of its house.
  const away = isStore ? 0 : Math.sign(box.count.y - box.centre.y) * box.ry * AMOUNT_OFFSET;
  const amount = drawText({ x: 0, y: away }, "amount", "");
  hollow.append(amount);
  return { hollow, seeds, amount, plate, text, room: Math.max(height, width) };
}

/**
 * Draws the count of a pit on its plaque and in its hollow, each in a size that has room for all
 * digits.
 *
 * @param {Pick<PitElements, "amount" | "plate" | "text" | "room">} elements
 * @param {number} count
 * @param {PitBox} box
 */
export function drawCount({ amount, plate, text, room }, count, { rx, ry }) {
  const digits = String(count);
  const sizeFor = (/** @type {number} */ width) =>
    (width * COUNT_SHARE) / (digits.length * DIGIT_WIDTH);
  text.textContent = amount.textContent = digits;
  text.style.setProperty("--fitting-size", `${sizeFor(room)}px`);
  amount.setAttribute(
    "font-size",
    `${Math.min(sizeFor(2 * rx), Math.min(rx, ry) * AMOUNT_HEIGHT)}`,
  );
  plate.classList.toggle("empty", count === 0);
  amount.classList.toggle("empty", count === 0);
}

/** @param {Pit} pit @param {Layout} layout */
function createButton(pit, layout) {
  const { centre, rx, ry } = boxOf(layout, pit);
  const button = document.createElement("button");
  button.type = "button";
  button.className = "house";
  button.dataset.pit = pit;
  button.style.left = `${centre.x - rx}px`;
  button.style.top = `${centre.y - ry}px`;
  button.style.width = `${2 * rx}px`;
  button.style.height = `${2 * ry}px`;
  button.style.borderRadius = `${Math.min(rx, ry)}px`;
  button.style.setProperty("--strip", `${layout.strip}px`);
  button.style.setProperty("--beside", `${layout.pitch / 2 - rx}px`);
  return button;
}
