/**
 * The session: the page's game with a friend and its connection. `board-sync.js` shows the game on
 * the board.
 */

import { EngineError } from "../../engine/errors.js";
import { fetchJson } from "../../engine/http.js";
import { onWake } from "../../engine/wake.js";
import { createStore } from "../../game/store.js";
import { setFragment } from "../../records/address.js";
import {
  friendFragment,
  isRoomLink,
  parseFragment,
  withoutDeviceCode,
} from "../../records/link.js";
import { texts } from "../../texts/texts.js";
import {
  forgetAccess,
  joiningToken,
  onOtherAccess,
  ownAccess,
  ownToken,
  rememberAccess,
  storeAccess,
} from "./access.js";
import { showNoGame, showOnBoard, syncWithSnapshot, updateBoard } from "./board-sync.js";
import { createConnection } from "./connection.js";
import { friendMode, makePremove, send } from "./mode.js";
import { findOwnGames } from "./own-games.js";
import { createSeatCode, takeFreeSeat, takeSeatByCode } from "./seats.js";
import { rememberedName, rememberName } from "../names.js";
import {
  applyMessage,
  FINAL_REFUSALS,
  FRIEND_MODE,
  GAME_PROTOCOL,
  hasFriendLink,
  helloMessage,
  INITIAL_FRIEND_STATE,
  refusalOfStatus,
} from "../state.js";

/** @import { Connection } from "./connection.js" */
/** @import { MoveResult, Position } from "../../types/api.d.ts" */
/** @import { App, State } from "../../types/app.d.ts" */
/** @import { CreatedGame, FriendState } from "../../types/friend.d.ts" */
/** @import { FromServer, GameAccess, OfferAction, Phrase } from "../../types/friend.d.ts" */
/** @import { Refusal, RoomOfGame, ToServer } from "../../types/friend.d.ts" */

/** The interval of requests for the player's games, in milliseconds. */
const POLL_INTERVAL_MS = 15_000;

/** The same while the page is in the background. */
const BACKGROUND_POLL_INTERVAL_MS = 60_000;

/**
 * The messages whose loss has no consequence: the page sends `hello`, and a move without a reply, over
 * each new connection, and a ping only tests the old one.
 */
const LOSABLE_MESSAGES = new Set(/** @type {ToServer["type"][]} */ (["hello", "ping", "move"]));

/**
 * The options of a new game with a friend.
 *
 * @typedef {{ rules: string, position: string, side: "south" | "north" | "random", name?: string,
 * spectator_scores: boolean, shares: boolean } & FriendGameTimes & FriendGameHandicap} FriendGameOptions
 */

/** @typedef {{ initial: string, increment: string }} ClockRequest */

/**
 * The clock of a new game: one for both players or for each, or some days for each move.
 *
 * @typedef {{ clock?: ClockRequest, friend_clock?: ClockRequest, days_per_move?: number }} FriendGameTimes
 */

/** @typedef {{ seeds_ahead?: { you: number, friend: number } }} FriendGameHandicap */

/**
 * The results of the moves of a game as far as they are known.
 *
 * @typedef {{ start: Position, plies: MoveResult[] }} Line
 */

/**
 * The data of the session. The panels see only the state in the store.
 *
 * @typedef {object} SessionData
 * @property {App} app
 * @property {ReturnType<typeof createStore<FriendState>>} store
 * @property {Connection<ToServer> | null} connection
 * @property {Line | null} line
 * @property {AbortController} requests aborts the requests about the game
 * @property {boolean} isOnBoard whether the board has shown the game
 * @property {"none" | "running" | "repeated"} search whether the page requests the player's games,
 *   and has to request them again after that
 * @property {number} searchedAt the time of the last request, as `performance.now()` returns it
 */

/**
 * Returns the data of a session without a game.
 *
 * @param {App} app
 * @returns {SessionData}
 */
