/** The puzzle panel: choices, the puzzle on the board, rating and streak. */

import { formatGame, withFragment } from "../records/link.js";
import { chosenRules } from "../storage/chosen-rules.js";
import { rulesTitle } from "../texts/from-server.js";
import { texts } from "../texts/texts.js";
import { button, copyToClipboard, html, setText } from "../ui/dom.js";
import { progressText, puzzleText } from "./descriptions.js";
import { DIFFICULTIES } from "./rating.js";
import { createPuzzleSession, PUZZLE_MODE } from "./session.js";

/** @import { App, Panel, State } from "../types/app.d.ts" */
/** @import { Difficulty } from "./rating.js" */
/** @import { PuzzleSession, PuzzleState } from "./session.js" */
/** @import { PuzzleChoices } from "./source.js" */

/** The boards of puzzles; on larger boards puzzles are rare. */
const BOARDS = ["4x3", "5x4", "6x3", "6x4", "6x5", "6x6", "8x6"];

const DEFAULT_BOARD = "6x4";

/** @returns {Panel} */
export function puzzlePanel() {
  return {
    id: "puzzles",
    title: texts.puzzles.title,
    create: (element, app) => createPuzzles(element, app, createPuzzleSession(app)),
  };
}

/** Creates the choices for the next puzzle. */
function createChoices() {
  const difficulty = html(
    "select",
    {},
    ...DIFFICULTIES.map((name) => html("option", { value: name }, texts.puzzles.levels[name])),
  );
  const boards = BOARDS.map((size) => {
    const label = size.replace("x", "\u00d7");
    return html("option", { value: size, selected: size === DEFAULT_BOARD }, label);
  });
  const board = html("select", {}, ...boards);
  const rules = html("select");
  return {
    element: html(
      "div",
      { class: "tools" },
      html("label", {}, `${texts.puzzles.difficulty} `, difficulty),
      html("label", {}, `${texts.common.board} `, board),
      html("label", {}, `${texts.common.rules} `, rules),
    ),
    /** @returns {PuzzleChoices} */
    value: () => ({
      difficulty: /** @type {Difficulty} */ (difficulty.value),
      rules: rules.value || chosenRules(),
      board: board.value,
    }),
    /** @param {State} state */
    draw({ presets }) {
      if (presets.length !== rules.options.length) {
        const selected = rules.value;
        const isPreset = presets.some(({ name }) => name === selected);
        const options = presets.map(({ name }) =>
          html("option", { value: name }, rulesTitle(name)),
        );
        rules.replaceChildren(...options);
        rules.value = isPreset ? selected : (presets.find((preset) => preset.default)?.name ?? "");
      }
    },
  };
}

/**
 * Creates the button that copies the link to the puzzle.
 *
 * @param {App} app
 * @param {PuzzleSession} session
 */
function createLinkButton(app, session) {
  const onError = (/** @type {Error} */ error) => app.actions.showError(error);
  const link = button(
    texts.records.copyLink,
    () => {
      const puzzle = session.state().loaded?.puzzle;
      if (puzzle) {
        const { rules, position } = puzzle;
        const fragment = formatGame({ rules, position, plies: [], at: null });
        void copyToClipboard(link, withFragment(window.location.href, fragment), onError);
      }
    },
    { class: "small" },
  );
  return link;
}

/**
 * Creates the buttons of the panel.
 *
 * @param {App} app
 * @param {PuzzleSession} session
 * @param {{ choices: () => PuzzleChoices, message: HTMLElement }} parts the choices for the next
 *   puzzle, and the element that describes it
 */
function createTools(app, session, { choices, message }) {
  const onNext = () => {
    void session.next(choices());
    message.scrollIntoView({ block: "nearest" });
  };
  const onLeave = () => {
    app.actions.resumeLocalGame();
    document.getElementById("board")?.focus();
  };
  const next = button(texts.puzzles.start, onNext, { class: "main" });
  const giveUp = button(texts.puzzles.giveUp, () => session.giveUp(), { class: "small" });
  const link = createLinkButton(app, session);
  const leave = button(texts.game.backToGame, onLeave, { class: "small" });
  return {
    element: html("div", { class: "tools" }, next, giveUp, link, leave),
    /** @param {State} state */
    draw({ mode }) {
      const { phase } = session.state();
      const hasPuzzle = isPuzzleShown(session.state());
      setText(next, hasNext(session.state()) ? texts.puzzles.next : texts.puzzles.start);
      next.setAttribute("aria-disabled", String(phase === "loading"));
      // While a puzzle waits for its solution, no button is the main one.
      next.classList.toggle("main", !["solving", "loading"].includes(phase));
      giveUp.hidden = phase !== "solving";
      link.hidden = !hasPuzzle;
      leave.hidden = mode !== PUZZLE_MODE;
    },
  };
}

/** Returns whether a puzzle has been shown. @param {PuzzleState} state */
const hasNext = ({ loaded, phase }) => loaded !== null && phase !== "none";

/** Returns whether the board shows a puzzle. @param {PuzzleState} state */
const isPuzzleShown = (state) => hasNext(state) && state.phase !== "loading";

/** Describes the rating and the rules of the puzzle. @param {PuzzleState} state */
const detailsText = (state) =>
  state.loaded && isPuzzleShown(state)
    ? texts.puzzles.details(state.loaded.puzzle.rating, rulesTitle(state.loaded.puzzle.rules))
    : "";

/**
 * @param {HTMLElement} element
 * @param {App} app
 * @param {PuzzleSession} session
 */
function createPuzzles(element, app, session) {
  const choices = createChoices();
  const message = html("p", { class: "puzzle-message", role: "status" });
  const tools = createTools(app, session, { choices: choices.value, message });
  const details = html("p", { class: "note" });
  const progress = html("p", { class: "summary" });
  const rating = html(
    "details",
    {},
    html("summary", {}, texts.puzzles.ratingTitle),
    html("p", { class: "note" }, texts.puzzles.ratingText),
  );
  element.append(message, tools.element, details, progress, choices.element, rating);

  return (/** @type {State} */ state) => {
    const now = session.state();
    const { phase, wrong, error } = now;
    const isWrong = error !== "" || (phase === "solving" && wrong !== null);
    choices.draw(state);
    tools.draw(state);
    setText(message, puzzleText(now, state.settings.labels));
    message.classList.toggle("wrong", isWrong);
    message.classList.toggle("right", phase === "solved");
    setText(details, detailsText(now));
    setText(progress, progressText(now.progress));
  };
}
