/** Sentences about a game for the status line and for screen readers. */

import { houseName } from "../board/labels.js";
import { opposite, ownSide, playerAt, sideName } from "./players.js";
import { currentNode, gameResult, position } from "./tree.js";

/** @import { MoveResult, Position, Side } from "../types/api.d.ts" */
/** @import { GameTree, PlayerOnSide, State } from "../types/app.d.ts" */

/**
 * Returns a number of seeds in words: `1 seed`, `4 seeds`.
 *
 * @param {number} count
 */
export function countSeeds(count) {
  return `${count} ${count === 1 ? "seed" : "seeds"}`;
}

/**
 * Returns a margin with its sign: `+8`, `0`, `−3`.
 *
 * @param {number} margin
 */
export function formatSigned(margin) {
  if (margin === 0) {
    return "0";
  }
  return margin > 0 ? `+${margin}` : `\u2212${-margin}`;
}

/**
 * Returns subject and verb: `You sow`, `Level 2 sows`.
 *
 * @param {PlayerOnSide} player
 * @param {string} verb
 */
function subjectAndVerb({ name }, verb) {
  return name === "You" ? `You ${verb}` : `${name} ${verb}s`;
}

/**
 * @param {Side} side
 * @param {Pick<State, "players">} state
 * @param {GameTree} tree
 */
function storeName(side, state, tree) {
  return ownSide(state, tree) === side ? "your store" : `${sideName(side)}'s store`;
}

/**
 * Describes a move during its animation, without its result.
 *
 * @param {Pick<State, "players" | "settings">} state
 * @param {GameTree} tree the game after the move
 * @param {MoveResult} moveResult
 */
export function sowingText(state, tree, moveResult) {
  if (moveResult.is_swap) {
    return moveText(state, tree, moveResult);
  }
  const name = houseName(moveResult.move, moveResult.after.houses, state.settings.labels);
  return `${subjectAndVerb(playerAt(state, tree, moveResult.side), "sow")} ${name}`;
}

/**
 * Describes a move and its result.
 *
 * @param {Pick<State, "players" | "settings">} state
 * @param {GameTree} tree the game after the move
 * @param {MoveResult} moveResult
 */
export function moveText(state, tree, moveResult) {
  if (moveResult.is_swap) {
    // In the tree after the swap, the player who swapped has the other side.
    return `${subjectAndVerb(playerAt(state, tree, opposite(moveResult.side)), "swap")} sides.`;
  }
  const { houses } = moveResult.after;
  const { labels } = state.settings;
  const player = playerAt(state, tree, moveResult.side);
  const name = houseName(moveResult.move, houses, labels);
  const sentences = [`${subjectAndVerb(player, "sow")} ${name}, ${countSeeds(moveResult.seeds)}.`];
  if (moveResult.capture) {
    const from = houseName(moveResult.capture.from, houses, labels);
    const where = storeName(moveResult.side, state, tree);
    sentences.push(`Capture of ${from}: ${countSeeds(moveResult.capture.seeds)} to ${where}.`);
  }
  if (moveResult.effect === "bonus-turn" && !moveResult.after.is_over) {
    sentences.push("Bonus turn.");
  }
  if (moveResult.swept) {
    const { south, north } = moveResult.swept;
    sentences.push(`The rows are swept: ${south} to South's store, ${north} to North's.`);
  }
  return sentences.join(" ");
}

/**
 * Returns the announcement of a move: the move, the stores, and the turn or the result.
 *
 * @param {State} state
 * @param {GameTree} tree the game after the move
 * @param {MoveResult} moveResult
 */
export function announcementText(state, tree, moveResult) {
  const { stores } = moveResult.after;
  const score = `Stores: South ${stores.south}, North ${stores.north}.`;
  return [
    moveText(state, tree, moveResult),
    score,
    gameResult(tree) ? resultText(state, tree) : turnText(state, tree),
  ].join(" ");
}

/**
 * Describes a hint.
 *
 * @param {Pick<State, "settings">} state
 * @param {Position} at
 * @param {NonNullable<State["hint"]>} hint
 */
export function hintText({ settings }, at, { move, best }) {
  const name =
    move === "swap" ? "swap sides" : `sow ${houseName(move, at.houses, settings.labels)}`;
  return `Hint: ${name}${best ? ", proven to be best" : ""}.`;
}

/**
 * Returns the announcement of a position that was reached without a move: at a start, after an
 * undo, after a resignation.
 *
 * @param {State} state
 * @param {GameTree} tree
 */
export function positionText(state, tree) {
  const { stores } = position(tree);
  const moveResult = currentNode(tree)?.moveResult;
  const where = moveResult
    ? `After ply ${tree.depth}: ${moveText(state, tree, moveResult)}`
    : "Start of the game.";
  const score = `Stores: South ${stores.south}, North ${stores.north}.`;
  return [where, score, gameResult(tree) ? resultText(state, tree) : turnText(state, tree)].join(
    " ",
  );
}

/**
 * Returns the sentence that names the player to move.
 *
 * @param {State} state
 * @param {GameTree} tree
 */
export function turnText(state, tree) {
  const player = playerAt(state, tree, position(tree).to_move);
  return player.name === "You" ? "Your turn." : `${player.name} to move.`;
}

/**
 * Describes the result of the game; empty while the game goes on.
 *
 * @param {Pick<State, "players">} state
 * @param {GameTree} tree
 */
export function resultText(state, tree) {
  const final = gameResult(tree);
  if (!final) {
    return "";
  }
  const { winner, stores, termination } = final;
  if (termination !== "normal") {
    const how = termination === "resign" ? "by resignation" : `(${termination})`;
    return winner
      ? `${subjectAndVerb(playerAt(state, tree, winner), "win")} ${how}.`
      : `The game ended without a winner ${how}.`;
  }
  if (!winner) {
    return `A tie, ${stores.south} all.`;
  }
  const score = `${stores[winner]} to ${stores[opposite(winner)]}`;
  return `${subjectAndVerb(playerAt(state, tree, winner), "win")} ${score}.`;
}
