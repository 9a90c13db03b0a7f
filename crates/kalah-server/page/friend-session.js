/** The game with a friend: its seat, its connection, and the board that follows it. */

import { request } from "./engine-http.js";
import { createConnection } from "./friend-connection.js";
import { FRIEND_MODE, NO_FRIEND, hello, isOwnTurn, received } from "./friend-state.js";
import { choices, end, fromLine, path, plies, undo } from "./game.js";
import { readFragment, withFragment, writeFriend, writeWatch } from "./link.js";
import { isAbort } from "./problem.js";
import { opposite } from "./seats.js";
import { load, save } from "./storage.js";
import { createStore } from "./store.js";

/** @import { Position, Sown } from "./api.d.ts" */
/** @import { App, GameTree, Player, Players } from "./app.d.ts" */
/** @import { Connection } from "./friend-connection.js" */
/** @import { FriendState, FromServer, Made, Seat, Standing, ToServer } from "./friend.d.ts" */

/** Where the right of the friend is kept, for the link to send to be shown again. */
const STORED = "friend";

/**
 * What a game with a friend is asked for with.
 *
 * @typedef {{ rules: string, position: string, side: "south" | "north" | "random",
 *   clock?: { initial: string, increment: string } }} Wish
 */

/**
 * The fragment of a seat's link.
 *
 * @param {Seat} seat
 */
export const fragmentOfSeat = ({ game, token }) => (token ? writeFriend(game, token) : writeWatch(game));

/**
 * @param {Standing} standing
 * @param {Sown[]} line
 * @returns {Players} as they began
 */
function playersOf({ you }, line) {
  /** @type {Player} */
  const friend = { kind: "remote", name: "Friend" };
  if (!you) {
    return { south: { kind: "remote", name: "South" }, north: { kind: "remote", name: "North" } };
  }
  const exchanged = line.filter((sown) => sown.swapped).length % 2 === 1;
  const began = exchanged ? opposite(you) : you;
  /** @type {Player} */
  const person = { kind: "person" };
  return began === "south" ? { south: person, north: friend } : { south: friend, north: person };
}

/** @param {string[]} one @param {string[]} other */
const same = (one, other) => one.length === other.length && one.every((choice, index) => choice === other[index]);