const initialSession = (app) => ({
  app,
  store: createStore(/** @type {FriendState} */ (INITIAL_FRIEND_STATE)),
  connection: null,
  line: null,
  requests: new AbortController(),
  isOnBoard: false,
  search: "none",
  searchedAt: 0,
});

/** @param {GameAccess} access */
function liveAddress({ game }) {
  const address = new URL(`api/v1/games/${game}/live`, document.baseURI);
  address.protocol = address.protocol.replace("http", "ws");
  return address;
}

/**
 * Opens a game, as a player or as a spectator, and leaves the previous one.
 *
 * @param {SessionData} session
 * @param {GameAccess} access
 */
function open(session, access) {
  disconnect(session);
  resetState(session, { access });
  showNoGame(session);
  session.connection = createConnection(GAME_PROTOCOL, {
    open: () => new WebSocket(liveAddress(access)),
    hello: () => helloMessage(access, session.line?.plies.length ?? 0),
    onMessage: (message, isFirstState) => handleMessage(session, message, { isFirstState }),
    onUnanswered: (messages) => handleUnanswered(session, messages),
    onStatus(connectionStatus, refusal, connectionLimit) {
      handleStatus(session, access, { connectionStatus, refusal, connectionLimit });
    },
  });
}

/**
 * @param {SessionData} session
 * @param {GameAccess} access
 * @param {Pick<FriendState, "connectionStatus" | "refusal" | "connectionLimit">} status
 */
function handleStatus(session, access, status) {
  const { store } = session;
  const { connectionStatus, refusal } = status;
  if (connectionStatus === "denied" && refusal !== "replaced") {
    void forgetAccess(access);
  }
  // The reason of the last failure stays until there is a connection.
  store.update(connectionStatus === "connecting" ? { connectionStatus } : status);
  if (refusal === "unreachable" && !store.get().snapshot) {
    void findRefusal(session, access);
  }
}

/**
 * Finds the reason why the first live connection to a game does not open, which a browser does not
 * tell.
 *
 * @param {SessionData} session
 * @param {GameAccess} access
 */
async function findRefusal(session, access) {
  const { signal } = session.requests;
  const { game, token } = access;
  /** @type {Refusal} */
  let refusal = "noLiveConnection";
  try {
    await fetchJson(`games/${game}`, { signal, ...(token && { token }) });
  } catch (error) {
    if (!(error instanceof EngineError)) {
      return;
    }
    refusal = refusalOfStatus(error.problem.status);
  }
  const { connectionStatus, refusal: shown } = session.store.get();
  if (signal.aborted || connectionStatus === "connected" || shown !== "unreachable") {
    return;
  }
  if (FINAL_REFUSALS.has(refusal)) {
    session.connection?.end();
    void forgetAccess(access);
    session.store.update({ connectionStatus: "denied", refusal });
  } else {
    session.store.update({ refusal });
  }
}

/**
 * Sets the state without a game, except for these values and the list of the own games.
 *
 * @param {SessionData} session
 * @param {Partial<FriendState>} [values]
 */
function resetState({ store }, values = {}) {
  const { ownGames } = store.get();
  store.update({ ...INITIAL_FRIEND_STATE, ownGames, ...values });
}

/** @param {SessionData} session */
function disconnect(session) {
  session.connection?.end();
  session.connection = null;
  session.requests.abort();
  session.requests = new AbortController();
  session.line = null;
  session.isOnBoard = false;
}

/**
 * Leaves the game. It continues on the server, and the player can return to it.
 *
 * @param {SessionData} session
 */
function leaveGame(session) {
  disconnect(session);
  resetState(session);
  session.app.actions.setPremove(null);
  void updateOwnGames(session);
}

/** Leaves the game and shows the local game. @param {SessionData} session */
function leaveAndShowLocalGame(session) {
  leaveGame(session);
  session.app.actions.resumeLocalGame();
}

