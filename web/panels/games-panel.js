/** The games panel: the games played on this device. */

import { isAbort } from "../engine/errors.js";
import { createHistory, loadPlayedGame, playedGameRecord } from "../game/history.js";
import { ANONYMOUS_NAMES, displayName, opposite, SIDES } from "../game/players.js";
import { startRecorder } from "../game/recorder.js";
import { FRIEND_MODE } from "../friends/state.js";
import { tagsOf } from "../records/records.js";
import { endingText } from "../game/descriptions.js";
import { UNFINISHED } from "../game/tree.js";
import { rulesTitle } from "../texts/from-server.js";
import { texts } from "../texts/texts.js";
import { button, html, saveText, setText } from "../ui/dom.js";
import { ask } from "../ui/question.js";
import { createPagedList } from "./paged-list.js";

/** @import { History, HistoryEntry, PlayedGame } from "../game/history.js" */
/** @import { Side } from "../types/api.d.ts" */
/** @import { App, Panel } from "../types/app.d.ts" */

/** The modes whose games are recorded. */
const RECORDED_MODES = new Set(["play", FRIEND_MODE]);

/** A board in short form, such as `6x4`. */
const SIZE = /^(\d+)x(\d+)$/;

/**
 * Returns the name of a player of a stored game.
 *
 * @param {PlayedGame} game
 * @param {Side} side the side at the start
 */
function nameOf({ players }, side) {
  const player = players[side];
  const isYou = player.kind === "person" && players[opposite(side)].kind !== "person";
  const name = displayName(player, side, isYou);
  return ANONYMOUS_NAMES.has(name) ? texts.board.sides[side] : name;
}

/**
 * Returns the players of a stored game.
 *
 * @param {PlayedGame} game
 */
export const playersText = (game) => SIDES.map((side) => nameOf(game, side)).join(" \u2013 ");

/**
 * Returns the result of a stored game.
 *
 * @param {PlayedGame} game
 */
export function resultText({ stores, termination, winner }) {
  if (stores) {
    return texts.game.finalStores(stores.south, stores.north);
  }
  if (termination === UNFINISHED) {
    return texts.history.unfinished;
  }
  const reason = endingText(termination);
  return winner
    ? texts.game.winsOtherwise({ name: texts.board.sides[winner], isYou: false }, reason)
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

/** @returns {Panel} */
export function gamesPanel() {
  const history = createHistory();
  return {
    id: "games",
    title: texts.history.title,
    start: (app) => {
      startRecorder(app, history, RECORDED_MODES);
      // Another tab has changed the storage.
      window.addEventListener("storage", () => history.notify());
    },
    create: (element, app) => createGames(element, app, history),
  };
}

/**
 * @param {HTMLElement} element
 * @param {App} app
 * @param {History} history
 */
function createGames(element, app, history) {
  let control = new AbortController();
  const note = html("p", { class: "note" });
  const message = html("p", { class: "note", role: "status" });
  const progress = html("progress", { max: 1, value: 0, "aria-label": texts.history.saving });
  const running = html(
    "div",
    { class: "tools", hidden: true },
    progress,
    button(texts.records.cancel, () => control.abort(), { class: "small" }),
  );
  const saveAll = button(texts.history.saveAll, () => void saveGames(history.ids()), {
    class: "small",
  });
  const deleteAll = button(texts.history.deleteAll, () => void removeAll(), { class: "small" });
  const tools = html("div", { class: "tools" }, saveAll, deleteAll);
  const list = createPagedList({
    label: texts.history.list,
    load: async (first, end) => history.ids().slice(first, end).map(history.entry),
    draw: entryElement,
  });
  element.append(note, tools, running, message, list.element);

  /** @param {HistoryEntry} entry */
  function entryElement({ id, game }) {
    const what = game ? `${playersText(game)}, ${detailsText(game)}` : texts.history.damaged;
    return html(
      "div",
      { class: "played" },
      game
        ? button(playersText(game), () => void openGame(game), { class: "quiet" })
        : html("p", { class: "wrong" }, texts.history.damaged),
      game ? html("p", {}, resultText(game)) : null,
      game ? html("p", { class: "note" }, detailsText(game)) : null,
      html(
        "div",
        { class: "tools" },
        game
          ? button(texts.history.save, () => void saveGames([id]), {
              class: "small",
              "aria-label": texts.history.saveLabel(what),
            })
          : null,
        button(texts.history.delete, () => void removeOne(id, what), {
          class: "small",
          "aria-label": texts.history.deleteLabel(what),
        }),
      ),
    );
  }

  /** @param {PlayedGame} game */
  async function openGame(game) {
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
   * @param {string[]} ids
   */
  async function saveGames(ids) {
    control.abort();
    control = new AbortController();
    const { signal } = control;
    const records = [];
    setText(message, "");
    progress.value = 0;
    running.hidden = ids.length === 1;
    try {
      for (const [index, id] of ids.entries()) {
        const { game } = history.entry(id);
        if (game) {
          const tags = tagsOf(game.players, new Date(game.date));
          records.push(await playedGameRecord(app.engine, game, tags, signal));
        }
        progress.value = (index + 1) / ids.length;
      }
      saveText(ids.length === 1 ? "game.kgn" : "games.kgn", records.join("\n"));
      setText(message, texts.history.saved(records.length));
    } catch (error) {
      if (!isAbort(error)) {
        setText(message, error instanceof Error ? error.message : String(error));
      } else if (control.signal === signal) {
        setText(message, texts.records.cancelled);
      }
    }
    running.hidden = true;
  }

  /** @param {string} id @param {string} what */
  async function removeOne(id, what) {
    const isSure = await ask(texts.history.deleteQuestion, {
      yes: texts.history.delete,
      no: texts.history.keep,
      text: what,
    });
    if (isSure) {
      await remove([id]);
    }
  }

  async function removeAll() {
    const ids = history.ids();
    const isSure = await ask(texts.history.deleteAllQuestion(ids.length), {
      yes: texts.history.deleteAll,
      no: texts.history.keep,
      text: texts.history.deleteAllText(ids.length),
    });
    if (isSure) {
      await remove(ids);
    }
  }

  /** @param {string[]} ids */
  async function remove(ids) {
    history.remove(ids);
    setText(message, texts.history.deleted(ids.length));
    await draw();
    // The button with the focus is no longer in the document.
    const next = list.element.hidden ? null : list.element.querySelector("button");
    (next ?? document.getElementById("tab-games"))?.focus();
  }

  async function draw() {
    const total = history.ids().length;
    setText(note, total === 0 ? texts.history.none : texts.history.intro(total));
    tools.hidden = total === 0;
    await list.show(total, { samePage: true });
  }

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
      void draw();
    }
  };
}
