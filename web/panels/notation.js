/** A game with its variations as people write it: rows of plies with the numbers of their turns. */

/** @import { Side } from "../types/api.d.ts" */
/** @import { GameTree, Node } from "../game/tree.js" */

/**
 * One thing that stands in the list of moves.
 *
 * @typedef {{ kind: "ply", path: number[], choice: string, side: Side, number: string | null }
 *   | { kind: "comment", path: number[], text: string }
 *   | { kind: "variation", items: Item[] }} Item
 */

/** The turns of a line, counted as records do: one number for South's turn and North's after it. */
class Turns {
  number = 1;
  /** @type {Side | null} */
  side = null;
  /** Whether the next ply needs its number, because something else stands before it. */
  fresh = true;

  /** @param {Side} side whose ply comes next */
  next(side) {
    const begins = side !== this.side;
    if (begins && side === "south" && this.side === "north") {
      this.number += 1;
    }
    const shown = (begins && side === "south") || this.fresh;
    this.side = side;
    this.fresh = false;
    return shown ? `${this.number}${side === "south" ? "." : "…"}` : null;
  }

  copy() {
    const copied = new Turns();
    return Object.assign(copied, { number: this.number, side: this.side });
  }
}

/**
 * The list of moves.
 *
 * @param {Pick<GameTree, "children" | "comments">} tree
 * @returns {Item[]}
 */
export function notation(tree) {
  return [
    ...tree.comments.map((text) => /** @type {Item} */ ({ kind: "comment", path: [], text })),
    ...lineOf(tree.children, [], new Turns()),
  ];
}

/**
 * The main line from these siblings on, each variation behind the ply that it replaces.
 *
 * @param {Node[]} first
 * @param {number[]} path of the ply before them
 * @param {Turns} turns
 * @returns {Item[]}
 */
function lineOf(first, path, turns) {
  /** @type {Item[]} */
  const items = [];
  let before = path;
  for (let siblings = first; siblings[0]; siblings = siblings[0].children) {
    const [main, ...others] = siblings;
    const here = turns.copy();
    const parent = before;
    items.push(...plyOf(main, [...parent, 0], turns));
    others.forEach((node, index) => {
      const at = [...parent, index + 1];
      const variation = here.copy();
      items.push({ kind: "variation", items: [...plyOf(node, at, variation), ...lineOf(node.children, at, variation)] });
      turns.fresh = true;
    });
    before = [...parent, 0];
  }
  return items;
}

/**
 * @param {Node} node
 * @param {number[]} path
 * @param {Turns} turns
 * @returns {Item[]}
 */
function plyOf({ sown, comments }, path, turns) {
  const number = turns.next(sown.side);
  if (comments.length > 0) {
    turns.fresh = true;
  }
  return [
    { kind: "ply", path, choice: sown.choice, side: sown.side, number },
    ...comments.map((text) => /** @type {Item} */ ({ kind: "comment", path, text })),
  ];
}
