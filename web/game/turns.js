/**
 * The turns of a game, numbered as in records: one number for South's turn and North's turn after it.
 * A move is named by its turn, as the list of moves shows it.
 */

import { moveLabel } from "../board/labels.js";

/** @import { Move, Side } from "../types/api.d.ts" */
/** @import { Settings } from "../types/app.d.ts" */

/** @typedef {{ number: number, side: Side }} Turn */

/**
 * Returns the turn of the next ply.
 *
 * @param {Turn | null} turn that of the ply before; `null` at the start
 * @param {Side} side the side that makes the ply
 * @returns {Turn}
 */
export function nextTurn(turn, side) {
  if (turn === null) {
    return { number: 1, side };
  }
  const isNextNumber = side === "south" && turn.side === "north";
  return { number: turn.number + (isNextNumber ? 1 : 0), side };
}

/** Returns the number of a turn with its mark: `5.` for South and `5…` for North. @param {Turn} turn */
export const turnMark = ({ number, side }) => `${number}${side === "south" ? "." : "\u2026"}`;

/**
 * Names each ply of a game by its turn and the moves of this turn up to the ply: `5. C`, then
 * `5. C F`.
 *
 * @param {readonly { side: Side, move: Move }[]} plies the plies from the start
 * @param {{ houses: number, labels: Settings["labels"] }} notation
 * @returns {string[]}
 */
export function plyNames(plies, { houses, labels }) {
  let turn = /** @type {Turn | null} */ (null);
  let name = "";
  return plies.map(({ side, move }) => {
    const isSameTurn = side === turn?.side;
    turn = nextTurn(turn, side);
    name = `${isSameTurn ? name : turnMark(turn)} ${moveLabel(move, houses, labels)}`;
    return name;
  });
}
