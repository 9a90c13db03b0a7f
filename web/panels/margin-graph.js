/**
 * The margin graph: the margin after each ply as a curve, which is also a slider for pointer and
 * keys.
 */

import { formatSigned } from "../game/descriptions.js";
import { GRADE_SYMBOLS } from "../review/descriptions.js";
import { texts } from "../texts/texts.js";

/** @import { ShownGrade } from "../types/app.d.ts" */

/**
 * A point of the curve.
 *
 * @typedef {object} GraphPoint
 * @property {number | null} margin South's margin; `null` while it is unknown
 * @property {boolean} proven
 * @property {ShownGrade | null} grade the grade of the ply
 * @property {string} label the text for screen readers
 */

/**
 * The geometry of the graph, in pixels of a picture of `width` x `height`.
 *
 * @typedef {object} Plot
 * @property {{ x: number, y: number, point: GraphPoint, index: number }[]} marks the points with a
 *   margin
 * @property {{ from: [number, number], to: [number, number], proven: boolean }[]} lines between
 *   neighbouring points
 * @property {{ y: number, margin: number }[]} levels
 * @property {(index: number) => number} x of a point
 * @property {(x: number) => number} nearest point to an x
 */

const SVG = "http://www.w3.org/2000/svg";

/** The padding around the curve; the numbers of the levels are at its left. */
const PADDING = { left: 34, right: 12, top: 22, bottom: 22 };

/** The smallest range of margins, so that small margins look small. */
const MIN_RANGE = 4;

/** The number of plies by which Page Up and Page Down move. */
const PAGE_STEP = 10;

const HEIGHT = 180;
/** The width before the first layout of the page. */
const WIDTH = 480;
const DOT_RADIUS = 3.5;

/** The distances of the number of a level from the curve, and of its baseline from its line. */
const FIGURE_GAP = 6;
const FIGURE_BASELINE = 4;

/** The number of the main button of a pointer. */
const MAIN_BUTTON = 0;

/** The distances of the baseline of a grade from its point. */
const GRADE_BELOW = 17;
const GRADE_ABOVE = 8;

/**
 * Computes the geometry of the graph.
 *
 * @param {GraphPoint[]} points the start, then one point for each ply
 * @param {number} width
 * @param {number} height
 * @returns {Plot}
 */
export function plotPoints(points, width, height) {
  const range = points.reduce(
    (most, { margin }) => Math.max(most, Math.abs(margin ?? 0)),
    MIN_RANGE,
  );
  const step = (width - PADDING.left - PADDING.right) / Math.max(1, points.length - 1);
  const half = (height - PADDING.top - PADDING.bottom) / 2;
  /** @param {number} index */
  const x = (index) => PADDING.left + index * step;
  /** @param {number} margin */
  const y = (margin) => PADDING.top + half * (1 - margin / range);
  const marks = points.flatMap((point, index) =>
    point.margin === null ? [] : [{ x: x(index), y: y(point.margin), point, index }],
  );
  /** @type {Plot["lines"]} */
  const lines = [];
  marks.forEach((mark, index) => {
    const before = marks[index - 1];
    if (before && before.index === mark.index - 1) {
      lines.push({
        from: [before.x, before.y],
        to: [mark.x, mark.y],
        proven: before.point.proven && mark.point.proven,
      });
    }
  });
  return {
    marks,
    lines,
    levels: [range, 0, -range].map((margin) => ({ y: y(margin), margin })),
    x,
    nearest: (at) =>
      Math.min(Math.max(Math.round((at - PADDING.left) / step), 0), Math.max(0, points.length - 1)),
  };
}

/**
 * Returns the point to which a key moves, or `null` if the slider does not use the key.
 *
 * @param {string} key
 * @param {number} at
 * @param {number} last
 */
export function indexAfterKey(key, at, last) {
  /** @type {Record<string, number>} */
  const places = {
    ArrowLeft: at - 1,
    ArrowDown: at - 1,
    ArrowRight: at + 1,
    ArrowUp: at + 1,
    PageDown: at - PAGE_STEP,
    PageUp: at + PAGE_STEP,
    Home: 0,
    End: last,
  };
  const place = places[key];
  return place === undefined ? null : Math.min(Math.max(place, 0), last);
}

/**
 * @template {keyof SVGElementTagNameMap} K
 * @param {K} name
 * @param {Record<string, string | number>} attributes
 * @param {string} [text]
 */
function svgElement(name, attributes, text) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) {
    element.setAttribute(key, String(value));
  }
  if (text !== undefined) {
    element.textContent = text;
  }
  return element;
}

/**
 * The graph with its parts.
 *
 * @typedef {object} Graph
 * @property {SVGSVGElement} element
 * @property {(index: number) => void} onSelect receives the selected point
 * @property {GraphPoint[]} points
 * @property {number} at the index of the current point
 * @property {number} width
 * @property {Plot} plot
 */

