/** The review panel: margin graph, mistakes and accuracy of a game. */

import { isProven } from "../analysis/analyzer.js";
import { marginSentence } from "../analysis/margins.js";
import { moveLabel } from "../board/labels.js";
import { isAbort } from "../engine/errors.js";
import { countSeeds } from "../game/descriptions.js";
import { editInExploreMode } from "../game/modes.js";
import { gamePlayers, playerAt, SIDES } from "../game/players.js";
import { goTo, moveResultsTo } from "../game/tree.js";
import { button, html, setText } from "../ui/dom.js";
import { createMarginGraph } from "./margin-graph.js";

/** @import { Analyzer } from "../analysis/analyzer.js" */
/** @import { GraphPoint } from "./margin-graph.js" */
/** @import { Accuracy, Position, Review, ReviewedPly, Side } from "../types/api.d.ts" */
/** @import { App, GameTree, Panel, Player, Players, Settings, State } from "../types/app.d.ts" */

/**
 * The time limit of each position in the first and in the second round, in seconds. The second
 * round repeats only positions that are not proven.
 */
const ROUND_TIMES_S = [0.25, 3];

/** The minimum time between two updates of a running review, in milliseconds. */
const UPDATE_INTERVAL_MS = 500;

/** The definition of the accuracy, for players. */
const ACCURACY_FORMULA =
  "Accuracy is 100 × (1 − cost ÷ stake). The cost of a ply is the margin of the best move minus the " +
  "margin of the move that was made, and its stake is the margin of the best move minus that of the " +
  "worst. Only plies count for which the margins of all moves are proven.";

/** The opponent that replaces a remote player when a person plays on from a ply. */
const REPLACEMENT_OPPONENT = "level:5";

/**
 * Returns the line to review: the current line to its end.
 *
 * @param {GameTree} tree
 */
const reviewedLine = (tree) => moveResultsTo(tree, tree.line);

/**
 * Returns the names of the players by their sides at the start.
 *
 * @param {State} state
 * @param {GameTree} tree
 * @returns {{ south: string, north: string }}
 */
function playerNames(state, tree) {
  const tags = new Map(tree.tags);
  const start = { ...tree, depth: 0 };
  const players = gamePlayers(state, tree);
  return {
    south: tags.get("South") || playerAt(players, start, "south").name,
    north: tags.get("North") || playerAt(players, start, "north").name,
  };
}

/**
 * Returns the players with a replacement for a remote player.
 *
 * @param {Players} players
 * @returns {Players}
 */
function localPlayers({ south, north }) {
  /** @type {Player} */
  const replacement =
    south.kind === "person" || north.kind === "person"
      ? { kind: "computer", opponent: REPLACEMENT_OPPONENT }
      : { kind: "person" };
  return {
    south: south.kind === "remote" ? replacement : south,
    north: north.kind === "remote" ? replacement : north,
  };
}

/**
 * The names of players by their sides at the start, and of houses.
 *
 * @typedef {object} Notation
 * @property {{ south: string, north: string }} names
 * @property {number} houses
 * @property {Settings["labels"]} labels
 */

/**
 * Describes a ply in words.
 *
 * @param {ReviewedPly} ply
 * @param {Notation} notation
 */
function plyText({ ply, move, player }, { names, houses, labels }) {
  return `ply ${ply}, ${names[player]}: ${moveLabel(move, houses, labels)}`;
}

/**
 * Returns the points of the margin graph.
 *
 * @param {Review} review
 * @param {Notation} notation
 * @returns {GraphPoint[]}
 */
export function graphPoints({ start_margin: start, plies }, notation) {
  const marginLabel = (/** @type {Review["start_margin"]} */ margin) =>
    margin
      ? `${marginSentence(margin.margin, notation.names)}, ${margin.exact ? "proven" : "not proven"}`
      : "not analyzed yet";
  return [
    {
      margin: start?.margin ?? null,
      proven: start?.exact ?? false,
      cost: 0,
      label: `start: ${marginLabel(start)}`,
    },
    ...plies.map((ply) => {
      const cost = ply.cost.lower;
      const mistake = cost > 0 ? `, a mistake that cost ${countSeeds(cost)}` : "";
      return {
        margin: ply.after?.margin ?? null,
        proven: ply.after?.exact ?? false,
        cost,
        label: `${plyText(ply, notation)}: ${marginLabel(ply.after)}${mistake}`,
      };
    }),
  ];
}

