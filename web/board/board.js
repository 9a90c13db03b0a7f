/** The board: the drawing, and over it the buttons that people sow with, by mouse, finger, keys or a screen reader. */

import { seeds } from "../game/descriptions.js";
import { sideName, SIDES } from "../game/players.js";
import { current, position } from "../game/tree.js";
import { animationSteps, countsOf, run } from "./animation.js";
import { CORNER, definitions, draw, fill, hollow, plank, plaque, word } from "./drawing.js";
import { houseName, letter, shortLabel } from "./labels.js";
import { layout } from "./layout.js";

/** @import { Counts, Run, Step } from "./animation.js" */
/** @import { Layout, PitBox } from "./layout.js" */
/** @import { Pit, Position, Side } from "../types/api.d.ts" */
/** @import { App, Marks, State } from "../types/app.d.ts" */

/** @typedef {{ text: SVGElement, seeds: Element, plate: SVGElement, button: HTMLButtonElement | null, store: HTMLElement | null }} Drawn */

/** The least height that a board keeps in a low window, in pixels. */
const LEAST_HEIGHT_PX = 250;

/** What stands above and below the board in a low window, in pixels. */
const BESIDE_PX = 200;

/** A board that may be no higher than this stands in a window so low that nothing else should. */
const LOW_PX = 300;

/** How long it is said over the board what a ply did, in milliseconds. */
const TOAST_MS = 1400;

/**
 * @param {HTMLElement} element where the board stands
 * @param {App} app
 * @param {(state: State) => boolean} mayChoose whether a person may make a choice now
 */
