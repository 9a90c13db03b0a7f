/** The session: the page's game with a friend, its connection, and its state on the board. */

import { EngineError, isAbort } from "../engine/errors.js";
import { fetchJson } from "../engine/http.js";
import { opposite } from "../game/players.js";
import { load, save } from "../game/storage.js";
import { createStore } from "../game/store.js";
import { endGame, fromLine, moveResultsTo, movesTo, path, undo } from "../game/tree.js";
import { setFragment } from "../records/address.js";
import { friendFragment, parseFragment, watchFragment } from "../records/link.js";
import { createConnection } from "./connection.js";
import {
  applyMessage,
  FRIEND_MODE,
  gamePhase,
  helloMessage,
  INITIAL_FRIEND_STATE,
  isOwnTurn,
  parseStoredAccess,
  withAccess,
  withoutAccess,
} from "./state.js";

/** @import { Connection } from "./connection.js" */
/** @import { MoveResult, Position } from "../types/api.d.ts" */
/** @import { App, GameTree, Player, Players } from "../types/app.d.ts" */
/** @import { CreatedGame, FriendState, FromServer, GameAccess } from "../types/friend.d.ts" */
/** @import { GamePhase, GameSnapshot, ToServer } from "../types/friend.d.ts" */

/** The key of the stored access in the browser's storage. */
const STORAGE_KEY = "game-access";

/** The reason why analysis is locked during a game with a friend. */
const ANALYSIS_LOCK_REASON = "Hints and analysis are locked until your game with a friend is over.";

/** The interval of checks whether the player can return to a game, in milliseconds. */
const POLL_INTERVAL_MS = 15_000;

/** HTTP statuses of a game that does not exist and of a wrong token. */
const ACCESS_DENIED_STATUSES = new Set([403, 404]);

/**
 * The options of a new game with a friend.
 *
 * @typedef {{ rules: string, position: string, side: "south" | "north" | "random",
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
 * @param {GameSnapshot} snapshot
 * @param {MoveResult[]} line
 * @returns {Players} the players at the start
 */