/**
 * Describes the cost of a mistake and the better moves.
 *
 * @param {ReviewedPly} ply
 * @param {Notation} notation
 */
export function mistakeText({ cost, better_moves: better, value_change: change }, notation) {
  const least = countSeeds(cost.lower);
  const price = cost.exact ? `cost ${least}` : `cost at least ${least}`;
  const result = change ? `, and turned a ${change.from} into a ${change.to}` : "";
  const labels = better.map((move) => moveLabel(move, notation.houses, notation.labels));
  return `${price}${result}. Better: ${labels.join(" or ")}.`;
}

/**
 * Describes a player's accuracy in words.
 *
 * @param {Accuracy} accuracy
 * @param {string} name
 * @param {boolean} [running] whether the review is running
 */
export function accuracyText(accuracy, name, running = false) {
  if (accuracy.percent !== null) {
    const { percent, plies: counted, cost, stake } = accuracy;
    const over = counted === 1 ? "1 ply" : `${counted} plies`;
    const share = `cost ${cost} of ${countSeeds(stake)} at stake in ${over}`;
    return `${name}: ${Math.floor(percent)} % (${share})`;
  }
  if (running) {
    return `${name}: not known yet`;
  }
  return accuracy.plies > 0
    ? `${name}: no accuracy, since nothing was at stake`
    : `${name}: no accuracy, since no ply counts yet`;
}

/**
 * @param {(app: App) => Analyzer} analyzerFor returns the analyzer of an app
 * @returns {Panel}
 */
export function reviewPanel(analyzerFor) {
  return {
    id: "review",
    title: "Review",
    create: (element, app) => createReview(element, app, analyzerFor(app)),
  };
}

/**
 * @param {HTMLElement} element
 * @param {App} app
 * @param {Analyzer} analyzer
 */
