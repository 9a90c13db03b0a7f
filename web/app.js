/**
 * The page: puts its modules together and starts the first game.
 *
 * State flows one way. `store.js` holds one value (`State` in app.d.ts); views draw it and never change it;
 * everything that changes it is an action (`actions.js`); after an action the views draw again. No rule of the game is
 * known here: what is legal, and what comes of a choice, is asked of the engine (`api.d.ts`).
 *
 * | module | does |
 * | --- | --- |
 * | `engine.js`, `engine-http.js`, `engine-worker.js`, `worker.js`, `problem.js` | questions and answers, failures |
 * | `game.js`, `seats.js`, `result.js` | the game as a tree; who sits where; how it ended |
 * | `actions.js`, `modes.js`, `opponent.js`, `readiness.js` | what may be done; how a mode answers a person; the computer's part |
 * | `labels.js`, `words.js`, `live.js` | what pits are called, what is said, and to screen readers |
 * | `settings.js`, `storage.js` | what the player wants; what outlives a reload |
 * | `board.js`, `drawing.js`, `geometry.js`, `seeds.js`, `sowing.js`, `motion.js` | the board: drawn, laid out, in motion |
 * | `frame.js`, `dialogs.js`, `new-game.js`, `keyboard.js`, `panels.js` | what stands around the board |
 * | `study.js`, `analyst.js`, `watcher.js`, `margin.js` | the panels to look into games; what they ask and remember |
 * | `analysis-panel.js`, `evaluation.js`, `moves.js`, `notation.js`, `look.js` | what a position is worth; the list of moves |
 * | `position-form.js`, `draft.js`, `files.js`, `records.js`, `link.js`, `address.js` | positions by hand; games in and out |
 * | `review-panel.js`, `review.js`, `graph.js` | looking back on a game |
 * | `friend-panel.js`, `friend-form.js`, `friend-session.js`, `friend-connection.js`, `friend-state.js`, `friend-seats.js` | a game with a friend |
 *
 * A panel is an object `Panel` (app.d.ts) in the list in `panels.js`. It is handed its own empty element and the app
 * (`state()`, `actions`, `engine`, `subscribe`, `announce`, `registerMode`), and returns what draws it. It puts marks on
 * the houses with `actions.setMarks`, plays over a network by a mode of its own, and never touches another's elements.
 * What it asks of the engine it calls off (`AbortSignal`) when the answer is no longer wanted: in a worker, searches wait for
 * one another.
 */

import { createActions, ordinary, samePlace } from "./actions.js";
import { createBoard } from "./board.js";
import { createDialogs } from "./dialogs.js";
import { createEngine } from "./engine.js";
import { createFrame } from "./frame.js";
import { position } from "./game.js";
import { listen } from "./keyboard.js";
import { announcer } from "./live.js";
import { byId } from "./markup.js";
import { currentMode, exploreMode, playMode } from "./modes.js";
import { startOpponent } from "./opponent.js";
import { startReadiness } from "./readiness.js";
import { showPanels, startPanels } from "./panels.js";
import { settingsFrom } from "./settings.js";
import { load, save, savedGame } from "./storage.js";
import { createStore } from "./store.js";
import { announcement, hintText, placeText } from "./words.js";

/** @import { App, Mode, NewGame, State } from "./app.d.ts" */

/**
 * The game that the page opens with.
 *
 * @type {Readonly<NewGame>}
 */
const FIRST_GAME = {
  rules: "cs32",
  position: "6x4",
  players: { south: { kind: "person" }, north: { kind: "computer", opponent: "level:2" } },
};

/** @type {State} */
const initial = {
  tree: null,
  players: FIRST_GAME.players,
  mode: "play",
  parked: null,
  home: null,
  closed: null,
  motion: null,
  busy: null,
  hint: null,
  marks: null,
  trouble: null,
  settings: settingsFrom(load("settings")),
  presets: [],
  panel: null,
};

const store = createStore(initial);
const engine = createEngine(document.documentElement.dataset.engine);
/** @type {Map<string, Mode>} */
const modes = new Map();
const actions = createActions({ store, engine, modes, openDialog: (id) => dialogs.open(id) });
modes.set("explore", exploreMode(store.get, () => actions));
modes.set("play", playMode(store.get, () => actions));

/** @type {App} */
const app = {
  engine,
  hasFriendGames: document.documentElement.dataset.friends === "here",
  state: store.get,
  actions,
  subscribe: store.subscribe,
  registerMode: (name, mode) => void modes.set(name, mode),
  announce: announcer(byId("log")),
};

const board = createBoard(byId("board"), app, (state) => currentMode(modes, state).mayChoose(state));
const frame = createFrame(app, modes);
const dialogs = createDialogs(app);
listen(app, board);

/** Draws everything. @param {State} state @param {State} previous */
function render(state, previous) {
  document.documentElement.dataset.theme = state.settings.theme;
  board.render(state, previous);
  frame.render(state, previous);
  dialogs.render(state, previous);
}
store.subscribe(render);
render(initial, initial);

/** Stores what outlives a reload, when it has changed. */
store.subscribe((state, previous) => {
  if (state.settings !== previous.settings) {
    save("settings", state.settings);
  }
  const [played, before] = [ordinary(state), ordinary(previous)];
  if (played && (played.tree !== before?.tree || played.players !== before.players)) {
    save("game", savedGame(played.tree, played.players));
  }
});

/** Tells screen readers what happened. */
store.subscribe((state, previous) => {
  const { tree, motion, hint } = state;
  if (!tree) {
    return;
  }
  if (motion && motion !== previous.motion) {
    app.announce(announcement(state, tree, motion.sown));
  } else if (!samePlace(tree, previous.tree)) {
    app.announce(placeText(state, tree));
  }
  if (hint && hint !== previous.hint) {
    app.announce(hintText(state, position(tree), hint));
  }
});

startOpponent(app, store);
startReadiness(app);
showPanels(byId("panels"), app);

/** Goes on with the stored game, or starts the first one. */
async function start() {
  try {
    if (!(await actions.restore(load("game")))) {
      await actions.newGame(FIRST_GAME);
    }
  } catch (error) {
    actions.fail(error, () => {
      actions.dismiss();
      void start();
    });
  }
}

await start();
if (store.get().tree) {
  // Else there is trouble to be told first; who opens a dialog asks again.
  void actions.loadPresets();
}
startPanels(app);