/** @param {App} app */
export function createSession(app) {
  const store = createStore(/** @type {FriendState} */ (NO_FRIEND));
  /** @type {Connection | null} */
  let connection = null;
  /** The game as far as the engine has told of its plies. @type {{ start: Position, plies: Sown[] } | null} */
  let line = null;
  let asking = new AbortController();

  /** @param {Seat} seat */
  const liveAddress = ({ game }) => {
    const address = new URL(`api/v1/games/${game}/live`, document.baseURI);
    address.protocol = address.protocol.replace("http", "ws");
    return address;
  };

  /** Takes a seat, whatever game there was before. @param {Seat} seat */
  function sit(seat) {
    connection?.end();
    asking.abort();
    line = null;
    const kept = /** @type {any} */ (load(STORED));
    const friendToken = kept?.game === seat.game && typeof kept.token === "string" ? kept.token : null;
    store.update({ ...NO_FRIEND, seat, friendToken });
    connection = createConnection({
      open: () => new WebSocket(liveAddress(seat)),
      hello: () => hello(seat, line?.plies.length ?? 0),
      onMessage: hear,
      onContact: (contact, why) => {
        const { trouble } = store.get();
        store.update({ contact, trouble: why ?? trouble });
      },
    });
  }

  /** @param {FromServer} message */
  function hear(message) {
    const before = store.get();
    const known = received(before, message, Date.now());
    store.update(known);
    if (message.type === "sown" && line && message.ply === line.plies.length + 1) {
      line = { ...line, plies: [...line.plies, message.sown] };
    }
    const next = known.standing?.rematch.game;
    if (next && known.seat) {
      goTo({ ...known.seat, game: next });
      return;
    }
    void followStanding();
    const { pending } = known;
    if (message.type === "state" && pending) {
      // The connection was lost before the answer came.
      connection?.send({ type: "sow", ...pending });
    }
  }

  /** Goes to another game with the same right. @param {Seat} seat */
  function goTo(seat) {
    const { pathname, search } = window.location;
    window.history.replaceState(null, "", pathname + search + fragmentOfSeat(seat));
    const { friendToken } = store.get();
    if (friendToken) {
      save(STORED, { game: seat.game, token: friendToken });
    }
    app.announce("The next game begins.");
    sit(seat);
  }

  /** Asks what the plies do, if they are not known, and shows the game. */
  async function followStanding() {
    const { standing } = store.get();
    if (!standing) {
      return;
    }
    if (!line || !same(line.plies.map(({ choice }) => choice), standing.plies)) {
      asking.abort();
      asking = new AbortController();
      try {
        const { rules, start, plies: made } = standing;
        line = await app.engine.ask("play", { rules, position: start, choices: made }, asking.signal);
      } catch (error) {
        if (!isAbort(error)) {
          app.actions.fail(error, () => void followStanding());
        }
        return;
      }
      enter();
      return;
    }
    show();
  }

  /** The whole game as a tree, with how it ended. @param {Standing} standing @returns {GameTree | null} */
  function treeOf({ over }) {
    if (!line) {
      return null;
    }
    const tree = fromLine(line.start, line.plies);
    return over ? end(tree, over.termination, over.winner) : tree;
  }

  /** Puts the game on the board, whatever is there. */
  function enter() {
    const { standing } = store.get();
    const tree = standing && treeOf(standing);
    if (tree && line && standing) {
      app.actions.enter(FRIEND_MODE, tree, playersOf(standing, line.plies));
    }
  }

  /** Lets the board follow, if it shows the game. */
  function show() {
    const { standing } = store.get();
    const { tree, mode } = app.state();
    const whole = standing && treeOf(standing);
    if (mode !== FRIEND_MODE || !tree || !whole || !line || !standing) {
      return;
    }
    const made = choices(tree, path(tree));
    const all = choices(whole, whole.line);
    const last = line.plies.at(-1);
    if (last && same(made, choices(undo(whole))) && tree.start === whole.start) {
      app.actions.follow(last);
    } else if (!same(made, all) || tree.start !== whole.start) {
      enter();
    }
    const { over } = standing;
    if (over && app.state().tree?.termination !== over.termination) {
      app.actions.editTree((now) => end(now, over.termination, over.winner));
    }
  }

  /** @param {ToServer} message what is not said again by itself if nobody hears it */
  function say(message) {
    if (!connection?.send(message)) {
      store.update({ trouble: "There is no connection to the server just now: try again in a moment." });
    }
  }

  /** What the address says, if it is a seat. */
  function followAddress() {
    const link = readFragment(window.location.hash);
    if (link.kind !== "friend" && link.kind !== "watch") {
      return;
    }
    const seat = { game: link.game, token: link.kind === "friend" ? link.token : null };
    const now = store.get().seat;
    if (now?.game !== seat.game || now.token !== seat.token) {
      sit(seat);
    }
  }

  app.registerMode(FRIEND_MODE, {
    mayChoose: ({ tree }) => tree !== null && isOwnTurn(store.get()) && plies(tree).length === store.get().standing?.plies.length,
    choose(choice) {
      const { standing } = store.get();
      if (standing && isOwnTurn(store.get())) {
        const pending = { ply: standing.plies.length + 1, choice };
        store.update({ pending, trouble: null });
        connection?.send({ type: "sow", ...pending });
      }
    },
    undo() {},
    redo() {},
    can(what) {
      const { standing } = store.get();
      if (!standing?.you || (what !== "resign" && what !== "rematch")) {
        return false;
      }
      return what === "resign" ? standing.over === null : standing.over !== null;
    },
    resign: () => say({ type: "resign" }),
    rematch() {
      const { standing } = store.get();
      if (standing && standing.rematch.offered_by !== standing.you) {
        say({ type: "rematch" });
      }
    },
    status: () => statusOf(store.get()),
  });
  store.subscribe(() => app.actions.refresh());
  // The game was left to look about, and is come back to.
  app.subscribe((state, previous) => {
    if (state.mode === FRIEND_MODE && previous.mode !== FRIEND_MODE) {
      show();
    }
  });

  return {
    state: store.get,
    subscribe: store.subscribe,
    enter,
    hurry: () => connection?.hurry(),
    start() {
      window.addEventListener("hashchange", followAddress);
      followAddress();
    },
    /** Makes a game, and sits down. @param {Wish} wish */
    async make(wish) {
      /** @type {Made} */
      const { game, token, friend_token: friendToken } = await request("games", { body: wish });
      save(STORED, { game, token: friendToken });
      // No step of its own: going back would leave the seat behind.
      window.history.replaceState(null, "", withFragment(window.location.href, writeFriend(game, token)));
      sit({ game, token });
    },
    /** Leaves the game for good; who has the link comes back to it. */
    leave() {
      connection?.end();
      connection = null;
      asking.abort();
      line = null;
      store.update(NO_FRIEND);
      window.history.replaceState(null, "", withFragment(window.location.href, ""));
      if (app.state().mode === FRIEND_MODE) {
        app.actions.explore();
      }
    },
  };
}

/** @typedef {ReturnType<typeof createSession>} Session */

/**
 * What stands above the board where the usual words do not say it.
 *
 * @param {FriendState} known
 */
export function statusOf({ contact, pending, standing }) {
  if (!standing || standing.over) {
    return null;
  }
  if (contact !== "live") {
    return contact === "gone" ? null : "Connecting to the server again\u2026";
  }
  if (pending) {
    return "Sending your choice\u2026";
  }
  return null;
}
