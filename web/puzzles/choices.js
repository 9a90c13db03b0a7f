/** The choices for the next puzzle: difficulty, theme, number of moves, board and rules. */

import { chosenRules } from "../storage/chosen-rules.js";
import { rulesTitle } from "../texts/from-server.js";
import { texts } from "../texts/texts.js";
import { detailsSection, html } from "../ui/dom.js";
import { DIFFICULTIES, ratingLimits } from "./rating.js";

/** @import { PuzzleTheme } from "../types/api.d.ts" */
/** @import { State } from "../types/app.d.ts" */
/** @import { Difficulty, Progress } from "./rating.js" */
/** @import { PuzzleWish } from "./source.js" */

/** The boards of puzzles; on larger boards puzzles are rare. */
const BOARDS = ["4x3", "5x4", "6x3", "6x4", "6x5", "6x6", "8x6"];

const DEFAULT_BOARD = "6x4";

/** @type {readonly PuzzleTheme[]} */
export const THEMES = ["capture", "bonus-chain", "starve", "save-seeds", "last-seeds", "only-move"];

/** The least numbers of moves to find. */
const MOVES = ["1", "2", "3"];

/** @param {string} value @param {string} label @param {string} [selected] */
const option = (value, label, selected) =>
  html("option", { value, selected: value === selected }, label);

/** Creates the choices, folded. */
export function createChoices() {
  const difficulty = html(
    "select",
    {},
    ...DIFFICULTIES.map((name) => option(name, texts.puzzles.levels[name])),
  );
  const theme = html(
    "select",
    {},
    option("", texts.puzzleKinds.anyTheme),
    ...THEMES.map((name) => option(name, texts.puzzleKinds.themes[name])),
  );
  const moves = html(
    "select",
    {},
    ...MOVES.map((count) => option(count, texts.puzzleKinds.atLeastMoves(Number(count)))),
  );
  const board = html(
    "select",
    {},
    ...BOARDS.map((size) => option(size, size.replace("x", "\u00d7"), DEFAULT_BOARD)),
  );
  const rules = html("select");
  const tools = html(
    "div",
    { class: "tools" },
    html("label", {}, `${texts.puzzles.difficulty} `, difficulty),
    html("label", {}, `${texts.puzzleKinds.theme} `, theme),
    html("label", {}, `${texts.puzzleKinds.moves} `, moves),
    html("label", {}, `${texts.common.board} `, board),
    html("label", {}, `${texts.common.rules} `, rules),
  );
  /** Returns rules and board. */
  const boardOf = () => ({ rules: rules.value || chosenRules(), board: board.value });
  return {
    element: detailsSection(texts.puzzleKinds.choices, tools),
    boardOf,
    /** @param {Progress} progress @returns {PuzzleWish} */
    wish: ({ rating }) => ({
      ...boardOf(),
      ...ratingLimits(/** @type {Difficulty} */ (difficulty.value), rating),
      theme: /** @type {PuzzleTheme | ""} */ (theme.value) || null,
      min_moves: Number(moves.value),
    }),
    /** @param {State} state */
    draw({ presets }) {
      if (presets.length !== rules.options.length) {
        const selected = rules.value;
        const isPreset = presets.some(({ name }) => name === selected);
        rules.replaceChildren(...presets.map(({ name }) => option(name, rulesTitle(name))));
        rules.value = isPreset ? selected : (presets.find((preset) => preset.default)?.name ?? "");
      }
    },
  };
}

/** @typedef {ReturnType<typeof createChoices>} Choices */