function startingPlayers({ you }, line) {
  /** @type {Player} */
  const friend = { kind: "remote", name: "Friend" };
  if (!you) {
    return { south: { kind: "remote", name: "South" }, north: { kind: "remote", name: "North" } };
  }
  const isSwapped = line.filter((moveResult) => moveResult.is_swap).length % 2 === 1;
  const side = isSwapped ? opposite(you) : you;
  /** @type {Player} */
  const person = { kind: "person" };
  return side === "south" ? { south: person, north: friend } : { south: friend, north: person };
}

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
  /** The id of the game after which the player declined a rematch. */
  let declined = "";

  const storedAccess = () => parseStoredAccess(load(STORAGE_KEY));

  /** @param {GameAccess} access */
  const liveAddress = ({ game }) => {
    const address = new URL(`api/v1/games/${game}/live`, document.baseURI);
    address.protocol = address.protocol.replace("http", "ws");
    return address;
  };

  /** Joins a game and leaves the previous one. @param {GameAccess} access */
  function join(access) {
    disconnect();
    const own = storedAccess().find(
      ({ game, token }) => game === access.game && token === access.token,
    );
    store.update({ ...INITIAL_FRIEND_STATE, access, friendToken: own?.friendToken ?? null });
    connection = createConnection({
      open: () => new WebSocket(liveAddress(access)),
      hello: () => helloMessage(access, line?.plies.length ?? 0),
      onMessage: handleMessage,
      onStatus(connectionStatus, reason) {
        if (connectionStatus === "denied") {
          handleAccessDenied(access, reason);
        } else {
          store.update({ connectionStatus });
        }
      },
    });
  }

  function disconnect() {
    connection?.end();
    connection = null;
    requests.abort();
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
   * Forgets a game that does not exist or whose token is wrong, and shows the reason.
   *
   * @param {GameAccess} access
   * @param {string | null} reason
   */
  function handleAccessDenied(access, reason) {
    // A link with a wrong token does not invalidate the stored token of the same game.
    save(
      STORAGE_KEY,
      storedAccess().filter(
        ({ game, token }) =>
          game !== access.game || (access.token !== null && token !== access.token),
      ),
    );
    leaveAndShowLocalGame();
    setFragment("");
    app.actions.showError(new Error(reason ?? ""));
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
      if (phase === "over") {
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
      const ended = ["over", "rematch-started"].includes(gamePhase(snapshot)) || declined === game;
      save(
        STORAGE_KEY,
        ended
          ? withoutAccess(storedAccess(), game)
          : withAccess(storedAccess(), { game, token, friendToken }),
      );
    }
  }

  /** Declines a rematch. The player can still accept it while the game is open on the page. */
  function decline() {
    const state = store.get();
    declined = state.access?.game ?? "";
    storeAccess(state);
  }

  /** Requests or accepts a rematch. */
  function rematch() {
    if (canRequestRematch(store.get())) {
      send({ type: "rematch" });
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
    const { pending } = state;
    if (isFirstState && pending) {
      // The player made this move without a connection, or the connection was lost before the
      // reply.
      connection?.send({ type: "move", ...pending });
    }
  }

  /** Joins the rematch with the same token. @param {GameAccess} access */
  function switchTo(access) {
    setFragment(accessFragment(access));
    app.announce("The rematch begins.");
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
      app.actions.enterMode(FRIEND_MODE, tree, startingPlayers(snapshot, line.plies));
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
    const { ending } = snapshot;
    if (ending && app.state().tree?.termination !== ending.termination) {
      app.actions.editTree((now) => endGame(now, ending.termination, ending.winner));
    }
  }

  /** @param {ToServer} message a message that is not repeated if it cannot be sent */
  function send(message) {
    if (!connection?.send(message)) {
      store.update({
        error: "There is no connection to the server. Try again in a moment.",
      });
    }
  }

  /** Handles a change of the address: joins the game of a link, or leaves the game. */
  function handleAddress() {
    const link = parseFragment(window.location.hash);
    const { access: now } = store.get();
    if (link.kind === "friend" || link.kind === "watch") {
      const access = { game: link.game, token: link.kind === "friend" ? link.token : null };
      if (now?.game !== access.game || now.token !== access.token) {
        join(access);
      }
    } else if (now && link.kind === "game") {
      // `records/address.js` opens the game of this link.
      leaveGame();
    } else if (now && link.kind !== "broken") {
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
    return snapshot && !snapshot.ending && plays ? ANALYSIS_LOCK_REASON : null;
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
    } else if (isOnBoard && state.mode === "play" && previous.mode !== "play") {
      // The player has started another game; the back button returns to this one.
      setFragment("", { addHistoryEntry: true });
      leaveGame();
    }
  });

  return {
    state: store.get,
    subscribe: store.subscribe,
    showOnBoard,
    rematch,
    decline,
    reconnectNow: () => connection?.reconnectNow(),
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

/**
 * Returns whether the player can request or accept a rematch.
 *
 * @param {FriendState} state
 */
export function canRequestRematch({ snapshot }) {
  return (
    snapshot !== null &&
    snapshot.you !== null &&
    ["over", "rematch-offered"].includes(gamePhase(snapshot))
  );
}

/**
 * Returns the status line of the game, or `null` for the default text.
 *
 * @param {FriendState} state
 */
export function statusText({ connectionStatus, pending, snapshot }) {
  if (!snapshot) {
    return null;
  }
  if (snapshot.ending) {
    switch (gamePhase(snapshot)) {
      case "rematch-requested":
        return "You have offered a rematch. Your friend has not answered yet.";
      case "rematch-offered":
        return "Your friend offers a rematch.";
      default:
        return null;
    }
  }
  if (connectionStatus !== "connected") {
    return "Reconnecting\u2026";
  }
  if (pending) {
    return "Sending your move\u2026";
  }
  return null;
}
