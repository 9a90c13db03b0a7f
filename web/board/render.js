/** The drawing of the board from its state and that of the page. Nothing here changes a state. */

import { opposite } from "../game/players.js";
import { currentNode } from "../game/tree.js";
import { texts } from "../texts/texts.js";
import { countsOf } from "./animation/steps.js";
import { CORNER_RADIUS, drawDefinitions, drawPlank, fillPit, svgElement } from "./drawing.js";
import { houseName, parseHouse } from "./labels.js";
import { marksFor, markSize, updateMark } from "./marks.js";
import { createRow, drawCount, emptyLayers, isSmall } from "./pits.js";

/** @import { PitBox, Point } from "./layout.js" */
/** @import { Layers, PitElements } from "./pits.js" */
/** @import { BoardState } from "./state.js" */
/** @import { Mark, Settings, State } from "../types/app.d.ts" */
/** @import { Move, Pit, Position, Side } from "../types/api.d.ts" */

/**
 * The elements of the board. The last four change with its layout.
 *
 * @typedef {object} BoardElements
 * @property {HTMLElement} board
 * @property {HTMLElement} scroller
 * @property {HTMLElement} stage
 * @property {SVGElement} svg
 * @property {HTMLElement} rows
 * @property {HTMLElement} toast
 * @property {Layers} layers
 * @property {SVGElement} flightLayer the layer of the seeds that fly
 * @property {Map<Pit, PitElements>} pits
 */

/** The least distance, in pixels, by which houses lie beyond an edge of a board that scrolls. */
const HIDDEN_PX = 1;

/**
 * Creates the elements of an empty board.
 *
 * @param {HTMLElement} board the element of the document
 * @returns {BoardElements}
 */
export function createElements(board) {
  const scroller = /** @type {HTMLElement} */ (board.parentElement);
  const stage = /** @type {HTMLElement} */ (scroller.parentElement);
  const svg = svgElement("svg", { class: "drawing", "aria-hidden": "true", focusable: "false" });
  const rows = document.createElement("div");
  const toast = document.createElement("p");
  toast.className = "toast";
  toast.setAttribute("aria-hidden", "true");
  board.append(svg, rows, toast);
  return {
    board,
    scroller,
    stage,
    svg,
    rows,
    toast,
    layers: emptyLayers(),
    flightLayer: svgElement("g"),
    pits: new Map(),
  };
}

/**
 * Draws the board for a new layout. A focused house keeps the focus.
 *
 * @param {BoardElements} elements
 * @param {BoardState} boardState
 * @param {State} state
 * @param {Position} at
 */
export function drawBoard(elements, boardState, state, at) {
  const { layout } = boardState;
  drawSize(elements, boardState);
  const layers = emptyLayers();
  const flightLayer = svgElement("g", { class: "flights" });
  const options = {
    at,
    layout,
    labels: state.settings.labels,
    isEditing: state.editor !== null,
  };
  const upper = createRow(opposite(layout.bottom), options, layers);
  const lower = createRow(layout.bottom, options, layers);
  elements.svg.replaceChildren(
    drawDefinitions(),
    drawPlank(layout),
    layers.hollows,
    layers.words,
    layers.storeHollows,
    layers.storeWords,
    flightLayer,
  );
  elements.layers = layers;
  elements.flightLayer = flightLayer;
  elements.pits = new Map([...upper.pits, ...lower.pits]);
  const { activeElement } = document;
  const focused = activeElement instanceof HTMLElement ? activeElement.dataset.pit : undefined;
  elements.rows.replaceChildren(upper.list, lower.list);
  drawMotion(elements, boardState);
  if (focused) {
    elements.pits.get(focused)?.button?.focus();
  }
  drawScrolling(elements, boardState);
}

/** @param {BoardElements} elements @param {BoardState} boardState */
function drawSize({ board, scroller, stage, svg }, { layout }) {
  const { width, height, pad, pitch, scale, scrolls } = layout;
  stage.dataset.wide = String(scrolls);
  board.style.width = `${width}px`;
  board.style.height = `${height}px`;
  board.style.borderRadius = `${pad * CORNER_RADIUS}px`;
  board.style.setProperty("--scale", String(scale));
  board.dataset.size = isSmall(layout) ? "small" : "large";
  board.dataset.marks = markSize(pitch);
  const visibleWidth = Math.min(width, scroller.clientWidth);
  document.documentElement.style.setProperty("--board-width", `${visibleWidth}px`);
  stage.style.setProperty("--drawn-height", `${height}px`);
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
}

/**
 * Moves the stores into the visible part of the board, and shows where there are more houses.
 *
 * @param {BoardElements} elements
 * @param {BoardState} boardState
 */
export function drawScrolling({ scroller, stage, layers }, { layout }) {
  const { scrollLeft, clientWidth, scrollWidth } = scroller;
  const isWide = layout.scrolls;
  stage.dataset.moreLeft = String(isWide && scrollLeft > HIDDEN_PX);
  stage.dataset.moreRight = String(isWide && scrollLeft + clientWidth < scrollWidth - HIDDEN_PX);
  for (const layer of [layers.storeHollows, layers.storeWords]) {
    layer.setAttribute("transform", `translate(${isWide ? scrollLeft : 0} 0)`);
  }
}

/**
 * Returns the centre of a pit on the drawing.
 *
 * @param {BoardElements} elements
 * @param {BoardState} boardState
 * @param {Pit} pit
 * @returns {Point}
 */
