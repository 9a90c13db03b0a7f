/** The panel for games with friends: creating a game, its links, connection, clocks and rematch. */

import { sideName, SIDES } from "../game/players.js";
import { friendFragment, watchFragment, withFragment } from "../records/link.js";
import { rulesTitle } from "../texts/from-server.js";
import { texts } from "../texts/texts.js";
import { button, byId, copyToClipboard, html, setText } from "../ui/dom.js";
import { startConnectionNotice } from "./connection-notice.js";
import { createFriendForm } from "./form.js";
import { createNameField, rememberedName } from "./names.js";
import { startOffers } from "./offers.js";
import { drawQrCode } from "./qr-code.js";
import { accessFragment, createSession } from "./session.js";
import {
  canRequestRematch,
  clockSettingText,
  clockText,
  connectionText,
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

/** The session of the page. @type {Session | null} */
let pageSession = null;

/** @type {Panel} */
export const FRIEND_PANEL = {
  id: "friend",
  title: texts.common.playFriend,
  needsServer: true,
  start(app) {
    const session = sessionOf(app);
    session.start();
    if (session.state().access) {
      app.actions.openPanel("friend");
    }
    startConnectionNotice(app, session);
    startClocks(app, session);
    startReturnNotice(app, session);
    startOffers(app, session);
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
        app.announce(texts.friends.lowTime);
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
        ? texts.friends.rematchOfferedByFriend
        : texts.friends.notOver,
    );
  };
  session.subscribe(draw);
  draw();
}

/**
 * Returns whether an element is in the window, from its upper to its lower edge.
 *
 * @param {HTMLElement} element
 */
function isInWindow(element) {
  const { top, bottom, height } = element.getBoundingClientRect();
  return height > 0 && top >= 0 && bottom <= window.innerHeight;
}

/**
 * Shows the friend's offer of a rematch over the page while the one below the board is not in the
 * window.
 *
 * @param {App} app
 * @param {Session} session
 */
function startRematchOffer(app, session) {
  const offer = byId("rematch-offer");
  const offerBelowBoard = byId("friend-offer");
  const draw = () => {
    offer.hidden = !isRematchOffered(session.state()) || isInWindow(offerBelowBoard);
  };
  byId("rematch-accept").addEventListener("click", () => session.act("rematch", "accept"));
  byId("rematch-decline").addEventListener("click", () => {
    session.act("rematch", "decline");
    byId("board").focus({ preventScroll: true });
  });
  new IntersectionObserver(draw, { threshold: [0, 1] }).observe(offerBelowBoard);
  session.subscribe((friendState, previous) => {
    if (isRematchOffered(friendState) && !isRematchOffered(previous)) {
      app.announce(texts.friends.rematchOfferedByFriend);
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
      app.announce(isConnected ? texts.friends.here : texts.friends.left);
    }
    if (
      friendState.connectionStatus !== previous.connectionStatus &&
      ["retrying", "denied", "connected"].includes(friendState.connectionStatus) &&
      previous.snapshot
    ) {
      app.announce(connectionText(friendState));
    }
  });
}

/** Returns whether the friend has offered a rematch. @param {FriendState} friendState */
const isRematchOffered = ({ snapshot }) =>
  snapshot !== null && gamePhase(snapshot) === "rematch-offered";

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
      return texts.friends.spectatorAlone;
    }
    return texts.friends.spectator(present);
  }
  if (isConnected) {
    return texts.friends.here;
  }
  return snapshot.plies.length === 0 ? texts.friends.notJoined : texts.friends.notConnected;
}

