/** The address of a puzzle: opens the puzzle of the address, and shows that of the puzzle on the board. */

import { setFragment } from "../records/address.js";
import { parseFragment, puzzleFragment } from "../records/link.js";
import { PUZZLE_MODE } from "./session.js";

/** @import { App } from "../types/app.d.ts" */
/** @import { PuzzleSession } from "./session.js" */

/** The id of the panel of puzzles. */
export const PUZZLE_PANEL = "puzzles";

/**
 * Opens the puzzle of the address unless the board shows it already.
 *
 * @param {App} app
 * @param {PuzzleSession} session
 */
function openAddress(app, session) {
  const link = parseFragment(window.location.hash);
  const puzzle = session.state().loaded?.puzzle;
  if (link.kind === "puzzle") {
    const isShown = puzzle && puzzleFragment(puzzle) === puzzleFragment(link);
    if (!isShown || app.state().mode !== PUZZLE_MODE) {
      app.actions.openPanel(PUZZLE_PANEL);
      session.open(link);
    }
  }
}

/**
 * @param {App} app
 * @param {PuzzleSession} session
 */
export function startPuzzleAddress(app, session) {
  window.addEventListener("hashchange", () => openAddress(app, session));
  openAddress(app, session);
  app.subscribe(({ mode }) => {
    const { loaded, phase } = session.state();
    if (mode === PUZZLE_MODE && loaded && phase !== "loading") {
      // Back leads from the first puzzle to what the board has shown before it.
      const isFirst = parseFragment(window.location.hash).kind !== "puzzle";
      setFragment(puzzleFragment(loaded.puzzle), { addHistoryEntry: isFirst });
    }
  });
}
