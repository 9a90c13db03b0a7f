/**
 * The panel of openings: for the position on the board, the score of each move, and how often games
 * have it and with which result.
 */

import { errorText, isAbort } from "../engine/errors.js";
import { fetchJson } from "../engine/http.js";
import { LESSON_MODE } from "../game/modes.js";
import { currentNode, position } from "../game/tree.js";
import { texts } from "../texts/texts.js";
import { bringIntoView, byId, html, keyedChildren, setText } from "../ui/dom.js";
import { ownGames, serverGames, shippedGames } from "./statistics.js";
import { createTable } from "./table.js";
import { provenBest, moveScores } from "./scores.js";

/** @import { LiveAnalysis } from "../analysis/live-analysis.js" */
/** @import { History } from "../storage/history.js" */
/** @import { ExploreResponse, Position } from "../types/api.d.ts" */
/** @import { App, Panel, State } from "../types/app.d.ts" */
/** @import { MoveResults, StatisticsSource } from "./statistics.js" */

/** The id of the panel. */
export const OPENINGS_PANEL_ID = "openings";

/**
 * The data of the panel.
 *
 * @typedef {object} ExplorerState
 * @property {Position | null} place the position that the panel shows, or requests
 * @property {ExploreResponse | null} opening of `place`
 * @property {string} sourceId
 * @property {MoveResults | null} results the results of `place`; `null` if the source has none
 * @property {boolean} isLoading whether the results are requested
 * @property {string | null} error the reason why a request failed
 */

/** @returns {ExplorerState} */
const initialState = () => ({
  place: null,
  opening: null,
  sourceId: "shipped",
  results: null,
  isLoading: false,
  error: null,
});

/**
 * The panel with its parts.
 *
 * @typedef {object} Explorer
 * @property {App} app
 * @property {LiveAnalysis} liveAnalysis
 * @property {ExplorerState} state
 * @property {StatisticsSource[]} sources
 * @property {ExplorerParts["openRoom"]} openRoom
 * @property {AbortController} control aborts the requests
 * @property {ReturnType<typeof createElements>} elements
 */

/** Loads the file that the page ships: `<html data-openings="...">`. */
async function loadShippedFile() {
  const address = document.documentElement.dataset["openings"] ?? "";
  const response = await fetch(new URL(address, document.baseURI));
  if (!response.ok) {
    throw new Error(texts.explorer.notLoaded);
  }
  return response.json();
}

/**
 * The parts of the page that the panel uses.
 *
 * @typedef {object} ExplorerParts
 * @property {(app: App) => LiveAnalysis} liveAnalysisFor returns the live analysis of an app
 * @property {History} history the games of this device
 * @property {(app: App) => { code: string, token: string | null } | null} openRoom returns the open
 *   room
 */

/** @param {ExplorerParts} parts @returns {Panel} */
export function openingsPanel(parts) {
  return {
    id: OPENINGS_PANEL_ID,
    title: texts.explorer.title,
    create: (element, app) => createExplorer(element, app, parts),
  };
}

/**
 * Creates the sources. Those of a server are offered where there is one.
 *
 * @param {App} app
 * @param {ExplorerParts} parts
 */
function createSources(app, { history, openRoom }) {
  return [
    shippedGames(loadShippedFile),
    ownGames(app.engine, history),
    serverGames((body, signal) => fetchJson("openings", { body, signal }), "server"),
    serverGames((body, signal) => {
      const room = openRoom(app);
      const { token = null } = room ?? {};
      return fetchJson(`rooms/${room?.code}/openings`, { body, signal, ...(token && { token }) });
    }, "room"),
  ];
}

/**
 * Returns the ids of the sources that the page has at present.
 *
 * @param {Explorer} explorer
 */
function availableSources({ app, sources, openRoom }) {
  const isAvailable = (/** @type {StatisticsSource} */ { id }) =>
    id === "server" ? app.hasFriendGames : id !== "room" || openRoom(app) !== null;
  return sources.filter(isAvailable).map(({ id }) => id);
}

/**
 * @param {{ onSource: (id: string) => void, onMove: (move: string) => void, onBack: () => void,
 *   onPoint: (move: string | null) => void }} events
 */
function createElements({ onSource, onMove, onBack, onPoint }) {
  const source = html("select", { onchange: () => onSource(source.value) });
  const table = createTable({ onMove, onBack, onPoint });
  return {
    source,
    table,
    book: html("p", { class: "note" }),
    games: html("p", { class: "note", role: "status" }),
    content: html(
      "div",
      { class: "tools" },
      html("label", {}, `${texts.explorer.source} `, source),
    ),
    lock: html("p", { class: "note" }),
  };
}

/**
 * @param {HTMLElement} element
 * @param {App} app
 * @param {ExplorerParts} parts
 */
function createExplorer(element, app, parts) {
  const { history, liveAnalysisFor, openRoom } = parts;
  /** @type {Explorer} */
  const explorer = {
    app,
    liveAnalysis: liveAnalysisFor(app),
    state: initialState(),
    sources: createSources(app, parts),
    openRoom,
    control: new AbortController(),
    elements: createElements({
      onSource: (id) => chooseSource(explorer, id),
      onMove: (move) => makeMove(app, move),
      onBack: () => goBack(app),
      onPoint: (move) => pointAt(explorer, move),
    }),
  };
  const { content, book, table, games, lock } = explorer.elements;
  element.append(lock, content, table.element, book, games);
  explorer.liveAnalysis.subscribe(() => draw(explorer, app.state()));
  history.subscribe(() => {
    if (explorer.state.sourceId === "own") {
      explorer.state.place = null;
    }
  });
  return (/** @type {State} */ state) => {
    follow(explorer, state);
    draw(explorer, state);
  };
}