export function centreOf({ scroller }, { layout }, pit) {
  const { centre } = /** @type {PitBox} */ (layout.pits.get(pit));
  const isStore = parseHouse(pit) === null;
  return isStore && layout.scrolls ? { x: centre.x + scroller.scrollLeft, y: centre.y } : centre;
}

/**
 * Draws the seeds in the pits, the rings around pits, and the message about a move.
 *
 * @param {BoardElements} elements
 * @param {BoardState} boardState
 */
export function drawMotion({ pits, toast }, { counts, layout, ringed, toast: message }) {
  for (const [pit, elements] of pits) {
    const { hollow, seeds } = elements;
    const count = counts.get(pit) ?? 0;
    const box = /** @type {PitBox} */ (layout.pits.get(pit));
    fillPit(seeds, pit, count, box, layout.seed);
    drawCount(elements, count, box);
    hollow.classList.toggle("flash", ringed.includes(pit));
  }
  toast.textContent = message.text;
  toast.classList.toggle("visible", message.isVisible);
}

/** Draws which house has the tab stop. @param {BoardElements} elements @param {BoardState} state */
export function drawTabStop({ pits }, { tabStop }) {
  for (const [pit, { button }] of pits) {
    if (button) {
      button.tabIndex = pit === tabStop ? 0 : -1;
    }
  }
}

/**
 * The position on the board, whether a person may move now, and which houses may be chosen ahead.
 *
 * @typedef {{ state: State, at: Position, canMove: boolean, canPremove: (pit: Pit) => boolean }}
 * ShownPosition
 */

/**
 * Draws the names and states of the buttons, the marks on the houses, and the preview of a move.
 *
 * @param {BoardElements} elements
 * @param {BoardState} boardState
 * @param {ShownPosition} shown
 */
export function drawButtons(elements, boardState, shown) {
  const { state, at } = shown;
  const view = viewOf(shown);
  const counts = countsOf(at);
  for (const [pit, { button, store }] of elements.pits) {
    const count = counts.get(pit) ?? 0;
    if (button) {
      drawButton(button, pit, count, view);
    } else if (store) {
      store.textContent = texts.board.storeCount(/** @type {Side} */ (pit), count);
    }
  }
  drawTabStop(elements, boardState);
  drawPreview(elements, state, at);
}

/**
 * The contents of the buttons of the pits.
 *
 * @typedef {object} ButtonsView
 * @property {Position} at
 * @property {Settings["labels"]} labels
 * @property {boolean} isEditing
 * @property {boolean} isAnimated
 * @property {readonly Move[]} playable the moves that the person may make now
 * @property {(pit: Pit) => boolean} canPremove whether a house may be chosen ahead
 * @property {Move | null} hint
 * @property {Move | null} premove the move that is chosen ahead
 * @property {Move | null} last the last move
 * @property {readonly Mark[]} marks
 */

/**
 * @param {ShownPosition} shown
 * @returns {ButtonsView}
 */
function viewOf({ state, at, canMove, canPremove }) {
  const { tree, editor, hint, marks, premove, animation, settings } = state;
  const isEditing = editor !== null;
  const moveResult = tree && !isEditing && currentNode(tree)?.moveResult;
  return {
    at,
    labels: settings.labels,
    isEditing,
    isAnimated: animation !== null,
    playable: canMove && !isEditing ? at.legal_moves : [],
    canPremove,
    hint: !isEditing && hint?.position === at.position ? hint.move : null,
    premove: isEditing ? null : premove,
    last: moveResult && !moveResult.is_swap ? moveResult.move : null,
    marks: (isEditing ? null : marksFor(marks, at)) ?? [],
  };
}

/**
 * @param {HTMLButtonElement} button
 * @param {Pit} pit
 * @param {number} count
 * @param {ButtonsView} view
 */
function drawButton(button, pit, count, { at, labels, isEditing, isAnimated, ...view }) {
  const mark = view.marks.find(({ move }) => move === pit);
  const isPlayable = view.playable.includes(pit);
  const label = [
    ...(parseHouse(pit)
      ? [houseName(pit, at.houses, labels), texts.board.seeds(count)]
      : [texts.board.storeCount(/** @type {Side} */ (pit), count)]),
    ...(mark ? [mark.label] : []),
    ...(view.hint === pit ? [texts.board.hint] : []),
    ...(view.premove === pit ? [texts.board.premove] : []),
  ].join(", ");
  button.setAttribute("aria-label", label);
  const isUsable = isPlayable || isEditing || view.canPremove(pit);
  button.setAttribute("aria-disabled", String(!isUsable));
  button.classList.toggle("editable", isEditing);
  button.classList.toggle("playable", isPlayable && !isAnimated);
  button.classList.toggle("hint", view.hint === pit);
  button.classList.toggle("premove", view.premove === pit);
  button.classList.toggle("last", pit === view.last && !isAnimated);
  updateMark(button, mark);
}

/**
 * Marks the last pit and the captured house of the move at which the person points.
 *
 * @param {BoardElements} elements
 * @param {State} state
 * @param {Position} at
 */
function drawPreview({ pits }, { preview, animation }, at) {
  const shown = !animation && preview?.position === at.position ? preview.moveResult : null;
  // The path of a very large sowing is cut, so its last pit is unknown.
  const target = shown && shown.path.length === shown.seeds ? shown.path.at(-1) : undefined;
  for (const [pit, { hollow }] of pits) {
    hollow.classList.toggle("target", pit === target);
    hollow.classList.toggle("taken", pit === shown?.capture?.from);
  }
}