/**
 * Updates the list of the player's games. Calls during a request repeat it once.
 *
 * @param {SessionData} session
 */
async function updateOwnGames(session) {
  if (session.search !== "none") {
    session.search = "repeated";
    return;
  }
  try {
    do {
      session.search = "running";
      session.searchedAt = performance.now();
      await requestOwnGames(session);
    } while (session.search !== "running");
  } finally {
    session.search = "none";
  }
}

/** @param {SessionData} session */
async function requestOwnGames({ store }) {
  const ownGames = await findOwnGames();
  if (ownGames && JSON.stringify(ownGames) !== JSON.stringify(store.get().ownGames)) {
    store.update({ ownGames });
  }
}

/**
 * Tells the player that a resignation or an offer may not have reached the server. Moves are sent
 * again.
 *
 * @param {SessionData} session
 * @param {ToServer[]} messages
 */
function handleUnanswered({ store }, messages) {
  if (messages.some(({ type }) => !LOSABLE_MESSAGES.has(type))) {
    store.update({ error: texts.friends.noConnection });
  }
}

/**
 * @param {SessionData} session
 * @param {FromServer} message
 * @param {{ isFirstState: boolean }} options whether it is the first state over its socket
 */
function handleMessage(session, message, { isFirstState }) {
  const { store } = session;
  const pliesBefore = store.get().snapshot?.plies.length ?? 0;
  // The time of day may be set while the clock runs.
  const state = applyMessage(store.get(), message, performance.now());
  if (state !== store.get()) {
    store.update(state);
  }
  if (message.type === "pong") {
    return;
  }
  if (message.type === "state") {
    void storeAccess(state);
  }
  const { line } = session;
  if (message.type === "move" && line && message.ply === line.plies.length + 1) {
    session.line = { ...line, plies: [...line.plies, message.result] };
  }
  const next = state.snapshot?.rematch.game;
  if (next && state.access) {
    switchTo(session, { ...state.access, game: next });
    return;
  }
  void syncWithSnapshot(session);
  if (isFirstState) {
    void introduce(session, state);
  }
  const { pending } = state;
  if (isFirstState && pending) {
    // The player made this move without a connection, or the connection was lost before the reply.
    session.connection?.send({ type: "move", ...pending });
  }
  if ((state.snapshot?.plies.length ?? 0) < pliesBefore) {
    // The move was chosen for another position.
    session.app.actions.setPremove(null);
  }
  makePremove(session);
}

/**
 * Opens the rematch with the same token.
 *
 * @param {SessionData} session
 * @param {GameAccess} access
 */
function switchTo(session, access) {
  setFragment(friendFragment(access.game));
  session.app.announce(texts.friends.rematchBegins);
  open(session, access);
  void updateOwnGames(session);
}

/**
 * Sends the last name of a player without one.
 *
 * @param {SessionData} session
 * @param {FriendState} state
 */
async function introduce(session, { snapshot }) {
  const name = rememberedName();
  if (name && snapshot?.you && snapshot.names[snapshot.you] === null) {
    try {
      await setName(session, name);
    } catch (error) {
      session.app.actions.showError(error);
    }
  }
}

/**
 * Sets the own name in the game. The state of the game that follows has it.
 *
 * @param {SessionData} session
 * @param {string} name empty for none
 */
async function setName({ store }, name) {
  const { access } = store.get();
  if (access?.token) {
    const { game, token } = access;
    await fetchJson(`games/${game}/name`, { token, body: { name } });
  }
  await rememberName(name);
}

/**
 * Takes the free seat of the game that the visitor watches.
 *
 * @param {SessionData} session
 * @param {string} name the name of the player, or empty
 * @param {boolean} [shares] whether the player lets the game count in the statistics of the server
 */