/** @param {Graph} graph */
function draw(graph) {
  const { element, points, at, width } = graph;
  graph.plot = plotPoints(points, width, HEIGHT);
  element.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
  element.setAttribute("aria-valuemax", String(Math.max(0, points.length - 1)));
  element.setAttribute("aria-valuenow", String(at));
  element.setAttribute("aria-valuetext", points[at]?.label ?? texts.review.noMargins);
  element.replaceChildren(
    ...drawLevels(graph),
    drawCurrent(graph),
    ...drawCurve(graph.plot),
    ...drawGrades(graph),
  );
}

/** Draws the lines of the levels with their margins. @param {Graph} graph */
const drawLevels = ({ plot, width }) =>
  plot.levels.flatMap(({ y, margin }) => [
    svgElement("line", {
      class: margin === 0 ? "graph-level graph-zero" : "graph-level",
      x1: PADDING.left,
      x2: width - PADDING.right,
      y1: y,
      y2: y,
    }),
    svgElement(
      "text",
      {
        class: "graph-figure",
        x: PADDING.left - FIGURE_GAP,
        y: y + FIGURE_BASELINE,
        "text-anchor": "end",
      },
      formatSigned(margin),
    ),
  ]);

/** Draws the line at the current point. @param {Graph} graph */
function drawCurrent({ plot, at }) {
  const x = plot.x(at);
  return svgElement("line", { class: "graph-current", x1: x, x2: x, y1: 0, y2: HEIGHT });
}

/** Draws the curve: lines between points, and the points. @param {Plot} plot */
const drawCurve = ({ lines, marks }) => [
  ...lines.map(({ from, to, proven }) =>
    svgElement("line", {
      class: proven ? "graph-line" : "graph-line graph-unproven",
      x1: from[0],
      y1: from[1],
      x2: to[0],
      y2: to[1],
    }),
  ),
  ...marks.map(({ x, y, point }) =>
    svgElement("circle", {
      class: point.proven ? "graph-dot" : "graph-dot graph-unproven",
      cx: x,
      cy: y,
      r: DOT_RADIUS,
    }),
  ),
];

/** Draws the symbols of graded plies. @param {Graph} graph */
const drawGrades = ({ plot, points }) =>
  plot.marks.flatMap(({ x, y, point, index }) => {
    if (!point.grade) {
      return [];
    }
    const before = points[index - 1]?.margin ?? 0;
    // The curve comes from the other side.
    const isBelow = (point.margin ?? 0) < before;
    const attributes = {
      class: `graph-grade graph-${point.grade}`,
      x,
      y: isBelow ? y + GRADE_BELOW : y - GRADE_ABOVE,
      "text-anchor": "middle",
    };
    return [svgElement("text", attributes, GRADE_SYMBOLS[point.grade])];
  });

/** Selects the point at the pointer. @param {Graph} graph @param {PointerEvent} event */
function selectAtPointer({ element, points, at, width, plot, onSelect }, event) {
  const { left, width: elementWidth } = element.getBoundingClientRect();
  const index = plot.nearest(((event.clientX - left) / Math.max(1, elementWidth)) * width);
  if (points.length > 0 && index !== at) {
    onSelect(index);
  }
}

/** Selects a point by a key. @param {Graph} graph @param {KeyboardEvent} event */
function selectByKey({ points, at, onSelect }, event) {
  const hasModifier = event.ctrlKey || event.metaKey || event.altKey;
  const place = hasModifier ? null : indexAfterKey(event.key, at, points.length - 1);
  if (place !== null && points.length > 0) {
    event.preventDefault();
    event.stopPropagation();
    if (place !== at) {
      onSelect(place);
    }
  }
}

/** @param {Graph} graph */
function listen(graph) {
  const { element } = graph;
  element.addEventListener("pointerdown", (event) => {
    if (event.button === MAIN_BUTTON) {
      element.setPointerCapture(event.pointerId);
      selectAtPointer(graph, event);
    }
  });
  element.addEventListener("pointermove", (event) => {
    if (element.hasPointerCapture(event.pointerId)) {
      selectAtPointer(graph, event);
    }
  });
  element.addEventListener("keydown", (event) => selectByKey(graph, event));
  new ResizeObserver(([entry]) => {
    const room = Math.round(entry?.contentRect.width ?? 0);
    if (room > 0 && room !== graph.width) {
      graph.width = room;
      draw(graph);
    }
  }).observe(element);
}

/**
 * Creates an empty graph.
 *
 * @param {{ name: string, onSelect: (index: number) => void }} options `onSelect` receives the
 *   selected point
 */
export function createMarginGraph({ name, onSelect }) {
  const element = svgElement("svg", {
    class: "graph",
    role: "slider",
    tabindex: 0,
    "aria-label": name,
    "aria-valuemin": 0,
  });
  /** @type {Graph} */
  const graph = {
    element,
    onSelect,
    points: [],
    at: 0,
    width: WIDTH,
    plot: plotPoints([], WIDTH, HEIGHT),
  };
  listen(graph);
  draw(graph);
  return {
    element,
    /**
     * Shows points and the current one. If `place` is `null`, the current point stays.
     *
     * @param {GraphPoint[]} points
     * @param {number | null} place
     */
    show(points, place) {
      graph.points = points;
      graph.at = Math.min(place ?? graph.at, Math.max(0, points.length - 1));
      draw(graph);
    },
  };
}
