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
 * The recorder and its game.
 *
 * @typedef {object} RecorderData
 * @property {History} history
 * @property {ReadonlySet<string>} modes the modes whose games are recorded
 * @property {(Recording & { date: string }) | null} current the game on the board or suspended
 * @property {GameTree["start"] | null} start the start of that game
 * @property {GameTree | null} continued the tree with which the person has gone on with an entry
 */

/**
 * Returns the entry of a game on the board, as after a reload.
 *
 * @param {History} history
 * @param {PlayedGame} game
 */
const storedEntry = (history, game) =>
  history
    .ids()
    .slice(0, MAX_RESUMED)
    .map((id) => history.entry(id))
    .find((entry) => entry.game?.mode === game.mode && continues(entry.game, game));

/**
 * Returns whether the game on the board goes on from a variation of another one.
 *
 * @param {State} state
 * @param {State} previous
 */
const isBranch = ({ tree, mode }, previous) =>
  mode === "play" &&
  previous.mode === "explore" &&
  ![previous.suspendedGame, previous.localGame].some((suspended) => suspended?.tree === tree);

/**
 * Records the game on the board after a change.
 *
 * @param {RecorderData} recorder
 * @param {State} state
 * @param {State} previous
 */
function record(recorder, state, previous) {
  const { tree, mode, players } = state;
  const isPlayed =
    recorder.modes.has(mode) &&
    (players.south.kind === "person" || players.north.kind === "person");
  const isSame = tree === previous.tree && players === previous.players && mode === previous.mode;
  if (!tree || !isPlayed || isSame) {
    return;
  }
  const isNew = tree !== recorder.continued && isBranch(state, previous);
  if (tree.start !== recorder.start || isNew) {
    recorder.start = tree.start;
    recorder.current = null;
  }
  const game = playedGame(state, tree, recorder.current?.date ?? new Date().toISOString());
  if (game.moves.length > 0) {
    recorder.current ??= firstRecording(recorder.history, game, { isNew });
    void recorder.history.put(recorder.current, { ...game, date: recorder.current.date });
  }
}

/**
 * Returns the recording of a game: its stored entry, or a new one.
 *
 * @param {History} history
 * @param {PlayedGame} game
 * @param {{ isNew: boolean }} options
 */
function firstRecording(history, game, { isNew }) {
  const entry = isNew ? undefined : storedEntry(history, game);
  return {
    id: entry?.id ?? history.newId(),
    known: entry?.game ?? null,
    date: entry?.game?.date ?? game.date,
  };
}

/**
 * Records the games of some modes from now on. The function that it returns tells that the person
 * goes on with an entry, so that further moves belong to it.
 *
 * @param {App} app
 * @param {History} history
 * @param {ReadonlySet<string>} modes
 */
export function startRecorder(app, history, modes) {
  /** @type {RecorderData} */
  const recorder = { history, modes, current: null, start: null, continued: null };
  app.subscribe((state, previous) => record(recorder, state, previous));
  /** @param {{ id: string, game: PlayedGame }} entry @param {GameTree} tree */
  return ({ id, game }, tree) => {
    recorder.current = { id, known: game, date: game.date };
    recorder.start = tree.start;
    recorder.continued = tree;
  };
}
