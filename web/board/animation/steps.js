/** The steps of the animation of a move. */

import { SIDES } from "../../game/players.js";
import { houseLetter, parseHouse } from "../labels.js";

/** @import { MoveResult, Pit, Position, Side } from "../../types/api.d.ts" */
/** @import { Settings } from "../../types/app.d.ts" */

/** @typedef {Map<Pit, number>} Counts the number of seeds in each pit */

/**
 * @typedef {object} Step
 * @property {"lift" | "drop" | "capture" | "sweep" | "rest"} kind
 * @property {number} ms the duration
 * @property {{ from: Pit, to: Pit, seeds: number }[]} flights the seeds that move during the step
 * @property {Counts} counts the seeds in each pit after the step
 */

/**
 * The time from pit to pit, in milliseconds. A sowing of more than `MAX_FULL_PACE_DROPS` seeds
 * takes as long as one of `MAX_FULL_PACE_DROPS` seeds.
 */
const DROP_MS = { slow: 480, normal: 250, fast: 95 };

/** The most drops that are shown at the full time. */
const MAX_FULL_PACE_DROPS = 12;

/** The duration of the other steps, in drops. */
const STEP_DROPS = { lift: 0.9, capture: 3, sweep: 4, rest: 1.2 };

/**
 * Returns the number of seeds in each pit of a position.
 *
 * @param {Position} position
 * @returns {Counts}
 */
export function countsOf({ rows, stores }) {
  /** @type {Counts} */
  const counts = new Map();
  for (const side of SIDES) {
    rows[side].forEach((seeds, index) => counts.set(houseLetter(side, index + 1), seeds));
    counts.set(side, stores[side]);
  }
  return counts;
}

/**
 * The steps so far, and the seeds in each pit after them.
 *
 * @typedef {{ counts: Counts, steps: Step[], dropMs: number }} Sequence
 */

/** @param {Sequence} sequence @param {Pit} pit @param {number} seeds */
function addSeeds({ counts }, pit, seeds) {
  counts.set(pit, (counts.get(pit) ?? 0) + seeds);
}

/**
 * Adds a step that ends with the current counts.
 *
 * @param {Sequence} sequence
 * @param {Step["kind"]} kind
 * @param {number} drops the duration, in drops
 * @param {Step["flights"]} flights
 */
function addStep({ steps, counts, dropMs }, kind, drops, flights) {
  steps.push({ kind, ms: dropMs * drops, flights, counts: new Map(counts) });
}

/** @param {Sequence} sequence @param {MoveResult} moveResult */
function addSowing(sequence, { move, path }) {
  if (path.length > 0) {
    sequence.counts.set(move, 0);
    addStep(sequence, "lift", STEP_DROPS.lift, []);
  }
  const pace = Math.min(1, MAX_FULL_PACE_DROPS / path.length);
  let hand = move;
  for (const pit of path) {
    addSeeds(sequence, pit, 1);
    addStep(sequence, "drop", pace, [{ from: hand, to: pit, seeds: 1 }]);
    hand = pit;
  }
}

/**
 * @param {Sequence} sequence
 * @param {Side} side
 * @param {NonNullable<MoveResult["capture"]>} capture
 */
function addCapture(sequence, side, { house, from, seeds }) {
  const { counts } = sequence;
  const flights = [house, from]
    .map((pit) => ({ from: pit, to: side, seeds: counts.get(pit) ?? 0 }))
    .filter((flight) => flight.seeds > 0);
  // A rest shows the seeds as they are before the step that follows it.
  addStep(sequence, "rest", STEP_DROPS.rest, []);
  counts.set(house, 0);
  counts.set(from, 0);
  addSeeds(sequence, side, seeds);
  addStep(sequence, "capture", STEP_DROPS.capture, flights);
}

/** @param {Sequence} sequence @param {NonNullable<MoveResult["swept"]>} swept */
function addSweep(sequence, swept) {
  const { counts } = sequence;
  const flights = [...counts]
    .map(([pit, seeds]) => ({ from: pit, to: parseHouse(pit)?.side ?? pit, seeds }))
    .filter(({ from, to, seeds }) => from !== to && seeds > 0);
  if (flights.length === 0) {
    return;
  }
  addStep(sequence, "rest", STEP_DROPS.rest, []);
  for (const { from } of flights) {
    counts.set(from, 0);
  }
  for (const side of SIDES) {
    addSeeds(sequence, side, swept[side]);
  }
  addStep(sequence, "sweep", STEP_DROPS.sweep, flights);
}

/**
 * Returns the steps of the animation of a move.
 *
 * @param {Position} before
 * @param {MoveResult} moveResult
 * @param {Exclude<Settings["speed"], "off">} speed
 * @returns {Step[]} an empty list if nothing moves
 */
export function animationSteps(before, moveResult, speed) {
  /** @type {Sequence} */
  const sequence = { counts: countsOf(before), steps: [], dropMs: DROP_MS[speed] };
  addSowing(sequence, moveResult);
  if (moveResult.capture) {
    addCapture(sequence, moveResult.side, moveResult.capture);
  }
  if (moveResult.swept) {
    addSweep(sequence, moveResult.swept);
  }
  return sequence.steps;
}
