/** Seeds under way: runs the steps of a sowing against the clock of the screen. */

import { SIDES } from "../game/players.js";
import { draw, place, seed } from "./drawing.js";
import { houseOf, letter } from "./labels.js";

/** @import { Layout, PitBox, Point } from "./layout.js" */
/** @import { Pit, Position, Sown } from "../types/api.d.ts" */
/** @import { Settings } from "../types/app.d.ts" */

/** Seeds drawn in the hand, or in a heap that flies: more would hide the board. */
const MOST_CARRIED = 14;

/** How high a seed hops, in pitches. */
const HOP = 0.32;

/**
 * @typedef {object} Run a motion under way
 * @property {number} id
 * @property {() => void} stop leaves everything as it is, and `done` uncalled
 */

/**
 * Runs steps.
 *
 * @param {object} given
 * @param {number} given.id
 * @param {Step[]} given.steps
 * @param {string} given.from the house that is sown
 * @param {Element} given.layer where what flies is drawn
 * @param {() => Layout} given.layout
 * @param {(step: Step) => void} given.began called when a step begins
 * @param {(counts: Counts, step: Step) => void} given.landed called when a step is done
 * @param {() => void} given.done called at the end
 * @returns {Run}
 */
export function run({ id, steps, from, layer, layout, began, landed, done }) {
  let frame = 0;
  let index = -1;
  let startedAt = 0;
  let stopped = false;

  /** @param {number} now */
  function tick(now) {
    if (stopped) {
      return;
    }
    if (index < 0) {
      startedAt = now;
      index = 0;
      start();
    }
    for (let step = steps[index]; step && now - startedAt >= step.ms; step = steps[index]) {
      startedAt += step.ms;
      index += 1;
      landed(step.counts, step);
      start();
    }
    const step = steps[index];
    if (!step) {
      stop();
      done();
      return;
    }
    show(step, Math.min(1, Math.max(0, (now - startedAt) / step.ms)));
    frame = requestAnimationFrame(tick);
  }

  function start() {
    const step = steps[index];
    if (step) {
      began(step);
    }
  }

  /** Seeds still in the hand while a step runs. */
  function inHand() {
    return steps.slice(index).filter((step) => step.kind === "drop").length;
  }

  /** @param {Step} step @param {number} part */
  function show(step, part) {
    const { pits, pitch, seed: size } = layout();
    const centre = (/** @type {string} */ pit) => /** @type {PitBox} */ (pits.get(pit)).centre;
    const eased = part * part * (3 - 2 * part);
    /** @type {{ at: Point, seeds: number }[]} */
    const heaps = [];
    if (step.kind === "lift") {
      const { x, y } = centre(from);
      heaps.push({ at: { x, y: y - eased * HOP * pitch }, seeds: inHand() });
    } else if (step.kind === "drop") {
      const flight = /** @type {Step["flights"][number]} */ (step.flights[0]);
      heaps.push({ at: between(centre(flight.from), centre(flight.to), eased, part, HOP * pitch), seeds: inHand() });
    } else {
      for (const flight of step.flights) {
        const at = between(centre(flight.from), centre(flight.to), eased, part, HOP * pitch);
        heaps.push({ at, seeds: flight.seeds });
      }
    }
    layer.replaceChildren(...heaps.map(({ at, seeds }) => heap(at, seeds, pitch, size)));
  }

  function stop() {
    stopped = true;
    cancelAnimationFrame(frame);
    layer.replaceChildren();
  }

  frame = requestAnimationFrame(tick);
  return { id, stop };
}

/**
 * A point on the arc from one pit to the next: it starts and ends as high as a hand holds seeds.
 *
 * @param {Point} from
 * @param {Point} to
 * @param {number} eased
 * @param {number} part
 * @param {number} hop
 * @returns {Point}
 */
function between(from, to, eased, part, hop) {
  const lift = hop * (1 + 0.6 * Math.sin(Math.PI * part));
  return { x: from.x + (to.x - from.x) * eased, y: from.y + (to.y - from.y) * eased - lift };
}

/**
 * @param {Point} at
 * @param {number} seeds
 * @param {number} pitch
 * @param {number} size
 */
function heap({ x, y }, seeds, pitch, size) {
  const box = { rx: pitch * 0.3, ry: pitch * 0.26 };
  const drawn = Array.from({ length: Math.min(seeds, MOST_CARRIED) }, (_, index) =>
    seed(place("hand", index, box, size), size),
  );
  const shadow = draw("ellipse", { class: "cast", cy: pitch * HOP, rx: box.rx, ry: box.ry * 0.6 });
  return draw("g", { transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})` }, [shadow, ...drawn]);
}

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
export function animationSteps(before, sown, speed) {
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
