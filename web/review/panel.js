/** The review panel: margin graph, graded moves and accuracy of a game. */

import { editInExploreMode } from "../game/modes.js";
import { gamePlayers, PLAYER_TAGS, playerAt, SIDES } from "../game/players.js";
import { goTo, path } from "../game/tree.js";
import { createMarginGraph } from "../panels/margin-graph.js";
import { texts } from "../texts/texts.js";
import { button, html, setText } from "../ui/dom.js";
import { isElsewhere } from "../ui/keyboard.js";
import {
  accuracyText,
  betterText,
  costText,
  GRADE_SYMBOLS,
  GRADES,
  graphPoints,
  plyText,
} from "./descriptions.js";
import { createRetryBox } from "./retry-box.js";
import { createReviewRun, isAboutLine, pathOfLine, reviewedLine } from "./run.js";

/** @import { Review, ReviewedPly } from "../types/api.d.ts" */
/** @import { App, GameTree, Panel, Player, Players, State } from "../types/app.d.ts" */
/** @import { Notation } from "./descriptions.js" */
/** @import { ReviewRun } from "./run.js" */

/** The opponent that replaces a remote player when a person plays on from a ply. */
const REPLACEMENT_OPPONENT = "level:5";

/** Windows of this width show the mistakes at once; others fold them. */
const WIDE = "(width >= 620px)";

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
    south: tags.get(PLAYER_TAGS.south) || playerAt(players, start, "south").name,
    north: tags.get(PLAYER_TAGS.north) || playerAt(players, start, "north").name,
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
 * Returns the ply of the next graded move in a direction, or `null`.
 *
 * @param {Pick<ReviewedPly, "ply" | "grade">[]} plies
 * @param {number} from the current ply
 * @param {1 | -1} direction
 * @returns {number | null}
 */
export function nextMistake(plies, from, direction) {
  const ahead = plies.filter(({ ply, grade }) => grade && (ply - from) * direction > 0);
  return ahead.at(direction === 1 ? 0 : -1)?.ply ?? null;
}

/** @returns {Panel} */
export function reviewPanel() {
  /** @type {ReviewRun | null} */
  let run = null;
  const runFor = (/** @type {App} */ app) => (run ??= createReviewRun(app));
  return {
    id: "review",
    title: texts.review.title,
    start: (app) => beginWhenOpened(app, runFor(app)),
    create: (element, app) => createReview(element, app, runFor(app)),
  };
}

/**
 * Begins the review of a game when its panel opens, and of another game that opens beside it.
 *
 * @param {App} app
 * @param {ReviewRun} run
 */
function beginWhenOpened(app, run) {
  app.subscribe(({ tree, panel, mode, analysisLock }, previous) => {
    const isOpened =
      panel === "review" &&
      (previous.panel !== "review" || (mode === "explore" && tree?.start !== previous.tree?.start));
    if (!tree || !isOpened || analysisLock !== null || reviewedLine(tree).length === 0) {
      return;
    }
    const { start, line, review, running } = run.state();
    const isKnown = start === tree.start && pathOfLine(tree, line) !== null;
    const now = reviewedLine(tree);
    const goesOn =
      isKnown && line.length < now.length && line.every((result, ply) => result === now[ply]);
    if (!isKnown || goesOn || (!review && !running)) {
      void run.begin(tree);
    }
  });
}

/**
 * @param {HTMLElement} element
 * @param {App} app
 * @param {ReviewRun} run
 */
