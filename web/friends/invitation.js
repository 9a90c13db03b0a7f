/**
 * The card above the board while a seat is free: the link for the friend on the side of the player
 * who waits, and the offer to play for any other visitor.
 */

import { sideName } from "../game/players.js";
import { friendFragment } from "../records/link.js";
import { rulesTitle } from "../texts/from-server.js";
import { texts } from "../texts/texts.js";
import { byId, html, setText } from "../ui/dom.js";
import { clockSettingText } from "./clock-times.js";
import { createNameField, rememberName } from "./names.js";
import { loadNetworkAddresses } from "./network-address.js";
import { createShareLink } from "./share-link.js";
import { friendName, FRIEND_MODE } from "./state.js";

/** @import { Session } from "./session/session.js" */
/** @import { Side } from "../types/api.d.ts" */
/** @import { App } from "../types/app.d.ts" */
/** @import { GameSnapshot } from "../types/friend.d.ts" */

/**
 * Describes board, rules, clock and handicap of a game.
 *
 * @param {GameSnapshot} snapshot
 * @param {Side | null} side the side of the reader, now or in the free seat
 */
export function gameText(snapshot, side) {
  const { start, rules, clock, position, spectator_scores: isOpen } = snapshot;
  const [south, north] = storesOf(start);
  const names = {
    south: playerName(snapshot, "south", side),
    north: playerName(snapshot, "north", side),
  };
  const ahead = texts.friends.bySide(`${names.south} ${south}`, `${names.north} ${north}`);
  return [
    texts.friends.board(position.houses, rulesTitle(rules)),
    clock ? clockSettingText(clock, names) : texts.friends.noClock,
    ...(south > 0 || north > 0 ? [texts.friends.seedsAheadOf(ahead)] : []),
    ...(isOpen ? [texts.friends.spectatorsSeeScores] : []),
  ].join(". ");
}

/**
 * Returns the name of the player of a side for a reader.
 *
 * @param {Pick<GameSnapshot, "names">} snapshot
 * @param {Side} of
 * @param {Side | null} side the side of the reader
 */
function playerName({ names }, of, side) {
  if (of === side) {
    return texts.game.you;
  }
  return names[of] ?? (side ? texts.friends.yourFriend : sideName(of));
}

/**
 * Returns the seeds in the stores of a position text.
 *
 * @param {string} position
 * @returns {[number, number]} those of South and of North
 */
function storesOf(position) {
  const [, south = 0, north = 0] = position.replace("<", "").split(",").map(Number);
  return [south, north];
}

/**
 * Creates the part for the player who waits for a friend.
 *
 * @param {App} app
 */
function createLinkPart(app) {
  const {
    field,
    share,
    copy,
    note,
    code,
    draw: drawLink,
  } = createShareLink(app, {
    label: texts.friends.invitation,
    message: texts.friends.shareText,
  });
  const purpose = html("p", { class: "note" }, texts.friends.sendLinkText);
  const element = html(
    "div",
    { class: "invitation-link" },
    html(
      "div",
      {},
      html("h2", {}, texts.friends.sendLink),
      purpose,
      field,
      html("div", { class: "tools" }, share, copy),
      note,
    ),
    code,
  );

  /** @param {string} game */
  function draw(game) {
    const { isReachable } = drawLink(friendFragment(game));
    purpose.hidden = !isReachable;
  }
  return { element, draw };
}

/**
 * Creates the part for a visitor who may take the free seat.
 *
 * @param {Session} session
 */
function createSeatPart(session) {
  const title = html("h2", {});
  const game = html("p", {});
  const { label, field } = createNameField("friend-seat-name");
  const shares = html("input", { type: "checkbox", id: "friend-seat-shares" });
  const sharesLabel = html("label", {}, shares, ` ${texts.friends.agreeToShare}`);
  const element = html(
    "form",
    { class: "invitation-seat", onsubmit: play },
    title,
    game,
    html("div", { class: "tools" }, label, field),
    html("div", { class: "tools" }, sharesLabel),
    html(
      "div",
      { class: "tools" },
      html("button", { type: "submit", class: "main" }, texts.friends.takeSeat),
      html("span", { class: "note" }, texts.friends.orWatch),
    ),
    html("p", { class: "note" }, texts.friends.ownGameHint),
  );

  /** @param {SubmitEvent} event */
  function play(event) {
    event.preventDefault();
    const name = field.value.trim();
    void rememberName(name);
    void session.takeSeat(name, !sharesLabel.hidden && shares.checked);
  }

  /** @param {GameSnapshot} snapshot */
  function draw(snapshot) {
    const creator = snapshot.names[snapshot.free_seat === "south" ? "north" : "south"];
    setText(title, texts.friends.invitesYou(creator ?? texts.friends.unnamedCreator));
    sharesLabel.hidden = snapshot.statistics !== "offered";
    const side = snapshot.free_seat === snapshot.to_move ? "youBegin" : "friendBegins";
    setText(game, `${gameText(snapshot, snapshot.free_seat)}. ${texts.friends[side]}`);
  }
  return { element, draw };
}

/**
 * Shows the card while a seat of the game on the board is free.
 *
 * @param {App} app
 * @param {Session} session
 */
export function startInvitation(app, session) {
  const card = byId("invitation");
  const link = createLinkPart(app);
  const seat = createSeatPart(session);
  card.append(link.element, seat.element);

  function draw() {
    const { snapshot } = session.state();
    const isOnBoard = app.state().mode === FRIEND_MODE && app.state().tree !== null;
    const isFree = snapshot !== null && snapshot.free_seat !== null && !snapshot.ending;
    const wasHidden = card.hidden;
    const hadFocus = card.contains(document.activeElement);
    card.hidden = !(isFree && isOnBoard);
    if (!isFree || !isOnBoard) {
      if (hadFocus) {
        byId("board").focus({ preventScroll: true });
      }
      return;
    }
    drawParts(snapshot);
    if (wasHidden) {
      show();
    }
  }

  /** Announces the card, and gives it the focus if that was on the form of the new game. */
  function show() {
    const heading = card.querySelector(":scope > :not([hidden]) h2");
    if (heading instanceof HTMLElement) {
      app.announce(heading.textContent ?? "");
      if (document.activeElement === document.body) {
        heading.tabIndex = -1;
        heading.focus({ preventScroll: true });
      }
    }
  }

  /** @param {GameSnapshot} snapshot */
  function drawParts(snapshot) {
    link.element.hidden = snapshot.you === null;
    seat.element.hidden = snapshot.you !== null;
    if (snapshot.you === null) {
      seat.draw(snapshot);
    } else {
      link.draw(snapshot.game);
    }
  }
  session.subscribe(({ snapshot }, previous) => {
    const isSameGame = snapshot?.game === previous.snapshot?.game;
    if (isSameGame && snapshot?.you && previous.snapshot?.free_seat && !snapshot.free_seat) {
      app.announce(texts.friends.joined(friendName(snapshot)));
    }
    draw();
  });
  app.subscribe(draw);
  void loadNetworkAddresses().then(draw);
}