async function takeSeat(session, name, shares = false) {
  const { access } = session.store.get();
  if (!access || access.token) {
    return;
  }
  try {
    const own = await takeFreeSeat(access.game, name, shares);
    if (session.store.get().access === access) {
      open(session, own);
    }
  } catch (error) {
    session.app.actions.showError(error, () => {
      session.app.actions.dismissError();
      void takeSeat(session, name, shares);
    });
  }
}

/**
 * Opens the game of a player who comes from another device; as a spectator if the code does not
 * work.
 *
 * @param {SessionData} session
 * @param {{ game: string, code: string }} link
 */
async function openByCode(session, { game, code }) {
  const known = ownToken(game);
  if (known) {
    // This device plays already, and another one may use the code.
    open(session, { game, token: known });
    return;
  }
  // The person may open another address meanwhile.
  const isWanted = () => window.location.hash === friendFragment(game);
  try {
    const own = await takeSeatByCode(game, code);
    if (isWanted()) {
      open(session, own);
    }
  } catch (error) {
    if (isWanted()) {
      open(session, { game, token: null });
      showErrorOverBoard(session, error);
    }
  }
}

/**
 * Shows an error as soon as the game is on the board, because a game that appears removes errors.
 *
 * @param {SessionData} session
 * @param {unknown} error
 */
function showErrorOverBoard({ app, store }, error) {
  const { access } = store.get();
  const stop = app.subscribe(({ tree }) => {
    if (store.get().access !== access) {
      stop();
    } else if (tree) {
      stop();
      app.actions.showError(error);
    }
  });
}

/**
 * Handles a change of the address: opens the game of a link, or leaves the game.
 *
 * @param {SessionData} session
 */
function handleAddress(session) {
  const { store } = session;
  const link = parseFragment(window.location.hash);
  const { access: now } = store.get();
  const hasLink = hasFriendLink(store.get());
  if (link.kind === "friend") {
    const access = { game: link.game, token: ownToken(link.game) };
    if (now?.game !== access.game || now.token !== access.token) {
      open(session, access);
    }
    if (joiningToken(link.game)) {
      // The response to the request for the seat was lost.
      void takeSeat(session, rememberedName());
    }
  } else if (link.kind === "seat") {
    // The code leaves the address, where others could see it.
    setFragment(friendFragment(link.game));
    void openByCode(session, link);
  } else if (link.kind === "incomplete") {
    setFragment(withoutDeviceCode(window.location.hash));
    disconnect(session);
    resetState(session, { linkError: link.message });
    showNoGame(session);
  } else if (hasLink && (link.kind === "game" || isRoomLink(link))) {
    // `records/address.js` or `rooms/session/session.js` shows the content of this link.
    leaveGame(session);
  } else if (hasLink && link.kind !== "broken") {
    leaveAndShowLocalGame(session);
  }
}

/**
 * Handles a change of the page's state.
 *
 * @param {SessionData} session
 * @param {State} state
 * @param {State} previous
 */
function handlePageState(session, { mode }, { mode: previousMode }) {
  if (mode === FRIEND_MODE && previousMode !== FRIEND_MODE) {
    // The player returns from mode `explore`.
    updateBoard(session);
  } else if (hasFriendLink(session.store.get()) && mode === "play" && previousMode !== "play") {
    // The player has started another game; the back button returns to this one.
    setFragment("", { addHistoryEntry: true });
    leaveGame(session);
  }
}

/**
 * Returns the reason why analysis is locked: during a game for its players, and for spectators
 * unless the players allow it.
 *
 * @param {FriendState} state
 */
function analysisLockFor({ access, snapshot }) {
  if (!snapshot || snapshot.ending) {
    return null;
  }
  if (snapshot.you || (access && ownToken(access.game))) {
    return snapshot.room ? roomLock(snapshot.room) : texts.analysis.locked;
  }
  return snapshot.spectator_scores ? null : texts.analysis.lockedForSpectators;
}

/**
 * Returns the reason why analysis is locked for the players of a game in a room.
 *
 * @param {RoomOfGame} room
 */
