/** The events of the board: they become requests for moves and previews, or draw it again. */

import { refusalText } from "../game/descriptions.js";
import { position } from "../game/tree.js";
import { finishAnimation } from "./animation/playback.js";
import { drawScrolling, drawTabStop } from "./render.js";

/** @import { Board } from "./board.js" */
/** @import { Pit } from "../types/api.d.ts" */

/** The time after which the page shows the result of the move that a person points at. */
const PREVIEW_DELAY_MS = 90;

/**
 * Listens to the board and its window.
 *
 * @param {Board} board
 * @param {() => void} fit draws the board for another size of its space
 */
export function listenToBoard(board, fit) {
  const { scroller } = board.elements;
  listenToHouses(board);
  new ResizeObserver(fit).observe(scroller);
  let windowHeight = window.innerHeight;
  window.addEventListener("resize", () => {
    if (window.innerHeight !== windowHeight) {
      windowHeight = window.innerHeight;
      fit();
    }
  });
  scroller.addEventListener("scroll", () => drawScrolling(board.elements, board.state), {
    passive: true,
  });
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) {
      finishAnimation(board);
    }
  });
}

/** @param {Board} board */
function listenToHouses(board) {
  const { state, elements } = board;
  listenToPits(board, "click", (pit) => requestMove(board, pit));
  listenToPits(board, "focus", (pit) => {
    state.tabStop = pit;
    drawTabStop(elements, state);
    pointAt(board, pit);
  });
  listenToPits(board, "blur", () => pointAt(board, null));
  listenToPits(board, "pointerenter", (pit, { pointerType }) => {
    if (pointerType === "mouse") {
      pointAt(board, pit);
    }
  });
  listenToPits(board, "pointerleave", () => pointAt(board, null));
}

/**
 * Listens to an event on the buttons of all pits, which the board creates again for each layout.
 *
 * @template {keyof HTMLElementEventMap} K
 * @param {Board} board
 * @param {K} type
 * @param {(pit: Pit, event: HTMLElementEventMap[K]) => void} act
 */
function listenToPits({ elements }, type, act) {
  // Some of these events do not bubble, so the listener is called on the way down.
  const options = { capture: true };
  elements.rows.addEventListener(
    type,
    (event) => {
      const { target } = event;
      const button = target instanceof HTMLElement ? target.closest("button") : null;
      // A pointer also enters and leaves the elements in a button.
      if (button?.dataset.pit && (type === "click" || target === button)) {
        act(button.dataset.pit, event);
      }
    },
    options,
  );
}

/**
 * Requests a preview of a move after a moment, or of no move.
 *
 * @param {Board} board
 * @param {Pit | null} pit
 */
export function pointAt(board, pit) {
  const { app, timers } = board;
  clearTimeout(timers.preview);
  board.state.pointed = pit;
  const { tree, animation, preview } = app.state();
  const isPlayable =
    pit !== null &&
    tree !== null &&
    !animation &&
    board.canMove(app.state()) &&
    position(tree).legal_moves.includes(pit);
  if (isPlayable && preview?.moveResult.move !== pit) {
    timers.preview = window.setTimeout(() => app.actions.preview(pit), PREVIEW_DELAY_MS);
  } else if (!isPlayable) {
    app.actions.preview(null);
  }
}

/**
 * Requests a move, or tells why it is not possible.
 *
 * @param {Board} board
 * @param {Pit} pit
 */
export function requestMove(board, pit) {
  const { app, timers } = board;
  const state = app.state();
  if (!state.tree || state.editor) {
    return;
  }
  clearTimeout(timers.preview);
  const canMove = board.canMove(state);
  if (!canMove && board.canPremove(pit, state)) {
    board.premove(pit);
    return;
  }
  const refusal = refusalText(state, state.tree, pit, { canMove });
  if (refusal !== null) {
    app.actions.notify(refusal);
  } else {
    // A person who makes the next move ends the animation of the previous one.
    finishAnimation(board);
    app.actions.requestMove(pit);
  }
}
