/** The session: the page's game with a friend, its connection, and its state on the board. */

import { EngineError, isAbort } from "../engine/errors.js";
import { fetchJson } from "../engine/http.js";
import { load, save } from "../game/storage.js";
import { createStore } from "../game/store.js";
import { endGame, fromLine, moveResultsTo, movesTo, path, undo } from "../game/tree.js";
import { setFragment } from "../records/address.js";
import { friendFragment, parseFragment, watchFragment } from "../records/link.js";
import { texts } from "../texts/texts.js";
import { createConnection } from "./connection.js";
import { rememberedName, rememberName, startingPlayers } from "./names.js";
import {
  applyMessage,
  canRequestRematch,
  FINAL_REFUSALS,
  FRIEND_MODE,
  gamePhase,
  hasFriendLink,
  helloMessage,
  INITIAL_FRIEND_STATE,
  isOwnTurn,
  parseStoredAccess,
  refusalOfStatus,
  statusText,
  withAccess,
  withoutAccess,
} from "./state.js";

/** @import { Connection } from "./connection.js" */
/** @import { MoveResult, Position } from "../types/api.d.ts" */
/** @import { App, GameTree } from "../types/app.d.ts" */
/** @import { CreatedGame, FriendState, FromServer, GameAccess } from "../types/friend.d.ts" */
/** @import { GamePhase, GameSnapshot, OfferAction, Refusal } from "../types/friend.d.ts" */
/** @import { ToServer } from "../types/friend.d.ts" */

/** The key of the stored access in the browser's storage. */
const STORAGE_KEY = "game-access";

/** The interval of checks whether the player can return to a game, in milliseconds. */
const POLL_INTERVAL_MS = 15_000;

/** HTTP statuses of a game that does not exist and of a wrong token. */
const ACCESS_DENIED_STATUSES = new Set([403, 404]);

/**
 * The options of a new game with a friend.
 *
 * @typedef {{ rules: string, position: string, side: "south" | "north" | "random", name?: string,
 * clock?: { initial: string, increment: string } }} FriendGameOptions
 */

/**
 * Returns the fragment of the link to a game.
 *
 * @param {GameAccess} access
 */
export const accessFragment = ({ game, token }) =>
  token ? friendFragment(game, token) : watchFragment(game);

/**
 * Returns whether the players have exchanged their sides.
 *
 * @param {readonly MoveResult[]} plies
 */
const isSwapped = (plies) => plies.filter((ply) => ply.is_swap).length % 2 === 1;

/** @param {string[]} one @param {string[]} other */
const isSameLine = (one, other) =>
  one.length === other.length && one.every((move, index) => move === other[index]);

