/**
 * The review of a game: the margin after each ply, the cost of each ply, the accuracy of each
 * player.
 *
 * The review is arithmetic on analyses of the positions of one line. An analysis has the margins of
 * the player to move; the review has those of one player. A swap exchanges the players and not the
 * rows, so the review identifies a player by the side at the start.
 */

import { opposite } from "../game/players.js";

/** @import { Outcome } from "./margins.js" */
/** @import { Analysis, Bounds, MoveResult, Side } from "../types/api.d.ts" */

/**
 * A margin with proven bounds; `expected` is an estimate unless the bounds are equal.
 *
 * @typedef {{expected: number, lower: number, upper: number, exact: boolean}} Margin
 */

/**
 * A ply of the reviewed line.
 *
 * @typedef {object} ReviewedPly
 * @property {number} ply  its number, from 1
 * @property {MoveResult} moveResult
 * @property {Side} player  the player who moved, by the side at the start
 * @property {Margin | null} margin  the margin after the ply for the player who started as South
 * @property {Bounds | null} cost  the margin of the best move minus that of this move
 * @property {number | null} stake  the margin of the best move minus that of the worst, if all are
 *   proven
 * @property {string[]} better  the best moves, if this move is proven to be worse
 * @property {Margin | null} best  the margin of the best move for the player who moved
 * @property {{from: Outcome, to: Outcome} | null} outcomeChange  the proven change of the outcome
 */

/**
 * A player's accuracy in percent over `plies` counted plies, or the reason why there is none.
 *
 * @typedef {{percent: number, plies: number, lost: number, stake: number}
 * | {percent: null, reason: "nothing-proven" | "nothing-at-stake", plies: number}} Accuracy
 */

/**
 * @typedef {object} Review
 * @property {Margin | null} start  the margin before the first ply for the player who started as
 *   South
 * @property {ReviewedPly[]} plies
 * @property {{south: Accuracy, north: Accuracy}} accuracy  by the players' sides at the start
 * @property {boolean} swapped  whether the players have exchanged sides at the end
 */

/** The definition of the accuracy, for players. */
export const ACCURACY_FORMULA =
  "Accuracy is 100 × (1 − seeds lost ÷ seeds at stake). At each ply, the seeds lost are the margin " +
  "of the best move minus the margin of the move that was made, and the seeds at stake are the " +
  "margin of the best move minus that of the worst. Only plies count for which the margins of all " +
  "moves are proven.";

/**
 * Reviews a line.
 *
 * @param {MoveResult[]} plies  the plies of the line
 * @param {(Analysis | null | undefined)[]} analyses  of the position before each ply and of the
 *   last one, in order: one more than plies; an analysis may be missing
 * @returns {Review}
 */
export function review(plies, analyses) {
  const swaps = swapStates(plies);
  const positions = swaps.map((exchanged, index) => {
    const analysis = analyses[index];
    return analysis ? { analysis, player: startingSide(analysis.side, exchanged) } : null;
  });
  const reviewedPlies = plies.map((moveResult, index) =>
    reviewPly(index + 1, moveResult, swaps[index] ?? false, positions),
  );
  const start = positions[0] ?? null;
  return {
    start: start && marginForSouth(start.player, marginOf(start.analysis)),
    plies: reviewedPlies,
    accuracy: { south: accuracy(reviewedPlies, "south"), north: accuracy(reviewedPlies, "north") },
    swapped: swaps.at(-1) ?? false,
  };
}

/**
 * Returns whether the players have exchanged sides, before each ply and at the end.
 *
 * @param {MoveResult[]} plies
 * @returns {boolean[]}
 */
function swapStates(plies) {
  let isSwapped = false;
  const states = [isSwapped];
  for (const { swapped } of plies) {
    isSwapped = isSwapped !== swapped;
    states.push(isSwapped);
  }
  return states;
}

/**
 * Returns the player on a side, by the side at the start.
 *
 * @param {Side} side
 * @param {boolean} exchanged
 * @returns {Side}
 */
export const startingSide = (side, exchanged) => (exchanged ? opposite(side) : side);

/** @typedef {{analysis: Analysis, player: Side} | null} AnalysedPosition */

/**
 * @param {number} ply
 * @param {MoveResult} moveResult
 * @param {boolean} exchanged
 * @param {AnalysedPosition[]} positions
 * @returns {ReviewedPly}
 */
