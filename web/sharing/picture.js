/**
 * Pictures of positions: the board in the look and the colours of the page, with the players above and
 * below it, as an SVG that needs no style sheet.
 */

import { countsOf } from "../board/animation/steps.js";
import { svgElement } from "../board/drawing.js";
import { boardLayout } from "../board/layout.js";
import { createElements, drawBoard } from "../board/render.js";
import { initialBoardState } from "../board/state.js";
import {
  bottomSide,
  currentPlayers,
  displayName,
  gamePlayers,
  opposite,
  visibleText,
} from "../game/players.js";
import { currentNode, gameResult, position } from "../game/tree.js";
import { texts } from "../texts/texts.js";
import { html } from "../ui/dom.js";

/** @import { Side } from "../types/api.d.ts" */
/** @import { GameTree, State } from "../types/app.d.ts" */

/** @typedef {{ svg: string, width: number, height: number }} Picture */

/** The width of the board, and its least width for each house and store of a row, in pixels. */
const WIDTH_PX = 880;
const PIT_WIDTH_PX = 64;

/** The height into which the board fits, in pixels. */
const MAX_HEIGHT_PX = 420;

/** The space around the board and the height of the line of a player, in pixels. */
const MARGIN_PX = 24;
const LINE_PX = 44;

/** The radius of the page's marker of the turn before the name of a player, and its space, in pixels. */
const TURN_RADIUS_PX = 13;
const TURN_SPACE_PX = 36;

/** The arrow of the marker around its centre: the symbol `i-turn` of the document. */
const TURN_ARROW = "M-4 -7v14l10 -7Z";

/** The properties of the page's style sheets that a standalone picture needs, by element. */
const SHAPE_STYLES = ["fill", "fill-opacity", "stroke", "stroke-opacity", "stroke-width"];
const STYLES = /** @type {const} */ ({
  stop: ["stop-color"],
  text: [
    "fill",
    "fill-opacity",
    "font-family",
    "font-size",
    "font-weight",
    "text-anchor",
    "dominant-baseline",
  ],
  rect: [...SHAPE_STYLES, "stroke-dasharray", "stroke-linecap"],
  path: SHAPE_STYLES,
  ellipse: SHAPE_STYLES,
});

/** A colour with an opacity, as a browser computes it. */
const TRANSLUCENT = /^rgba\((\d+), (\d+), (\d+), ([\d.]+)\)$/;

/**
 * Sets a style as an attribute. A colour with an opacity becomes two attributes, which programs other
 * than browsers understand.
 *
 * @param {Element} element
 * @param {string} name
 * @param {string} value
 */
function setStyle(element, name, value) {
  const [, red, green, blue, opacity] = TRANSLUCENT.exec(value) ?? [];
  if (opacity !== undefined) {
    element.setAttribute(name, `rgb(${red}, ${green}, ${blue})`);
    element.setAttribute(name.replace("-color", "").concat("-opacity"), opacity);
  } else if (!element.hasAttribute(name) && !(name.endsWith("-opacity") && value === "1")) {
    element.setAttribute(name, value);
  }
}

/**
 * Replaces the styles that an element of the document has from the page by attributes, and removes
 * what is not displayed.
 *
 * @param {Element} element
 */
function inlineStyles(element) {
  const styles = getComputedStyle(element);
  if (styles.display === "none") {
    element.remove();
    return;
  }
  const names = STYLES[/** @type {keyof typeof STYLES} */ (element.localName)] ?? [];
  for (const name of names) {
    setStyle(element, name, styles.getPropertyValue(name));
  }
  [...element.children].forEach(inlineStyles);
  element.removeAttribute("class");
  element.removeAttribute("style");
}

/**
 * Draws the board of a position without its buttons.
 *
 * @param {State} state
 * @param {GameTree} tree
 * @param {HTMLElement} host an element of the document that has the styles of the page
 */
function drawPosition(state, tree, host) {
  const at = position(tree);
  const board = html("div", { class: "board" });
  const scroller = html("div", { class: "scroller" }, board);
  host.append(html("div", {}, scroller));
  const elements = createElements(board);
  const width = Math.max(WIDTH_PX, (at.houses + 2) * PIT_WIDTH_PX);
  const layout = boardLayout(at.houses, width, MAX_HEIGHT_PX, bottomSide(state, tree));
  const boardState = { ...initialBoardState(), layout, counts: countsOf(at) };
  drawBoard(elements, boardState, { ...state, editor: null }, at);
  const last = currentNode(tree)?.moveResult.move;
  elements.pits.get(last ?? "")?.hollow.classList.add("target");
  return { svg: elements.svg, width: layout.width, height: layout.height };
}

/**
 * Returns the line of a player, with the page's marker of the turn.
 *
 * @param {State} state
 * @param {GameTree} tree
 * @param {Side} side
 * @param {number} y the vertical centre of the line
 */
function playerLine(state, tree, side, y) {
  const player = currentPlayers(gamePlayers(state, tree).players, tree)[side];
  const name = visibleText(displayName(player, side, { isYou: false }));
  const at = position(tree);
  const isToMove = gameResult(tree) === null && at.to_move === side;
  const x = MARGIN_PX + (isToMove ? TURN_SPACE_PX : 0);
  const text = svgElement("text", { class: "picture-player", x, y });
  text.textContent = texts.sharing.playerAndSeeds(name, at.stores[side]);
  return isToMove ? [turnMarker(y), text] : [text];
}

/** Returns the marker of the turn. @param {number} y the vertical centre of its line */
function turnMarker(y) {
  const transform = `translate(${MARGIN_PX + TURN_RADIUS_PX} ${y})`;
  return svgElement("g", { transform }, [
    svgElement("ellipse", { class: "picture-turn", rx: TURN_RADIUS_PX, ry: TURN_RADIUS_PX }),
    svgElement("path", { class: "picture-arrow", d: TURN_ARROW }),
  ]);
}

/**
 * Returns the picture of the current position of a game.
 *
 * @param {State} state
 * @param {GameTree} tree
 * @returns {Picture}
 */
export function pictureOf(state, tree) {
  const host = html("div", { class: "picture-host", "aria-hidden": "true" });
  document.body.append(host);
  try {
    const board = drawPosition(state, tree, host);
    const width = board.width + 2 * MARGIN_PX;
    const height = board.height + 2 * LINE_PX;
    const bottom = bottomSide(state, tree);
    const { svg } = board;
    for (const [name, value] of Object.entries({ x: MARGIN_PX, y: LINE_PX, ...sizeOf(board) })) {
      svg.setAttribute(name, String(value));
    }
    const picture = svgElement(
      "svg",
      { xmlns: "http://www.w3.org/2000/svg", viewBox: `0 0 ${width} ${height}`, width, height },
      [
        svgElement("rect", { class: "picture-paper", width, height }),
        ...playerLine(state, tree, opposite(bottom), LINE_PX / 2),
        svg,
        ...playerLine(state, tree, bottom, height - LINE_PX / 2),
      ],
    );
    host.append(picture);
    inlineStyles(picture);
    return { svg: new XMLSerializer().serializeToString(picture), width, height };
  } finally {
    host.remove();
  }
}

/** @param {{ width: number, height: number }} board */
const sizeOf = ({ width, height }) => ({ width, height });
