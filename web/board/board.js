/**
 * The board: the drawing, and over it the buttons of the houses for mouse, touch, keys and screen
 * readers. `state.js` has its state, `render.js` draws it, and `events.js` listens.
 */

import { bottomSide } from "../game/players.js";
import { finishAnimation, startAnimation, stopAnimation } from "./animation/playback.js";
import { countsOf } from "./animation/steps.js";
import { listenForEdits, shownPosition } from "./editing.js";
import { listenToBoard, pointAt, requestMove } from "./events.js";
import { boardLayout } from "./layout.js";
import { totalSeeds } from "./position-draft.js";
import { createElements, drawBoard, drawButtons, drawMotion } from "./render.js";
import { initialBoardState, keepTabStop } from "./state.js";

/** @import { RunningAnimation } from "./animation/flights.js" */
/** @import { BoardElements } from "./render.js" */
/** @import { BoardState } from "./state.js" */
/** @import { Sound } from "./sounds.js" */
/** @import { Pit, Position } from "../types/api.d.ts" */
/** @import { App, State } from "../types/app.d.ts" */

/**
 * @typedef {object} Board
 * @property {App} app
 * @property {(state: State) => boolean} canMove whether a person may move now
 * @property {(pit: Pit, state: State) => boolean} canPremove whether a person may choose a house ahead
 * @property {(pit: Pit) => void} premove chooses a house ahead
 * @property {(sound: Sound) => void} playSound
 * @property {BoardState} state
 * @property {BoardElements} elements
 * @property {RunningAnimation | null} running the running animation
 * @property {{ toast: number, preview: number }} timers of the message and the preview
 * @property {MediaQueryList} reducedMotion
 */

/** The height that the bar below a board that scrolls needs, with its distance, in pixels. */
const SCROLLBAR_PX = 26;

/**
 * Creates the board.
 *
 * @param {HTMLElement} element
 * @param {App} app
 * @param {Pick<Board, "canMove" | "canPremove" | "premove" | "playSound">} callbacks
 */
export function createBoard(element, app, callbacks) {
  /** @type {Board} */
  const board = {
    app,
    ...callbacks,
    state: initialBoardState(),
    elements: createElements(element),
    running: null,
    timers: { toast: 0, preview: 0 },
    reducedMotion: matchMedia("(prefers-reduced-motion: reduce)"),
  };
  listenForEdits(element, app);
  listenToBoard(board, () => fit(board));
  return {
    /** @param {State} state @param {State} previous */
    render: (state, previous) => render(board, state, previous),
    /** @param {Pit} pit */
    requestMove: (pit) => requestMove(board, pit),
    finishAnimation: () => finishAnimation(board),
    /** Moves the keyboard focus to a house. @param {Pit} pit */
    focus: (pit) => board.elements.pits.get(pit)?.button?.focus(),
    /** Returns the side whose row is at the bottom. */
    bottom: () => board.state.layout.bottom,
    /** Returns the house with the tab stop. */
    tabStop: () => board.state.tabStop,
  };
}

/**
 * Returns a position with what a person may do in it.
 *
 * @param {Board} board
 * @param {State} state
 * @param {Position} at
 */
const shownOn = (board, state, at) => ({
  state,
  at,
  canMove: board.canMove(state),
  canPremove: (/** @type {Pit} */ pit) => board.canPremove(pit, state),
});

/** Returns the side whose row is at the bottom. @param {State} state */
const shownBottom = (state) => (state.tree ? bottomSide(state, state.tree) : "south");

/**
 * Fits the board into the window and draws it.
 *
 * @param {Board} board
 * @param {State} state
 * @param {Position} at
 */
function rebuild(board, state, at) {
  const { scroller } = board.elements;
  // The styles give the board its height, before it is drawn.
  const height = Number.parseFloat(getComputedStyle(scroller).minHeight);
  const bottom = shownBottom(state);
  const seeds = totalSeeds(at);
  const layout = (/** @type {number} */ most) =>
    boardLayout(at.houses, scroller.clientWidth, most, bottom, seeds);
  const fitted = layout(height);
  board.state.layout = fitted.scrolls ? layout(height - SCROLLBAR_PX) : fitted;
  keepTabStop(board.state, at, { hasStoreButtons: state.editor !== null });
  drawBoard(board.elements, board.state, state, at);
}

/** Draws the board for another size of its space. @param {Board} board */
function fit(board) {
  const state = board.app.state();
  if (state.tree) {
    const at = shownPosition(state, state.tree);
    rebuild(board, state, at);
    drawButtons(board.elements, board.state, shownOn(board, state, at));
  }
}

/**
 * Returns whether the elements of the pits are not those of a position.
 *
 * @param {Board} board
 * @param {State} state
 * @param {State} previous
 * @param {Position} at
 */
function mustRebuild({ elements, state: { layout } }, state, previous, at) {
  const pitCount = 2 * (at.houses + 1);
  return (
    elements.pits.size !== pitCount ||
    shownBottom(state) !== layout.bottom ||
    state.settings.labels !== previous.settings.labels ||
    (state.editor === null) !== (previous.editor === null)
  );
}

/**
 * Shows the seeds of a position, and starts or stops the animation of a move.
 *
 * @param {Board} board
 * @param {State} state
 * @param {State} previous
 * @param {Position} at
 */
function showSeeds(board, state, previous, at) {
  const { animation, editor } = state;
  if (!editor && animation) {
    if (animation.id !== board.state.lastAnimationId) {
      startAnimation(board, animation, state.settings);
    }
    return;
  }
  if (editor) {
    board.state.lastAnimationId = animation?.id ?? board.state.lastAnimationId;
    finishAnimation(board);
  } else {
    stopAnimation(board);
  }
  board.state.counts = countsOf(at);
  if (editor || state.tree !== previous.tree) {
    board.state.ringed = [];
  }
  drawMotion(board.elements, board.state);
}

/** @param {Board} board @param {State} state @param {State} previous */
function render(board, state, previous) {
  const { elements } = board;
  elements.board.classList.toggle("loading", !state.tree);
  if (!state.tree) {
    return;
  }
  const at = shownPosition(state, state.tree);
  if (mustRebuild(board, state, previous, at)) {
    rebuild(board, state, at);
  }
  showSeeds(board, state, previous, at);
  drawButtons(elements, board.state, shownOn(board, state, at));
  const { pointed } = board.state;
  if (pointed && !state.animation && (previous.animation || state.tree !== previous.tree)) {
    pointAt(board, pointed);
  }
}
