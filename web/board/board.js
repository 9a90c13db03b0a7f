/**
 * The board: the drawing, and over it the buttons of the houses for mouse, touch, keys and screen
 * readers.
 */

import { countSeeds } from "../game/descriptions.js";
import { sideName, SIDES } from "../game/players.js";
import { currentNode, position } from "../game/tree.js";
import { animationSteps, countsOf, runAnimation } from "./animation.js";
import {
  CORNER_RADIUS,
  drawDefinitions,
  drawHollow,
  drawPlank,
  drawPlaque,
  drawText,
  fillPit,
  svgElement,
} from "./drawing.js";
import { houseLetter, houseName, shortLabel } from "./labels.js";
import { boardLayout } from "./layout.js";

/** @import { Counts, RunningAnimation, Step } from "./animation.js" */
/** @import { Layout, PitBox } from "./layout.js" */
/** @import { Pit, Position, Side } from "../types/api.d.ts" */
/** @import { App, Marks, State } from "../types/app.d.ts" */

/**
 * The elements of a pit: a house has a button, a store a list item for screen readers.
 *
 * @typedef {object} PitElements
 * @property {SVGElement} text
 * @property {Element} seeds
 * @property {SVGElement} plate
 * @property {HTMLButtonElement | null} button
 * @property {HTMLElement | null} store
 */

/** The smallest height of a board in a low window, in pixels. */
const MIN_HEIGHT_PX = 250;

/** The height of the elements above and below the board in a low window, in pixels. */
const SURROUNDINGS_HEIGHT_PX = 200;

/** The height of the board below which the page hides other elements, in pixels. */
const LOW_WINDOW_PX = 300;

/** The duration of a message about a move, in milliseconds. */
const TOAST_MS = 1400;

/**
 * Creates the board.
 *
 * @param {HTMLElement} element
 * @param {App} app
 * @param {(state: State) => boolean} canMove whether a person may move now
 */
