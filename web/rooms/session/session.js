/** The session: the page's room, its live connection, and the requests of its members and leader. */

import { EngineError } from "../../engine/errors.js";
import { fetchJson } from "../../engine/http.js";
import { ownToken, rememberAccess } from "../../friends/session/access.js";
import { createConnection } from "../../friends/session/connection.js";
import { FRIEND_MODE } from "../../friends/state.js";
import { createStore } from "../../game/store.js";
import { setFragment } from "../../records/address.js";
import {
  leaderFragment,
  parseFragment,
  projectorFragment,
  roomFragment,
  withoutDeviceCode,
} from "../../records/link.js";
import { texts } from "../../texts/texts.js";
import { LOBBY_CODE } from "../codes.js";
import {
  applyRoomMessage,
  INITIAL_ROOM_STATE,
  mayOpenGame,
  memberName,
  opponentIn,
  ownGame,
  refusalOfStatus,
  ROOM_MODE,
  ROOM_PANEL_ID,
  ROOM_PROTOCOL,
} from "../state.js";
import {
  accessTo,
  forgetRoom,
  forgetToken,
  onOtherRooms,
  rememberRoom,
  rememberRoomName,
  storedRooms,
} from "./access.js";
import { enterRoom } from "./entry.js";
import { createLeaderCode, takeLeaderToken } from "./leader-device.js";
import { startStandings } from "./standings.js";

/** @import { Connection } from "../../friends/session/connection.js" */
/** @import { Session as FriendSession } from "../../friends/session/session.js" */
/** @import { App, State } from "../../types/app.d.ts" */
/** @import { FriendState } from "../../types/friend.d.ts" */
/** @import { FromRoom, RoomAccess, RoomCommand, RoomGame, RoomOptions } from "../../types/room.d.ts" */
/** @import { RoomRefusal, RoomSnapshot, RoomState, ToRoom } from "../../types/room.d.ts" */

/** The players of a board without a game. */
const NO_PLAYERS = /** @type {const} */ ({ south: { kind: "person" }, north: { kind: "person" } });

/**
 * The data of the session. The views see only the state in the store.
 *
 * @typedef {object} RoomSessionData
 * @property {App} app
 * @property {FriendSession} friend the session of the game on the board
 * @property {ReturnType<typeof createStore<RoomState>>} store
 * @property {Connection<ToRoom> | null} connection
 * @property {AbortController} requests aborts the requests about the room
 * @property {boolean} isProjector whether the page is a projector
 * @property {boolean} hasAskedForLobby
 */

/** @param {string} code */
function liveAddress(code) {
  const address = new URL(`api/v1/rooms/${code}/live`, document.baseURI);
  address.protocol = address.protocol.replace("http", "ws");
  return address;
}

/**
 * Returns the first message over a connection.
 *
 * @param {RoomAccess} access
 * @param {boolean} isProjector
 * @returns {ToRoom}
 */
function helloMessage({ token, leader, isEntering }, isProjector) {
  return {
    type: "hello",
    ...(token && !isEntering && { token }),
    ...(leader && { leader }),
    boards: isProjector || leader !== null,
  };
}

/** @param {RoomSessionData} session */
function disconnect(session) {
  session.connection?.end();
  session.connection = null;
  session.requests.abort();
  session.requests = new AbortController();
}

/**
 * Opens the room of an access, or connects to it again after the access has changed.
 *
 * @param {RoomSessionData} session
 * @param {RoomAccess} access
 */
function open(session, access) {
  const { store } = session;
  disconnect(session);
  const { access: before, ownRooms, hasLobby, room, standings } = store.get();
  const isSame = before?.code === access.code;
  store.update({
    ...INITIAL_ROOM_STATE,
    ownRooms,
    hasLobby,
    access,
    ...(isSame && { room, standings }),
  });
  session.connection = createConnection(ROOM_PROTOCOL, {
    open: () => new WebSocket(liveAddress(access.code)),
    hello: () => helloMessage(access, session.isProjector),
    onMessage: (message) => handleMessage(session, message),
    onUnanswered() {},
    onStatus(connectionStatus, refusal, connectionLimit) {
      handleStatus(session, access, { connectionStatus, refusal, connectionLimit });
    },
  });
}

