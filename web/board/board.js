/**
 * The board: the drawing, and over it the buttons of the houses for mouse, touch, keys and screen
 * readers.
 */

import { refusalText } from "../game/descriptions.js";
import { bottomSide, opposite } from "../game/players.js";
import { currentNode, position } from "../game/tree.js";
import { texts } from "../texts/texts.js";
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
import { listenForEdits, shownPosition } from "./editing.js";
import { houseLetter, houseName, parseHouse, shortLabel } from "./labels.js";
import { boardLayout } from "./layout.js";
import { marksFor, markSize, updateMark } from "./marks.js";

/** @import { Counts, RunningAnimation, Step } from "./animation.js" */
/** @import { Layout, PitBox, Point } from "./layout.js" */
/** @import { Pit, Position, Side } from "../types/api.d.ts" */
/** @import { App, State } from "../types/app.d.ts" */
/** @import { Sound } from "./sounds.js" */

/**
 * The elements of a pit: a house has a button, a store a list item for screen readers. While a
 * position is edited, a store has a button, too.
 *
 * @typedef {object} PitElements
 * @property {SVGElement} text
 * @property {Element} seeds
 * @property {SVGElement} plate
 * @property {HTMLButtonElement | null} button
 * @property {HTMLElement | null} store
 */

/** The smallest height of a board, in pixels. */
const MIN_HEIGHT_PX = 220;

/** The height of the elements above and below the board, in pixels. */
const SURROUNDINGS_HEIGHT_PX = 330;

/** The height of a window in which the controls lie beside the board, in pixels. */
const LOW_WINDOW_PX = 500;

/** The height of the elements above and below the board in a low window, in pixels. */
const LOW_SURROUNDINGS_HEIGHT_PX = 122;

/** The time after which the page shows the result of the move that a person points at. */
const PREVIEW_DELAY_MS = 90;

/** The duration of a message about a move, in milliseconds. */
const TOAST_MS = 1400;

/**
 * Creates the board.
 *
 * @param {HTMLElement} element
 * @param {App} app
 * @param {(state: State) => boolean} canMove whether a person may move now
 * @param {(sound: Sound) => void} playSound
 */