/** Scrolls an element that has been opened into view. @param {ToggleEvent} event */
function showWhole({ newState, currentTarget }) {
  if (newState === "open" && currentTarget instanceof HTMLElement) {
    currentTarget.scrollIntoView({ block: "nearest" });
  }
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
  const reconnect = button(texts.friends.connectNow, session.reconnectNow, { class: "small" });
  const back = button(texts.game.backToGame, session.showOnBoard, { class: "main" });
  const rematch = button(texts.controls.rematch, () => app.actions.rematch(), { class: "main" });
  const rematchLine = html("p", {});
  const links = html("div", { class: "links" });
  const leave = button(texts.friends.leave, session.leave, { class: "small" });
  const nameInput = createNameField("friend-own-name");
  const nameForm = html(
    "form",
    {
      class: "tools",
      onsubmit: (event) => {
        event.preventDefault();
        void saveName(nameInput.field.value.trim());
      },
    },
    nameInput.label,
    nameInput.field,
    html("button", { type: "submit", class: "small" }, texts.friends.saveName),
  );
  const playing = html(
    "div",
    {},
    connectionLine,
    presenceLine,
    rules,
    nameForm,
    html("div", { class: "tools" }, back, reconnect, rematch),
    rematchLine,
    links,
    html("div", { class: "tools" }, leave),
  );
  element.append(errorLine, form.element, playing);
  /** @type {string} */
  let drawnLinks = "";
  /** The own name that the field shows. @type {string | null} */
  let drawnName = null;

  /** @param {string} text */
  async function saveName(text) {
    try {
      await session.setName(text);
      app.announce(texts.friends.nameSaved);
    } catch (error) {
      app.actions.showError(error);
    }
  }

  /** Shows the own name of the game. @param {FriendState} friendState */
  function drawName({ snapshot }) {
    nameForm.hidden = !snapshot?.you;
    const own = snapshot?.you ? (snapshot.names[snapshot.you] ?? "") : null;
    if (own !== null && own !== drawnName) {
      nameInput.field.value = own || rememberedName();
      drawnName = own;
    }
  }

  /**
   * @param {string} name
   * @param {string} purpose
   * @param {string} fragment
   * @param {boolean} hasCode whether the link is also shown as a QR code, for another device
   */
  function link(name, purpose, fragment, hasCode) {
    const address = withFragment(window.location.href, fragment);
    const field = html("input", {
      type: "text",
      readonly: true,
      class: "full-width",
      value: address,
      "aria-label": name,
      onfocus: () => field.select(),
    });
    const copied = button(
      texts.common.copy,
      () => void copyToClipboard(copied, address, (error) => app.actions.showError(error)),
      {
        class: "small",
        "aria-label": texts.friends.copyLink(name),
      },
    );
    return html(
      "div",
      { class: "link" },
      html("p", {}, html("b", {}, `${name}.`), ` ${purpose}`),
      html("div", { class: "tools" }, field, copied),
      ...(hasCode
        ? [
            html(
              "details",
              { ontoggle: showWhole },
              html("summary", {}, texts.friends.qrCode),
              drawQrCode(address, texts.friends.qrCodeOf(name)),
            ),
          ]
        : []),
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
              texts.friends.invitation,
              texts.friends.invitationText,
              friendFragment(access.game, friendToken),
              true,
            ),
          ]
        : []),
      ...(access.token
        ? [
            link(
              texts.friends.privateLink,
              texts.friends.privateLinkText,
              accessFragment(access),
              false,
            ),
          ]
        : []),
      link(
        texts.friends.spectatorLink,
        texts.friends.spectatorLinkText,
        watchFragment(access.game),
        true,
      ),
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
    // Without a game the notice in place of the board has this text.
    connectionLine.hidden = !snapshot;
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
            texts.friends.rules(rulesTitle(snapshot.rules)),
            ...(snapshot.clock ? [clockSettingText(snapshot.clock)] : []),
          ].join(". ")
        : "",
    );
    // Without a game the notice in place of the board has the same button.
    reconnect.hidden = friendState.connectionStatus !== "retrying" || !snapshot;
    back.hidden = state.mode === FRIEND_MODE || !snapshot;
    rematch.hidden = !canRequestRematch(friendState) || state.mode !== FRIEND_MODE;
    setText(
      rematchLine,
      // The players see the offer below the board.
      snapshot && !snapshot.you && snapshot.ending && snapshot.rematch.offered_by
        ? texts.friends.rematchOffered
        : "",
    );
    drawName(friendState);
    drawLinks(friendState);
  }
  session.subscribe(() => draw(app.state()));
  return draw;
}
