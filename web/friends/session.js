/** The game with a friend: its seat, its connection, and the board that follows it. */

import { EngineError, isAbort } from "../engine/errors.js";
import { request } from "../engine/http.js";
import { opposite } from "../game/players.js";
import { load, save } from "../game/storage.js";
import { createStore } from "../game/store.js";
import { choices, end, fromLine, path, plies, undo } from "../game/tree.js";
import { setFragment } from "../records/address.js";
import { readFragment, writeFriend, writeWatch } from "../records/link.js";
import { createConnection } from "./connection.js";
import {
  FRIEND_MODE,
  hello,
  isOwnTurn,
  NO_FRIEND,
  prospectOf,
  received,
  seatsFrom,
  withoutSeat,
  withSeat,
} from "./state.js";

/** @import { Connection } from "./connection.js" */
/** @import { Position, Sown } from "../types/api.d.ts" */
/** @import { App, GameTree, Player, Players } from "../types/app.d.ts" */
/** @import { FriendState, FromServer, Made, Prospect, Seat, Standing, ToServer } from "../types/friend.d.ts" */

/** Where the own seats are kept, and beside each the right of a friend who has not come yet. */
const STORED = "seats";

/** Why nothing is looked into while a game with a friend goes on. */
const FAIR_PLAY = "Not while your game with a friend goes on: nothing is looked into before its end.";

/** How often it is looked whether a game that was left can be come back to, in milliseconds. */
const LOOK_MS = 15_000;

