/** A sowing as it is shown: one step after another, each with what lies in the pits when it is done. */

import { houseOf, letter } from "./labels.js";
import { SIDES } from "../game/players.js";

/** @import { Pit, Position, Sown } from "../types/api.d.ts" */
/** @import { Settings } from "../types/app.d.ts" */

/** @typedef {Map<Pit, number>} Counts seeds in each pit */

/**
 * @typedef {object} Step
 * @property {"lift" | "drop" | "capture" | "sweep" | "rest"} kind
 * @property {number} ms how long it takes
 * @property {{ from: Pit, to: Pit, seeds: number }[]} flights seeds that move in it
 * @property {Counts} counts once it is done
 */

/** Milliseconds from pit to pit; a long sowing hurries, so that none takes much longer than `MOST_DROPS` of these. */
const DROP_MS = { slow: 480, normal: 250, fast: 95 };

/** Drops that are shown at the usual pace. */
const MOST_DROPS = 12;

/** What the other steps take, in drops. */
const PACE = { lift: 0.9, capture: 3, sweep: 4, rest: 1.2 };

/**
 * Seeds in each pit of a position.
 *
 * @param {Position} position
 * @returns {Counts}
 */
export function countsOf({ rows, stores }) {
  /** @type {Counts} */
  const counts = new Map();
  for (const side of SIDES) {
    rows[side].forEach((seeds, index) => counts.set(letter(side, index + 1), seeds));
    counts.set(side, stores[side]);
  }
  return counts;
}

/**
 * The steps from a position to what a ply made of it.
 *
 * @param {Position} before
 * @param {Sown} sown
 * @param {Exclude<Settings["speed"], "off">} speed
 * @returns {Step[]} none where nothing moves
 */
export function steps(before, sown, speed) {
  const counts = countsOf(before);
  const drop = DROP_MS[speed];
  /** @type {Step[]} */
  const list = [];

  /** @param {Pit} pit @param {number} seeds */
  const add = (pit, seeds) => counts.set(pit, (counts.get(pit) ?? 0) + seeds);
  /** @param {Step["kind"]} kind @param {number} ms @param {Step["flights"]} flights */
  const push = (kind, ms, flights) => list.push({ kind, ms, flights, counts: new Map(counts) });

  if (sown.path.length > 0) {
    counts.set(sown.choice, 0);
    push("lift", drop * PACE.lift, []);
  }
  const pace = drop * Math.min(1, MOST_DROPS / sown.path.length);
  let hand = sown.choice;
  for (const pit of sown.path) {
    add(pit, 1);
    push("drop", pace, [{ from: hand, to: pit, seeds: 1 }]);
    hand = pit;
  }
  if (sown.capture) {
    const { house, from, seeds } = sown.capture;
    const flights = [house, from].map((pit) => ({ from: pit, to: sown.side, seeds: counts.get(pit) ?? 0 }));
    counts.set(house, 0);
    counts.set(from, 0);
    add(sown.side, seeds);
    push("rest", drop * PACE.rest, []);
    push("capture", drop * PACE.capture, flights.filter((flight) => flight.seeds > 0));
  }
  if (sown.swept) {
    const flights = [...counts]
      .map(([pit, seeds]) => ({ from: pit, to: houseOf(pit)?.side ?? pit, seeds }))
      .filter(({ from, to, seeds }) => from !== to && seeds > 0);
    for (const { from } of flights) {
      counts.set(from, 0);
    }
    for (const side of SIDES) {
      add(side, sown.swept[side]);
    }
    if (flights.length > 0) {
      push("rest", drop * PACE.rest, []);
      push("sweep", drop * PACE.sweep, flights);
    }
  }
  // A rest shows what was there before the step that follows it.
  list.forEach((step, index) => {
    const earlier = list[index - 1];
    if (step.kind === "rest" && earlier) {
      step.counts = earlier.counts;
    }
  });
  return list;
}
