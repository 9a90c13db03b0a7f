/**
 * The session: the page's game with a friend and its connection. `board-sync.js` shows the game on
 * the board.
 */

import { EngineError } from "../../engine/errors.js";
import { fetchJson } from "../../engine/http.js";
import { onWake } from "../../engine/wake.js";
import { createStore } from "../../game/store.js";
import { setFragment } from "../../records/address.js";
import { friendFragment, parseFragment } from "../../records/link.js";
import { texts } from "../../texts/texts.js";
import {
  accessFragment,
  findLeftGame,
  forgetAccess,
  onOtherAccess,
  rememberAccess,
  storeAccess,
  storedAccess,
} from "./access.js";
import { showNoGame, showOnBoard, syncWithSnapshot, updateBoard } from "./board-sync.js";
import { createConnection } from "./connection.js";
import { friendMode, send } from "./mode.js";
import { rememberedName, rememberName } from "../names.js";
import {
  applyMessage,
  FINAL_REFUSALS,
  FRIEND_MODE,
  hasFriendLink,
  helloMessage,
  INITIAL_FRIEND_STATE,
  refusalOfStatus,
} from "../state.js";

/** @import { Connection } from "./connection.js" */
/** @import { MoveResult, Position } from "../../types/api.d.ts" */
/** @import { App, State } from "../../types/app.d.ts" */
/** @import { CreatedGame, FriendState } from "../../types/friend.d.ts" */
/** @import { FromServer, GameAccess, OfferAction, Refusal } from "../../types/friend.d.ts" */
/** @import { ToServer } from "../../types/friend.d.ts" */

/** The interval of checks whether the player can return to a game, in milliseconds. */
const POLL_INTERVAL_MS = 15_000;

/**
 * The messages whose loss has no consequence: the page sends `hello`, and a move without a reply, over
 * each new connection, and a ping only tests the old one.
 */
const LOSABLE_MESSAGES = new Set(/** @type {ToServer["type"][]} */ (["hello", "ping", "move"]));

/**
 * The options of a new game with a friend.
 *
 * @typedef {{ rules: string, position: string, side: "south" | "north" | "random", name?: string,
 * clock?: { initial: string, increment: string } }} FriendGameOptions
 */

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
 * @property {Connection | null} connection
 * @property {Line | null} line
 * @property {AbortController} requests aborts the requests about the game
 * @property {boolean} isOnBoard whether the board has shown the game
 * @property {"none" | "running" | "repeated"} search whether the page looks for a game to which the
 *   player can return, and has to look again after that
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
});

/** @param {GameAccess} access */
function liveAddress({ game }) {
  const address = new URL(`api/v1/games/${game}/live`, document.baseURI);
  address.protocol = address.protocol.replace("http", "ws");
  return address;
}

/**
 * Returns the friend's token in a game that this browser has created, until the friend has joined.
 *
 * @param {GameAccess} access
 */
const storedFriendToken = (access) =>
  storedAccess().find(({ game, token }) => game === access.game && token === access.token)
    ?.friendToken ?? null;

/**
 * Joins a game and leaves the previous one.
 *
 * @param {SessionData} session
 * @param {GameAccess} access
 * @param {string | null} [friendToken]
 */