/**
 * Makes a move in mode `explore`; a game in play is suspended.
 *
 * @param {App} app
 * @param {string} move
 */
function makeMove(app, move) {
  if (app.state().mode !== "explore") {
    app.actions.explore();
  }
  app.actions.requestMove(move);
}

/**
 * Marks the move on the board that a person points at, while the table shows the board's position.
 *
 * @param {Explorer} explorer
 * @param {string | null} move
 */
function pointAt({ app, state }, move) {
  const { tree } = app.state();
  const isShown = tree !== null && position(tree).position === state.opening?.position;
  app.actions.preview(isShown ? move : null);
}

/** Goes back by one move in mode `explore`. @param {App} app */
function goBack(app) {
  if (app.state().mode !== "explore") {
    app.actions.explore();
  }
  app.actions.undo();
}

/** @param {Explorer} explorer @param {string} id */
function chooseSource(explorer, id) {
  explorer.state = { ...explorer.state, sourceId: id, place: null };
  follow(explorer, explorer.app.state());
  draw(explorer, explorer.app.state());
}

/**
 * Returns the reason why nothing may be said about the position; `null` if something may.
 *
 * @param {State} state
 */
const lockOf = ({ analysisLock, scoresLock }) => analysisLock ?? scoresLock;

/**
 * Returns the position of which the panel shows the moves; `null` if it may not or need not.
 *
 * @param {State} state
 */
function placeOf(state) {
  const { tree, editor, mode } = state;
  return !tree || editor || mode === LESSON_MODE || lockOf(state) !== null ? null : position(tree);
}

/**
 * Requests the moves and their results if the board shows another position.
 *
 * @param {Explorer} explorer
 * @param {State} state
 */
function follow(explorer, state) {
  if (!availableSources(explorer).includes(explorer.state.sourceId)) {
    explorer.state = { ...explorer.state, sourceId: "shipped", place: null };
  }
  const place = placeOf(state);
  if (place === explorer.state.place) {
    return;
  }
  explorer.control.abort();
  explorer.control = new AbortController();
  explorer.state = { ...explorer.state, place, isLoading: place !== null, error: null };
  if (place) {
    void request(explorer, place);
  } else {
    explorer.state = { ...explorer.state, opening: null, results: null };
  }
}

/** @param {Explorer} explorer @param {Position} place */
async function request(explorer, place) {
  const { app, sources, control } = explorer;
  const { signal } = control;
  const isCurrent = () => explorer.state.place === place && !signal.aborted;
  const { rules, position: text } = place;
  try {
    const opening = await app.engine.request("explore", { rules, position: text }, signal);
    if (isCurrent()) {
      const isFirst = explorer.elements.table.element.hidden;
      explorer.state = { ...explorer.state, opening, results: null };
      draw(explorer, app.state());
      if (isFirst) {
        // The table has its height only now.
        bringIntoView(byId("panels"));
      }
    }
    const source = sources.find(({ id }) => id === explorer.state.sourceId);
    const results = await source?.results({ rules, position: text, key: opening.key }, signal);
    if (isCurrent()) {
      explorer.state = { ...explorer.state, results: results ?? null, isLoading: false };
    }
  } catch (error) {
    if (isCurrent() && !isAbort(error)) {
      // The moves of another position must not stay in the table.
      const opening = explorer.state.opening?.position === text ? explorer.state.opening : null;
      explorer.state = { ...explorer.state, opening, error: errorText(error), isLoading: false };
    }
  }
  if (isCurrent()) {
    draw(explorer, app.state());
  }
}

/**
 * Describes the opening books' knowledge of a position.
 *
 * @param {ExploreResponse} opening
 */
function bookText({ moves, is_from_book: isFromBook }) {
  if (moves.length === 0) {
    return texts.explorer.over;
  }
  return isFromBook ? texts.explorer.inBook : texts.explorer.leftBook;
}

/**
 * Describes the games of the source with a position.
 *
 * @param {ExplorerState} state
 */
function gamesText({ isLoading, error, results, sourceId, opening }) {
  if (isLoading || error !== null) {
    return error ?? texts.explorer.loading;
  }
  if (opening?.moves.length === 0) {
    return "";
  }
  if (results) {
    return sourceId === "shipped" ? texts.explorer.shippedGames : "";
  }
  return sourceId === "server" ? texts.explorer.fewGames : texts.explorer.noGames;
}

/** Draws the choice of the source. @param {Explorer} explorer */
function drawSources(explorer) {
  const { source } = explorer.elements;
  /** @type {Record<string, string>} */
  const names = texts.explorer.sources;
  keyedChildren(source, availableSources(explorer), (id) =>
    html("option", { value: id }, names[id] ?? id),
  );
  source.value = explorer.state.sourceId;
}

/** @param {Explorer} explorer @param {State} state */
function draw(explorer, state) {
  const { elements, liveAnalysis, state: shown } = explorer;
  const lock = lockOf(state);
  elements.lock.hidden = lock === null;
  setText(elements.lock, lock ?? "");
  const isHidden = lock !== null || shown.opening === null;
  for (const part of [elements.content, elements.book, elements.table.element]) {
    part.hidden = isHidden;
  }
  elements.games.hidden = isHidden && (lock !== null || shown.error === null);
  if (!elements.games.hidden) {
    setText(elements.games, gamesText(shown));
  }
  const { opening } = shown;
  if (isHidden || !opening || !state.tree) {
    return;
  }
  drawSources(explorer);
  setText(elements.book, bookText(opening));
  elements.table.draw({
    opening,
    moveScores: moveScores(opening, liveAnalysis.state().analysis),
    best: provenBest(opening),
    results: shown.results,
    labels: state.settings.labels,
    houses: position(state.tree).houses,
    canGoBack: currentNode(state.tree) !== null,
  });
}