/** Answers that tell that a seat is none any more: the game is gone, or the right is no right in it. */
const NO_SEAT = new Set([403, 404]);

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
  /** Whether the game has been put on the board. */
  let entered = false;
  /** The game after which the person here would not play another one. */
  let declined = "";

  const kept = () => seatsFrom(load(STORED));

  /** @param {Seat} seat */
  const liveAddress = ({ game }) => {
    const address = new URL(`api/v1/games/${game}/live`, document.baseURI);
    address.protocol = address.protocol.replace("http", "ws");
    return address;
  };

  /** Takes a seat, whatever game there was before. @param {Seat} seat */
  function sit(seat) {
    stopHearing();
    const own = kept().find(({ game, token }) => game === seat.game && token === seat.token);
    store.update({ ...NO_FRIEND, seat, friendToken: own?.friendToken ?? null });
    connection = createConnection({
      open: () => new WebSocket(liveAddress(seat)),
      hello: () => hello(seat, line?.plies.length ?? 0),
      onMessage: hear,
      onContact(contact, why) {
        if (contact === "gone") {
          turnedAway(seat, why);
        } else {
          store.update({ contact });
        }
      },
    });
  }

  function stopHearing() {
    connection?.end();
    connection = null;
    asking.abort();
    line = null;
    entered = false;
  }

  /** Gets up from the seat. The game goes on without the page, and may be come back to. */
  function getUp() {
    stopHearing();
    store.update(NO_FRIEND);
    void lookForSeat();
  }

  /** Gets up for whatever was on the board before the game. */
  function leave() {
    getUp();
    app.actions.goHome();
  }

  /** There is no such seat: that is told once, and the address forgets it. @param {Seat} seat @param {string | null} why */
  function turnedAway(seat, why) {
    // A link with a wrong right says nothing against the own one.
    save(STORED, kept().filter(({ game, token }) => game !== seat.game || (seat.token !== null && token !== seat.token)));
    leave();
    setFragment("");
    app.actions.fail(new Error(why ?? ""));
  }

  /**
   * What may come of a seat, or of that with the same right in the game that came next.
   *
   * @param {{ game: string, token: string }} seat
   * @returns {Promise<{ game: string, prospect: Prospect }>}
   */
  async function lookInto({ game, token }) {
    try {
      /** @type {Standing} */
      const standing = await request(`games/${game}`, { token });
      const { game: next } = standing.rematch;
      return next ? await lookInto({ game: next, token }) : { game, prospect: prospectOf(standing) };
    } catch (error) {
      // Without an answer it may be on still.
      const gone = error instanceof EngineError && NO_SEAT.has(error.problem.status);
      return { game, prospect: gone ? "over" : "open" };
    }
  }

  /** Offers the seat that was left last and may be come back to. */
  async function lookForSeat() {
    for (const seat of kept()) {
      const { token } = seat;
      const { game, prospect } = await lookInto(seat);
      if (prospect === "over") {
        save(STORED, withoutSeat(kept(), seat.game));
      } else if (game !== seat.game) {
        save(STORED, withSeat(withoutSeat(kept(), seat.game), { game, token, friendToken: null }));
      }
      if (prospect === "open" || prospect === "asked") {
        if (!store.get().seat) {
          store.update({ waits: { game, token, prospect } });
        }
        return;
      }
    }
  }

  /** Keeps the own seat for as long as something may come of it. @param {FriendState} known */
  function keep({ seat, standing, friendToken }) {
    if (seat?.token && standing) {
      const { game, token } = seat;
      const ended = ["over", "next"].includes(prospectOf(standing)) || declined === game;
      save(STORED, ended ? withoutSeat(kept(), game) : withSeat(kept(), { game, token, friendToken }));
    }
  }

  /** Does not want another game now. Who has thought better of it may still agree, as long as the game is shown. */
  function decline() {
    const known = store.get();
    declined = known.seat?.game ?? "";
    keep(known);
  }

  /** Asks for another game, or agrees to one. */
  function rematch() {
    if (mayAskForRematch(store.get())) {
      say({ type: "rematch" });
    }
  }

  /** @param {FromServer} message @param {boolean} anew */
  function hear(message, anew) {
    const known = received(store.get(), message, Date.now());
    store.update(known);
    if (message.type === "state") {
      keep(known);
    }
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
    if (anew && pending) {
      // It was chosen while there was no connection, or the connection was lost before the answer came.
      connection?.send({ type: "sow", ...pending });
    }
  }

  /** Goes to another game with the same right. @param {Seat} seat */
  function goTo(seat) {
    setFragment(fragmentOfSeat(seat));
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
    }
    if (entered) {
      show();
    } else {
      entered = true;
      enter();
    }
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

  /** Does what the address says: a seat is taken, and without one the page is where it was before. */
  function followAddress() {
    const link = readFragment(window.location.hash);
    const { seat: now } = store.get();
    if (link.kind === "friend" || link.kind === "watch") {
      const seat = { game: link.game, token: link.kind === "friend" ? link.token : null };
      if (now?.game !== seat.game || now.token !== seat.token) {
        sit(seat);
      }
    } else if (now && link.kind === "game") {
      // The board is for whoever reads that link.
      getUp();
    } else if (now && link.kind !== "broken") {
      leave();
    }
  }

  /** Why nothing may be looked into; who only watches may. @param {FriendState} known */
  function closedFor({ seat, standing }) {
    const plays = standing?.you || kept().some(({ game }) => game === seat?.game);
    return standing && !standing.over && plays ? FAIR_PLAY : null;
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
      switch (what) {
        case "hint":
          return standing !== null && standing.over === null;
        case "resign":
          return Boolean(standing?.you) && standing?.over === null;
        case "rematch":
          return mayAskForRematch(store.get());
        default:
          return false;
      }
    },
    resign: () => say({ type: "resign" }),
    rematch,
    status: () => statusOf(store.get()),
  });
  store.subscribe((known) => {
    app.actions.setClosed(closedFor(known));
    app.actions.refresh();
  });
  app.subscribe((state, previous) => {
    if (state.mode === FRIEND_MODE && previous.mode !== FRIEND_MODE) {
      // The game was left to look about, and is come back to.
      show();
    } else if (entered && state.mode === "play" && previous.mode !== "play") {
      // Another game was begun; going back leads to this one.
      setFragment("", { step: true });
      getUp();
    }
  });

  return {
    state: store.get,
    subscribe: store.subscribe,
    enter,
    rematch,
    decline,
    hurry: () => connection?.hurry(),
    start() {
      window.addEventListener("hashchange", followAddress);
      // Meanwhile the friend may have agreed to another game.
      const lookAgain = () => {
        if (document.visibilityState === "visible" && !store.get().seat && !store.get().waits) {
          void lookForSeat();
        }
      };
      document.addEventListener("visibilitychange", lookAgain);
      window.setInterval(lookAgain, LOOK_MS);
      followAddress();
      if (!store.get().seat) {
        void lookForSeat();
      }
    },
    /** Comes back to the seat that waits. */
    comeBack() {
      const { waits } = store.get();
      if (waits) {
        setFragment(fragmentOfSeat(waits), { step: true });
        sit(waits);
      }
    },
    /** Makes a game, and sits down. @param {Wish} wish */
    async make(wish) {
      /** @type {Made} */
      const { game, token, friend_token: friendToken } = await request("games", { body: wish });
      save(STORED, withSeat(kept(), { game, token, friendToken }));
      setFragment(writeFriend(game, token), { step: true });
      sit({ game, token });
    },
    /** Leaves the game, which may be come back to until it is over. */
    leave() {
      setFragment("", { step: true });
      leave();
    },
  };
}

/** @typedef {ReturnType<typeof createSession>} Session */

/**
 * Whether another game may be asked for, or agreed to.
 *
 * @param {FriendState} known
 */
export function mayAskForRematch({ standing }) {
  return standing !== null && standing.you !== null && ["over", "asked"].includes(prospectOf(standing));
}

/**
 * What stands beside the board, or with how the game ended, where the usual words do not say it.
 *
 * @param {FriendState} known
 */
export function statusOf({ contact, pending, standing }) {
  if (!standing) {
    return null;
  }
  if (standing.over) {
    switch (prospectOf(standing)) {
      case "awaited":
        return "You have asked for another game: your friend has not answered yet.";
      case "asked":
        return "Your friend would like another game.";
      default:
        return null;
    }
  }
  if (contact !== "live") {
    return "Connecting to the server again\u2026";
  }
  if (pending) {
    return "Sending your choice\u2026";
  }
  return null;
}
