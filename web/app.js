/**
 * The entry point: creates the store, the engine and the views, and starts the first game.
 *
 * State flows one way. The store (`game/store.js`) holds one value of type `State`. Views draw it
 * and never change it. Actions (`game/actions.js`) change it, and then the views draw again. The
 * page knows no rules of the game: the engine lists the legal moves and their results
 * (`types/api.d.ts`).
 */

import { createBoard } from "./board/board.js";
import { httpEngine } from "./engine/http.js";
import { workerEngine } from "./engine/worker-client.js";
import { createActions, currentLocalGame, isAtSamePly } from "./game/actions.js";
import { announcementText, hintText, positionText } from "./game/descriptions.js";
import { currentMode, exploreMode, playMode } from "./game/modes.js";
import { startOpponent } from "./game/opponent.js";
import { load, parseSettings, save, savedGame } from "./game/storage.js";
import { createStore } from "./game/store.js";
import { position } from "./game/tree.js";
import { startWarmup } from "./game/warmup.js";
import { showPanels, startPanels } from "./panels/panels.js";
import { createDialogs } from "./ui/dialogs.js";
import { byId, createAnnouncer } from "./ui/dom.js";
import { createGameView } from "./ui/game-view.js";
import { listenForKeys } from "./ui/keyboard.js";

/** @import { App, Mode, NewGame, State } from "./types/app.d.ts" */

/**
 * The game that the page starts with.
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
  suspendedGame: null,
  localGame: null,
  analysisLock: null,
  animation: null,
  busy: null,
  hint: null,
  marks: null,
  error: null,
  settings: parseSettings(load("settings")),
  presets: [],
  panel: null,
};

const store = createStore(initial);
/** The engine that the page was served with: `<html data-engine="server">` or `"worker"`. */
const engine = document.documentElement.dataset.engine === "worker" ? workerEngine() : httpEngine();
/** @type {Map<string, Mode>} */
const modes = new Map();
const actions = createActions({ store, engine, modes, openDialog: (id) => dialogs.open(id) });
modes.set(
  "explore",
  exploreMode(store.get, () => actions),
);
modes.set(
  "play",
  playMode(store.get, () => actions),
);

/** @type {App} */
const app = {
  engine,
  hasFriendGames: document.documentElement.dataset.friends === "enabled",
  state: store.get,
  actions,
  subscribe: store.subscribe,
  registerMode: (name, mode) => void modes.set(name, mode),
  announce: createAnnouncer(byId("log")),
};

const board = createBoard(byId("board"), app, (state) => currentMode(modes, state).canMove(state));
const frame = createGameView(app, modes);
const dialogs = createDialogs(app);
listenForKeys(app, board);

/**
 * Draws all views.
 *
 * @param {State} state
 * @param {State} previous
 */
function render(state, previous) {
  document.documentElement.dataset.theme = state.settings.theme;
  board.render(state, previous);
  frame.render(state, previous);
  dialogs.render(state, previous);
}
store.subscribe(render);
render(initial, initial);

/** Stores settings and the local game when they have changed. */
store.subscribe((state, previous) => {
  if (state.settings !== previous.settings) {
    save("settings", state.settings);
  }
  const [local, before] = [currentLocalGame(state), currentLocalGame(previous)];
  if (local && (local.tree !== before?.tree || local.players !== before.players)) {
    save("game", savedGame(local.tree, local.players));
  }
});

/** Announces moves, positions and hints to screen readers. */
store.subscribe((state, previous) => {
  const { tree, animation, hint } = state;
  if (!tree) {
    return;
  }
  if (animation && animation !== previous.animation) {
    app.announce(announcementText(state, tree, animation.moveResult));
  } else if (!isAtSamePly(tree, previous.tree)) {
    app.announce(positionText(state, tree));
  }
  if (hint && hint !== previous.hint) {
    app.announce(hintText(state, position(tree), hint));
  }
});

startOpponent(app, store);
startWarmup(app);
showPanels(byId("panels"), app);

/** Restores the stored game, or starts the first one. */
async function start() {
  try {
    if (!(await actions.restore(load("game")))) {
      await actions.newGame(FIRST_GAME);
    }
  } catch (error) {
    actions.showError(error, () => {
      actions.dismissError();
      void start();
    });
  }
}

await start();
if (store.get().tree) {
  // After a failure the page shows its error first, and a dialog loads the presets when it opens.
  void actions.loadPresets();
}
startPanels(app);
