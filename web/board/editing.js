/** The editing of a position on the board: mouse, touch and keys add and take away seeds. */

import { position } from "../game/tree.js";
import { texts } from "../texts/texts.js";
import { pitName } from "./labels.js";
import { draftPosition, seedsIn, totalSeeds, withSeeds } from "./position-draft.js";

/** @import { Pit, Position } from "../types/api.d.ts" */
/** @import { App, GameTree, State } from "../types/app.d.ts" */

/** The delay before the seeds of a pit are announced, so that fast clicks are announced once. */
const ANNOUNCEMENT_DELAY_MS = 500;

/** The change of a pit by keys other than Enter and Space, which click. */
const KEYS = new Map([
  ["Backspace", -1],
  ["Delete", -1],
  ["-", -1],
  ["+", 1],
]);

/** The direction of each arrow key. */
const ARROWS = new Map([
  ["ArrowLeft", { x: -1, y: 0 }],
  ["ArrowRight", { x: 1, y: 0 }],
  ["ArrowUp", { x: 0, y: -1 }],
  ["ArrowDown", { x: 0, y: 1 }],
]);

/** The least distance of a pit in the direction of an arrow key, in pixels. */
const MIN_DISTANCE_PX = 1;

/** The weight of the distance across the direction of an arrow key. */
const ACROSS_WEIGHT = 2;

/**
 * Returns the position on the board: that of the game, or the one that is edited.
 *
 * @param {State} state
 * @param {GameTree} tree
 * @returns {Position}
 */
export function shownPosition({ editor }, tree) {
  return editor ? draftPosition(editor.draft, editor.rules) : position(tree);
}

/**
 * Returns the index of the nearest point in a direction, -1 if there is none.
 *
 * @param {{ x: number, y: number }} from
 * @param {{ x: number, y: number }[]} points
 * @param {{ x: number, y: number }} direction of length 1
 */
export function nearestIn(from, points, direction) {
  const costs = points.map(({ x, y }) => {
    const [dx, dy] = [x - from.x, y - from.y];
    const along = dx * direction.x + dy * direction.y;
    const across = Math.abs(dx * direction.y) + Math.abs(dy * direction.x);
    return along > MIN_DISTANCE_PX ? along + ACROSS_WEIGHT * across : Infinity;
  });
  const least = Math.min(...costs);
  return least === Infinity ? -1 : costs.indexOf(least);
}

/**
 * Announces the seeds of a pit after a moment.
 *
 * @param {App} app
 * @param {{ timer: number }} announcement the announcement to come
 * @param {Pit} pit
 */
function announceLater(app, announcement, pit) {
  clearTimeout(announcement.timer);
  announcement.timer = window.setTimeout(() => {
    const { editor, settings } = app.state();
    if (editor) {
      const name = pitName(pit, editor.draft.rows.south.length, settings.labels);
      const total = totalSeeds(editor.draft);
      app.announce(texts.position.changed(name, seedsIn(editor.draft, pit), total));
    }
  }, ANNOUNCEMENT_DELAY_MS);
}

/**
 * Moves the focus to the nearest pit in a direction.
 *
 * @param {HTMLElement} board
 * @param {HTMLElement} from
 * @param {{ x: number, y: number }} direction
 */
function moveFocus(board, from, direction) {
  const centre = (/** @type {Element} */ element) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    return { x: left + width / 2, y: top + height / 2 };
  };
  const pits = /** @type {HTMLElement[]} */ ([...board.querySelectorAll("[data-pit]")]);
  pits[nearestIn(centre(from), pits.map(centre), direction)]?.focus();
}

/**
 * Listens on the board. It does nothing while no position is edited.
 *
 * @param {HTMLElement} board
 * @param {App} app
 */
export function listenForEdits(board, app) {
  const announcement = { timer: 0 };

  /** @param {Pit} pit @param {number} by */
  const change = (pit, by) => {
    const { editor } = app.state();
    if (editor) {
      const draft = withSeeds(editor.draft, pit, seedsIn(editor.draft, pit) + by);
      app.actions.setEditor({ ...editor, draft });
      announceLater(app, announcement, pit);
    }
  };

  /**
   * Adds a listener for events on a pit while a position is edited.
   *
   * @template {keyof HTMLElementEventMap} K
   * @param {K} type
   * @param {(pit: Pit, element: HTMLElement, event: HTMLElementEventMap[K]) => void} act
   */
  const listen = (type, act) => {
    board.addEventListener(type, (event) => {
      const element = event.target instanceof Element ? event.target.closest("[data-pit]") : null;
      if (app.state().editor && element instanceof HTMLElement && element.dataset.pit) {
        act(element.dataset.pit, element, event);
      }
    });
  };

  listen("click", (pit) => change(pit, app.state().editor?.takesAway ? -1 : 1));
  listen("contextmenu", (pit, _, event) => {
    event.preventDefault();
    change(pit, -1);
  });
  listen("keydown", (pit, element, event) => {
    const by = KEYS.get(event.key);
    const direction = ARROWS.get(event.key);
    if (event.ctrlKey || event.altKey || event.metaKey || (by ?? direction) === undefined) {
      return;
    }
    event.preventDefault();
    if (by !== undefined) {
      change(pit, by);
    } else if (direction) {
      moveFocus(board, element, direction);
    }
  });
}
