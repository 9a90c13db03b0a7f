/** The items of the list of moves: plies with their numbers, comments and variations. */

/** @import { GameNode } from "../../game/tree.js" */
/** @import { MoveResult, Side } from "../../types/api.d.ts" */
/** @import { GameTree } from "../../types/app.d.ts" */

/**
 * An item of the list of moves.
 *
 * @typedef {{ kind: "ply", path: number[], moveResult: MoveResult, number: string | null }
 * | { kind: "comment", path: number[], text: string }
 * | { kind: "variation", items: Item[] }} Item
 */

/**
 * A counter of turns, which gives one number to South's turn and to North's turn after it, as
 * records do.
 */
class TurnCounter {
  number = 1;
  /** @type {Side | null} */
  side = null;
  /** Whether the next ply needs its number because another item precedes it. */
  needsNumber = true;

  /**
   * Returns the number to show before the next ply, or `null`.
   *
   * @param {Side} side the side of the next ply
   */
  next(side) {
    const begins = side !== this.side;
    if (begins && side === "south" && this.side === "north") {
      this.number += 1;
    }
    const isNumbered = (begins && side === "south") || this.needsNumber;
    this.side = side;
    this.needsNumber = false;
    return isNumbered ? `${this.number}${side === "south" ? "." : "…"}` : null;
  }

  copy() {
    const copied = new TurnCounter();
    return Object.assign(copied, { number: this.number, side: this.side });
  }
}

/**
 * Returns the items of the list of moves.
 *
 * @param {Pick<GameTree, "children" | "comments">} tree
 * @returns {Item[]}
 */
export function moveListItems(tree) {
  return [
    ...tree.comments.map((text) => /** @type {Item} */ ({ kind: "comment", path: [], text })),
    ...lineItems(tree.children, [], new TurnCounter()),
  ];
}

/**
 * Returns the items of the main line from these siblings on, with each variation after the ply that
 * it replaces.
 *
 * @param {GameNode[]} first
 * @param {number[]} path the path of the previous ply
 * @param {TurnCounter} turns
 * @returns {Item[]}
 */
function lineItems(first, path, turns) {
  /** @type {Item[]} */
  const items = [];
  let before = path;
  for (let siblings = first; siblings[0]; siblings = siblings[0].children) {
    const [main, ...others] = siblings;
    const here = turns.copy();
    const parent = before;
    items.push(...plyItems(main, [...parent, 0], turns));
    others.forEach((node, index) => {
      const at = [...parent, index + 1];
      const variation = here.copy();
      items.push({
        kind: "variation",
        items: [...plyItems(node, at, variation), ...lineItems(node.children, at, variation)],
      });
      turns.needsNumber = true;
    });
    before = [...parent, 0];
  }
  return items;
}

/**
 * @param {GameNode} node
 * @param {number[]} path
 * @param {TurnCounter} turns
 * @returns {Item[]}
 */
function plyItems({ moveResult, comments }, path, turns) {
  const number = turns.next(moveResult.side);
  if (comments.length > 0) {
    turns.needsNumber = true;
  }
  return [
    { kind: "ply", path, moveResult, number },
    ...comments.map((text) => /** @type {Item} */ ({ kind: "comment", path, text })),
  ];
}
