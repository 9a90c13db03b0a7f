/** The game with a friend on the board: the results of its moves, and its tree. */

import { isAbort } from "../../engine/errors.js";
import {
  ABORTED,
  endGame,
  fromLine,
  movesTo,
  path,
  undo,
  UNFINISHED,
  VOIDED,
} from "../../game/tree.js";
import { startingPlayers } from "../names.js";
import { FRIEND_MODE } from "../state.js";

/** @import { Line, SessionData } from "./session.js" */
/** @import { Move, MoveResult } from "../../types/api.d.ts" */
/** @import { GameTree } from "../../types/app.d.ts" */
/** @import { GameSnapshot } from "../../types/friend.d.ts" */

/**
 * Returns whether the players have exchanged their sides.
 *
 * @param {readonly MoveResult[]} plies
 */
const isSwapped = (plies) => plies.filter((ply) => ply.is_swap).length % 2 === 1;

/** @param {Move[]} one @param {Move[]} other */
const isSameLine = (one, other) =>
  one.length === other.length && one.every((move, index) => move === other[index]);

/**
 * Returns whether a line has exactly the moves of a snapshot.
 *
 * @param {Line} line
 * @param {GameSnapshot} snapshot
 */
const isLineOf = ({ plies }, snapshot) =>
  isSameLine(
    plies.map(({ move }) => move),
    snapshot.plies,
  );

/**
 * Returns the game of a snapshot as a tree.
 *
 * @param {Line} line
 * @param {GameSnapshot} snapshot
 */
function treeOf({ start, plies }, snapshot) {
  const tree = fromLine(start, plies);
  return snapshot.ending ? endTree(tree, snapshot, snapshot.ending) : tree;
}

/**
 * Returns a tree with the end of a game. A game of a room ends without a result only if the leader voids
 * it.
 *
 * @param {GameTree} tree
 * @param {Pick<GameSnapshot, "room">} snapshot
 * @param {NonNullable<GameSnapshot["ending"]>} ending
 */
function endTree(tree, { room }, { termination, winner }) {
  const withoutResult = room ? VOIDED : ABORTED;
  return endGame(tree, termination === UNFINISHED ? withoutResult : termination, winner);
}

/**
 * Removes the game from the board, which must not show another game as if it were the friend's.
 *
 * @param {SessionData} session
 */
export function showNoGame({ app }) {
  app.actions.enterMode(FRIEND_MODE, null, app.state().players);
  app.actions.setPremove(null);
}

/**
 * Requests the results of unknown moves and shows the game.
 *
 * @param {SessionData} session
 */
export async function syncWithSnapshot(session) {
  const { snapshot } = session.store.get();
  if (!snapshot) {
    return;
  }
  if (!session.line || !isLineOf(session.line, snapshot)) {
    session.requests.abort();
    session.requests = new AbortController();
    const { signal } = session.requests;
    const { rules, start, plies: moves } = snapshot;
    try {
      session.line = await session.app.engine.request(
        "play",
        { rules, position: start, moves },
        signal,
      );
    } catch (error) {
      if (!isAbort(error)) {
        session.app.actions.showError(error, () => void syncWithSnapshot(session));
      }
      return;
    }
  }
  if (session.isOnBoard) {
    updateBoard(session);
  } else {
    session.isOnBoard = true;
    showOnBoard(session);
  }
}

/** Shows the game on the board in place of another game. @param {SessionData} session */
export function showOnBoard({ app, store, line }) {
  const { snapshot } = store.get();
  if (snapshot && line) {
    const players = startingPlayers(snapshot, { isSwapped: isSwapped(line.plies) });
    app.actions.enterMode(FRIEND_MODE, treeOf(line, snapshot), players);
  }
}

/** Updates the board if it shows the game. @param {SessionData} session */
export function updateBoard(session) {
  const { app, store, line } = session;
  const { snapshot } = store.get();
  if (app.state().mode !== FRIEND_MODE || !app.state().tree || !line || !snapshot) {
    return;
  }
  updateMoves(session, line, snapshot);
  const players = startingPlayers(snapshot, { isSwapped: isSwapped(line.plies) });
  if (JSON.stringify(players) !== JSON.stringify(app.state().players)) {
    app.actions.setPlayers(players);
  }
  const { ending } = snapshot;
  const { tree } = app.state();
  if (ending && tree && tree.termination !== endTree(tree, snapshot, ending).termination) {
    app.actions.editTree((now) => endTree(now, snapshot, ending));
  }
}

/**
 * Makes the last move on the board, or shows the whole game if more has changed.
 *
 * @param {SessionData} session
 * @param {Line} line
 * @param {GameSnapshot} snapshot
 */
function updateMoves(session, line, snapshot) {
  const { app } = session;
  const { tree } = app.state();
  const whole = treeOf(line, snapshot);
  const last = line.plies.at(-1);
  if (!tree) {
    return;
  }
  const boardMoves = movesTo(tree, path(tree));
  const isSameStart = tree.start === whole.start;
  if (last && isSameStart && isSameLine(boardMoves, movesTo(undo(whole)))) {
    app.actions.applyMove(last);
  } else if (!isSameStart || !isSameLine(boardMoves, movesTo(whole, whole.line))) {
    showOnBoard(session);
  }
}
