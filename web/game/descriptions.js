/** Sentences about a game for the status line and for screen readers. */

import { houseName, parseHouse } from "../board/labels.js";
import { texts } from "../texts/texts.js";
import { opposite, ownSide, playerAt, shortName, SIDES } from "./players.js";
import { ABORTED, currentNode, gameResult, moveResultsTo, position, VOIDED } from "./tree.js";
import { plyNames } from "./turns.js";

/** @import { MoveResult, Pit, Position } from "../types/api.d.ts" */
/** @import { GameTree, Hint, State } from "../types/app.d.ts" */

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
 * Returns the seeds in both stores with the names of the players, the person at this device first:
 * `You 13, Computer 35`.
 *
 * @param {Pick<State, "players">} state
 * @param {GameTree} tree
 * @param {Position["stores"]} stores
 */
export function storesText(state, tree, stores) {
  const own = ownSide(state, tree) ?? "south";
  const [first, second] = [own, opposite(own)].map((side) => ({
    name: shortName(playerAt(state, tree, side)),
    seeds: stores[side],
  }));
  return first && second ? texts.game.finalStores(first, second) : "";
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
  return texts.game.plays(playerAt(state, tree, moveResult.side), name);
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
    return texts.game.swaps(playerAt(state, tree, opposite(moveResult.side)));
  }
  const { houses } = moveResult.after;
  const { labels } = state.settings;
  const player = playerAt(state, tree, moveResult.side);
  const name = houseName(moveResult.move, houses, labels);
  const sentences = [texts.game.playsSeeds(player, name, moveResult.seeds)];
  if (moveResult.capture) {
    const { from, seeds } = moveResult.capture;
    const house = houseName(from, houses, labels);
    sentences.push(
      ownSide(state, tree) === moveResult.side
        ? texts.game.captureToOwnStore(house, seeds)
        : texts.game.captureToStore(house, seeds, moveResult.side),
    );
  }
  if (moveResult.effect === "bonus-turn" && !moveResult.after.is_over) {
    sentences.push(texts.game.bonusTurn);
  }
  if (moveResult.swept) {
    const { swept } = moveResult;
    const own = ownSide(state, tree);
    sentences.push(
      own
        ? texts.game.sweptToOwnStore(swept[own], swept[opposite(own)])
        : texts.game.swept(swept.south, swept.north),
    );
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
  return [
    moveText(state, tree, moveResult),
    texts.game.stores(storesText(state, tree, stores)),
    gameResult(tree) ? resultText(state, tree) : turnText(state, tree),
  ].join(" ");
}

/**
 * Describes a hint. It calls a move the best one only if that is proven.
 *
 * @param {Pick<State, "settings">} state
 * @param {Position} at
 * @param {Hint} hint
 */
export function hintText({ settings }, at, { move, isBestProven, margin, depth }) {
  const name = move === "swap" ? texts.game.hintSwap : houseName(move, at.houses, settings.labels);
  if (!isBestProven) {
    return texts.game.hintSoFar(name, depth);
  }
  return margin === null
    ? texts.game.hintBest(name)
    : texts.game.hintProven(name, formatSigned(margin));
}

/**
 * Describes a move that has not been made: where its last seed falls, and what happens then.
 *
 * @param {State} state
 * @param {GameTree} tree
 * @param {MoveResult} moveResult
 */
export function previewText(state, tree, moveResult) {
  const { move, side, path, seeds, capture, effect, after } = moveResult;
  const name = (/** @type {Pit} */ pit) => houseName(pit, after.houses, state.settings.labels);
  // The path of a very large sowing has only its first pits.
  const last = path.length === seeds ? path.at(-1) : undefined;
  const sentences = [];
  if (capture) {
    const { house, from, seeds: captured } = capture;
    sentences.push(texts.preview.capture(name(move), name(house), name(from), captured));
  } else if (last === side) {
    const isOwn = ownSide(state, tree) === side;
    sentences.push(texts.preview.inStore(name(move), side, isOwn));
  } else if (last) {
    sentences.push(texts.preview.inHouse(name(move), name(last)));
  }
  if (effect === "bonus-turn" && !after.is_over) {
    sentences.push(texts.game.bonusTurn);
  }
  if (after.is_over) {
    sentences.push(texts.preview.end(storesText(state, tree, after.stores)));
  }
  return sentences.join(" ");
}