function createReview(element, app, run) {
  const intro = html("p", { class: "note" });
  const progress = html("progress", { max: 1, value: 0, "aria-label": texts.review.title });
  const stop = button(texts.review.stop, () => run.stop(), { class: "small" });
  const begin = button(texts.review.begin, () => beginReview(), { class: "main" });
  const statusLine = html("p", { class: "note", role: "status" });
  const graph = createMarginGraph({ name: texts.review.graph, onSelect: showPly });
  const legend = html("span");
  const explanation = html(
    "details",
    {},
    html("summary", {}, texts.review.gradesTitle),
    html("p", { class: "note" }, texts.review.gradesText),
    html(
      "ul",
      { class: "note" },
      ...[...GRADES]
        .reverse()
        .map((grade) =>
          html(
            "li",
            {},
            html("b", { class: `grade-${grade}` }, GRADE_SYMBOLS[grade]),
            ` ${texts.review.thresholds[grade]}`,
          ),
        ),
    ),
  );
  const toExplanation = button(texts.review.gradesTitle, explain, { class: "text-link" });
  const currentPlyText = html("p", { class: "summary", role: "status" });
  const back = button(texts.review.previousMistake, () => goToMistake(-1), { class: "small" });
  const ahead = button(texts.review.nextMistake, () => goToMistake(1), { class: "small" });
  const accuracyRows = html("tbody");
  const accuracies = html(
    "table",
    { class: "accuracies" },
    html(
      "thead",
      {},
      html(
        "tr",
        {},
        html("th", { scope: "col" }, texts.review.player),
        html("th", { scope: "col" }, texts.review.accuracyColumn),
        ...GRADES.map((grade) =>
          html(
            "th",
            { scope: "col" },
            html("span", { "aria-hidden": "true", class: `grade-${grade}` }, GRADE_SYMBOLS[grade]),
            html("span", { class: "visually-hidden" }, texts.review.gradesPlural[grade]),
          ),
        ),
      ),
    ),
    accuracyRows,
  );
  const accuracyDetails = html("ul", { class: "note" });
  const formula = html(
    "details",
    {},
    html("summary", {}, texts.review.accuracyTitle),
    accuracyDetails,
    html("p", { class: "note" }, texts.review.accuracyFormula),
  );
  const list = html("ol", { class: "mistakes", "aria-label": texts.review.mistakes });
  const mistakesTitle = html("summary", {}, texts.review.mistakes);
  const mistakes = html(
    "details",
    { class: "panel-section", open: window.matchMedia(WIDE).matches },
    mistakesTitle,
    list,
  );
  const retry = createRetryBox(app, {
    analysisBefore: ({ ply }) => {
      const { start, line } = run.state();
      const before = ply === 1 ? start : line[ply - 2]?.after;
      return before ? app.analysisCache.cached(before) : null;
    },
    onNext: () => goToMistake(1),
  });
  const results = html(
    "div",
    { class: "review-results" },
    retry.element,
    graph.element,
    html("p", { class: "note" }, legend, " ", toExplanation),
    html("div", { class: "tools" }, back, ahead),
    currentPlyText,
    accuracies,
    mistakes,
    explanation,
    formula,
  );
  element.append(
    intro,
    html("div", { class: "tools" }, begin, progress, stop),
    statusLine,
    results,
  );

  function explain() {
    explanation.open = true;
    explanation.querySelector("summary")?.focus();
  }

  function beginReview() {
    const { tree } = app.state();
    if (tree) {
      retry.end();
      void run.begin(tree);
    }
  }

  /** Returns the path of the reviewed line. @param {GameTree} tree */
  const linePath = (tree) => pathOfLine(tree, run.state().line) ?? tree.line;

  /** Returns the ply on the board, counted along the reviewed line. @param {GameTree} tree */
  function currentPlyOf(tree) {
    const line = linePath(tree);
    const at = path(tree);
    const branch = at.findIndex((index, place) => index !== line[place]);
    return branch < 0 ? at.length : branch;
  }

  /** @param {number} ply */
  function showPly(ply) {
    retry.end();
    if (app.state().tree) {
      editInExploreMode(app, (now) => goTo(goTo(now, linePath(now)), linePath(now).slice(0, ply)));
    }
  }

  /** @param {1 | -1} direction */
  function goToMistake(direction) {
    const { tree } = app.state();
    const { review } = run.state();
    if (tree && review) {
      const current = retry.ply() ?? currentPlyOf(tree);
      const ply = nextMistake(review.plies, current, direction);
      if (ply === null) {
        app.announce(texts.review.noMoreMistakes);
      } else {
        showPly(ply);
      }
    }
  }

  /** @param {number} ply the ply to play differently */
  function playOnFrom(ply) {
    const { suspendedGame, players } = app.state();
    showPly(ply - 1);
    app.actions.playFromHere(localPlayers((suspendedGame ?? { players }).players));
    app.announce(texts.review.tryAnother);
  }

  /** @param {ReviewedPly} mistake @param {Notation} notation */
  function mistakeElement(mistake, notation) {
    return html(
      "li",
      {},
      button(plyText(mistake, notation), () => showPly(mistake.ply), { class: "quiet" }),
      ` ${costText(mistake)} `,
      html(
        "details",
        { class: "better" },
        html("summary", {}, texts.review.showBetter),
        betterText(mistake.better_moves, notation),
      ),
      html(
        "div",
        { class: "tools" },
        button(
          texts.review.tryAgain,
          () => {
            const { tree } = app.state();
            if (tree) {
              retry.begin(mistake, linePath(tree));
            }
          },
          { class: "small", "aria-label": texts.review.tryAgainLabel(mistake.ply) },
        ),
        button(texts.review.playOn, () => playOnFrom(mistake.ply), {
          class: "small",
          "aria-label": texts.review.playOnLabel(mistake.ply),
        }),
      ),
    );
  }

  document.addEventListener("keydown", (event) => {
    const direction = event.key === "." ? 1 : event.key === "," ? -1 : null;
    const { panel, settings } = app.state();
    const isFree =
      panel === "review" &&
      settings.keys &&
      !event.defaultPrevented &&
      !event.ctrlKey &&
      !event.altKey &&
      !event.metaKey &&
      !isElsewhere(event.target);
    if (direction && isFree && !results.hidden) {
      event.preventDefault();
      goToMistake(direction);
    }
  });

  /** The review, the names and the labels that the list of mistakes shows. */
  let drawn = /** @type {{ review: Review | null, text: string }} */ ({ review: null, text: "" });

  /** @param {Review} review @param {Notation} notation @param {boolean} running */
  function drawMistakes(review, notation, running) {
    const text = JSON.stringify([notation, running]);
    if (drawn.review === review && drawn.text === text) {
      return;
    }
    drawn = { review, text };
    const graded = review.plies.filter(({ grade }) => grade);
    setText(mistakesTitle, texts.review.mistakesCount(graded.length));
    list.replaceChildren(...graded.map((mistake) => mistakeElement(mistake, notation)));
    if (graded.length === 0) {
      const none = running ? texts.review.noneYet : texts.review.noneProven;
      list.append(
        html("li", { class: "no-mistakes" }, review.unproven > 0 ? none : texts.review.none),
      );
    }
    accuracyDetails.replaceChildren(
      ...SIDES.map((side) =>
        html("li", {}, accuracyText(review.accuracy[side], notation.names[side], running)),
      ),
    );
    accuracyRows.replaceChildren(
      ...SIDES.map((side) => {
        const { percent } = review.accuracy[side];
        return html(
          "tr",
          {},
          html("th", { scope: "row" }, notation.names[side]),
          html("td", {}, percent === null ? "\u2013" : texts.review.percent(percent)),
          ...GRADES.map((grade) => html("td", {}, String(review.grades[side][grade]))),
        );
      }),
    );
  }

  /** @param {State} state @param {GameTree} tree */
  function draw(state, tree) {
    const { start, line, running, review, error, progress: share } = run.state();
    const isLocked = state.analysisLock !== null;
    const isThisGame = start === tree.start && pathOfLine(tree, line) !== null;
    const isThisLine = isAboutLine({ start, line }, tree) || retry.ply() !== null;
    const isEmpty = reviewedLine(tree).length === 0;
    setText(intro, state.analysisLock ?? (isEmpty ? texts.review.noMoves : ""));
    const isComplete = isThisLine && review !== null && review.unproven === 0;
    begin.hidden = isLocked || isEmpty || isComplete || (running && isThisLine);
    setText(
      begin,
      !isThisGame || !review
        ? texts.review.begin
        : isThisLine
          ? texts.review.again
          : texts.review.reviewLine,
    );
    progress.hidden = stop.hidden = !running;
    progress.value = share;
    results.hidden = !review || isLocked || !isThisGame;
    setText(statusLine, isLocked || !isThisGame ? "" : error || status(line.length));
    if (results.hidden || !review) {
      return;
    }
    const notation = {
      names: playerNames(state, tree),
      houses: tree.start.houses,
      labels: state.settings.labels,
    };
    const currentPly = retry.ply() ?? currentPlyOf(tree);
    const points = graphPoints(review, notation);
    graph.show(points, Math.min(currentPly, line.length));
    setText(legend, texts.review.legend(notation.names.south));
    setText(currentPlyText, retry.ply() === null ? (points[currentPly]?.label ?? "") : "");
    back.setAttribute("aria-disabled", String(nextMistake(review.plies, currentPly, -1) === null));
    ahead.setAttribute("aria-disabled", String(nextMistake(review.plies, currentPly, 1) === null));
    const current = review.plies[currentPly - 1];
    retry.draw(notation, current?.grade ? current : null, linePath(tree));
    drawMistakes(review, notation, running);
  }

  /** @param {number} count the number of plies */
  function status(count) {
    const { running, review } = run.state();
    if (running) {
      return texts.review.analysing(count);
    }
    return review && review.unproven > 0 ? texts.review.unproven(review.unproven) : "";
  }

  return (/** @type {State} */ state) => {
    if (state.tree) {
      draw(state, state.tree);
    }
  };
}
