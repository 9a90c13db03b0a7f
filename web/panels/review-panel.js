/** The review panel: margin graph, mistakes and accuracy of a game. */

import { isProven } from "../analysis/analyser.js";
import { marginSentence } from "../analysis/margins.js";
import { ACCURACY_FORMULA, mistakes, review, unproven } from "../analysis/review.js";
import { moveLabel } from "../board/labels.js";
import { isAbort } from "../engine/errors.js";
import { countSeeds } from "../game/descriptions.js";
import { editInExploreMode } from "../game/modes.js";
import { gamePlayers, playerAt, SIDES } from "../game/players.js";
import { goTo, moveResultsTo } from "../game/tree.js";
import { button, html, setText } from "../ui/dom.js";
import { createMarginGraph } from "./margin-graph.js";

/** @import { Analyser } from "../analysis/analyser.js" */
/** @import { Accuracy, Review, ReviewedPly } from "../analysis/review.js" */
/** @import { GraphPoint } from "./margin-graph.js" */
/** @import { Analysis, Position, Side } from "../types/api.d.ts" */
/** @import { App, GameTree, Panel, Player, Players, Settings, State } from "../types/app.d.ts" */

/**
 * The time limit of each position in the first and in the second round, in seconds. The second
 * round repeats only positions that are not proven.
 */
const ROUND_TIMES_S = [0.25, 3];

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
 * Describes a ply in words.
 *
 * @param {ReviewedPly} ply
 * @param {{ south: string, north: string }} names
 * @param {Settings["labels"]} labels
 */
function plyText({ ply, moveResult, player }, names, labels) {
  return `ply ${ply}, ${names[player]}: ${moveLabel(moveResult.move, moveResult.after.houses, labels)}`;
}

/**
 * Returns the points of the margin graph.
 *
 * @param {Review} of
 * @param {{ south: string, north: string }} names
 * @param {Settings["labels"]} labels
 * @returns {GraphPoint[]}
 */
export function graphPoints({ start, plies: reviewed }, names, labels) {
  const worth = (/** @type {Review["start"]} */ margin) =>
    margin
      ? `${marginSentence(margin.expected, names)}, ${margin.exact ? "proven" : "not proven"}`
      : "not analysed yet";
  return [
    {
      margin: start?.expected ?? null,
      proven: start?.exact ?? false,
      lost: 0,
      label: `start: ${worth(start)}`,
    },
    ...reviewed.map((ply) => {
      const lost = ply.cost?.lower ?? 0;
      const mistake = lost > 0 ? `, a mistake that cost ${countSeeds(lost)}` : "";
      return {
        margin: ply.margin?.expected ?? null,
        proven: ply.margin?.exact ?? false,
        lost,
        label: `${plyText(ply, names, labels)}: ${worth(ply.margin)}${mistake}`,
      };
    }),
  ];
}

/**
 * Describes the cost of a mistake and the better moves.
 *
 * @param {ReviewedPly} ply
 * @param {Settings["labels"]} labels
 */
export function mistakeText({ cost, better, outcomeChange, moveResult }, labels) {
  const price = cost?.exact
    ? `cost ${countSeeds(cost.lower)}`
    : `cost at least ${countSeeds(cost?.lower ?? 0)}`;
  const result = outcomeChange
    ? `, and turned a ${outcomeChange.from} into a ${outcomeChange.to}`
    : "";
  const instead = better.map((move) => moveLabel(move, moveResult.after.houses, labels));
  return `${price}${result}. Better: ${instead.join(" or ")}.`;
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
    const { percent, plies: counted, lost, stake } = accuracy;
    const over = counted === 1 ? "1 ply" : `${counted} plies`;
    const share = `lost ${lost} of ${countSeeds(stake)} at stake in ${over}`;
    return `${name}: ${Math.floor(percent)} % (${share})`;
  }
  if (running) {
    return `${name}: not known yet`;
  }
  return accuracy.reason === "nothing-at-stake"
    ? `${name}: no accuracy, since nothing was at stake`
    : `${name}: no accuracy, since no ply is proven`;
}

