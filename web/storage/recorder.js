/** The recorder: keeps each game that is played on this device in the history. */

import { startText } from "../records/records.js";
import { continues } from "./formats.js";
import { gameResult, goTo, movesTo } from "../game/tree.js";

/** @import { History, PlayedGame, Recording } from "./history.js" */
/** @import { App, GameTree, State } from "../types/app.d.ts" */

/** The number of latest games among which a game that was interrupted is looked for. */
const MAX_RESUMED = 20;

/**
 * Returns the game on the board for the history.
 *
 * @param {Pick<State, "mode" | "players" | "presets">} state
 * @param {GameTree} tree
 * @param {string} date
 * @returns {PlayedGame}
 */
function playedGame({ mode, players, presets }, tree, date) {
  const result = gameResult(goTo(tree, tree.line));
  return {
    date,
    mode,
    rules: tree.start.rules,
    position: tree.start.position,
    board: startText(tree.start, presets),
    moves: movesTo(tree, tree.line),
    players,
    termination: tree.termination,
    winner: result?.winner ?? null,
    stores: result?.termination === "normal" ? result.stores : null,
  };
}

/**
 * Records the games of some modes from now on.
 *
 * @param {App} app
 * @param {History} history
 * @param {ReadonlySet<string>} modes
 */
export function startRecorder(app, history, modes) {
  /** The game on the board or suspended. @type {(Recording & { date: string }) | null} */
  let current = null;
  /** @type {GameTree["start"] | null} */
  let start = null;

  /** Finds the entry of a game on the board, as after a reload. @param {PlayedGame} game */
  const storedEntry = (game) =>
    history
      .ids()
      .slice(0, MAX_RESUMED)
      .map((id) => history.entry(id))
      .find((entry) => entry.game?.mode === game.mode && continues(entry.game, game));

  app.subscribe((state, previous) => {
    const { tree, mode, players } = state;
    const isPlayed =
      tree !== null &&
      modes.has(mode) &&
      (players.south.kind === "person" || players.north.kind === "person");
    const isSame = tree === previous.tree && players === previous.players && mode === previous.mode;
    if (!isPlayed || isSame) {
      return;
    }
    const isBranch =
      mode === "play" &&
      previous.mode === "explore" &&
      ![previous.suspendedGame, previous.localGame].some((suspended) => suspended?.tree === tree);
    if (tree.start !== start || isBranch) {
      start = tree.start;
      current = null;
    }
    const game = playedGame(state, tree, current?.date ?? new Date().toISOString());
    if (game.moves.length === 0) {
      return;
    }
    if (!current) {
      const entry = isBranch ? undefined : storedEntry(game);
      current = {
        id: entry?.id ?? history.newId(),
        known: entry?.game ?? null,
        date: entry?.game?.date ?? game.date,
      };
    }
    void history.put(current, { ...game, date: current.date });
  });
}