/** @param {App} app */
export function createSession(app) {
  const store = createStore(/** @type {FriendState} */ (INITIAL_FRIEND_STATE));
  /** @type {Connection | null} */
  let connection = null;
  /**
   * The results of the moves as far as they are known.
   *
   * @type {{ start: Position, plies: MoveResult[] } | null}
   */
  let line = null;
  let requests = new AbortController();
  /** Whether the board has shown the game. */
  let isOnBoard = false;

  const storedAccess = () => parseStoredAccess(load(STORAGE_KEY));

  /** @param {GameAccess} access */
  const liveAddress = ({ game }) => {
    const address = new URL(`api/v1/games/${game}/live`, document.baseURI);
    address.protocol = address.protocol.replace("http", "ws");
    return address;
  };

  /** Removes the game from the board, which must not show another game as if it were the friend's. */
  function showNoGame() {
    app.actions.enterMode(FRIEND_MODE, null, app.state().players);
  }

  /** Joins a game and leaves the previous one. @param {GameAccess} access */
  function join(access) {
    disconnect();
    const own = storedAccess().find(
      ({ game, token }) => game === access.game && token === access.token,
    );
    store.update({ ...INITIAL_FRIEND_STATE, access, friendToken: own?.friendToken ?? null });
    showNoGame();
    connection = createConnection({
      open: () => new WebSocket(liveAddress(access)),
      hello: () => helloMessage(access, line?.plies.length ?? 0),
      onMessage: handleMessage,
      onStatus(connectionStatus, refusal, connectionLimit) {
        if (connectionStatus === "denied") {
          forgetAccess(access);
        }
        // The reason of the last failure stays until there is a connection.
        store.update(
          connectionStatus === "connecting"
            ? { connectionStatus }
            : { connectionStatus, refusal, connectionLimit },
        );
        if (refusal === "unreachable" && !store.get().snapshot) {
          void findRefusal(access);
        }
      },
    });
  }

  /**
   * Finds the reason why the first live connection to a game does not open, which a browser does
   * not tell.
   *
   * @param {GameAccess} access
   */
  async function findRefusal(access) {
    const { signal } = requests;
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
    const { connectionStatus, refusal: shown } = store.get();
    if (signal.aborted || connectionStatus === "connected" || shown !== "unreachable") {
      return;
    }
    if (FINAL_REFUSALS.has(refusal)) {
      connection?.end();
      forgetAccess(access);
      store.update({ connectionStatus: "denied", refusal });
    } else {
      store.update({ refusal });
    }
  }

  function disconnect() {
    connection?.end();
    connection = null;
    requests.abort();
    requests = new AbortController();
    line = null;
    isOnBoard = false;
  }

  /** Leaves the game. It continues on the server, and the player can return to it. */
  function leaveGame() {
    disconnect();
    store.update(INITIAL_FRIEND_STATE);
    void findLeftGame();
  }

  /** Leaves the game and shows the local game. */
  function leaveAndShowLocalGame() {
    leaveGame();
    app.actions.resumeLocalGame();
  }

  /**
   * Forgets the access to a game that does not exist or whose token is wrong.
   *
   * @param {GameAccess} access
   */
  function forgetAccess(access) {
    // A link with a wrong token does not invalidate the stored token of the same game.
    save(
      STORAGE_KEY,
      storedAccess().filter(
        ({ game, token }) =>
          game !== access.game || (access.token !== null && token !== access.token),
      ),
    );
  }

  /**
   * Returns the phase of a game, or of the rematch that followed it.
   *
   * @param {{ game: string, token: string }} access
   * @returns {Promise<{ game: string, phase: GamePhase }>}
   */
  async function fetchPhase({ game, token }) {
    try {
      /** @type {GameSnapshot} */
      const snapshot = await fetchJson(`games/${game}`, { token });
      const { game: next } = snapshot.rematch;
      return next ? await fetchPhase({ game: next, token }) : { game, phase: gamePhase(snapshot) };
    } catch (error) {
      // Without a response the game may still be open.
      const gone = error instanceof EngineError && ACCESS_DENIED_STATUSES.has(error.problem.status);
      return { game, phase: gone ? "over" : "open" };
    }
  }

  /** Finds the last game to which the player can return. */
  async function findLeftGame() {
    for (const access of storedAccess()) {
      const { token } = access;
      const { game, phase } = await fetchPhase(access);
      if (phase === "over" || phase === "rematch-declined") {
        save(STORAGE_KEY, withoutAccess(storedAccess(), access.game));
      } else if (game !== access.game) {
        save(
          STORAGE_KEY,
          withAccess(withoutAccess(storedAccess(), access.game), {
            game,
            token,
            friendToken: null,
          }),
        );
      }
      if (phase === "open" || phase === "rematch-offered") {
        if (!store.get().access) {
          store.update({ leftGame: { game, token, phase } });
        }
        return;
      }
    }
  }

  /** Stores the access to a game while the player may return to it. @param {FriendState} state */
  function storeAccess({ access, snapshot, friendToken }) {
    if (access?.token && snapshot) {
      const { game, token } = access;
      const phase = gamePhase(snapshot);
      const ended = ["over", "rematch-declined", "rematch-started"].includes(phase);
      save(
        STORAGE_KEY,
        ended
          ? withoutAccess(storedAccess(), game)
          : withAccess(storedAccess(), { game, token, friendToken }),
      );
    }
  }

  /**
   * Acts on an offer.
   *
   * @param {"takeback" | "rematch"} offer
   * @param {OfferAction} action
   */
  function act(offer, action) {
    send({ type: offer, action });
  }

  /** Offers a rematch. */
  function rematch() {
    if (canRequestRematch(store.get())) {
      act("rematch", "offer");
    }
  }

  /** @param {FromServer} message @param {boolean} isFirstState */
  function handleMessage(message, isFirstState) {
    const state = applyMessage(store.get(), message, Date.now());
    store.update(state);
    if (message.type === "state") {
      storeAccess(state);
    }
    if (message.type === "move" && line && message.ply === line.plies.length + 1) {
      line = { ...line, plies: [...line.plies, message.result] };
    }
    const next = state.snapshot?.rematch.game;
    if (next && state.access) {
      switchTo({ ...state.access, game: next });
      return;
    }
    void syncWithSnapshot();
    if (isFirstState) {
      void introduce(state);
    }
    const { pending } = state;
    if (isFirstState && pending) {
      // The player made this move without a connection, or the connection was lost before the
      // reply.
      connection?.send({ type: "move", ...pending });
    }
  }

  /** Sends the last name of a player without one. @param {FriendState} state */
  async function introduce({ snapshot }) {
    const name = rememberedName();
    if (name && snapshot?.you && snapshot.names[snapshot.you] === null) {
      try {
        await setName(name);
      } catch (error) {
        app.actions.showError(error);
      }
    }
  }

  /**
   * Sets the own name in the game. The state of the game that follows has it.
   *
   * @param {string} name empty for none
   */
  async function setName(name) {
    const { access } = store.get();
    if (access?.token) {
      const { game, token } = access;
      await fetchJson(`games/${game}/name`, { token, body: { name } });
    }
    rememberName(name);
  }

  /** Joins the rematch with the same token. @param {GameAccess} access */
  function switchTo(access) {
    setFragment(accessFragment(access));
    app.announce(texts.friends.rematchBegins);
    join(access);
  }

  /** Requests the results of unknown moves and shows the game. */
  async function syncWithSnapshot() {
    const { snapshot } = store.get();
    if (!snapshot) {
      return;
    }
    if (
      !line ||
      !isSameLine(
        line.plies.map(({ move }) => move),
        snapshot.plies,
      )
    ) {
      requests.abort();
      requests = new AbortController();
      try {
        const { rules, start, plies: moves } = snapshot;
        line = await app.engine.request("play", { rules, position: start, moves }, requests.signal);
      } catch (error) {
        if (!isAbort(error)) {
          app.actions.showError(error, () => void syncWithSnapshot());
        }
        return;
      }
    }
    if (isOnBoard) {
      updateBoard();
    } else {
      isOnBoard = true;
      showOnBoard();
    }
  }

  /**
   * Returns the game of a snapshot as a tree.
   *
   * @param {GameSnapshot} snapshot
   * @returns {GameTree | null}
   */
  function treeOf({ ending }) {
    if (!line) {
      return null;
    }
    const tree = fromLine(line.start, line.plies);
    return ending ? endGame(tree, ending.termination, ending.winner) : tree;
  }

  /** Shows the game on the board in place of another game. */
  function showOnBoard() {
    const { snapshot } = store.get();
    const tree = snapshot && treeOf(snapshot);
    if (tree && line && snapshot) {
      app.actions.enterMode(FRIEND_MODE, tree, startingPlayers(snapshot, isSwapped(line.plies)));
    }
  }

  /** Updates the board if it shows the game. */
  function updateBoard() {
    const { snapshot } = store.get();
    const { tree, mode } = app.state();
    const whole = snapshot && treeOf(snapshot);
    if (mode !== FRIEND_MODE || !tree || !whole || !line || !snapshot) {
      return;
    }
    const boardMoves = movesTo(tree, path(tree));
    const all = movesTo(whole, whole.line);
    const last = line.plies.at(-1);
    if (last && isSameLine(boardMoves, movesTo(undo(whole))) && tree.start === whole.start) {
      app.actions.applyMove(last);
    } else if (!isSameLine(boardMoves, all) || tree.start !== whole.start) {
      showOnBoard();
    }
    const players = startingPlayers(snapshot, isSwapped(line.plies));
    if (JSON.stringify(players) !== JSON.stringify(app.state().players)) {
      app.actions.setPlayers(players);
    }
    const { ending } = snapshot;
    if (ending && app.state().tree?.termination !== ending.termination) {
      app.actions.editTree((now) => endGame(now, ending.termination, ending.winner));
    }
  }

  /** @param {ToServer} message a message that is not repeated if it cannot be sent */
  function send(message) {
    if (!connection?.send(message)) {
      store.update({
        error: texts.friends.noConnection,
      });
    }
  }

  /** Handles a change of the address: joins the game of a link, or leaves the game. */
  function handleAddress() {
    const link = parseFragment(window.location.hash);
    const { access: now } = store.get();
    const hasLink = hasFriendLink(store.get());
    if (link.kind === "friend" || link.kind === "watch") {
      const access = { game: link.game, token: link.kind === "friend" ? link.token : null };
      if (now?.game !== access.game || now.token !== access.token) {
        join(access);
      }
    } else if (link.kind === "incomplete") {
      disconnect();
      store.update({ ...INITIAL_FRIEND_STATE, linkError: link.message });
      showNoGame();
    } else if (hasLink && link.kind === "game") {
      // `records/address.js` opens the game of this link.
      leaveGame();
    } else if (hasLink && link.kind !== "broken") {
      leaveAndShowLocalGame();
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

  app.registerMode(FRIEND_MODE, {
    canMove: ({ tree }) =>
      tree !== null &&
      isOwnTurn(store.get()) &&
      moveResultsTo(tree).length === store.get().snapshot?.plies.length,
    requestMove(move) {
      const { snapshot } = store.get();
      if (snapshot && isOwnTurn(store.get())) {
        const pending = { ply: snapshot.plies.length + 1, move };
        store.update({ pending, error: null });
        connection?.send({ type: "move", ...pending });
      }
    },
    undo() {},
    redo() {},
    can(what) {
      const { snapshot } = store.get();
      switch (what) {
        case "hint":
          return snapshot !== null && snapshot.ending === null;
        case "resign":
          return Boolean(snapshot?.you) && snapshot?.ending === null;
        case "rematch":
          return canRequestRematch(store.get());
        default:
          return false;
      }
    },
    resign: () => send({ type: "resign" }),
    rematch,
    status: () => statusText(store.get()),
  });
  store.subscribe((state) => {
    app.actions.setAnalysisLock(analysisLockFor(state));
    app.actions.refresh();
  });
  app.subscribe((state, previous) => {
    if (state.mode === FRIEND_MODE && previous.mode !== FRIEND_MODE) {
      // The player returns from mode `explore`.
      updateBoard();
    } else if (hasFriendLink(store.get()) && state.mode === "play" && previous.mode !== "play") {
      // The player has started another game; the back button returns to this one.
      setFragment("", { addHistoryEntry: true });
      leaveGame();
    }
  });

  return {
    state: store.get,
    subscribe: store.subscribe,
    showOnBoard,
    act,
    setName,
    /** Connects at once, also after the server has denied access. */
    reconnectNow() {
      const { access, connectionStatus } = store.get();
      if (access && connectionStatus === "denied") {
        join(access);
      } else {
        connection?.reconnectNow();
      }
    },
    start() {
      window.addEventListener("hashchange", handleAddress);
      // The friend may have accepted a rematch in the meantime.
      const poll = () => {
        if (
          document.visibilityState === "visible" &&
          !store.get().access &&
          !store.get().leftGame
        ) {
          void findLeftGame();
        }
      };
      document.addEventListener("visibilitychange", poll);
      window.setInterval(poll, POLL_INTERVAL_MS);
      handleAddress();
      if (!store.get().access) {
        void findLeftGame();
      }
    },
    /** Returns to the game that the player has left. */
    returnToGame() {
      const { leftGame } = store.get();
      if (leftGame) {
        setFragment(accessFragment(leftGame), { addHistoryEntry: true });
        join(leftGame);
      }
    },
    /** Creates a game and joins it. @param {FriendGameOptions} options */
    async createGame(options) {
      /** @type {CreatedGame} */
      const {
        game,
        token,
        friend_token: friendToken,
      } = await fetchJson("games", { body: options });
      save(STORAGE_KEY, withAccess(storedAccess(), { game, token, friendToken }));
      setFragment(friendFragment(game, token), { addHistoryEntry: true });
      join({ game, token });
    },
    /** Leaves the game. The player can return to it until it is over. */
    leave() {
      setFragment("", { addHistoryEntry: true });
      leaveAndShowLocalGame();
    },
  };
}

/** @typedef {ReturnType<typeof createSession>} Session */
