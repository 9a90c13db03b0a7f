/** The panel for games with friends: creating a game, its links, connection, clocks and rematch. */

import { sideName, SIDES } from "../game/players.js";
import { friendFragment, watchFragment, withFragment } from "../records/link.js";
import { button, byId, copyToClipboard, html, setText } from "../ui/dom.js";
import { createFriendForm } from "./form.js";
import { accessFragment, canRequestRematch, createSession } from "./session.js";
import {
  clockSettingText,
  clockText,
  FRIEND_MODE,
  gamePhase,
  isFriendConnected,
  timeLeft,
} from "./state.js";

/** @import { Session } from "./session.js" */
/** @import { App, Panel, State } from "../types/app.d.ts" */
/** @import { FriendState } from "../types/friend.d.ts" */

/** The interval of drawing the clocks, in milliseconds. The last ten seconds show tenths. */
const CLOCK_INTERVAL_MS = 100;

/** The time on a clock that counts as low, in milliseconds. */
const LOW_TIME_MS = 60_000;

/** The text of the friend's offer of a rematch. */
const REMATCH_OFFER = "Your friend offers a rematch.";

/** The session of the page. @type {Session | null} */
let pageSession = null;

/** @type {Panel} */
export const FRIEND_PANEL = {
  id: "friend",
  title: "Play a friend",
  needsServer: true,
  start(app) {
    const session = sessionOf(app);
    session.start();
    if (session.state().access) {
      app.actions.openPanel("friend");
    }
    startClocks(app, session);
    startReturnNotice(app, session);
    startRematchOffer(app, session);
    announceFriend(app, session);
  },
  create: (element, app) => createFriendPanel(element, app, sessionOf(app)),
};

/** @param {App} app */
function sessionOf(app) {
  pageSession ??= createSession(app);
  return pageSession;
}

/**
 * Shows the clocks beside the players and announces that the own time is low.
 *
 * @param {App} app
 * @param {Session} session
 */
function startClocks(app, session) {
  let timer = 0;
  let warnedGame = "";

  function draw() {
    const friendState = session.state();
    const { access, snapshot } = friendState;
    for (const side of SIDES) {
      const left =
        app.state().mode === FRIEND_MODE ? timeLeft(friendState, side, Date.now()) : null;
      const isShort = left !== null && left < LOW_TIME_MS;
      const clock = byId(`clock-${side}`);
      clock.hidden = left === null;
      setText(clock, left === null ? "" : clockText(left));
      clock.classList.toggle("short", isShort);
      if (
        isShort &&
        access &&
        snapshot?.you === side &&
        !snapshot.ending &&
        warnedGame !== access.game
      ) {
        warnedGame = access.game;
        app.announce("You have less than a minute left.");
      }
    }
  }

  session.subscribe(({ snapshot }) => {
    clearInterval(timer);
    if (snapshot?.clock?.running) {
      timer = window.setInterval(draw, CLOCK_INTERVAL_MS);
    }
    draw();
  });
  app.subscribe(draw);
}

/**
 * Shows the button that returns to a game that the player has left.
 *
 * @param {App} app
 * @param {Session} session
 */
function startReturnNotice(app, session) {
  byId("friend-return-button").addEventListener("click", () => {
    session.returnToGame();
    app.actions.openPanel("friend");
  });
  const draw = () => {
    const { leftGame } = session.state();
    byId("friend-return").hidden = leftGame === null;
    setText(
      byId("friend-return-text"),
      leftGame?.phase === "rematch-offered"
        ? REMATCH_OFFER
        : "Your game with a friend is not over.",
    );
  };
  session.subscribe(draw);
  draw();
}

/**
 * Shows the friend's offer of a rematch over any panel.
 *
 * @param {App} app
 * @param {Session} session
 */
function startRematchOffer(app, session) {
  const offer = byId("rematch-offer");
  let declined = false;
  /** Whether the end of the game is visible, which has the same offer. */
  let isGameEndVisible = false;
  const draw = () => {
    offer.hidden = declined || isGameEndVisible || !isRematchOffered(session.state());
  };
  setText(byId("rematch-offer-text"), REMATCH_OFFER);
  byId("rematch-accept").addEventListener("click", session.rematch);
  byId("rematch-decline").addEventListener("click", () => {
    declined = true;
    session.decline();
    draw();
    byId("board").focus({ preventScroll: true });
  });
  new IntersectionObserver(([entry]) => {
    isGameEndVisible = entry?.isIntersecting ?? false;
    draw();
  }).observe(byId("rematch"));
  session.subscribe((friendState, previous) => {
    if (isRematchOffered(friendState) && !isRematchOffered(previous)) {
      declined = false;
      app.announce(REMATCH_OFFER);
    }
    draw();
  });
}

/**
 * Announces that the friend connects or disconnects, and changes of the connection.
 *
 * @param {App} app
 * @param {Session} session
 */
function announceFriend(app, session) {
  session.subscribe((friendState, previous) => {
    const isConnected = isFriendConnected(friendState);
    if (
      isConnected !== null &&
      isConnected !== isFriendConnected(previous) &&
      previous.snapshot?.game === friendState.snapshot?.game
    ) {
      app.announce(isConnected ? "Your friend is here." : "Your friend has left.");
    }
    if (
      friendState.connectionStatus !== previous.connectionStatus &&
      (friendState.connectionStatus === "retrying" ||
        (friendState.connectionStatus === "connected" && previous.snapshot))
    ) {
      app.announce(connectionText(friendState));
    }
  });
}

