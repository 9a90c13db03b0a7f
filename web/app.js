/**
 * The entry point: creates the store, the engine and the views, and starts the first game.
 *
 * State flows one way. The store (`game/store.js`) holds one value of type `State`. Views draw it
 * and never change it. Actions (`game/actions/`) change it, and then the views draw again. The
 * page knows no rules of the game: the engine lists the legal moves and their results
 * (`types/api.d.ts`).
 */

import { createAnalysisCache } from "./analysis/cache.js";
import { createBoard } from "./board/board.js";
import { createSounds } from "./board/sounds.js";
import { httpEngine } from "./engine/http.js";
import { onWake } from "./engine/wake.js";
import { workerEngine } from "./engine/worker-client.js";
import { FRIEND_MODE } from "./friends/state.js";
import { createActions } from "./game/actions/actions.js";
import { startFollower } from "./game/follower.js";
import { announcementText, hintText, positionText } from "./game/descriptions.js";
import { currentLocalGame, currentMode, localModes } from "./game/modes.js";
import { startOpponent } from "./game/opponent.js";
import { createStore, initialState } from "./game/store.js";
import { gameResult, isAtSamePly, position } from "./game/tree.js";
import { startWarmup } from "./game/warmup.js";
import { createLesson } from "./lesson/lesson.js";
import { createMoveList } from "./panels/moves/move-list.js";
import { showPanels, startPanels } from "./panels/panels.js";
import { PUZZLE_MODE } from "./puzzles/session.js";
import { isFriendLink, isRoomLink, parseFragment } from "./records/link.js";
import { ROOM_MODE } from "./rooms/state.js";
import { startEmbed } from "./sharing/embed.js";
import { isEmbedded } from "./sharing/embedded.js";
import { chosenRules } from "./storage/chosen-rules.js";
import { savedGame } from "./storage/formats.js";
import { createLocalGame } from "./storage/local-game.js";
import { keepForReload, takeKept } from "./storage/reload.js";
import { shareSettings, storedSettings } from "./storage/settings.js";
import { chooseLanguage, fillDocument, language } from "./texts/texts.js";
import { createDialogs } from "./ui/dialogs.js";
import { byId, createAnnouncer } from "./ui/dom.js";
import { createGameView } from "./ui/game-view.js";
import { listenForKeys } from "./ui/keyboard.js";
import { createRulesOffer } from "./ui/rules-offer.js";

/** @import { App, NewGame, State } from "./types/app.d.ts" */

/**
 * The game that the page starts with.
 *
 * @type {Readonly<NewGame>}
 */
const FIRST_GAME = {
  rules: chosenRules(),
  position: "6x4",
  players: { south: { kind: "person" }, north: { kind: "computer", opponent: "level:2" } },
};

/** Whether games with friends are available: `<html data-friends="enabled">`. */
const hasFriendGames = document.documentElement.dataset.friends === "enabled" && !isEmbedded;

/** Returns the mode of a link to a puzzle, a game with a friend or a room, which the page shows at once. */
function linkedMode() {
  const link = parseFragment(window.location.hash);
  if (link.kind === "puzzle") {
    return PUZZLE_MODE;
  }
  const mode = isFriendLink(link) ? FRIEND_MODE : ROOM_MODE;
  return hasFriendGames && (isFriendLink(link) || isRoomLink(link)) ? mode : null;
}

/** The mode of the link with which the page was opened; `null` for other links. */
const openedMode = linkedMode();

/** @type {State} */
const initial = {
  ...initialState(),
  players: FIRST_GAME.players,
  mode: openedMode ?? "play",
  settings: storedSettings(),
};

/** Whether the board waits for the game of its link: a frame of another site shows no other game. */
const showsLinkAlone = isEmbedded && window.location.hash.length > 1;

fillDocument();

const store = createStore(initial);
/**
 * The engine that the page was served with: that of the server, or the script of a worker:
 * `<html data-engine="worker" data-worker="engine/worker.js">`.
 */
const { worker } = document.documentElement.dataset;
const engine = worker ? workerEngine(worker) : httpEngine();
const analysisCache = createAnalysisCache(engine);
const modes = localModes(store.get, () => actions);
const actions = createActions({
  store,
  engine,
  analysisCache,
  modes,
  openDialog: (id) => dialogs.open(id),
  confirmDiscard: () => dialogs.confirmDiscard(),
  startLocalGame: () => void startLocalGame(),
});