/**
 * @param {(app: App) => Analyser} analyserFor returns the analyser of an app
 * @returns {Panel}
 */
export function reviewPanel(analyserFor) {
  return {
    id: "review",
    title: "Review",
    create: (element, app) => createReview(element, app, analyserFor(app)),
  };
}

/**
 * @param {HTMLElement} element
 * @param {App} app
 * @param {Analyser} analyser
 */
function createReview(element, app, analyser) {
  /** The plies of the reviewed line. @type {ReturnType<typeof reviewedLine>} */
  let line = [];
  /** @type {Position[]} */
  let positions = [];
  let control = new AbortController();
  let running = false;
  /** Whether the person has requested a review of this line. */
  let isRequested = false;
  let errorText = "";

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

  /** @returns {(Analysis | null)[]} */
  const analyses = () => positions.map((at) => analyser.cached(at));

  /**
   * Analyses every position from the last to the first, because late positions make earlier ones
   * faster.
   */
  async function startReview() {
    stopReview();
    const { signal } = control;
    running = isRequested = true;
    errorText = "";
    progress.value = 0;
    try {
      for (const [round, seconds] of ROUND_TIMES_S.entries()) {
        for (let index = positions.length - 1; index >= 0; index -= 1) {
          const at = /** @type {Position} */ (positions[index]);
          const analysis = analyser.cached(at);
          if (!analysis || !isProven(analysis)) {
            await analyser.analyse(at, [seconds], signal, () => {});
          }
          progress.value =
            (round + (positions.length - index) / positions.length) / ROUND_TIMES_S.length;
          draw(app.state());
        }
      }
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
   * @param {{ south: string, north: string }} names
   * @param {Settings["labels"]} labels
   */
  function mistakeElement(mistake, names, labels) {
    return html(
      "li",
      {},
      button(plyText(mistake, names, labels), () => showPly(mistake.ply), { class: "quiet" }),
      ` ${mistakeText(mistake, labels)} `,
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
    const reviewed = review(line, analyses());
    const names = playerNames(state, tree);
    const { labels } = state.settings;
    const none =
      line.length === 0 ? "There are no moves to review. Play a game first, or open one." : "";
    setText(intro, state.analysisLock ?? none);
    begin.hidden =
      running ||
      line.length === 0 ||
      state.analysisLock !== null ||
      (isRequested && unproven(reviewed) === 0);
    setText(begin, isRequested ? "Continue the review" : "Review this game");
    progress.hidden = stop.hidden = !running;
    results.hidden = !isRequested || state.analysisLock !== null;
    setText(statusLine, state.analysisLock ? "" : errorText || status(reviewed));
    if (results.hidden) {
      return;
    }
    const currentPly = Math.min(tree.depth, line.length);
    const points = graphPoints(reviewed, names, labels);
    graph.show(points, currentPly);
    setText(up, names.south);
    setText(currentPlyText, points[currentPly]?.label ?? "");
    accuracies.replaceChildren(
      ...SIDES.map((/** @type {Side} */ side) =>
        html("li", {}, accuracyText(reviewed.accuracy[side], names[side], running)),
      ),
    );
    const mistakeList = mistakes(reviewed);
    list.replaceChildren(...mistakeList.map((mistake) => mistakeElement(mistake, names, labels)));
    if (mistakeList.length === 0) {
      list.append(
        html(
          "li",
          { class: "no-mistakes" },
          unproven(reviewed) > 0
            ? running
              ? "None yet."
              : "None is proven."
            : "None: every move was one of the best.",
        ),
      );
    }
  }

  /** @param {Review} reviewed */
  function status(reviewed) {
    const open = unproven(reviewed);
    if (running) {
      return `Analysing ${line.length} plies, from the last to the first.`;
    }
    if (!isRequested || open === 0) {
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