/**
 * @param {RoomSessionData} session
 * @param {RoomAccess} access
 * @param {Pick<RoomState, "connectionStatus" | "refusal" | "connectionLimit">} status
 */
function handleStatus(session, access, status) {
  const { store } = session;
  const { connectionStatus, refusal } = status;
  // The reason of the last failure stays until there is a connection.
  store.update(connectionStatus === "connecting" ? { connectionStatus } : status);
  if (connectionStatus === "denied" && refusal) {
    void handleDenial(session, access, refusal);
  } else if (refusal === "unreachable" && !store.get().room) {
    void findRefusal(session, access);
  }
}

/**
 * Forgets a room that does not exist, and a token that the server refuses. A person without it sees the
 * room as any visitor.
 *
 * @param {RoomSessionData} session
 * @param {RoomAccess} access
 * @param {RoomRefusal} refusal
 */
async function handleDenial(session, access, refusal) {
  const { token, leader } = access;
  if (refusal === "noSuchRoom") {
    await forgetRoom(access.code);
    updateOwnRooms(session);
  } else if (refusal === "noAccess" && (token || leader)) {
    await forgetToken(token ?? leader ?? "");
    updateOwnRooms(session);
    open(session, token ? { ...access, token: null } : { ...access, leader: null });
  } else if (refusal === "removed" && leader) {
    open(session, { ...access, token: null });
  }
}

/**
 * Finds the reason why the first live connection does not open, which a browser does not tell.
 *
 * @param {RoomSessionData} session
 * @param {RoomAccess} access
 */