const roomLock = ({ engine_help: isAllowed }) => (isAllowed ? null : texts.rooms.engineHelpOff);

/** Starts the session with the address of the page. @param {SessionData} session */
function start(session) {
  window.addEventListener("hashchange", () => handleAddress(session));
  const update = () => void updateOwnGames(session);
  onWake(update);
  onOtherAccess(update);
  window.setInterval(() => {
    const age = performance.now() - session.searchedAt;
    const isDue = !document.hidden || age >= BACKGROUND_POLL_INTERVAL_MS;
    if (isDue && ownAccess().length > 0) {
      update();
    }
  }, POLL_INTERVAL_MS);
  handleAddress(session);
  update();
}

/** Connects at once, also after the server has denied access. @param {SessionData} session */
function reconnectNow(session) {
  const { access, connectionStatus } = session.store.get();
  if (access && connectionStatus === "denied") {
    open(session, access);
  } else {
    session.connection?.reconnectNow();
  }
}

/**
 * Opens a game of the player, to which the player returns, or a game to watch.
 *
 * @param {SessionData} session
 * @param {GameAccess} access
 */
function openGame(session, access) {
  setFragment(friendFragment(access.game), { addHistoryEntry: true });
  open(session, access);
}

/** Creates a game and opens it. @param {SessionData} session @param {FriendGameOptions} options */
async function createGame(session, options) {
  /** @type {CreatedGame} */
  const { game, token } = await fetchJson("games", { body: options });
  void rememberAccess({ game, token, isJoining: false, hasSeenEnd: false });
  setFragment(friendFragment(game), { addHistoryEntry: true });
  open(session, { game, token });
}

/**
 * Creates a code for another device of the player; `null` for a spectator.
 *
 * @param {SessionData} session
 */
async function seatCode({ store }) {
  const { access } = store.get();
  return access?.token ? await createSeatCode({ ...access, token: access.token }) : null;
}

/** Creates the session of the page. @param {App} app */
export function createSession(app) {
  const session = initialSession(app);
  const { store } = session;
  app.registerMode(FRIEND_MODE, friendMode(session));
  store.subscribe((state) => {
    app.actions.setAnalysisLock(analysisLockFor(state));
    app.actions.refresh();
  });
  app.subscribe((state, previous) => handlePageState(session, state, previous));
  return {
    state: store.get,
    subscribe: store.subscribe,
    showOnBoard: () => showOnBoard(session),
    /** Acts on an offer. @param {"takeback" | "rematch"} offer @param {OfferAction} action */
    act: (offer, action) => send(session, { type: offer, action }),
    /** Sets the own name in the game. @param {string} name empty for none */
    setName: (name) => setName(session, name),
    reconnectNow: () => reconnectNow(session),
    start: () => start(session),
    /** Opens a game of the player, or a game to watch. @param {GameAccess} access */
    openGame: (access) => openGame(session, access),
    /** Leaves the game, if there is one. Another part of the page takes the place of the board. */
    close() {
      if (hasFriendLink(store.get())) {
        leaveGame(session);
      }
    },
    /** Requests the list of the player's games again. */
    updateOwnGames: () => void updateOwnGames(session),
    /** Takes the free seat. @param {string} name empty for none */
    takeSeat: (name, shares = false) => takeSeat(session, name, shares),
    /** Creates a code for another device of the player. */
    seatCode: () => seatCode(session),
    /** Says a phrase to the friend. @param {Phrase} phrase */
    say: (phrase) => send(session, { type: "phrase", phrase }),
    /** Creates a game and opens it. @param {FriendGameOptions} options */
    createGame: (options) => createGame(session, options),
    /** Leaves the game. The player can return to it until it is over. */
    leave() {
      setFragment("", { addHistoryEntry: true });
      leaveAndShowLocalGame(session);
    },
  };
}

/** @typedef {ReturnType<typeof createSession>} Session */
