/** The animation of a move on the board: its steps with their sounds and messages. */

import { texts } from "../../texts/texts.js";
import { centreOf, drawMotion } from "../render.js";
import { beginStep, hideToast, showToast } from "../state.js";
import { runAnimation } from "./flights.js";
import { animationSteps, countsOf } from "./steps.js";

/** @import { Board } from "../board.js" */
/** @import { Step } from "./steps.js" */
/** @import { SowingAnimation, State } from "../../types/app.d.ts" */
/** @import { MoveResult } from "../../types/api.d.ts" */

/** The duration of a message about a move, in milliseconds. */
const TOAST_MS = 1400;

/**
 * Starts the animation of a move. Without an animation, the board shows the result of the move at
 * once.
 *
 * @param {Board} board
 * @param {SowingAnimation} animation
 * @param {State["settings"]} settings
 */
export function startAnimation(board, animation, { speed }) {
  const { before, moveResult } = animation;
  const isSkipped = speed === "off" || board.reducedMotion.matches || document.hidden;
  const steps = isSkipped ? [] : animationSteps(before, moveResult, speed);
  board.state.lastAnimationId = animation.id;
  stopAnimation(board);
  endToast(board);
  if (steps.length > 0) {
    playSteps(board, animation, steps);
  } else {
    showResult(board, moveResult);
    queueMicrotask(() => endAnimation(board, animation));
  }
}

/** @param {Board} board @param {SowingAnimation} animation @param {Step[]} steps */
function playSteps(board, animation, steps) {
  const { state, elements } = board;
  const { before, moveResult } = animation;
  state.counts = countsOf(before);
  drawMotion(elements, state);
  board.running = runAnimation({
    steps,
    from: moveResult.move,
    layer: elements.flightLayer,
    layout: () => state.layout,
    centreOf: (pit) => centreOf(elements, state, pit),
    onStepStart(step) {
      beginStep(state, step, moveResult);
      drawMotion(elements, state);
      announceStep(board, step, moveResult);
    },
    onStepEnd(counts, step) {
      state.counts = counts;
      drawMotion(elements, state);
      if (step.kind === "drop") {
        board.playSound("sow");
      }
    },
    onEnd: () => endAnimation(board, animation),
  });
}

/**
 * Plays the sound of a step and shows its message.
 *
 * @param {Board} board
 * @param {Step} step
 * @param {MoveResult} moveResult
 */
function announceStep(board, { kind }, { capture }) {
  if (kind === "capture") {
    board.playSound("capture");
    beginToast(board, texts.board.captureShort(capture?.seeds ?? 0));
  }
  if (kind === "sweep") {
    beginToast(board, texts.board.sweptShort);
  }
}

/**
 * Shows the result of a move without an animation.
 *
 * @param {Board} board
 * @param {MoveResult} moveResult
 */
function showResult(board, { after, capture }) {
  const { state, elements } = board;
  state.counts = countsOf(after);
  state.ringed = capture ? [capture.house, capture.from] : [];
  drawMotion(elements, state);
  board.playSound(capture ? "capture" : "sow");
  if (capture) {
    beginToast(board, texts.board.captureShort(capture.seeds));
  }
}

/** @param {Board} board @param {SowingAnimation} animation */
function endAnimation(board, { id, moveResult }) {
  board.running = null;
  if (moveResult.effect === "bonus-turn" && !moveResult.after.is_over) {
    board.playSound("bonus");
    beginToast(board, texts.board.bonusTurnShort);
  }
  board.app.actions.animationEnded(id);
}

/** Stops the running animation where it is. @param {Board} board */
export function stopAnimation(board) {
  board.running?.stop();
  board.running = null;
}

/** Shows the end of the running animation. @param {Board} board */
export function finishAnimation(board) {
  const { animation } = board.app.state();
  stopAnimation(board);
  if (animation) {
    board.app.actions.animationEnded(animation.id);
  }
}

/** Shows a message about a move for a moment. @param {Board} board @param {string} text */
function beginToast(board, text) {
  const { timers, state, elements } = board;
  clearTimeout(timers.toast);
  showToast(state, text);
  drawMotion(elements, state);
  timers.toast = window.setTimeout(() => endToast(board), TOAST_MS);
}

/** @param {Board} board */
function endToast({ timers, state, elements }) {
  clearTimeout(timers.toast);
  hideToast(state);
  drawMotion(elements, state);
}
