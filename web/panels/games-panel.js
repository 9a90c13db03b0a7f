/** The games panel: the games played on this device. */

import { errorText, isAbort } from "../engine/errors.js";
import { currentLocalGame } from "../game/modes.js";
import { isSameGame, savedGame } from "../storage/formats.js";
import { loadPlayedGame, playedGameRecord } from "../storage/history.js";
import { ANONYMOUS_NAMES, displayName, opposite, shortName, SIDES } from "../game/players.js";
import { startRecorder } from "../storage/recorder.js";
import { FRIEND_MODE } from "../friends/state.js";
import { tagsOf } from "../records/records.js";
import { endingText } from "../game/descriptions.js";
import { UNFINISHED } from "../game/tree.js";
import { rulesTitle } from "../texts/from-server.js";
import { texts } from "../texts/texts.js";
import { button, html, saveText, setText } from "../ui/dom.js";
import { ask } from "../ui/question.js";
import { createPagedList } from "./paged-list.js";

/** @import { History, HistoryEntry, PlayedGame } from "../storage/history.js" */
/** @import { Side } from "../types/api.d.ts" */
/** @import { App, Panel } from "../types/app.d.ts" */

/** The mode of games at this device, which can go on. */
const LOCAL_MODE = "play";

/** The modes whose games are recorded. */
const RECORDED_MODES = new Set([LOCAL_MODE, FRIEND_MODE]);

/** A board in short form, such as `6x4`. */
const SIZE = /^(\d+)x(\d+)$/;

/**
 * Returns a player of a stored game with the name.
 *
 * @param {PlayedGame} game
 * @param {Side} side the side at the start
 */
function playerOf({ players }, side) {
  const player = players[side];
  const isYou = player.kind === "person" && players[opposite(side)].kind !== "person";
  const name = displayName(player, side, { isYou });
  return { player, isYou, name: ANONYMOUS_NAMES.has(name) ? texts.board.sides[side] : name };
}

/**
 * Returns the player of a side at the end of a stored game, after a swap.
 *
 * @param {PlayedGame} game
 * @param {Side} side
 */
const lastPlayerOf = (game, side) =>
  playerOf(game, game.moves.includes("swap") ? opposite(side) : side);

/**
 * Returns the players of a stored game.
 *
 * @param {PlayedGame} game
 */
export const playersText = (game) =>
  SIDES.map((side) => playerOf(game, side).name).join(" \u2013 ");

/**
 * Returns the result of a stored game.
 *
 * @param {PlayedGame} game
 */
export function resultText(game) {
  const { stores, termination, winner } = game;
  if (stores) {
    const own = SIDES.find((side) => lastPlayerOf(game, side).isYou) ?? "south";
    const [first, second] = [own, opposite(own)].map((side) => ({
      name: shortName(lastPlayerOf(game, side)),
      seeds: stores[side],
    }));
    return first && second ? texts.game.finalStores(first, second) : "";
  }
  if (termination === UNFINISHED) {
    return texts.history.unfinished;
  }
  const reason = endingText(termination);
  return winner
    ? texts.game.winsOtherwise(lastPlayerOf(game, winner), reason)
    : texts.game.noWinner(reason);
}

/**
 * Returns date, board, rules and number of moves of a stored game.
 *
 * @param {PlayedGame} game
 */
export function detailsText({ date, board, rules, moves }) {
  const size = SIZE.exec(board);
  return [
    texts.history.time(new Date(date)),
    size ? `${size[1]}\u00d7${size[2]}` : texts.history.position,
    rulesTitle(rules),
    texts.records.moves(moves.length),
  ].join(", ");
}

/** @param {History} history @returns {Panel} */
export function gamesPanel(history) {
  /** @type {Games["recordAs"]} */
  let recordAs = () => {};
  return {
    id: "games",
    title: texts.history.title,
    start: (app) => {
      recordAs = startRecorder(app, history, RECORDED_MODES);
      history.followTabs();
    },
    create: (element, app) => createGames(element, { app, history, recordAs }),
  };
}

/**
 * The panel with its parts.
 *
 * @typedef {object} Games
 * @property {App} app
 * @property {History} history
 * @property {ReturnType<typeof startRecorder>} recordAs tells the recorder which entry goes on
 * @property {AbortController} control aborts the saving of games
 * @property {ReturnType<typeof createElements>} elements
 * @property {ReturnType<typeof createPagedList<HistoryEntry>>} list
 */

/** @param {{ onSaveAll: () => void, onDeleteAll: () => void, onCancel: () => void }} events */
function createElements({ onSaveAll, onDeleteAll, onCancel }) {
  const small = { class: "small" };
  const progress = html("progress", { max: 1, value: 0, "aria-label": texts.history.saving });
  return {
    note: html("p", { class: "note" }),
    tools: html(
      "div",
      { class: "tools" },
      button(texts.history.saveAll, onSaveAll, small),
      button(texts.history.deleteAll, onDeleteAll, small),
    ),
    progress,
    running: html(
      "div",
      { class: "tools", hidden: true },
      progress,
      button(texts.records.cancel, onCancel, small),
    ),
    message: html("p", { class: "note", role: "status" }),
  };
}