/**
 * Returns the reason why the person at this device cannot play a house, or `null` if it can be
 * played.
 *
 * @param {State} state
 * @param {GameTree} tree
 * @param {Pit} pit
 * @param {{ canMove: boolean }} options whether the person may move now
 */
export function refusalText(state, tree, pit, { canMove }) {
  const at = position(tree);
  const house = parseHouse(pit);
  if (!house || (canMove && at.legal_moves.includes(pit))) {
    return null;
  }
  if (gameResult(tree)) {
    return texts.refusal.gameOver;
  }
  const name = houseName(pit, at.houses, state.settings.labels);
  const player = playerAt(state, tree, at.to_move);
  if (!canMove) {
    return player.player.kind === "person"
      ? texts.refusal.wait
      : texts.refusal.notYourTurn(player.name);
  }
  if (house.side !== at.to_move) {
    return player.isYou
      ? texts.refusal.otherRow(name)
      : texts.refusal.otherRowOf(name, player.name);
  }
  if (at.rows[house.side][house.house - 1] === 0) {
    return texts.refusal.empty(name);
  }
  return texts.refusal.illegal(name);
}

/**
 * Returns the announcement of a position that was reached without a move: at a start, after an
 * undo, after a resignation.
 *
 * @param {State} state
 * @param {GameTree} tree
 */
export function positionText(state, tree) {
  const { houses, stores } = position(tree);
  const moveResult = currentNode(tree)?.moveResult;
  const names = plyNames(moveResultsTo(tree), { houses, labels: state.settings.labels });
  const where = moveResult
    ? texts.game.afterMove(names.at(-1) ?? "", moveText(state, tree, moveResult))
    : texts.game.start;
  const score = texts.game.stores(storesText(state, tree, stores));
  return [where, score, gameResult(tree) ? resultText(state, tree) : turnText(state, tree)].join(
    " ",
  );
}

/**
 * Returns the names of two persons for the title of the page if at least one person has given a
 * name; empty for other games.
 *
 * @param {Pick<State, "players">} state
 * @param {GameTree} tree
 */
export function playersTitle(state, tree) {
  const players = SIDES.map((side) => playerAt(state, tree, side));
  const names = players.map(({ player, name }) =>
    player.kind === "computer" ? null : (player.name ?? name),
  );
  const isNamed = players.some(
    ({ player }) =>
      (player.kind === "person" && player.name) || (player.kind === "remote" && player.isNamed),
  );
  return isNamed && !names.includes(null) ? names.join(" \u2013 ") : "";
}

/**
 * Returns the sentence that names the player to move.
 *
 * @param {State} state
 * @param {GameTree} tree
 */
export function turnText(state, tree) {
  const player = playerAt(state, tree, position(tree).to_move);
  return player.isYou ? texts.game.yourTurn : texts.game.toMove(player.name);
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
    if (termination === ABORTED || termination === VOIDED) {
      return termination === VOIDED ? texts.rooms.voided : texts.game.noFirstMove;
    }
    if (!winner) {
      return texts.game.noWinner(endingText(termination));
    }
    const player = playerAt(state, tree, winner);
    return termination === "resign"
      ? texts.game.winsByResignation(player)
      : texts.game.winsOtherwise(player, endingText(termination));
  }
  if (!winner) {
    return texts.game.drawScore(stores.south, stores.north);
  }
  const player = playerAt(state, tree, winner);
  return texts.game.winsScore(player, stores[winner], stores[opposite(winner)]);
}

/**
 * Describes how a game ended, by its word in records.
 *
 * @param {string} termination
 */
export function endingText(termination) {
  /** @type {Record<string, string>} */
  const known = texts.game.endings;
  return known[termination] ?? termination;
}