export function createBoard(element, app, canMove, playSound) {
  const scroller = /** @type {HTMLElement} */ (element.parentElement);
  const stage = /** @type {HTMLElement} */ (scroller.parentElement);
  const svg = svgElement("svg", { class: "drawing", "aria-hidden": "true", focusable: "false" });
  const rows = document.createElement("div");
  const toast = document.createElement("p");
  toast.className = "toast";
  toast.setAttribute("aria-hidden", "true");
  element.append(svg, rows, toast);
  listenForEdits(element, app);

  const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");
  /** @type {Map<Pit, PitElements>} */
  const pitElements = new Map();
  /** @type {SVGElement} */
  let flightLayer = svgElement("g");
  /** The groups with the stores, which stay in the visible part of a board that scrolls. */
  const storeLayers = [svgElement("g"), svgElement("g")];
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
  let previewTimer = 0;
  /** The house at which the person points. @type {Pit | null} */
  let pointed = null;

  /** Shows the result of a move after a moment, or of no move. @param {Pit | null} pit */
  function pointAt(pit) {
    clearTimeout(previewTimer);
    pointed = pit;
    const { tree, animation, preview } = app.state();
    const isPlayable =
      pit !== null &&
      tree !== null &&
      !animation &&
      canMove(app.state()) &&
      position(tree).legal_moves.includes(pit);
    if (isPlayable && preview?.moveResult.move !== pit) {
      previewTimer = window.setTimeout(() => app.actions.preview(pit), PREVIEW_DELAY_MS);
    } else if (!isPlayable) {
      app.actions.preview(null);
    }
  }

  /** @param {string} text */
  function showToast(text) {
    clearTimeout(toastTimer);
    toast.textContent = text;
    toast.classList.add("visible");
    toastTimer = window.setTimeout(hideToast, TOAST_MS);
  }

  function hideToast() {
    clearTimeout(toastTimer);
    toast.classList.remove("visible");
    highlight([]);
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
    const isLow = window.innerHeight < LOW_WINDOW_PX;
    document.documentElement.dataset.low = String(isLow);
    const around = isLow ? LOW_SURROUNDINGS_HEIGHT_PX : SURROUNDINGS_HEIGHT_PX;
    const maxHeight = Math.max(MIN_HEIGHT_PX, window.innerHeight - around);
    const bottom = shownBottom(state);
    currentLayout = boardLayout(at.houses, scroller.clientWidth, maxHeight, bottom);
    const { width, height, pad, scale, scrolls } = currentLayout;
    stage.dataset.wide = String(scrolls);
    element.style.width = `${width}px`;
    element.style.height = `${height}px`;
    element.style.borderRadius = `${pad * CORNER_RADIUS}px`;
    element.style.setProperty("--scale", String(scale));
    const visibleWidth = Math.min(width, scroller.clientWidth);
    document.documentElement.style.setProperty("--board-width", `${visibleWidth}px`);
    svg.setAttribute("viewBox", `0 0 ${currentLayout.width} ${currentLayout.height}`);
    pitElements.clear();
    flightLayer = svgElement("g");
    const hollows = svgElement("g");
    const words = svgElement("g");
    storeLayers.forEach((layer) => layer.replaceChildren());
    const lists = [opposite(bottom), bottom].map((side) =>
      createRow(state, at, side, hollows, words),
    );
    svg.replaceChildren(
      drawDefinitions(),
      drawPlank(currentLayout),
      hollows,
      words,
      ...storeLayers,
      flightLayer,
    );
    const focused =
      document.activeElement instanceof HTMLElement
        ? document.activeElement.dataset.pit
        : undefined;
    rows.replaceChildren(...lists);
    element.dataset.size = currentLayout.pitch < 48 ? "small" : "large";
    element.dataset.marks = markSize(currentLayout.pitch);
    showCounts(shownCounts);
    if (focused) {
      pitElements.get(focused)?.button?.focus();
    }
    followScrolling();
  }

  /** Returns the side whose row is at the bottom. @param {State} state */
  function shownBottom(state) {
    return state.tree ? bottomSide(state, state.tree) : "south";
  }

  /** Moves the stores into the visible part of the board, and shows where there are more houses. */
  function followScrolling() {
    const { scrollLeft, clientWidth, scrollWidth } = scroller;
    const isWide = currentLayout.scrolls;
    stage.dataset.moreLeft = String(isWide && scrollLeft > 1);
    stage.dataset.moreRight = String(isWide && scrollLeft + clientWidth < scrollWidth - 1);
    for (const layer of storeLayers) {
      layer.setAttribute("transform", `translate(${isWide ? scrollLeft : 0} 0)`);
    }
  }

  /**
   * Returns the centre of a pit on the drawing.
   *
   * @param {Pit} pit
   * @returns {Point}
   */
  function centreOf(pit) {
    const { centre } = /** @type {PitBox} */ (currentLayout.pits.get(pit));
    const isStore = pit.length > 1;
    return isStore && currentLayout.scrolls
      ? { x: centre.x + scroller.scrollLeft, y: centre.y }
      : centre;
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
    list.className = `row ${side} ${side === currentLayout.bottom ? "lower" : "upper"}`;
    list.setAttribute("aria-label", texts.board.rows[side]);
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
    list.append(store);
    const [storeHollows, storeWords] = /** @type {[SVGElement, SVGElement]} */ (storeLayers);
    if (state.editor) {
      const button = createButton(side);
      store.append(button);
      drawPit(side, storeHollows, storeWords, { store, button });
    } else {
      store.className = "visually-hidden";
      drawPit(side, storeHollows, storeWords, { store });
    }
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
      pointAt(pit);
    });
    button.addEventListener("blur", () => pointAt(null));
    button.addEventListener("pointerenter", ({ pointerType }) => {
      if (pointerType === "mouse") {
        pointAt(pit);
      }
    });
    button.addEventListener("pointerleave", () => pointAt(null));
    return button;
  }

  /** @param {Pit} pit */
  function requestMove(pit) {
    const state = app.state();
    if (!state.tree || state.editor) {
      return;
    }
    clearTimeout(previewTimer);
    const refusal = refusalText(state, state.tree, pit, canMove(state));
    if (refusal !== null) {
      app.actions.notify(refusal);
    } else {
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
    hideToast();
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
        playSound("capture");
        showToast(texts.board.captureShort(moveResult.capture?.seeds ?? 0));
      }
      if (step.kind === "sweep") {
        showToast(texts.board.sweptShort);
      }
    };
    const onEnd = () => {
      runningAnimation = null;
      if (moveResult.effect === "bonus-turn" && !moveResult.after.is_over) {
        playSound("bonus");
        showToast(texts.board.bonusTurnShort);
      }
      app.actions.animationEnded(id);
    };
    if (steps.length === 0) {
      showCounts(countsOf(moveResult.after));
      playSound(moveResult.capture ? "capture" : "sow");
      if (moveResult.capture) {
        showToast(texts.board.captureShort(moveResult.capture.seeds));
        highlight([moveResult.capture.house, moveResult.capture.from]);
      }
      queueMicrotask(onEnd);
      return;
    }
    showCounts(countsOf(before));
    const onStepEnd = (/** @type {Counts} */ counts, /** @type {Step} */ step) => {
      showCounts(counts);
      if (step.kind === "drop") {
        playSound("sow");
      }
    };
    runningAnimation = runAnimation({
      id,
      steps,
      from: moveResult.move,
      layer: flightLayer,
      layout: () => currentLayout,
      centreOf,
      onStepStart,
      onStepEnd,
      onEnd,
    });
  }

  /** Marks the pits of the move that the person points at. @param {State} state @param {Position} at */
  function updatePreview({ preview, animation }, at) {
    const shown = !animation && preview?.position === at.position ? preview.moveResult : null;
    const target = shown && shown.path.length === shown.seeds ? shown.path.at(-1) : undefined;
    for (const [pit, { seeds: group }] of pitElements) {
      group.parentElement?.classList.toggle("target", pit === target);
      group.parentElement?.classList.toggle("taken", pit === shown?.capture?.from);
    }
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
    const isEditing = state.editor !== null;
    const isAllowed = !isEditing && canMove(state);
    const { labels } = state.settings;
    const hint = !isEditing && state.hint?.position === at.position ? state.hint.move : null;
    const moveResult = state.tree && !isEditing && currentNode(state.tree)?.moveResult;
    const last = moveResult && !moveResult.is_swap ? moveResult.move : null;
    const counts = countsOf(at);
    for (const [pit, { button, store }] of pitElements) {
      const count = counts.get(pit) ?? 0;
      if (store && !button) {
        store.textContent = texts.board.storeCount(/** @type {Side} */ (pit), count);
      }
      if (!button) {
        continue;
      }
      const marks = isEditing ? null : state.marks;
      const mark = marksFor(marks, at)?.find(({ move }) => move === pit);
      const isPlayable = isAllowed && at.legal_moves.includes(pit);
      const parts = parseHouse(pit)
        ? [houseName(pit, at.houses, labels), texts.board.seeds(count)]
        : [texts.board.storeCount(/** @type {Side} */ (pit), count)];
      if (mark) {
        parts.push(mark.label);
      }
      if (hint === pit) {
        parts.push(texts.board.hint);
      }
      button.setAttribute("aria-label", parts.join(", "));
      button.setAttribute("aria-disabled", String(!isPlayable && !isEditing));
      button.classList.toggle("editable", isEditing);
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
    updatePreview(state, at);
  }

  /** @param {State} state @param {State} previous */
  function render(state, previous) {
    if (!state.tree) {
      element.classList.add("loading");
      return;
    }
    element.classList.remove("loading");
    const at = shownPosition(state, state.tree);
    const mustRebuild =
      pitElements.size === 0 ||
      pitElements.size !== 2 * at.houses + 2 ||
      shownBottom(state) !== currentLayout.bottom ||
      state.settings.labels !== previous.settings.labels ||
      (state.editor === null) !== (previous.editor === null);
    if (mustRebuild) {
      rebuild(state, at);
    }
    if (state.editor) {
      lastAnimationId = state.animation?.id ?? lastAnimationId;
      finishAnimation();
      highlight([]);
      showCounts(countsOf(at));
    } else if (state.animation && state.animation.id !== lastAnimationId) {
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
    if (pointed && !state.animation && (previous.animation || state.tree !== previous.tree)) {
      pointAt(pointed);
    }
  }

  new ResizeObserver(() => {
    const { tree } = app.state();
    if (tree) {
      const at = shownPosition(app.state(), tree);
      rebuild(app.state(), at);
      updateButtons(app.state(), at);
    }
  }).observe(scroller);
  let windowHeight = window.innerHeight;
  window.addEventListener("resize", () => {
    const { tree } = app.state();
    if (tree && window.innerHeight !== windowHeight) {
      windowHeight = window.innerHeight;
      const at = shownPosition(app.state(), tree);
      rebuild(app.state(), at);
      updateButtons(app.state(), at);
    }
  });
  scroller.addEventListener("scroll", followScrolling, { passive: true });
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
    /** Returns the side whose row is at the bottom. */
    bottom: () => currentLayout.bottom,
    /** Returns the house with the tab stop. */
    tabStop: () => tabStop,
  };
}
