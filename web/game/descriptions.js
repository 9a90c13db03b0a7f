/** What the page says of a game, in sentences: to the eye above the board and to screen readers alike. */

import { houseName } from "../board/labels.js";
import { opposite, ownSide, seatAt, sideName } from "./players.js";
import { current, position, result } from "./tree.js";

/** @import { Position, Side, Sown } from "../types/api.d.ts" */
/** @import { GameTree, Seat, State } from "../types/app.d.ts" */

/**
 * `1 seed`, `4 seeds`.
 *
 * @param {number} count
 */
export function seeds(count) {
  return `${count} ${count === 1 ? "seed" : "seeds"}`;
}

/**
 * `+8`, `0`, `−3`.
 *
 * @param {number} margin
 */
export function signed(margin) {
  if (margin === 0) {
    return "0";
  }
  return margin > 0 ? `+${margin}` : `\u2212${-margin}`;
}

/**
 * `You sow`, `Level 2 sows`.
 *
 * @param {Seat} seat
 * @param {string} verb
 */
function does({ name }, verb) {
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
 * What a ply is while it is being shown, without what comes of it.
 *
 * @param {Pick<State, "players" | "settings">} state
 * @param {GameTree} tree the game after the ply
 * @param {Sown} sown
 */
export function sowingText(state, tree, sown) {
  if (sown.swapped) {
    return plyText(state, tree, sown);
  }
  const name = houseName(sown.choice, sown.after.houses, state.settings.labels);
  return `${does(seatAt(state, tree, sown.side), "sow")} ${name}`;
}

/**
 * What a ply did, in a sentence or two.
 *
 * @param {Pick<State, "players" | "settings">} state
 * @param {GameTree} tree the game after the ply
 * @param {Sown} sown
 */
export function plyText(state, tree, sown) {
  if (sown.swapped) {
    // After the swap the one who asked for it sits at the other side.
    return `${does(seatAt(state, tree, opposite(sown.side)), "swap")} sides.`;
  }
  const { houses } = sown.after;
  const { labels } = state.settings;
  const seat = seatAt(state, tree, sown.side);
  const name = houseName(sown.choice, houses, labels);
  const sentences = [`${does(seat, "sow")} ${name}, ${seeds(sown.seeds)}.`];
  if (sown.capture) {
    const from = houseName(sown.capture.from, houses, labels);
    const where = storeName(sown.side, state, tree);
    sentences.push(`Capture of ${from}: ${seeds(sown.capture.seeds)} to ${where}.`);
  }
  if (sown.effect === "bonus-turn" && !sown.after.over) {
    sentences.push("Bonus turn.");
  }
  if (sown.swept) {
    const { south, north } = sown.swept;
    sentences.push(`The rows are swept: ${south} to South's store, ${north} to North's.`);
  }
  return sentences.join(" ");
}

/**
 * The same for a screen reader: what it did, the stores, and what is to be done.
 *
 * @param {State} state
 * @param {GameTree} tree the game after the ply
 * @param {Sown} sown
 */
export function announcement(state, tree, sown) {
  const { stores } = sown.after;
  const score = `Stores: South ${stores.south}, North ${stores.north}.`;
  return [plyText(state, tree, sown), score, result(tree) ? resultText(state, tree) : turnText(state, tree)].join(" ");
}

/**
 * What a hint says.
 *
 * @param {Pick<State, "settings">} state
 * @param {Position} at
 * @param {NonNullable<State["hint"]>} hint
 */
export function hintText({ settings }, at, { choice, best }) {
  const name = choice === "swap" ? "swap sides" : `sow ${houseName(choice, at.houses, settings.labels)}`;
  return `Hint: ${name}${best ? ", proven to be best" : ""}.`;
}

/**
 * Where the game stands, for a screen reader, when it got there without a sowing: started, taken back, given up.
 *
 * @param {State} state
 * @param {GameTree} tree
 */
export function placeText(state, tree) {
  const { stores } = position(tree);
  const sown = current(tree)?.sown;
  const where = sown ? `After ply ${tree.depth}: ${plyText(state, tree, sown)}` : "Start of the game.";
  const score = `Stores: South ${stores.south}, North ${stores.north}.`;
  return [where, score, result(tree) ? resultText(state, tree) : turnText(state, tree)].join(" ");
}

/**
 * Whose turn it is.
 *
 * @param {State} state
 * @param {GameTree} tree
 */
export function turnText(state, tree) {
  const seat = seatAt(state, tree, position(tree).side);
  return seat.name === "You" ? "Your turn." : `${seat.name} to move.`;
}

/**
 * How the game ended; empty while it goes on.
 *
 * @param {Pick<State, "players">} state
 * @param {GameTree} tree
 */
export function resultText(state, tree) {
  const ended = result(tree);
  if (!ended) {
    return "";
  }
  const { winner, stores, termination } = ended;
  if (termination !== "normal") {
    const how = termination === "resign" ? "by resignation" : `(${termination})`;
    return winner ? `${does(seatAt(state, tree, winner), "win")} ${how}.` : `The game ended without a winner ${how}.`;
  }
  if (!winner) {
    return `A tie, ${stores.south} all.`;
  }
  return `${does(seatAt(state, tree, winner), "win")} ${stores[winner]} to ${stores[opposite(winner)]}.`;
}
