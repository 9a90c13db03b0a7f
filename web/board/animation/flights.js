/** The frames of an animation: the seeds that fly during each step. */

import { drawSeed, seedPlacement, svgElement } from "../drawing.js";

/** @import { Counts, Step } from "./steps.js" */
/** @import { Layout, Point } from "../layout.js" */
/** @import { Pit } from "../../types/api.d.ts" */

/**
 * The most seeds that are drawn in the hand or in a moving heap; more seeds would cover the board.
 */
const MAX_CARRIED_SEEDS = 14;

/** The height of the hand above the pits, in pitches. */
const HAND_HEIGHT = 0.32;

/** The additional height of an arc at its middle, in heights of the hand. */
const ARC_HEIGHT = 0.6;

/** Half the width and half the height of a moving heap, in pitches. */
const HEAP_RADIUS = { x: 0.3, y: 0.26 };

/** The ratio of the height of a heap's shadow to that of the heap. */
const SHADOW_FLATNESS = 0.6;

/**
 * An animation to run.
 *
 * @typedef {object} Animation
 * @property {Step[]} steps
 * @property {Pit} from the house whose seeds are sown
 * @property {Element} layer the parent of the flying seeds
 * @property {() => Layout} layout
 * @property {(pit: Pit) => Point} centreOf
 * @property {(step: Step) => void} onStepStart called when a step begins
 * @property {(counts: Counts, step: Step) => void} onStepEnd called when a step has ended
 * @property {() => void} onEnd called after the last step
 */

/**
 * The progress of an animation.
 *
 * @typedef {object} Progress
 * @property {number} frame the id of the next frame
 * @property {number} index the index of the current step, -1 before the first frame
 * @property {number} startedAt the time of the start of the step
 * @property {boolean} isStopped
 */

/**
 * @typedef {object} RunningAnimation
 * @property {() => void} stop removes the flying seeds and does not call `onEnd`
 */

/** A heap of seeds in the air. @typedef {{ at: Point, seeds: number }} Heap */

/**
 * Runs the steps of an animation.
 *
 * @param {Animation} animation
 * @returns {RunningAnimation}
 */
export function runAnimation(animation) {
  /** @type {Progress} */
  const progress = { frame: 0, index: -1, startedAt: 0, isStopped: false };
  requestFrame(animation, progress);
  return { stop: () => stop(animation, progress) };
}

/** @param {Animation} animation @param {Progress} progress */
function requestFrame(animation, progress) {
  progress.frame = requestAnimationFrame((now) => {
    if (!progress.isStopped) {
      tick(animation, progress, now);
    }
  });
}

/**
 * Ends the steps whose time is over, and draws the current one.
 *
 * @param {Animation} animation
 * @param {Progress} progress
 * @param {number} now
 */
function tick(animation, progress, now) {
  const { steps, onStepEnd, onEnd } = animation;
  if (progress.index < 0) {
    progress.startedAt = now;
    progress.index = 0;
    beginStep(animation, progress);
  }
  for (
    let step = steps[progress.index];
    step && now - progress.startedAt >= step.ms;
    step = steps[progress.index]
  ) {
    progress.startedAt += step.ms;
    progress.index += 1;
    onStepEnd(step.counts, step);
    beginStep(animation, progress);
  }
  const step = steps[progress.index];
  if (!step) {
    stop(animation, progress);
    onEnd();
    return;
  }
  const part = Math.min(1, Math.max(0, (now - progress.startedAt) / step.ms));
  drawHeaps(animation, heapsOf(animation, progress.index, part));
  requestFrame(animation, progress);
}

/** @param {Animation} animation @param {Progress} progress */
function beginStep({ steps, onStepStart }, { index }) {
  const step = steps[index];
  if (step) {
    onStepStart(step);
  }
}

/** @param {Animation} animation @param {Progress} progress */
function stop({ layer }, progress) {
  progress.isStopped = true;
  cancelAnimationFrame(progress.frame);
  layer.replaceChildren();
}

/**
 * Returns the heaps in the air during a step.
 *
 * @param {Animation} animation
 * @param {number} index the index of the step
 * @param {number} part the part of the step that is over, from 0 to 1
 * @returns {Heap[]}
 */
function heapsOf({ steps, from, layout, centreOf }, index, part) {
  const step = /** @type {Step} */ (steps[index]);
  const handHeight = HAND_HEIGHT * layout().pitch;
  // A heap starts and stops gently: the cubic has no slope at 0 and 1.
  const eased = part * part * (3 - 2 * part);
  const seedsInHand = steps.slice(index).filter(({ kind }) => kind === "drop").length;
  if (step.kind === "lift") {
    const { x, y } = centreOf(from);
    return [{ at: { x, y: y - eased * handHeight }, seeds: seedsInHand }];
  }
  return step.flights.map((flight) => ({
    at: arcPoint(centreOf(flight.from), centreOf(flight.to), eased, part, handHeight),
    seeds: step.kind === "drop" ? seedsInHand : flight.seeds,
  }));
}

/**
 * Returns a point on the arc from one pit to the next. The arc starts and ends at the height of the
 * hand.
 *
 * @param {Point} from
 * @param {Point} to
 * @param {number} eased the part of the way
 * @param {number} part the part of the time
 * @param {number} handHeight in pixels
 * @returns {Point}
 */
function arcPoint(from, to, eased, part, handHeight) {
  const lift = handHeight * (1 + ARC_HEIGHT * Math.sin(Math.PI * part));
  return { x: from.x + (to.x - from.x) * eased, y: from.y + (to.y - from.y) * eased - lift };
}

/** @param {Animation} animation @param {Heap[]} heaps */
function drawHeaps({ layer, layout }, heaps) {
  const { pitch, seed } = layout();
  layer.replaceChildren(...heaps.map((heap) => drawHeap(heap, pitch, seed)));
}

/**
 * @param {Heap} heap
 * @param {number} pitch
 * @param {number} size half a seed's length
 */
function drawHeap({ at: { x, y }, seeds }, pitch, size) {
  const box = { rx: pitch * HEAP_RADIUS.x, ry: pitch * HEAP_RADIUS.y };
  const seedElements = Array.from({ length: Math.min(seeds, MAX_CARRIED_SEEDS) }, (_, index) =>
    drawSeed(seedPlacement("hand", index, box, size), size),
  );
  const shadow = svgElement("ellipse", {
    class: "shadow",
    cy: pitch * HAND_HEIGHT,
    rx: box.rx,
    ry: box.ry * SHADOW_FLATNESS,
  });
  return svgElement("g", { transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})` }, [
    shadow,
    ...seedElements,
  ]);
}