/** @type {App} */
const app = {
  engine,
  analysisCache,
  hasFriendGames,
  state: store.get,
  actions,
  subscribe: store.subscribe,
  registerMode: (name, mode) => void modes.set(name, mode),
  announce: createAnnouncer(byId("log")),
};

const sounds = createSounds(() => store.get().settings.sound);
document.addEventListener("pointerdown", sounds.unlock);
document.addEventListener("keydown", sounds.unlock);
const board = createBoard(byId("board"), app, {
  canMove: (state) => currentMode(modes, state).canMove(state),
  canPremove: (pit, state) => currentMode(modes, state).canPremove(pit, state),
  premove: (pit) => currentMode(modes, store.get()).premove(pit),
  playSound: sounds.play,
});
const frame = createGameView(app, modes);
const moveList = createMoveList(app);
byId("moves").append(moveList.element);
const dialogs = createDialogs(app, () => void lesson.start());
const lesson = createLesson(app);
createRulesOffer(app);
listenForKeys(app, board);

/**
 * Draws all views.
 *
 * @param {State} state
 * @param {State} previous
 */
function render(state, previous) {
  const { theme, look } = state.settings;
  Object.assign(document.documentElement.dataset, { theme, look });
  board.render(state, previous);
  frame.render(state, previous);
  moveList.draw(state);
  dialogs.render(state, previous);
}
store.subscribe(render);
render(initial, initial);

/** Reloads the page if its language is no longer that of the settings. */
function reloadForLanguage() {
  const state = store.get();
  if (chooseLanguage(state.settings.language, navigator.languages) !== language) {
    keepForReload(state);
    location.reload();
  }
}
shareSettings(store, reloadForLanguage);

const localGame = createLocalGame();

/** Stores the local game when it has changed. */
store.subscribe((state, previous) => {
  const [local, before] = [currentLocalGame(state), currentLocalGame(previous)];
  if (!isEmbedded && local && (local.tree !== before?.tree || local.players !== before.players)) {
    void localGame.store(savedGame(local.tree, local.players));
  }
});

if (!isEmbedded) {
  onWake(startFollower({ store, actions, localGame }));
}

/** Plays the sound of the end of a game, after its last move. */
store.subscribe(({ tree, animation, mode }, previous) => {
  const isOver = tree !== null && mode !== "explore" && !animation && gameResult(tree) !== null;
  const before = previous.tree;
  if (isOver && before?.start === tree.start) {
    const hasEnded = previous.animation !== null || gameResult(before) === null;
    if (hasEnded && previous.mode === mode) {
      sounds.play("end");
    }
  }
});

/** Announces moves, positions and hints to screen readers. */
store.subscribe((state, previous) => {
  const { tree, animation, hint, notice } = state;
  if (!tree) {
    return;
  }
  if (animation && animation !== previous.animation) {
    app.announce(announcementText(state, tree, animation.moveResult));
  } else if (!isAtSamePly(tree, previous.tree)) {
    app.announce(positionText(state, tree));
  }
  if (notice && notice !== previous.notice) {
    app.announce(notice.text);
  }
  const isNewHint =
    hint?.position !== previous.hint?.position ||
    hint?.move !== previous.hint?.move ||
    hint?.isBestProven !== previous.hint?.isBestProven;
  if (hint && isNewHint) {
    app.announce(hintText(state, position(tree), hint));
  }
});

startOpponent(app, store);
if (!isEmbedded) {
  startWarmup(app);
  showPanels(byId("panels"), app);
}

/** The state before a reload for another language, or `null`. */
const kept = isEmbedded ? null : takeKept();

/** Restores the stored game, or starts the first one. */
async function startLocalGame() {
  try {
    if (isEmbedded || !(await actions.restore(localGame.load()))) {
      await actions.newGame(FIRST_GAME);
    }
  } catch (error) {
    actions.showError(error, () => {
      actions.dismissError();
      void startLocalGame();
    });
  }
}

if (kept?.game) {
  store.update(kept.game);
} else if (openedMode === null && !showsLinkAlone) {
  await startLocalGame();
}
if (store.get().tree || openedMode !== null || showsLinkAlone) {
  // After a failure the page shows its error first, and a dialog loads the presets when it opens.
  void actions.loadPresets();
}
if (isEmbedded) {
  startEmbed(app);
} else {
  startPanels(app);
}
if (kept) {
  // The person has just selected the language there.
  actions.openDialog("settings");
  const selected = byId("settings").querySelector("input[name=setting-language]:checked");
  if (selected instanceof HTMLElement) {
    selected.focus();
  }
}