export function createBoard(element, app, canMove) {
  const svg = svgElement("svg", { class: "drawing", "aria-hidden": "true", focusable: "false" });
  const rows = document.createElement("div");
  const toast = document.createElement("p");
  toast.className = "toast";
  toast.setAttribute("aria-hidden", "true");
  element.append(svg, rows, toast);

  const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");
  /** @type {Map<Pit, PitElements>} */
  const pitElements = new Map();
  /** @type {SVGElement} */
  let flightLayer = svgElement("g");
  /** @type {Layout} */
  let currentLayout = boardLayout(1, 0);
  /** @type {Counts} */
  let shownCounts = new Map();
  /** @type {RunningAnimation | null} */
  let runningAnimation = null;
  /** The id of the last animation that was started. */
  let lastAnimationId = 0;
  /** The house with the tab stop. @type {Pit} */
  let tabStop = "A";
  let toastTimer = 0;

  /** @param {string} text */
  function showToast(text) {
    clearTimeout(toastTimer);
    toast.textContent = text;
    toast.classList.add("visible");
    toastTimer = window.setTimeout(() => {
      toast.classList.remove("visible");
      highlight([]);
    }, TOAST_MS);
  }

  /** @param {Counts} counts */
  function showCounts(counts) {
    shownCounts = counts;
    for (const [pit, parts] of pitElements) {
      const count = counts.get(pit) ?? 0;
      fillPit(
        parts.seeds,
        pit,
        count,
        /** @type {PitBox} */ (currentLayout.pits.get(pit)),
        currentLayout.seed,
      );
      parts.text.textContent = String(count);
      parts.plate.classList.toggle("empty", count === 0);
    }
  }

  /**
   * Draws an empty board that fits the window.
   *
   * @param {State} state
   * @param {Position} at
   */
  function rebuild(state, at) {
    const maxHeight = Math.max(MIN_HEIGHT_PX, window.innerHeight - SURROUNDINGS_HEIGHT_PX);
    const stage = /** @type {HTMLElement} */ (element.parentElement);
    currentLayout = boardLayout(at.houses, stage.clientWidth, maxHeight);
    // A board that is wider than the window scrolls sideways.
    stage.dataset.wide = String(currentLayout.width > stage.clientWidth + 1);
    element.style.width = `${currentLayout.width}px`;
    element.style.height = `${currentLayout.height}px`;
    element.style.borderRadius = `${currentLayout.pad * CORNER_RADIUS}px`;
    element.closest(".game")?.setAttribute("data-low", String(maxHeight < LOW_WINDOW_PX));
    document.documentElement.style.setProperty("--board-width", `${currentLayout.width}px`);
    svg.setAttribute("viewBox", `0 0 ${currentLayout.width} ${currentLayout.height}`);
    pitElements.clear();
    flightLayer = svgElement("g");
    const hollows = svgElement("g");
    const words = svgElement("g");
    const lists = SIDES.map((side) => createRow(state, at, side, hollows, words));
    svg.replaceChildren(drawDefinitions(), drawPlank(currentLayout), hollows, words, flightLayer);
    const focused =
      document.activeElement instanceof HTMLElement
        ? document.activeElement.dataset.pit
        : undefined;
    rows.replaceChildren(...lists.reverse());
    element.dataset.size = currentLayout.pitch < 48 ? "small" : "large";
    showCounts(shownCounts);
    if (focused) {
      pitElements.get(focused)?.button?.focus();
    }
  }

  /**
   * Creates the row and the store of a side: the drawing and the list of buttons.
   *
   * @param {State} state
   * @param {Position} at
   * @param {Side} side
   * @param {SVGElement} hollows
   * @param {SVGElement} words
   */
  function createRow(state, at, side, hollows, words) {
    const list = document.createElement("ol");
    list.className = `row ${side}`;
    list.setAttribute("aria-label", `${sideName(side)}'s row`);
    for (let house = 1; house <= at.houses; house += 1) {
      const pit = houseLetter(side, house);
      const item = document.createElement("li");
      const button = createButton(pit);
      item.append(button);
      list.append(item);
      drawPit(pit, hollows, words, { button });
      const { label } = /** @type {PitBox} */ (currentLayout.pits.get(pit));
      words.append(drawText(label, "letter", shortLabel(pit, at.houses, state.settings.labels)));
    }
    const store = document.createElement("li");
    store.className = "visually-hidden";
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
    const box = /** @type {PitBox} */ (currentLayout.pits.get(pit));
    const group = drawHollow(box);
    const small = currentLayout.pitch < 48;
    const plaqueHeight = store
      ? currentLayout.strip * 0.62
      : currentLayout.strip * (small ? 0.46 : 0.5);
    const plaqueWidth = Math.max(
      plaqueHeight,
      Math.min(
        store ? currentLayout.plaque : currentLayout.pitch * 0.94,
        plaqueHeight * (store ? 2 : 1.65),
      ),
    );
    const plate = drawPlaque(box.count, plaqueWidth, plaqueHeight);
    const text = drawText(box.count, store ? "count store" : "count", "");
    hollows.append(group);
    words.append(plate, text);
    pitElements.set(pit, {
      text,
      plate,
      seeds: /** @type {Element} */ (group.querySelector(".seeds")),
      button: button ?? null,
      store: store ?? null,
    });
  }

  /** @param {Pit} pit */
  function createButton(pit) {
    const { centre, rx, ry } = /** @type {PitBox} */ (currentLayout.pits.get(pit));
    const button = document.createElement("button");
    button.type = "button";
    button.className = "house";
    button.dataset.pit = pit;
    button.style.left = `${centre.x - rx}px`;
    button.style.top = `${centre.y - ry}px`;
    button.style.width = `${2 * rx}px`;
    button.style.height = `${2 * ry}px`;
    button.style.borderRadius = `${Math.min(rx, ry)}px`;
    button.style.setProperty("--strip", `${currentLayout.strip}px`);
    button.style.setProperty("--beside", `${currentLayout.pitch / 2 - rx}px`);
    button.addEventListener("click", () => requestMove(pit));
    button.addEventListener("focus", () => {
      tabStop = pit;
      updateTabStops();
    });
    return button;
  }

  /** @param {Pit} pit */
  function requestMove(pit) {
    const state = app.state();
    if (state.tree && canMove(state) && position(state.tree).legal_moves.includes(pit)) {
      // A person who makes the next move ends the animation of the previous one.
      finishAnimation();
      app.actions.requestMove(pit);
    }
  }

  /** Shows the end of the running animation. */
  function finishAnimation() {
    const { animation } = app.state();
    runningAnimation?.stop();
    runningAnimation = null;
    if (animation) {
      app.actions.animationEnded(animation.id);
    }
  }

  function updateTabStops() {
    for (const [pit, { button }] of pitElements) {
      if (button) {
        button.tabIndex = pit === tabStop ? 0 : -1;
      }
    }
  }

  /** @param {NonNullable<State["animation"]>} motion @param {State} state */
  function startAnimation({ id, before, moveResult }, state) {
    lastAnimationId = id;
    const { speed } = state.settings;
    const skipAnimation = speed === "off" || reducedMotion.matches || document.hidden;
    const steps = skipAnimation ? [] : animationSteps(before, moveResult, speed);
    runningAnimation?.stop();
    /** @param {Step} step */
    const onStepStart = (step) => {
      // Flying seeds are not in their pit.
      const counts = new Map(shownCounts);
      for (const { from } of step.kind === "drop" ? [] : step.flights) {
        counts.set(from, 0);
      }
      if (step.kind === "lift") {
        counts.set(moveResult.move, 0);
      }
      showCounts(counts);
      highlight(
        step.kind === "capture" || step.kind === "sweep"
          ? step.flights.map(({ from }) => from)
          : [],
      );
      if (step.kind === "capture") {
        showToast(`Capture: ${countSeeds(moveResult.capture?.seeds ?? 0)}`);
      }
      if (step.kind === "sweep") {
        showToast("The rows are swept");
      }
    };
    const onEnd = () => {
      runningAnimation = null;
      if (moveResult.effect === "bonus-turn" && !moveResult.after.is_over) {
        showToast("Bonus turn");
      }
      app.actions.animationEnded(id);
    };
    if (steps.length === 0) {
      showCounts(countsOf(moveResult.after));
      if (moveResult.capture) {
        showToast(`Capture: ${countSeeds(moveResult.capture.seeds)}`);
        highlight([moveResult.capture.house, moveResult.capture.from]);
      }
      queueMicrotask(onEnd);
      return;
    }
    showCounts(countsOf(before));
    const onStepEnd = (/** @type {Counts} */ counts) => showCounts(counts);
    runningAnimation = runAnimation({
      id,
      steps,
      from: moveResult.move,
      layer: flightLayer,
      layout: () => currentLayout,
      onStepStart,
      onStepEnd,
      onEnd,
    });
  }

  /** Shows a ring around these pits and removes all other rings. @param {Pit[]} pits */
  function highlight(pits) {
    for (const [pit, { seeds: group }] of pitElements) {
      group.parentElement?.classList.toggle("flash", pits.includes(pit));
    }
  }

  /**
   * Updates names and states of the buttons and the marks on the houses.
   *
   * @param {State} state
   * @param {Position} at
   */
  function updateButtons(state, at) {
    const isAllowed = canMove(state);
    const { labels } = state.settings;
    const hint = state.hint?.position === at.position ? state.hint.move : null;
    const moveResult = state.tree && currentNode(state.tree)?.moveResult;
    const last = moveResult && !moveResult.is_swap ? moveResult.move : null;
    const counts = countsOf(at);
    for (const [pit, { button, store }] of pitElements) {
      const count = counts.get(pit) ?? 0;
      if (store) {
        store.textContent = `${sideName(/** @type {Side} */ (pit))}'s store, ${countSeeds(count)}`;
      }
      if (!button) {
        continue;
      }
      const mark = marksFor(state.marks, at)?.find(({ move }) => move === pit);
      const isPlayable = isAllowed && at.legal_moves.includes(pit);
      const parts = [houseName(pit, at.houses, labels), countSeeds(count)];
      if (mark) {
        parts.push(mark.label);
      }
      if (hint === pit) {
        parts.push("hint");
      }
      button.setAttribute("aria-label", parts.join(", "));
      button.setAttribute("aria-disabled", String(!isPlayable));
      button.classList.toggle("playable", isPlayable && !state.animation);
      button.classList.toggle("hint", hint === pit);
      button.classList.toggle("last", pit === last && !state.animation);
      updateMark(button, mark);
    }
    const houses = [...pitElements.keys()].filter((pit) => pitElements.get(pit)?.button);
    if (!houses.includes(tabStop)) {
      tabStop = houseLetter(at.to_move, 1);
    }
    updateTabStops();
  }

  /** @param {State} state @param {State} previous */
  function render(state, previous) {
    if (!state.tree) {
      element.classList.add("loading");
      return;
    }
    element.classList.remove("loading");
    const at = position(state.tree);
    const mustRebuild =
      pitElements.size === 0 ||
      pitElements.size !== 2 * at.houses + 2 ||
      state.settings.labels !== previous.settings.labels;
    if (mustRebuild) {
      rebuild(state, at);
    }
    if (state.animation && state.animation.id !== lastAnimationId) {
      startAnimation(state.animation, state);
    } else if (!state.animation) {
      runningAnimation?.stop();
      runningAnimation = null;
      showCounts(countsOf(at));
      if (state.tree !== previous.tree) {
        highlight([]);
      }
    }
    updateButtons(state, at);
  }

  new ResizeObserver(() => {
    const { tree } = app.state();
    if (tree) {
      rebuild(app.state(), position(tree));
      updateButtons(app.state(), position(tree));
    }
  }).observe(/** @type {Element} */ (element.parentElement));
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) {
      finishAnimation();
    }
  });

  return {
    render,
    requestMove,
    finishAnimation,
    /** Moves the keyboard focus to a house. @param {Pit} pit */
    focus: (pit) => pitElements.get(pit)?.button?.focus(),
    /** Returns the house with the tab stop. */
    tabStop: () => tabStop,
  };
}

/**
 * Returns the marks if they belong to this position.
 *
 * @param {Marks | null} marks
 * @param {Position} at
 */
function marksFor(marks, at) {
  return marks?.position === at.position ? marks.marks : null;
}

/**
 * @param {HTMLButtonElement} button
 * @param {NonNullable<State["marks"]>["marks"][number] | undefined} mark
 */
function updateMark(button, mark) {
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