function join(session, access, friendToken = storedFriendToken(access)) {
  const { store } = session;
  disconnect(session);
  store.update({ ...INITIAL_FRIEND_STATE, access, friendToken });
  showNoGame(session);
  session.connection = createConnection({
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
  session.store.update(INITIAL_FRIEND_STATE);
  void offerLeftGame(session);
}

/** Leaves the game and shows the local game. @param {SessionData} session */
function leaveAndShowLocalGame(session) {
  leaveGame(session);
  session.app.actions.resumeLocalGame();
}

/**
 * Offers the last game to which the player can return, if any. Calls during a search repeat it once.
 *
 * @param {SessionData} session
 */
async function offerLeftGame(session) {
  if (session.search !== "none") {
    session.search = "repeated";
    return;
  }
  try {
    do {
      session.search = "running";
      await searchLeftGame(session);
    } while (session.search !== "running");
  } finally {
    session.search = "none";
  }
}

/** @param {SessionData} session */
async function searchLeftGame({ store }) {
  const leftGame = await findLeftGame();
  const { access, leftGame: before } = store.get();
  if (!access && JSON.stringify(leftGame) !== JSON.stringify(before)) {
    store.update({ leftGame });
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
}

/**
 * Joins the rematch with the same token.
 *
 * @param {SessionData} session
 * @param {GameAccess} access
 */
function switchTo(session, access) {
  setFragment(accessFragment(access));
  session.app.announce(texts.friends.rematchBegins);
  join(session, access);
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
 * Handles a change of the address: joins the game of a link, or leaves the game.
 *
 * @param {SessionData} session
 */
function handleAddress(session) {
  const { store } = session;
  const link = parseFragment(window.location.hash);
  const { access: now } = store.get();
  const hasLink = hasFriendLink(store.get());
  if (link.kind === "friend" || link.kind === "watch") {
    const access = { game: link.game, token: link.kind === "friend" ? link.token : null };
    if (now?.game !== access.game || now.token !== access.token) {
      join(session, access);
    }
  } else if (link.kind === "incomplete") {
    disconnect(session);
    store.update({ ...INITIAL_FRIEND_STATE, linkError: link.message });
    showNoGame(session);
  } else if (hasLink && link.kind === "game") {
    // `records/address.js` opens the game of this link.
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
 * Returns the reason why analysis is locked. It is not locked for spectators.
 *
 * @param {FriendState} state
 */
function analysisLockFor({ access, snapshot }) {
  const plays = snapshot?.you || storedAccess().some(({ game }) => game === access?.game);
  return snapshot && !snapshot.ending && plays ? texts.analysis.locked : null;
}

/** Starts the session with the address of the page. @param {SessionData} session */
function start(session) {
  const { store } = session;
  window.addEventListener("hashchange", () => handleAddress(session));
  // The friend may have accepted a rematch in the meantime.
  const poll = () => {
    if (document.visibilityState === "visible" && !store.get().access) {
      void offerLeftGame(session);
    }
  };
  onWake(poll);
  onOtherAccess(poll);
  window.setInterval(() => {
    if (!store.get().leftGame) {
      poll();
    }
  }, POLL_INTERVAL_MS);
  handleAddress(session);
  if (!store.get().access) {
    void offerLeftGame(session);
  }
}

/** Connects at once, also after the server has denied access. @param {SessionData} session */
function reconnectNow(session) {
  const { access, connectionStatus } = session.store.get();
  if (access && connectionStatus === "denied") {
    join(session, access);
  } else {
    session.connection?.reconnectNow();
  }
}

/** Returns to the game that the player has left. @param {SessionData} session */
function returnToGame(session) {
  const { leftGame } = session.store.get();
  if (leftGame) {
    setFragment(accessFragment(leftGame), { addHistoryEntry: true });
    join(session, leftGame);
  }
}

/** Creates a game and joins it. @param {SessionData} session @param {FriendGameOptions} options */
async function createGame(session, options) {
  /** @type {CreatedGame} */
  const created = await fetchJson("games", { body: options });
  const { game, token, friend_token: friendToken } = created;
  void rememberAccess({ game, token, friendToken });
  setFragment(friendFragment(game, token), { addHistoryEntry: true });
  join(session, { game, token }, friendToken);
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
    returnToGame: () => returnToGame(session),
    /** Creates a game and joins it. @param {FriendGameOptions} options */
    createGame: (options) => createGame(session, options),
    /** Leaves the game. The player can return to it until it is over. */
    leave() {
      setFragment("", { addHistoryEntry: true });
      leaveAndShowLocalGame(session);
    },
  };
}

/** @typedef {ReturnType<typeof createSession>} Session */