/** @param {Games} games @param {HistoryEntry} entry */
function entryElement(games, { id, game }) {
  const what = game ? `${playersText(game)}, ${detailsText(game)}` : texts.history.damaged;
  const removeButton = button(texts.history.delete, () => void removeOne(games, id, what), {
    class: "small",
    "aria-label": texts.history.deleteLabel(what),
  });
  if (!game) {
    const damaged = html("p", { class: "wrong" }, texts.history.damaged);
    return html("div", { class: "played" }, damaged, html("div", { class: "tools" }, removeButton));
  }
  const saveButton = button(texts.history.save, () => void saveGames(games, [id]), {
    class: "small",
    "aria-label": texts.history.saveLabel(what),
  });
  const onContinue = () => void continueGame(games, { id, game });
  const mayContinue = isUnfinished(game);
  const continueButton = mayContinue
    ? button(texts.history.continue, onContinue, {
        class: "small main",
        "aria-label": texts.history.continueLabel(what),
      })
    : null;
  const onTitle = mayContinue ? onContinue : () => void openGame(games, game);
  return html(
    "div",
    { class: "played" },
    button(playersText(game), onTitle, { class: "quiet" }),
    html("p", {}, resultText(game)),
    html("p", { class: "note" }, detailsText(game)),
    html("div", { class: "tools" }, continueButton, saveButton, removeButton),
  );
}

/**
 * Returns whether a game at this device can go on.
 *
 * @param {PlayedGame} game
 */
const isUnfinished = ({ mode, termination, stores }) =>
  mode === LOCAL_MODE && termination === UNFINISHED && stores === null;

/**
 * Goes on with an unfinished game, which may be the one on the board.
 *
 * @param {Games} games
 * @param {{ id: string, game: PlayedGame }} entry
 */
async function continueGame({ app, recordAs }, entry) {
  const { game } = entry;
  const local = currentLocalGame(app.state());
  if (local && isSameGame(savedGame(local.tree, local.players), game)) {
    app.actions.resumeLocalGame();
    return;
  }
  try {
    const record = await loadPlayedGame(app.engine, game, []);
    recordAs(entry, app.actions.continueGame(record, game.players));
    app.announce(texts.history.continued(playersText(game)));
  } catch (error) {
    app.actions.showError(error);
  }
}

/** @param {Games} games @param {PlayedGame} game */
async function openGame({ app }, game) {
  try {
    const tags = tagsOf(game.players, new Date(game.date));
    app.actions.openGame(await loadPlayedGame(app.engine, game, tags));
    app.announce(texts.records.opened(playersText(game)));
  } catch (error) {
    app.actions.showError(error);
  }
}

/**
 * Saves games as a file of records. Games that cannot be read are left out.
 *
 * @param {Games} games
 * @param {string[]} ids
 */
async function saveGames(games, ids) {
  const { message, progress, running } = games.elements;
  games.control.abort();
  games.control = new AbortController();
  const { signal } = games.control;
  setText(message, "");
  progress.value = 0;
  running.hidden = ids.length === 1;
  try {
    const records = await readRecords(games, ids, signal);
    saveText(ids.length === 1 ? "game.kgn" : "games.kgn", records.join("\n"));
    setText(message, texts.history.saved(records.length));
  } catch (error) {
    if (!isAbort(error)) {
      setText(message, errorText(error));
    } else if (games.control.signal === signal) {
      setText(message, texts.records.cancelled);
    }
  }
  running.hidden = true;
}

/**
 * Returns the records of games and shows the progress.
 *
 * @param {Games} games
 * @param {string[]} ids
 * @param {AbortSignal} signal
 */
async function readRecords({ app, history, elements }, ids, signal) {
  const records = [];
  for (const [index, id] of ids.entries()) {
    const { game } = history.entry(id);
    if (game) {
      const tags = tagsOf(game.players, new Date(game.date));
      records.push(await playedGameRecord(app.engine, game, tags, signal));
    }
    elements.progress.value = (index + 1) / ids.length;
  }
  return records;
}

/** @param {Games} games @param {string} id @param {string} what */
async function removeOne(games, id, what) {
  const isSure = await ask(texts.history.deleteQuestion, {
    yes: texts.history.delete,
    no: texts.history.keep,
    text: what,
  });
  if (isSure) {
    await remove(games, [id]);
  }
}

/** @param {Games} games */
async function removeAll(games) {
  const ids = games.history.ids();
  const isSure = await ask(texts.history.deleteAllQuestion(ids.length), {
    yes: texts.history.deleteAll,
    no: texts.history.keep,
    text: texts.history.deleteAllText(ids.length),
  });
  if (isSure) {
    await remove(games, ids);
  }
}

/** @param {Games} games @param {string[]} ids */
async function remove(games, ids) {
  const { history, elements, list } = games;
  await history.remove(ids);
  setText(elements.message, texts.history.deleted(ids.length));
  await draw(games);
  // The button with the focus is no longer in the document.
  const next = list.element.hidden ? null : list.element.querySelector("button");
  (next ?? document.getElementById("tab-games"))?.focus();
}

/** @param {Games} games */
async function draw({ history, elements, list }) {
  const total = history.ids().length;
  setText(elements.note, total === 0 ? texts.history.none : texts.history.intro(total));
  elements.tools.hidden = total === 0;
  await list.show(total, { samePage: true });
}

/**
 * @param {HTMLElement} element
 * @param {Pick<Games, "app" | "history" | "recordAs">} parts
 */
function createGames(element, parts) {
  const { app, history } = parts;
  /** @type {Games} */
  const games = {
    ...parts,
    control: new AbortController(),
    elements: createElements({
      onSaveAll: () => void saveGames(games, history.ids()),
      onDeleteAll: () => void removeAll(games),
      onCancel: () => games.control.abort(),
    }),
    list: createPagedList({
      label: texts.history.list,
      load: async (first, end) => history.ids().slice(first, end).map(history.entry),
      draw: (entry) => entryElement(games, entry),
    }),
  };
  const { note, tools, running, message } = games.elements;
  element.append(note, tools, running, message, games.list.element);

  let isDrawn = false;
  history.subscribe(() => {
    isDrawn = false;
    if (app.state().panel === "games") {
      app.actions.refresh();
    }
  });
  return () => {
    if (!isDrawn) {
      isDrawn = true;
      void draw(games);
    }
  };
}