function createReview(element, app, analyzer) {
  /** The plies of the reviewed line. @type {ReturnType<typeof reviewedLine>} */
  let line = [];
  /** @type {Position[]} */
  let positions = [];
  let control = new AbortController();
  let running = false;
  /** Whether the person has requested a review of this line. */
  let isRequested = false;
  let errorText = "";
  /** The review with the analyses so far. @type {Review | null} */
  let reviewed = null;

  const intro = html("p", { class: "note" });
  const progress = html("progress", { max: 1, value: 0, "aria-label": "Review" });
  const stop = button("Stop", () => stopReview(), { class: "small" });
  const begin = button("Review this game", () => void startReview(), { class: "main" });
  const statusLine = html("p", { class: "note", role: "status" });
  const graph = createMarginGraph({
    name: "Margin after each ply",
    onSelect: (ply) => showPly(ply),
  });
  const legend = html(
    "p",
    { class: "note" },
    "\u25cf proven, \u25cb and dashed: not proven, \u25bc mistake. Above the middle: ",
  );
  const up = html("span");
  legend.append(up, " is ahead.");
  const currentPlyText = html("p", { class: "summary" });
  const accuracies = html("ul", { class: "accuracies" });
  const formula = html(
    "details",
    {},
    html("summary", {}, "How accuracy is counted"),
    html("p", { class: "note" }, ACCURACY_FORMULA),
  );
  const list = html("ol", { class: "mistakes", "aria-label": "Mistakes" });
  const results = html(
    "div",
    {},
    graph.element,
    legend,
    currentPlyText,
    accuracies,
    formula,
    html("h2", {}, "Mistakes"),
    list,
  );
  element.append(
    intro,
    html("div", { class: "tools" }, begin, progress, stop),
    statusLine,
    results,
  );

  function stopReview() {
    control.abort();
    control = new AbortController();
    running = false;
    draw(app.state());
  }

  /** Requests the review with the analyses so far. @param {AbortSignal} signal */
  async function updateReview(signal) {
    const [start] = positions;
    if (start) {
      const response = await analyzer.review(start, line, signal);
      signal.throwIfAborted();
      reviewed = response;
    }
  }

  /**
   * Analyzes every position from the last to the first, because late positions make earlier ones
   * faster.
   */
  async function startReview() {
    stopReview();
    const { signal } = control;
    running = isRequested = true;
    errorText = "";
    progress.value = 0;
    let updatedAt = -Infinity;
    try {
      for (const [round, seconds] of ROUND_TIMES_S.entries()) {
        for (let index = positions.length - 1; index >= 0; index -= 1) {
          const at = /** @type {Position} */ (positions[index]);
          const analysis = analyzer.cached(at);
          if (!analysis || !isProven(analysis)) {
            await analyzer.analyze(at, [seconds], signal, () => {});
          }
          if (performance.now() - updatedAt > UPDATE_INTERVAL_MS) {
            await updateReview(signal);
            updatedAt = performance.now();
          }
          progress.value =
            (round + (positions.length - index) / positions.length) / ROUND_TIMES_S.length;
          draw(app.state());
        }
      }
      await updateReview(signal);
      app.announce("The review is ready.");
    } catch (error) {
      if (signal.aborted || isAbort(error)) {
        return;
      }
      errorText = error instanceof Error ? error.message : String(error);
    }
    running = false;
    draw(app.state());
  }

  /** @param {number} ply */
  function showPly(ply) {
    const { tree } = app.state();
    if (tree) {
      editInExploreMode(app, (now) => goTo(now, now.line.slice(0, ply)));
    }
  }

  /** @param {number} ply the ply to play differently */
  function playAgainFrom(ply) {
    const { suspendedGame, players } = app.state();
    showPly(ply - 1);
    app.actions.playFromHere(localPlayers((suspendedGame ?? { players }).players));
    app.announce("Try another move.");
  }

  /**
   * @param {ReviewedPly} mistake
   * @param {Notation} notation
   */
  function mistakeElement(mistake, notation) {
    return html(
      "li",
      {},
      button(plyText(mistake, notation), () => showPly(mistake.ply), { class: "quiet" }),
      ` ${mistakeText(mistake, notation)} `,
      button("Try again from here", () => playAgainFrom(mistake.ply), {
        class: "small",
        "aria-label": `Try again from before ply ${mistake.ply}`,
      }),
    );
  }

  /** @param {State} state */
  function draw(state) {
    const { tree } = state;
    if (!tree) {
      return;
    }
    const newLine = reviewedLine(tree);
    if (
      newLine.length !== line.length ||
      newLine.some((moveResult, index) => moveResult !== line[index]) ||
      positions[0] !== tree.start
    ) {
      // A running review is about the previous line.
      isRequested = false;
      errorText = "";
      reviewed = null;
      line = newLine;
      positions = [tree.start, ...line.map(({ after }) => after)];
      if (running) {
        stopReview();
        return;
      }
    }
    drawReview(state, tree);
  }

  /** @param {State} state @param {GameTree} tree */
  function drawReview(state, tree) {
    const none =
      line.length === 0 ? "There are no moves to review. Play a game first, or open one." : "";
    setText(intro, state.analysisLock ?? none);
    begin.hidden =
      running || line.length === 0 || state.analysisLock !== null || reviewed?.unproven === 0;
    setText(begin, isRequested ? "Continue the review" : "Review this game");
    progress.hidden = stop.hidden = !running;
    results.hidden = !reviewed || state.analysisLock !== null;
    setText(statusLine, state.analysisLock ? "" : errorText || status());
    if (results.hidden || !reviewed) {
      return;
    }
    const names = playerNames(state, tree);
    const notation = { names, houses: tree.start.houses, labels: state.settings.labels };
    const { accuracy, unproven } = reviewed;
    const currentPly = Math.min(tree.depth, line.length);
    const points = graphPoints(reviewed, notation);
    graph.show(points, currentPly);
    setText(up, names.south);
    setText(currentPlyText, points[currentPly]?.label ?? "");
    accuracies.replaceChildren(
      ...SIDES.map((/** @type {Side} */ side) =>
        html("li", {}, accuracyText(accuracy[side], names[side], running)),
      ),
    );
    const mistakes = reviewed.plies.filter(({ cost }) => cost.lower > 0);
    list.replaceChildren(...mistakes.map((mistake) => mistakeElement(mistake, notation)));
    if (mistakes.length === 0) {
      list.append(
        html(
          "li",
          { class: "no-mistakes" },
          unproven > 0
            ? running
              ? "None yet."
              : "No mistake is proven."
            : "None: every move was one of the best.",
        ),
      );
    }
  }

  function status() {
    if (running) {
      return `Analyzing ${line.length} plies, from the last to the first.`;
    }
    const open = reviewed?.unproven ?? 0;
    if (open === 0) {
      return "";
    }
    return `The cost of ${open === 1 ? "1 ply" : `${open} plies`} is not proven.`;
  }

  app.subscribe((state) => {
    if (running && (state.panel !== "review" || state.analysisLock)) {
      stopReview();
    }
  });
  return draw;
}
