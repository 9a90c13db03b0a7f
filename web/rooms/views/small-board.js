/** A small board: houses and stores with the numbers of their seeds, South's row at the bottom. */

import { svgElement } from "../../board/drawing.js";

/** @import { Side } from "../../types/api.d.ts" */
/** @import { RoomGame } from "../../types/room.d.ts" */

/** The side of a house, and the space around it, in units of the drawing. */
const CELL = 24;
const GAP = 2;

/**
 * Returns a pit with its number.
 *
 * @param {{ x: number, y: number, height: number, kind: "house" | "store" }} place
 */
function pit({ x, y, height, kind }) {
  const text = svgElement("text", {
    x: String(x + CELL / 2),
    y: String(y + height / 2),
    "text-anchor": "middle",
    "dominant-baseline": "central",
  });
  const shape = svgElement("rect", {
    class: kind,
    x: String(x + GAP / 2),
    y: String(y + GAP / 2),
    width: String(CELL - GAP),
    height: String(height - GAP),
    rx: String(CELL / 4),
  });
  return { shape, text };
}

/**
 * Creates a small board. Its text alternative is that of the element around it.
 *
 * @param {number} houses the houses of a side
 */
export function createSmallBoard(houses) {
  const element = svgElement("svg", {
    class: "small-board",
    "aria-hidden": "true",
    viewBox: `0 0 ${(houses + 2) * CELL} ${2 * CELL}`,
  });
  const stores = {
    north: pit({ x: 0, y: 0, height: 2 * CELL, kind: "store" }),
    south: pit({ x: (houses + 1) * CELL, y: 0, height: 2 * CELL, kind: "store" }),
  };
  /** @param {Side} side */
  const row = (side) =>
    Array.from({ length: houses }, (_, index) => {
      // North's row runs from right to left.
      const column = side === "south" ? index + 1 : houses - index;
      return pit({
        x: column * CELL,
        y: side === "south" ? CELL : 0,
        height: CELL,
        kind: "house",
      });
    });
  const rows = { north: row("north"), south: row("south") };
  for (const { shape, text } of [stores.north, stores.south, ...rows.north, ...rows.south]) {
    element.append(shape, text);
  }

  /** @param {ReturnType<typeof pit> | undefined} at @param {number} count */
  function setCount(at, count) {
    const text = String(count);
    if (at && at.text.textContent !== text) {
      at.text.textContent = text;
    }
  }

  return {
    element,
    /** @param {RoomGame["position"]} position */
    draw(position) {
      for (const side of /** @type {const} */ (["south", "north"])) {
        setCount(stores[side], position.stores[side]);
        position.rows[side].forEach((count, index) => setCount(rows[side][index], count));
      }
    },
  };
}
