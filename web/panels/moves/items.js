/** The items of the list of moves: plies with their numbers, comments and variations. */

import { nextTurn, turnMark } from "../../game/turns.js";

/** @import { GameNode } from "../../game/tree.js" */
/** @import { Turn } from "../../game/turns.js" */
/** @import { MoveResult, Side } from "../../types/api.d.ts" */
/** @import { GameTree } from "../../types/app.d.ts" */

/**
 * An item of the list of moves. The number of a ply is that of its turn, with its mark.
 *
 * @typedef {{ kind: "ply", path: number[], moveResult: MoveResult, number: string, isNumbered: boolean }
 * | { kind: "comment", path: number[], text: string }
 * | { kind: "variation", items: Item[] }} Item
 */

/** A counter of turns. */
class TurnCounter {
  /** @type {Turn | null} */
  turn = null;
  /** Whether the next ply needs its number because another item precedes it. */
  needsNumber = true;

  /**
   * Returns the number of the turn of the next ply, and whether the list shows it.
   *
   * @param {Side} side the side of the next ply
   */
  next(side) {
    const begins = side !== this.turn?.side;
    const isNumbered = (begins && side === "south") || this.needsNumber;
    this.turn = nextTurn(this.turn, side);
    this.needsNumber = false;
    return { number: turnMark(this.turn), isNumbered };
  }

  copy() {
    const copied = new TurnCounter();
    copied.turn = this.turn;
    return copied;
  }
}

/**
 * Returns the items of the list of moves.
 *
 * @param {Pick<GameTree, "children" | "comments">} tree
 * @returns {Item[]}
 */
export function moveListItems(tree) {
  return [...commentItems(tree.comments, []), ...lineItems(tree.children, [], new TurnCounter())];
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
  const turn = turns.next(moveResult.side);
  const items = commentItems(comments, path);
  if (items.length > 0) {
    turns.needsNumber = true;
  }
  return [{ kind: "ply", path, moveResult, ...turn }, ...items];
}

/** The commands of programs in comments, such as the times `[%clk 0:04:59]`. */
const COMMANDS = /\[%[^\]]*\]\s*/g;

/**
 * Returns the comments on a ply without commands of programs. One with nothing else is left out.
 *
 * @param {string[]} comments
 * @param {number[]} path
 * @returns {Item[]}
 */
function commentItems(comments, path) {
  const texts = comments.map((text) => text.replace(COMMANDS, "").trim());
  return texts
    .filter((text, index) => text !== "" || comments[index] === "")
    .map((text) => /** @type {Item} */ ({ kind: "comment", path, text }));
}
