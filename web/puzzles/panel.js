/** The puzzle panel: choices, the puzzle on the board, rating and streak. */

import { formatGame, withFragment } from "../records/link.js";
import { rulesTitle } from "../texts/from-server.js";
import { texts } from "../texts/texts.js";
import { button, copyToClipboard, html, setText } from "../ui/dom.js";
import { progressText, puzzleText } from "./descriptions.js";
import { DIFFICULTIES } from "./rating.js";
import { createPuzzleSession, PUZZLE_MODE } from "./session.js";

/** @import { App, Panel, State } from "../types/app.d.ts" */
/** @import { Difficulty } from "./rating.js" */
/** @import { PuzzleSession } from "./session.js" */

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

/**
 * @param {HTMLElement} element
 * @param {App} app
 * @param {PuzzleSession} session
 */
function createPuzzles(element, app, session) {
  const difficulty = html(
    "select",
    {},
    ...DIFFICULTIES.map((name) => html("option", { value: name }, texts.puzzles.levels[name])),
  );
  const board = html(
    "select",
    {},
    ...BOARDS.map((size) =>
      html(
        "option",
        { value: size, selected: size === DEFAULT_BOARD },
        size.replace("x", "\u00d7"),
      ),
    ),
  );
  const rules = html("select");
  const message = html("p", { class: "puzzle-message", role: "status" });
  const details = html("p", { class: "note" });
  const progress = html("p", { class: "summary" });
  const next = button(texts.puzzles.start, () => void session.next(choices()), { class: "main" });
  const giveUp = button(texts.puzzles.giveUp, () => session.giveUp(), { class: "small" });
  const link = button(texts.records.copyLink, () => void copyLink(), { class: "small" });
  const leave = button(
    texts.game.backToGame,
    () => {
      app.actions.resumeLocalGame();
      document.getElementById("board")?.focus();
    },
    { class: "small" },
  );
  element.append(
    message,
    html("div", { class: "tools" }, next, giveUp, link, leave),
    details,
    progress,
    html(
      "div",
      { class: "tools" },
      html("label", {}, `${texts.puzzles.difficulty} `, difficulty),
      html("label", {}, `${texts.common.board} `, board),
      html("label", {}, `${texts.common.rules} `, rules),
    ),
    html(
      "details",
      {},
      html("summary", {}, texts.puzzles.ratingTitle),
      html("p", { class: "note" }, texts.puzzles.ratingText),
    ),
  );

  /** @returns {import("./source.js").PuzzleChoices} */
  const choices = () => ({
    difficulty: /** @type {Difficulty} */ (difficulty.value),
    rules: rules.value || "cs32",
    board: board.value,
  });

  async function copyLink() {
    const puzzle = session.state().loaded?.puzzle;
    if (puzzle) {
      const fragment = formatGame({
        rules: puzzle.rules,
        position: puzzle.position,
        plies: [],
        at: null,
      });
      await copyToClipboard(link, withFragment(window.location.href, fragment), (error) =>
        app.actions.showError(error),
      );
    }
  }

  /** @param {State} state */
  function drawRules({ presets }) {
    if (presets.length !== rules.options.length) {
      const selected = rules.value;
      rules.replaceChildren(
        ...presets.map(({ name }) => html("option", { value: name }, rulesTitle(name))),
      );
      rules.value = presets.some(({ name }) => name === selected)
        ? selected
        : (presets.find((preset) => preset.default)?.name ?? "");
    }
  }

  return (/** @type {State} */ state) => {
    const now = session.state();
    const { phase, loaded } = now;
    drawRules(state);
    setText(message, puzzleText(now, state.settings.labels));
    message.classList.toggle(
      "wrong",
      now.error !== "" || (phase === "solving" && now.wrong !== null),
    );
    message.classList.toggle("right", phase === "solved");
    setText(next, loaded && phase !== "none" ? texts.puzzles.next : texts.puzzles.start);
    next.setAttribute("aria-disabled", String(phase === "loading"));
    // While a puzzle waits for its solution, no button is the main one.
    next.classList.toggle("main", !["solving", "loading"].includes(phase));
    giveUp.hidden = phase !== "solving";
    link.hidden = !loaded || phase === "none" || phase === "loading";
    leave.hidden = state.mode !== PUZZLE_MODE;
    setText(
      details,
      loaded && phase !== "none" && phase !== "loading"
        ? texts.puzzles.details(loaded.puzzle.rating, rulesTitle(loaded.puzzle.rules))
        : "",
    );
    setText(progress, progressText(now.progress));
  };
}