async function findRefusal(session, access) {
  const { signal } = session.requests;
  /** @type {RoomRefusal} */
  let refusal = "noLiveConnection";
  try {
    await fetchJson(`rooms/${access.code}`, { signal });
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
  if (refusal === "noSuchRoom") {
    session.connection?.end();
    handleStatus(session, access, { connectionStatus: "denied", refusal, connectionLimit: null });
  } else {
    session.store.update({ refusal });
  }
}

/**
 * @param {RoomSessionData} session
 * @param {FromRoom} message
 */
function handleMessage(session, message) {
  const { app, store } = session;
  if (message.type === "problem" && store.get().room) {
    app.actions.showError(new EngineError(message.problem));
    return;
  }
  const before = store.get();
  const state = applyRoomMessage(before, message);
  if (state === before || !state.room || !state.access) {
    return;
  }
  store.update(state);
  if (state.room.name !== state.access.name) {
    const { code, name } = state.room;
    store.update({ access: { ...state.access, name } });
    void rememberRoomName(code, name).then(() => updateOwnRooms(session));
  }
  void keepOwnGame(session, state.room, state.access);
  if (before.room) {
    followOwnGame(session, state.room, before.room);
  }
}

/**
 * Stores the access to the own game, which is in the list of the own games then.
 *
 * @param {RoomSessionData} session
 * @param {RoomSnapshot} room
 * @param {RoomAccess} access
 */
async function keepOwnGame({ friend }, room, { token }) {
  const game = ownGame(room)?.game;
  if (game && token && !ownToken(game)) {
    await rememberAccess({ game, token, isJoining: false, hasSeenEnd: false });
    friend.updateOwnGames();
  }
}

/**
 * Opens the game of the person here that has just begun, unless another game goes on at the board. A
 * leader stays at the boards of all.
 *
 * @param {RoomSessionData} session
 * @param {RoomSnapshot} room
 * @param {RoomSnapshot} before
 */
function followOwnGame(session, room, before) {
  const { app, friend } = session;
  const game = ownGame(room);
  if (!game || before.games.some((known) => known.game === game.game)) {
    return;
  }
  const name = memberName(room, opponentIn(game, room.you.member));
  app.announce(texts.rooms.gameBegins(name));
  const { snapshot } = friend.state();
  const isFree = mayOpenGame({
    mode: app.state().mode,
    friendMode: FRIEND_MODE,
    roomOfBoard: snapshot?.room?.code ?? null,
    isOver: Boolean(snapshot?.ending),
    code: room.code,
  });
  const isBusy = document.querySelector("dialog[open]") !== null;
  if (isFree && !isBusy && !room.you.leader && !session.isProjector) {
    openGame(session, game);
  }
}

/**
 * Opens a game of the room: as its player, or else to watch it.
 *
 * @param {RoomSessionData} session
 * @param {Pick<RoomGame, "game" | "south" | "north">} game
 */
function openGame({ friend, store }, { game, south, north }) {
  const { access, room } = store.get();
  const isOwn = room !== null && [south, north].includes(room.you.member ?? 0);
  friend.openGame({ game, token: isOwn ? (access?.token ?? null) : null });
}

/**
 * Shows the room in place of the board.
 *
 * @param {RoomSessionData} session
 * @param {{ addHistoryEntry: boolean }} options whether the back button returns to what the page shows
 */
function showRoom({ app, friend, store }, { addHistoryEntry }) {
  const { access } = store.get();
  if (access) {
    friend.close();
    setFragment(roomFragment(access.code), { addHistoryEntry });
    app.actions.enterMode(ROOM_MODE, null, NO_PLAYERS);
    app.actions.openPanel(ROOM_PANEL_ID);
  }
}

/**
 * Opens a room and shows it.
 *
 * @param {RoomSessionData} session
 * @param {string} code
 */
function openRoom(session, code) {
  if (session.store.get().access?.code !== code) {
    open(session, accessTo(code));
  }
  showRoom(session, { addHistoryEntry: true });
}

/** Closes the room in this page, and shows the local game. @param {RoomSessionData} session */
function closeView(session) {
  const { app, store } = session;
  disconnect(session);
  const { ownRooms, hasLobby } = store.get();
  store.update({ ...INITIAL_ROOM_STATE, ownRooms, hasLobby });
  setFragment("", { addHistoryEntry: true });
  if (app.state().mode === ROOM_MODE) {
    app.actions.resumeLocalGame();
  }
}

/**
 * Creates a room and shows it to its leader.
 *
 * @param {RoomSessionData} session
 * @param {RoomOptions} options
 */
async function createRoom(session, options) {
  /** @type {{ code: string, leader_token: string }} */
  const { code, leader_token: leader } = await fetchJson("rooms", { body: options });
  const access = { code, name: options.name, token: null, leader, isEntering: false };
  await rememberRoom(access);
  updateOwnRooms(session);
  open(session, access);
  showRoom(session, { addHistoryEntry: true });
}

/**
 * Enters the open room, or enters it again.
 *
 * @param {RoomSessionData} session
 * @param {string} name
 */
async function enter(session, name) {
  const { access } = session.store.get();
  if (access) {
    const entered = await enterRoom(access, name);
    if (session.store.get().access?.code === access.code) {
      open(session, entered);
    }
    updateOwnRooms(session);
  }
}

/**
 * Sends a command as the leader or as a member.
 *
 * @param {RoomSessionData} session
 * @param {RoomCommand} command
 * @param {"leader" | "member"} as
 */
async function send({ app, store }, command, as) {
  const { access } = store.get();
  const token = as === "leader" ? access?.leader : access?.token;
  if (!access || !token) {
    return false;
  }
  try {
    await fetchJson(`rooms/${access.code}/commands`, { token, body: command });
    return true;
  } catch (error) {
    app.actions.showError(error);
    return false;
  }
}

/**
 * Leaves the room as a member, who may enter it again.
 *
 * @param {RoomSessionData} session
 */
async function leave(session) {
  if (await send(session, { command: "leave" }, "member")) {
    const { access } = session.store.get();
    if (access) {
      const left = { ...access, isEntering: true };
      await rememberRoom(left);
      session.store.update({ access: left });
    }
  }
}

/** @param {RoomSessionData} session */
function updateOwnRooms({ store }) {
  const ownRooms = storedRooms();
  if (JSON.stringify(ownRooms) !== JSON.stringify(store.get().ownRooms)) {
    store.update({ ownRooms });
  }
}

/**
 * Finds out whether the server has a lobby, once.
 *
 * @param {RoomSessionData} session
 */
async function findLobby(session) {
  const { store } = session;
  if (session.hasAskedForLobby) {
    return;
  }
  session.hasAskedForLobby = true;
  try {
    await fetchJson(`rooms/${LOBBY_CODE}`);
    store.update({ hasLobby: true });
  } catch (error) {
    if (!(error instanceof EngineError)) {
      throw error;
    }
  }
}

/**
 * Opens the room of a leader who comes from another device; as before if the code does not work.
 *
 * @param {RoomSessionData} session
 * @param {{ code: string, deviceCode: string }} link
 */
async function openAsLeader(session, link) {
  const known = accessTo(link.code);
  open(session, known);
  showRoom(session, { addHistoryEntry: false });
  if (known.leader) {
    // This device leads the room already, and another one may use the code.
    return;
  }
  try {
    await takeLeaderToken(link);
    updateOwnRooms(session);
    // The person may open another room meanwhile.
    if (session.store.get().access?.code === link.code && !session.isProjector) {
      open(session, accessTo(link.code));
    }
  } catch (error) {
    session.app.actions.showError(error);
  }
}

/**
 * Creates a link with which another device leads the open room; `null` if this one does not lead it.
 *
 * @param {RoomSessionData} session
 */
async function leaderLink({ store }) {
  const { access } = store.get();
  if (!access?.leader) {
    return null;
  }
  const { code, expires_in_s: lifetime } = await createLeaderCode(access.code, access.leader);
  return { fragment: leaderFragment(access.code, code), lifetime };
}

/**
 * Handles a change of the address: opens the room of a link, or the projector page.
 *
 * @param {RoomSessionData} session
 */
function handleAddress(session) {
  const { app, store } = session;
  const link = parseFragment(window.location.hash);
  const wasProjector = session.isProjector;
  session.isProjector = link.kind === "projector";
  if (link.kind === "projector") {
    // A projector shows the room as any visitor sees it.
    app.actions.enterMode(ROOM_MODE, null, NO_PLAYERS);
    open(session, { ...accessTo(link.code), token: null, leader: null });
  } else if (link.kind === "room") {
    open(session, accessTo(link.code));
    showRoom(session, { addHistoryEntry: false });
  } else if (link.kind === "leader") {
    // The code leaves the address, where others could see it.
    setFragment(roomFragment(link.code));
    void openAsLeader(session, link);
  } else if (link.kind === "incomplete-room") {
    setFragment(withoutDeviceCode(window.location.hash));
    app.actions.enterMode(ROOM_MODE, null, NO_PLAYERS);
    app.actions.openPanel(ROOM_PANEL_ID);
  } else if (wasProjector) {
    open(session, accessTo(store.get().access?.code ?? ""));
  }
  store.update({ linkError: link.kind === "incomplete-room" ? link.message : null });
}

/**
 * Handles a change of the page's state: another panel shows the board again, and the panel of rooms
 * shows the room.
 *
 * @param {RoomSessionData} session
 * @param {State} state
 * @param {State} previous
 */
function handlePageState(session, { mode, panel }, { panel: previousPanel }) {
  const [isOpen, wasOpen] = [panel === ROOM_PANEL_ID, previousPanel === ROOM_PANEL_ID];
  if (wasOpen && !isOpen && mode === ROOM_MODE && !session.isProjector) {
    session.app.actions.resumeLocalGame();
  } else if (isOpen && !wasOpen && mode === "play" && session.store.get().access) {
    showRoom(session, { addHistoryEntry: true });
  }
}

/**
 * Opens the room of the game on the board, as after a reload.
 *
 * @param {RoomSessionData} session
 * @param {FriendState} friendState
 */
function followBoard(session, { snapshot, access }) {
  const { app, store } = session;
  const code = snapshot?.room?.code;
  if (!code || store.get().access?.code === code) {
    return;
  }
  const known = accessTo(code);
  const token = snapshot.you === null ? null : (access?.token ?? null);
  const wanted =
    token !== null && known.token === null
      ? { ...known, name: snapshot.room?.name ?? "", token, isEntering: false }
      : known;
  open(session, wanted);
  if (wanted.token !== null) {
    void rememberRoom(wanted).then(() => updateOwnRooms(session));
  }
  if (app.state().panel === "friend") {
    app.actions.openPanel(ROOM_PANEL_ID);
  }
}

/**
 * Follows another tab in which the person has entered the open room, or has become its leader.
 *
 * @param {RoomSessionData} session
 */
function followOtherTab(session) {
  updateOwnRooms(session);
  const { access } = session.store.get();
  const stored = access && accessTo(access.code);
  if (!stored || stored.isEntering || session.isProjector) {
    return;
  }
  const isNew = (/** @type {"token" | "leader"} */ kind) =>
    stored[kind] !== null && stored[kind] !== access[kind];
  if (isNew("token") || isNew("leader")) {
    open(session, stored);
  }
}

/** Starts the session with the address of the page. @param {RoomSessionData} session */
function start(session) {
  const { app, friend } = session;
  window.addEventListener("hashchange", () => handleAddress(session));
  app.subscribe((state, previous) => handlePageState(session, state, previous));
  friend.subscribe((friendState, previous) => {
    if (friendState.snapshot?.game !== previous.snapshot?.game) {
      followBoard(session, friendState);
    }
  });
  onOtherRooms(() => followOtherTab(session));
  startStandings(session);
  updateOwnRooms(session);
  handleAddress(session);
}

/** Connects at once, also after the server has refused a connection. @param {RoomSessionData} session */
function reconnectNow(session) {
  const { access, connectionStatus } = session.store.get();
  if (access && connectionStatus === "denied") {
    open(session, access);
  } else {
    session.connection?.reconnectNow();
  }
}

/**
 * Creates the session of the page.
 *
 * @param {App} app
 * @param {FriendSession} friend
 */
export function createRoomSession(app, friend) {
  /** @type {RoomSessionData} */
  const session = {
    app,
    friend,
    store: createStore(/** @type {RoomState} */ (INITIAL_ROOM_STATE)),
    connection: null,
    requests: new AbortController(),
    isProjector: false,
    hasAskedForLobby: false,
  };
  const { store } = session;
  app.registerMode(ROOM_MODE, { canMove: () => false, can: () => false });
  return {
    state: store.get,
    subscribe: store.subscribe,
    start: () => start(session),
    reconnectNow: () => reconnectNow(session),
    findLobby: () => void findLobby(session),
    /** Opens a room and shows it. @param {string} code */
    openRoom: (code) => openRoom(session, code),
    showRoom: () => showRoom(session, { addHistoryEntry: true }),
    closeView: () => closeView(session),
    /** Creates a room and shows it to its leader. @param {RoomOptions} options */
    createRoom: (options) => createRoom(session, options),
    /** Enters the open room. @param {string} name */
    enter: (name) => enter(session, name),
    leave: () => leave(session),
    leaderLink: () => leaderLink(session),
    /** Sends a command of the leader. @param {RoomCommand} command */
    lead: (command) => send(session, command, "leader"),
    /** Sends a command of a member. @param {RoomCommand} command */
    act: (command) => send(session, command, "member"),
    /** Opens a game of the room. @param {RoomGame} game */
    openGame: (game) => openGame(session, game),
    isProjector: () => session.isProjector,
    /** Leaves the projector page for the room. */
    leaveProjector() {
      window.location.hash = roomFragment(store.get().access?.code ?? "");
    },
    /** Opens the projector page. */
    openProjector() {
      window.location.hash = projectorFragment(store.get().access?.code ?? "");
    },
  };
}

/** @typedef {ReturnType<typeof createRoomSession>} RoomSession */
