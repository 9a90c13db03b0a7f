/** The animation of a move: its steps, and the seeds that fly during each step. */

import { SIDES } from "../game/players.js";
import { drawSeed, seedPlacement, svgElement } from "./drawing.js";
import { houseLetter, parseHouse } from "./labels.js";

/** @import { Layout, Point } from "./layout.js" */
/** @import { MoveResult, Pit, Position } from "../types/api.d.ts" */
/** @import { Settings } from "../types/app.d.ts" */

/**
 * The most seeds that are drawn in the hand or in a moving heap; more seeds would cover the board.
 */
const MAX_CARRIED_SEEDS = 14;

/** The height of a seed's arc, in pitches. */
const HOP_HEIGHT = 0.32;

/**
 * @typedef {object} RunningAnimation
 * @property {number} id
 * @property {() => void} stop removes the flying seeds and does not call `onEnd`
 */

/**
 * Runs the steps of an animation.
 *
 * @param {object} options
 * @param {number} options.id
 * @param {Step[]} options.steps
 * @param {string} options.from the house whose seeds are sown
 * @param {Element} options.layer the parent of the flying seeds
 * @param {() => Layout} options.layout
 * @param {(pit: Pit) => Point} options.centreOf
 * @param {(step: Step) => void} options.onStepStart called when a step begins
 * @param {(counts: Counts, step: Step) => void} options.onStepEnd called when a step has ended
 * @param {() => void} options.onEnd called after the last step
 * @returns {RunningAnimation}
 */
export function runAnimation({
  id,
  steps,
  from,
  layer,
  layout,
  centreOf: centre,
  onStepStart,
  onStepEnd,
  onEnd,
}) {
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
      onStepEnd(step.counts, step);
      start();
    }
    const step = steps[index];
    if (!step) {
      stop();
      onEnd();
      return;
    }
    show(step, Math.min(1, Math.max(0, (now - startedAt) / step.ms)));
    frame = requestAnimationFrame(tick);
  }

  function start() {
    const step = steps[index];
    if (step) {
      onStepStart(step);
    }
  }

  /** Returns the number of seeds in the hand during the current step. */
  function seedsInHand() {
    return steps.slice(index).filter((step) => step.kind === "drop").length;
  }

  /** @param {Step} step @param {number} progress */
  function show(step, progress) {
    const { pitch, seed: size } = layout();
    const eased = progress * progress * (3 - 2 * progress);
    /** @type {{ at: Point, seeds: number }[]} */
    const heaps = [];
    if (step.kind === "lift") {
      const { x, y } = centre(from);
      heaps.push({ at: { x, y: y - eased * HOP_HEIGHT * pitch }, seeds: seedsInHand() });
    } else if (step.kind === "drop") {
      const flight = /** @type {Step["flights"][number]} */ (step.flights[0]);
      heaps.push({
        at: arcPoint(centre(flight.from), centre(flight.to), eased, progress, HOP_HEIGHT * pitch),
        seeds: seedsInHand(),
      });
    } else {
      for (const flight of step.flights) {
        const at = arcPoint(
          centre(flight.from),
          centre(flight.to),
          eased,
          progress,
          HOP_HEIGHT * pitch,
        );
        heaps.push({ at, seeds: flight.seeds });
      }
    }
    layer.replaceChildren(...heaps.map(({ at, seeds }) => drawHeap(at, seeds, pitch, size)));
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
 * Returns a point on the arc from one pit to the next. The arc starts and ends at the height of the
 * hand.
 *
 * @param {Point} from
 * @param {Point} to
 * @param {number} eased
 * @param {number} part
 * @param {number} hop
 * @returns {Point}
 */
function arcPoint(from, to, eased, part, hop) {
  const lift = hop * (1 + 0.6 * Math.sin(Math.PI * part));
  return { x: from.x + (to.x - from.x) * eased, y: from.y + (to.y - from.y) * eased - lift };
}

/**
 * @param {Point} at
 * @param {number} seeds
 * @param {number} pitch
 * @param {number} size
 */
function drawHeap({ x, y }, seeds, pitch, size) {
  const box = { rx: pitch * 0.3, ry: pitch * 0.26 };
  const seedElements = Array.from({ length: Math.min(seeds, MAX_CARRIED_SEEDS) }, (_, index) =>
    drawSeed(seedPlacement("hand", index, box, size), size),
  );
  const shadow = svgElement("ellipse", {
    class: "shadow",
    cy: pitch * HOP_HEIGHT,
    rx: box.rx,
    ry: box.ry * 0.6,
  });
  return svgElement("g", { transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})` }, [
    shadow,
    ...seedElements,
  ]);
}

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
 * Returns the steps of the animation of a move.
 *
 * @param {Position} before
 * @param {MoveResult} moveResult
 * @param {Exclude<Settings["speed"], "off">} speed
 * @returns {Step[]} an empty list if nothing moves
 */
export function animationSteps(before, moveResult, speed) {
  const counts = countsOf(before);
  const drop = DROP_MS[speed];
  /** @type {Step[]} */
  const list = [];

  /** @param {Pit} pit @param {number} seeds */
  const add = (pit, seeds) => counts.set(pit, (counts.get(pit) ?? 0) + seeds);
  /** @param {Step["kind"]} kind @param {number} ms @param {Step["flights"]} flights */
  const push = (kind, ms, flights) => list.push({ kind, ms, flights, counts: new Map(counts) });

  if (moveResult.path.length > 0) {
    counts.set(moveResult.move, 0);
    push("lift", drop * STEP_DROPS.lift, []);
  }
  const pace = drop * Math.min(1, MAX_FULL_PACE_DROPS / moveResult.path.length);
  let hand = moveResult.move;
  for (const pit of moveResult.path) {
    add(pit, 1);
    push("drop", pace, [{ from: hand, to: pit, seeds: 1 }]);
    hand = pit;
  }
  if (moveResult.capture) {
    const { house, from, seeds } = moveResult.capture;
    const flights = [house, from].map((pit) => ({
      from: pit,
      to: moveResult.side,
      seeds: counts.get(pit) ?? 0,
    }));
    counts.set(house, 0);
    counts.set(from, 0);
    add(moveResult.side, seeds);
    push("rest", drop * STEP_DROPS.rest, []);
    push(
      "capture",
      drop * STEP_DROPS.capture,
      flights.filter((flight) => flight.seeds > 0),
    );
  }
  if (moveResult.swept) {
    const flights = [...counts]
      .map(([pit, seeds]) => ({ from: pit, to: parseHouse(pit)?.side ?? pit, seeds }))
      .filter(({ from, to, seeds }) => from !== to && seeds > 0);
    for (const { from } of flights) {
      counts.set(from, 0);
    }
    for (const side of SIDES) {
      add(side, moveResult.swept[side]);
    }
    if (flights.length > 0) {
      push("rest", drop * STEP_DROPS.rest, []);
      push("sweep", drop * STEP_DROPS.sweep, flights);
    }
  }
  // A rest shows the seeds as they are before the step that follows it.
  list.forEach((step, index) => {
    const earlier = list[index - 1];
    if (step.kind === "rest" && earlier) {
      step.counts = earlier.counts;
    }
  });
  return list;
}