export function createBoard(element, app, mayChoose) {
  const svg = draw("svg", { class: "drawing", "aria-hidden": "true", focusable: "false" });
  const rows = document.createElement("div");
  const toast = document.createElement("p");
  toast.className = "toast";
  toast.setAttribute("aria-hidden", "true");
  element.append(svg, rows, toast);

  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  /** @type {Map<Pit, Drawn>} */
  const drawn = new Map();
  /** @type {SVGElement} */
  let flying = draw("g");
  /** @type {Layout} */
  let now = layout(1, 0);
  /** @type {Counts} */
  let shown = new Map();
  /** @type {Run | null} */
  let running = null;
  /** The motion that was shown last. */
  let lastMotion = 0;
  /** The house that holds the tab stop. @type {Pit} */
  let stop = "A";
  let toastTimer = 0;

  /** @param {string} text */
  function say(text) {
    clearTimeout(toastTimer);
    toast.textContent = text;
    toast.classList.add("shown");
    toastTimer = window.setTimeout(() => {
      toast.classList.remove("shown");
      flash([]);
    }, TOAST_MS);
  }

  /** @param {Counts} counts */
  function show(counts) {
    shown = counts;
    for (const [pit, parts] of drawn) {
      const count = counts.get(pit) ?? 0;
      fill(parts.seeds, pit, count, /** @type {PitBox} */ (now.pits.get(pit)), now.seed);
      parts.text.textContent = String(count);
      parts.plate.classList.toggle("empty", count === 0);
    }
  }

  /** Draws an empty board of the right size. @param {State} state @param {Position} at */
  function build(state, at) {
    const low = Math.max(LEAST_HEIGHT_PX, window.innerHeight - BESIDE_PX);
    const stage = /** @type {HTMLElement} */ (element.parentElement);
    now = layout(at.houses, stage.clientWidth, low);
    // A board with more houses than there is room for is moved sideways.
    stage.dataset.wide = String(now.width > stage.clientWidth + 1);
    element.style.width = `${now.width}px`;
    element.style.height = `${now.height}px`;
    element.style.borderRadius = `${now.pad * CORNER}px`;
    element.closest(".table")?.setAttribute("data-low", String(low < LOW_PX));
    document.documentElement.style.setProperty("--board-width", `${now.width}px`);
    svg.setAttribute("viewBox", `0 0 ${now.width} ${now.height}`);
    drawn.clear();
    flying = draw("g");
    const hollows = draw("g");
    const words = draw("g");
    const lists = SIDES.map((side) => rowOf(state, at, side, hollows, words));
    svg.replaceChildren(definitions(), plank(now), hollows, words, flying);
    const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.pit : undefined;
    rows.replaceChildren(...lists.reverse());
    element.dataset.size = now.pitch < 48 ? "small" : "large";
    show(shown);
    if (focused) {
      drawn.get(focused)?.button?.focus();
    }
  }

  /**
   * A side's row and store: their drawing, and the list of buttons.
   *
   * @param {State} state
   * @param {Position} at
   * @param {Side} side
   * @param {SVGElement} hollows
   * @param {SVGElement} words
   */
  function rowOf(state, at, side, hollows, words) {
    const list = document.createElement("ol");
    list.className = `row ${side}`;
    list.setAttribute("aria-label", `${sideName(side)}'s row`);
    for (let house = 1; house <= at.houses; house += 1) {
      const pit = letter(side, house);
      const item = document.createElement("li");
      const button = buttonOf(pit);
      item.append(button);
      list.append(item);
      drawPit(pit, hollows, words, { button });
      const { label } = /** @type {PitBox} */ (now.pits.get(pit));
      words.append(word(label, "letter", shortLabel(pit, at.houses, state.settings.labels)));
    }
    const store = document.createElement("li");
    store.className = "unseen";
    list.append(store);
    drawPit(side, hollows, words, { store });
    return list;
  }

  /**
   * @param {Pit} pit
   * @param {SVGElement} hollows
   * @param {SVGElement} words
   * @param {{ button?: HTMLButtonElement, store?: HTMLElement }} parts
   */
  function drawPit(pit, hollows, words, { button, store }) {
    const box = /** @type {PitBox} */ (now.pits.get(pit));
    const group = hollow(box);
    const small = now.pitch < 48;
    const high = store ? now.strip * 0.62 : now.strip * (small ? 0.46 : 0.5);
    const wide = Math.max(high, Math.min(store ? now.plaque : now.pitch * 0.94, high * (store ? 2 : 1.65)));
    const plate = plaque(box.count, wide, high);
    const text = word(box.count, store ? "count store" : "count", "");
    hollows.append(group);
    words.append(plate, text);
    drawn.set(pit, {
      text,
      plate,
      seeds: /** @type {Element} */ (group.querySelector(".seeds")),
      button: button ?? null,
      store: store ?? null,
    });
  }

  /** @param {Pit} pit */
  function buttonOf(pit) {
    const { centre, rx, ry } = /** @type {PitBox} */ (now.pits.get(pit));
    const button = document.createElement("button");
    button.type = "button";
    button.className = "house";
    button.dataset.pit = pit;
    button.style.left = `${centre.x - rx}px`;
    button.style.top = `${centre.y - ry}px`;
    button.style.width = `${2 * rx}px`;
    button.style.height = `${2 * ry}px`;
    button.style.borderRadius = `${Math.min(rx, ry)}px`;
    button.style.setProperty("--strip", `${now.strip}px`);
    button.style.setProperty("--beside", `${now.pitch / 2 - rx}px`);
    button.addEventListener("click", () => choose(pit));
    button.addEventListener("focus", () => {
      stop = pit;
      setStop();
    });
    return button;
  }

  /** @param {Pit} pit */
  function choose(pit) {
    const state = app.state();
    if (state.tree && mayChoose(state) && position(state.tree).choices.includes(pit)) {
      // Who goes on need not wait for what is being shown.
      finish();
      app.actions.choose(pit);
    }
  }

  /** Shows the end of what is under way. */
  function finish() {
    const { motion } = app.state();
    running?.stop();
    running = null;
    if (motion) {
      app.actions.motionEnded(motion.id);
    }
  }

  function setStop() {
    for (const [pit, { button }] of drawn) {
      if (button) {
        button.tabIndex = pit === stop ? 0 : -1;
      }
    }
  }

  /** @param {NonNullable<State["motion"]>} motion @param {State} state */
  function start({ id, before, sown }, state) {
    lastMotion = id;
    const { speed } = state.settings;
    const still = speed === "off" || calm.matches || document.hidden;
    const list = still ? [] : animationSteps(before, sown, speed);
    running?.stop();
    /** @param {Step} step */
    const began = (step) => {
      // What flies has left its pit.
      const counts = new Map(shown);
      for (const { from } of step.kind === "drop" ? [] : step.flights) {
        counts.set(from, 0);
      }
      if (step.kind === "lift") {
        counts.set(sown.choice, 0);
      }
      show(counts);
      flash(step.kind === "capture" || step.kind === "sweep" ? step.flights.map(({ from }) => from) : []);
      if (step.kind === "capture") {
        say(`Capture: ${seeds(sown.capture?.seeds ?? 0)}`);
      }
      if (step.kind === "sweep") {
        say("The rows are swept");
      }
    };
    const done = () => {
      running = null;
      if (sown.effect === "bonus-turn" && !sown.after.over) {
        say("Bonus turn");
      }
      app.actions.motionEnded(id);
    };
    if (list.length === 0) {
      show(countsOf(sown.after));
      if (sown.capture) {
        say(`Capture: ${seeds(sown.capture.seeds)}`);
        flash([sown.capture.house, sown.capture.from]);
      }
      queueMicrotask(done);
      return;
    }
    show(countsOf(before));
    const landed = (/** @type {Counts} */ counts) => show(counts);
    running = run({ id, steps: list, from: sown.choice, layer: flying, layout: () => now, began, landed, done });
  }

  /** Rings round pits, for as long as something happens to them. @param {Pit[]} pits */
  function flash(pits) {
    for (const [pit, { seeds: group }] of drawn) {
      group.parentElement?.classList.toggle("flash", pits.includes(pit));
    }
  }

  /** Names and states of the buttons, and what is marked on the houses. @param {State} state @param {Position} at */
  function dress(state, at) {
    const free = mayChoose(state);
    const { labels } = state.settings;
    const hint = state.hint?.position === at.position ? state.hint.choice : null;
    const sown = state.tree && current(state.tree)?.sown;
    const last = sown && !sown.swapped ? sown.choice : null;
    const counts = countsOf(at);
    for (const [pit, { button, store }] of drawn) {
      const count = counts.get(pit) ?? 0;
      if (store) {
        store.textContent = `${sideName(/** @type {Side} */ (pit))}'s store, ${seeds(count)}`;
      }
      if (!button) {
        continue;
      }
      const mark = marksHere(state.marks, at)?.find(({ choice }) => choice === pit);
      const choosable = free && at.choices.includes(pit);
      const parts = [houseName(pit, at.houses, labels), seeds(count)];
      if (mark) {
        parts.push(mark.label);
      }
      if (hint === pit) {
        parts.push("hint");
      }
      button.setAttribute("aria-label", parts.join(", "));
      button.setAttribute("aria-disabled", String(!choosable));
      button.classList.toggle("choosable", choosable && !state.motion);
      button.classList.toggle("hint", hint === pit);
      button.classList.toggle("last", pit === last && !state.motion);
      markOn(button, mark);
    }
    const reachable = [...drawn.keys()].filter((pit) => drawn.get(pit)?.button);
    if (!reachable.includes(stop)) {
      stop = letter(at.side, 1);
    }
    setStop();
  }

  /** @param {State} state @param {State} previous */
  function render(state, previous) {
    if (!state.tree) {
      element.classList.add("waiting");
      return;
    }
    element.classList.remove("waiting");
    const at = position(state.tree);
    const rebuilt =
      drawn.size === 0 ||
      drawn.size !== 2 * at.houses + 2 ||
      state.settings.labels !== previous.settings.labels;
    if (rebuilt) {
      build(state, at);
    }
    if (state.motion && state.motion.id !== lastMotion) {
      start(state.motion, state);
    } else if (!state.motion) {
      running?.stop();
      running = null;
      show(countsOf(at));
      if (state.tree !== previous.tree) {
        flash([]);
      }
    }
    dress(state, at);
  }

  new ResizeObserver(() => {
    const { tree } = app.state();
    if (tree) {
      build(app.state(), position(tree));
      dress(app.state(), position(tree));
    }
  }).observe(/** @type {Element} */ (element.parentElement));
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) {
      finish();
    }
  });

  return {
    render,
    choose,
    finish,
    /** Moves the keyboard's focus to a house. @param {Pit} pit */
    focus: (pit) => drawn.get(pit)?.button?.focus(),
    /** The house that has the tab stop. */
    stop: () => stop,
  };
}

/**
 * The marks, if they are those of this position.
 *
 * @param {Marks | null} marks
 * @param {Position} at
 */
function marksHere(marks, at) {
  return marks?.position === at.position ? marks.marks : null;
}

/**
 * @param {HTMLButtonElement} button
 * @param {NonNullable<State["marks"]>["marks"][number] | undefined} mark
 */
function markOn(button, mark) {
  const badge = button.querySelector(".mark");
  if (!mark) {
    badge?.remove();
    return;
  }
  const element = badge ?? document.createElement("span");
  element.className = `mark${mark.best ? " best" : ""}${mark.proven ? " proven" : ""}`;
  element.setAttribute("aria-hidden", "true");
  element.textContent = mark.text;
  if (!badge) {
    button.append(element);
  }
}