/** Returns whether the friend has offered a rematch. @param {FriendState} friendState */
const isRematchOffered = ({ snapshot }) =>
  snapshot !== null && gamePhase(snapshot) === "rematch-offered";

/** @param {FriendState} friendState */
function connectionText({ connectionStatus, snapshot }) {
  switch (connectionStatus) {
    case "connected":
      return "Connected.";
    case "off":
      return "";
    default:
      return snapshot
        ? "The connection was lost. The page is trying again."
        : "Connecting to the server\u2026";
  }
}

/** Describes the connected players. @param {FriendState} friendState */
function presenceText(friendState) {
  const { snapshot } = friendState;
  if (!snapshot) {
    return "";
  }
  const isConnected = isFriendConnected(friendState);
  if (isConnected === null) {
    const present = SIDES.filter((side) => snapshot.connected[side]).map(sideName);
    if (present.length === 0) {
      return "You are a spectator. No player is connected.";
    }
    return `You are a spectator. Connected: ${present.join(" and ")}.`;
  }
  if (isConnected) {
    return "Your friend is here.";
  }
  return snapshot.plies.length === 0
    ? "Your friend has not joined yet. Send the link."
    : "Your friend is not connected and can return at any time.";
}

/**
 * @param {HTMLElement} element
 * @param {App} app
 * @param {Session} session
 */
function createFriendPanel(element, app, session) {
  const errorLine = html("p", { class: "note wrong", role: "status" });
  const form = createFriendForm(async (options) => {
    try {
      await session.createGame(options);
    } catch (error) {
      app.actions.showError(error);
    }
  });
  const connectionLine = html("p", { class: "connection-status" });
  const presenceLine = html("p", {});
  const rules = html("p", { class: "note" });
  const reconnect = button("Connect now", session.reconnectNow, { class: "small" });
  const back = button("Back to the game", session.showOnBoard, { class: "main" });
  const rematch = button("Rematch", () => app.actions.rematch(), { class: "main" });
  const rematchLine = html("p", {});
  const links = html("div", { class: "links" });
  const leave = button("Leave this game", session.leave, { class: "small" });
  const playing = html(
    "div",
    {},
    connectionLine,
    presenceLine,
    rules,
    html("div", { class: "tools" }, back, reconnect, rematch),
    rematchLine,
    links,
    html("div", { class: "tools" }, leave),
  );
  element.append(errorLine, form.element, playing);
  /** @type {string} */
  let drawnLinks = "";

  /** @param {string} name @param {string} purpose @param {string} fragment */
  function link(name, purpose, fragment) {
    const address = withFragment(window.location.href, fragment);
    const field = html("input", {
      type: "text",
      readonly: true,
      class: "full-width",
      value: address,
      "aria-label": `Link to ${name.toLowerCase()}`,
      onfocus: () => field.select(),
    });
    const copied = button(
      "Copy",
      () => void copyToClipboard(copied, address, (error) => app.actions.showError(error)),
      {
        class: "small",
        "aria-label": `Copy the link to ${name.toLowerCase()}`,
      },
    );
    return html(
      "div",
      { class: "link" },
      html("p", {}, html("b", {}, name), ` ${purpose}`),
      html("div", { class: "tools" }, field, copied),
    );
  }

  /** @param {FriendState} friendState */
  function drawLinks({ access, friendToken, snapshot }) {
    // The links appear when the server has confirmed that the game exists.
    links.hidden = !snapshot;
    const key = access ? `${accessFragment(access)} ${friendToken}` : "";
    if (!access || drawnLinks === key) {
      return;
    }
    drawnLinks = key;
    links.replaceChildren(
      ...(friendToken
        ? [
            link(
              "Send",
              "this link only to your friend: it lets your friend play the other side.",
              friendFragment(access.game, friendToken),
            ),
          ]
        : []),
      ...(access.token
        ? [
            link(
              "Keep",
              "this link to play your side on another device. Anyone who has it can play for you.",
              accessFragment(access),
            ),
          ]
        : []),
      link("Watch", "is the link for spectators.", watchFragment(access.game)),
    );
  }

  /** @param {State} state */
  function draw(state) {
    const friendState = session.state();
    const { access, snapshot } = friendState;
    form.element.hidden = access !== null;
    playing.hidden = access === null;
    setText(errorLine, friendState.error ?? "");
    if (!access) {
      form.draw(state);
      return;
    }
    setText(
      connectionLine,
      `${friendState.connectionStatus === "connected" ? "\u25cf" : "\u25cb"} ${connectionText(friendState)}`,
    );
    setText(
      presenceLine,
      friendState.connectionStatus === "connected" ? presenceText(friendState) : "",
    );
    setText(
      rules,
      snapshot
        ? [
            `Rules: ${snapshot.rules}`,
            ...(snapshot.clock ? [clockSettingText(snapshot.clock)] : []),
          ].join(". ")
        : "",
    );
    reconnect.hidden = friendState.connectionStatus !== "retrying";
    back.hidden = state.mode === FRIEND_MODE || !snapshot;
    rematch.hidden = !canRequestRematch(friendState) || state.mode !== FRIEND_MODE;
    setText(
      rematchLine,
      isRematchOffered(friendState)
        ? REMATCH_OFFER
        : snapshot?.ending && snapshot.rematch.offered_by
          ? "A rematch has been offered."
          : "",
    );
    drawLinks(friendState);
  }
  session.subscribe(() => draw(app.state()));
  return draw;
}
