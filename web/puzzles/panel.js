/** The puzzle panel: the start screen, the puzzle on the board, its results, and the choices. */

import { linkForOthers } from "../friends/network-address.js";
import { shareLink } from "../friends/share-link.js";
import { puzzleFragment } from "../records/link.js";
import { rulesTitle } from "../texts/from-server.js";
import { texts } from "../texts/texts.js";
import { button, copyToClipboard, html, setText } from "../ui/dom.js";
import { PUZZLE_PANEL, startPuzzleAddress } from "./address.js";
import { createChoices } from "./choices.js";
import { progressText, puzzleText, runText, timeText } from "./descriptions.js";
import { createPuzzleSession, PUZZLE_MODE } from "./session.js";
import { createStartScreen } from "./start-screen.js";

/** @import { App, Panel, State } from "../types/app.d.ts" */
/** @import { PuzzleSession, PuzzleState } from "./session.js" */

/** @returns {Panel} */
export function puzzlePanel() {
  let session = /** @type {PuzzleSession | null} */ (null);
  const sessionOf = (/** @type {App} */ app) => (session ??= createPuzzleSession(app));
  return {
    id: PUZZLE_PANEL,
    title: texts.puzzles.title,
    create: (element, app) => createPuzzles(element, app, sessionOf(app)),
    start: (app) => startPuzzleAddress(app, sessionOf(app)),
  };
}

/**
 * Creates the button that shares the address of the puzzle, or copies it where the browser has no
 * menu for sharing.
 *
 * @param {App} app
 * @param {PuzzleSession} session
 */
function createShareButton(app, session) {
  const onError = (/** @type {Error} */ error) => app.actions.showError(error);
  const onShare = () => {
    const puzzle = session.state().loaded?.puzzle;
    if (puzzle) {
      const { link } = linkForOthers(puzzleFragment(puzzle));
      if (hasShareMenu()) {
        void shareLink(app, texts.puzzleKinds.shareText, link);
      } else {
        void copyToClipboard(share, link, onError);
      }
    }
  };
  const label = hasShareMenu() ? texts.friends.share : texts.records.copyLink;
  const share = button(label, onShare, { class: "small" });
  return share;
}

/** Returns whether the browser has a menu for sharing. */
const hasShareMenu = () => "share" in navigator;

/**
 * Creates the buttons for the puzzle on the board.
 *
 * @param {App} app
 * @param {PuzzleSession} session
 * @param {() => void} onNext
 */
function createTools(app, session, onNext) {
  const onLeave = () => {
    app.actions.resumeLocalGame();
    document.getElementById("board")?.focus();
  };
  const next = button(texts.puzzles.next, onNext, { class: "main" });
  const giveUp = button(texts.puzzles.giveUp, () => session.giveUp(), { class: "small" });
  const share = createShareButton(app, session);
  const leave = button(texts.game.backToGame, onLeave, { class: "small" });
  return {
    element: html("div", { class: "tools" }, next, giveUp, share, leave),
    /** @param {State} state */
    draw({ mode }) {
      const { phase, run, loaded } = session.state();
      next.hidden = run !== null || loaded === null;
      next.setAttribute("aria-disabled", String(phase === "loading"));
      // While a puzzle waits for its solution, no button is the main one.
      next.classList.toggle("main", !["solving", "loading"].includes(phase));
      giveUp.hidden = phase !== "solving";
      const isStorm = run !== null && run.kind === "storm";
      setText(giveUp, isStorm ? texts.puzzleKinds.skip : texts.puzzles.giveUp);
      share.hidden = !isPuzzleShown(session.state());
      leave.hidden = mode !== PUZZLE_MODE;
    },
  };
}

/** Returns whether the board shows a puzzle. @param {PuzzleState} state */
const isPuzzleShown = ({ loaded, phase }) =>
  loaded !== null && phase !== "none" && phase !== "loading";

/** Returns whether the start screen is shown. @param {PuzzleState} state */
const isAtStart = ({ phase, run }) => phase === "none" || (run?.isOver ?? false);

/** Describes rating, rules and themes of the puzzle. @param {PuzzleState} state */
function detailsText(state) {
  if (!state.loaded || !isPuzzleShown(state)) {
    return "";
  }
  const { puzzle } = state.loaded;
  const details = texts.puzzles.details(puzzle.rating, rulesTitle(puzzle.rules));
  // The themes would help to find the solution.
  if (state.phase === "solving" || puzzle.themes.length === 0) {
    return details;
  }
  const themes = puzzle.themes.map((theme) => texts.puzzleKinds.themes[theme]);
  return `${details} ${texts.puzzleKinds.hasThemes(themes.join(", "))}`;
}

/**
 * Creates the line with the clock and the results of a run.
 *
 * @param {() => number} left returns the time that is left of a storm
 */
function createRunLine(left) {
  const clock = html("span", {
    class: "puzzle-clock",
    role: "timer",
    "aria-label": texts.puzzleKinds.timeLeft,
  });
  const result = html("span");
  const element = html("p", { class: "puzzle-run" }, clock, result);
  return {
    element,
    /** @param {PuzzleState} state */
    draw({ run }) {
      element.hidden = run === null;
      clock.hidden = run?.kind !== "storm";
      if (run) {
        setText(clock, timeText(left()));
        setText(result, runText(run));
      }
    },
  };
}

/**
 * @param {HTMLElement} element
 * @param {App} app
 * @param {PuzzleSession} session
 */
function createPuzzles(element, app, session) {
  const choices = createChoices();
  const message = html("p", { class: "puzzle-message", role: "status" });
  const onBegin = () => {
    // The start screen is hidden now, and its button loses the focus.
    if (start.element.contains(document.activeElement)) {
      document.getElementById("board")?.focus({ preventScroll: true });
    }
    // In the next frame the start screen takes no place.
    requestAnimationFrame(() => message.scrollIntoView({ block: "nearest" }));
  };
  const start = createStartScreen(session, choices, onBegin);
  const runLine = createRunLine(start.stormLeft);
  const onNext = () => {
    if (session.state().kind === "mistakes") {
      void session.next();
    } else {
      start.beginNext();
    }
  };
  const tools = createTools(app, session, onNext);
  const details = html("p", { class: "note" });
  const progress = html("p", { class: "summary" });
  const rating = html(
    "details",
    {},
    html("summary", {}, texts.puzzles.ratingTitle),
    html("p", { class: "note" }, texts.puzzles.ratingText),
  );
  element.append(
    ...[message, runLine.element, tools.element, start.element],
    ...[details, progress, choices.element, rating],
  );

  return (/** @type {State} */ state) => {
    const now = session.state();
    const { phase, wrong, error } = now;
    const isWrong = error !== "" || (phase === "solving" && wrong !== null);
    choices.draw(state);
    tools.draw(state);
    runLine.draw(now);
    start.element.hidden = !isAtStart(now);
    if (!start.element.hidden) {
      start.draw();
    }
    setText(message, puzzleText(now, state.settings.labels));
    message.classList.toggle("wrong", isWrong);
    message.classList.toggle("right", phase === "solved");
    setText(details, detailsText(now));
    setText(progress, progressText(now.progress));
  };
}