function reviewPly(ply, moveResult, exchanged, positions) {
  const player = startingSide(moveResult.side, exchanged);
  const [before, after] = [positions[ply - 1] ?? null, positions[ply] ?? null];
  // A margin of the position after the move is also a margin of the move, and the other way round.
  const afterMargin = after && marginForPlayer(player, after.player, marginOf(after.analysis));
  const listedMove = before?.analysis.moves.find(({ move }) => move === moveResult.move) ?? null;
  const moveMargin =
    listedMove && afterMargin
      ? intersectMargins(afterMargin, listedMove)
      : (afterMargin ?? (listedMove && { ...listedMove, expected: middle(listedMove) }));
  /** @type {ReviewedPly} */
  const result = {
    ply,
    moveResult,
    player,
    margin:
      moveMargin && (afterMargin || moveMargin.exact) ? marginForSouth(player, moveMargin) : null,
    cost: null,
    stake: null,
    better: [],
    best: null,
    outcomeChange: null,
  };
  if (!before || !listedMove || !moveMargin) {
    return result;
  }
  const moves = before.analysis.moves.map((candidate) =>
    candidate === listedMove ? { ...moveMargin, move: candidate.move } : candidate,
  );
  const lower = Math.max(...moves.map((candidate) => candidate.lower));
  const upper = Math.max(...moves.map((candidate) => candidate.upper));
  const expected = clamp(before.analysis.margin, lower, upper);
  result.best = { expected, lower, upper, exact: lower === upper };
  // The best move is at least as good as this move, even if neither margin is proven.
  const otherMoves = moves.filter(({ move }) => move !== listedMove.move);
  const largestGain = (/** @type {number[]} */ margins, /** @type {number} */ own) =>
    Math.max(0, ...margins.map((margin) => margin - own));
  result.cost = bounds(
    largestGain(
      otherMoves.map((candidate) => candidate.lower),
      moveMargin.upper,
    ),
    largestGain(
      otherMoves.map((candidate) => candidate.upper),
      moveMargin.lower,
    ),
  );
  if (result.cost.lower > 0) {
    result.better = moves.filter((candidate) => candidate.lower === lower).map(({ move }) => move);
  }
  if (moves.every(({ exact }) => exact)) {
    result.stake = upper - Math.min(...moves.map((candidate) => candidate.lower));
  }
  result.outcomeChange = outcomeChange(result.best, moveMargin);
  return result;
}

/**
 * Returns the change of the outcome by a ply, if both outcomes are proven.
 *
 * @param {Margin} best
 * @param {Margin} chosen
 * @returns {ReviewedPly["outcomeChange"]}
 */
function outcomeChange(best, chosen) {
  const [from, to] = [provenOutcome(best), provenOutcome(chosen)];
  return from && to && from !== to ? { from, to } : null;
}

/**
 * Returns the outcome for the player of a margin, if it is proven.
 *
 * @param {Margin} margin
 * @returns {Outcome | null}
 */
export function provenOutcome({ lower, upper }) {
  if (lower > 0) {
    return "win";
  }
  if (upper < 0) {
    return "loss";
  }
  return lower === 0 && upper === 0 ? "tie" : null;
}

/**
 * @param {Analysis} analysis
 * @returns {Margin}
 */
function marginOf({ margin, lower, upper, exact }) {
  return { expected: margin, lower, upper, exact };
}

/**
 * Returns a margin of one player as the margin of another player, who may be the same.
 *
 * @param {Side} viewer
 * @param {Side} owner
 * @param {Margin} margin
 * @returns {Margin}
 */
function marginForPlayer(viewer, owner, margin) {
  if (viewer === owner) {
    return margin;
  }
  // The subtraction avoids -0, which would be shown with a sign.
  const { expected, lower, upper, exact } = margin;
  return { expected: 0 - expected, lower: 0 - upper, upper: 0 - lower, exact };
}

/**
 * Returns a player's margin as that of the player who started as South.
 *
 * @param {Side} owner
 * @param {Margin} margin
 */
const marginForSouth = (owner, margin) => marginForPlayer("south", owner, margin);

/**
 * Returns the intersection of two proven bounds. Proofs never contradict each other; if they did,
 * the first would be returned.
 *
 * @param {Margin} one
 * @param {Bounds} two
 * @returns {Margin}
 */
function intersectMargins(one, two) {
  const [lower, upper] = [Math.max(one.lower, two.lower), Math.min(one.upper, two.upper)];
  if (lower > upper) {
    return one;
  }
  return { expected: clamp(one.expected, lower, upper), lower, upper, exact: lower === upper };
}

/** @param {Bounds} of */
const middle = ({ lower, upper }) => Math.round((lower + upper) / 2);

/**
 * @param {number} value
 * @param {number} lower
 * @param {number} upper
 */
const clamp = (value, lower, upper) => Math.min(Math.max(value, lower), upper);

/**
 * @param {number} lower
 * @param {number} upper
 * @returns {Bounds}
 */
const bounds = (lower, upper) => ({ lower, upper, exact: lower === upper });

/**
 * Returns the accuracy of a player (see {@link ACCURACY_FORMULA}).
 *
 * @param {ReviewedPly[]} plies
 * @param {Side} player
 * @returns {Accuracy}
 */
function accuracy(plies, player) {
  let [counted, lost, stake] = [0, 0, 0];
  for (const ply of plies) {
    if (ply.player === player && ply.stake !== null && ply.cost) {
      counted += 1;
      lost += ply.cost.lower;
      stake += ply.stake;
    }
  }
  if (counted === 0) {
    return { percent: null, reason: "nothing-proven", plies: counted };
  }
  if (stake === 0) {
    return { percent: null, reason: "nothing-at-stake", plies: counted };
  }
  return { percent: 100 * (1 - lost / stake), plies: counted, lost, stake };
}

/**
 * Returns the plies with a proven cost, in order.
 *
 * @param {Review} of
 */
export const mistakes = ({ plies }) => plies.filter(({ cost }) => cost !== null && cost.lower > 0);

/**
 * Returns the number of plies without a proven cost.
 *
 * @param {Review} of
 */
export const unproven = ({ plies }) => plies.filter(({ cost }) => !cost?.exact).length;
