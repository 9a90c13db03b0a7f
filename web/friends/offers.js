/** Offers of takebacks and rematches: their texts and buttons below the board. */

import { parseHouse } from "../board/labels.js";
import { opposite } from "../game/players.js";
import { texts } from "../texts/texts.js";
import { button, byId, html, isInView, setText } from "../ui/dom.js";
import { FRIEND_MODE, friendName } from "./state.js";

/** @import { Session } from "./session/session.js" */
/** @import { Move, Side } from "../types/api.d.ts" */
/** @import { App } from "../types/app.d.ts" */
/** @import { FriendState, OfferAction } from "../types/friend.d.ts" */

/**
 * The offers of a game as its player sees them: a text, and the actions that are possible now.
 *
 * @typedef {{ offer: "takeback" | "rematch", text: string, actions: OfferAction[] }} OfferView
 */

/** @type {readonly OfferAction[]} */
const ACTIONS = ["accept", "decline", "withdraw", "offer"];

/**
 * Returns whether the player who has a side now has made a move.
 *
 * @param {readonly Move[]} plies
 * @param {Side} side
 */
export function hasMoved(plies, side) {
  const swap = plies.indexOf("swap");
  return plies.some((move, index) => {
    if (index === swap) {
      // North swaps, and is South then.
      return side === "south";
    }
    const mover = parseHouse(move)?.side;
    return mover === (index < swap ? opposite(side) : side);
  });
}

/**
 * Returns the offers that a player can see or make; `null` if there are none.
 *
 * @param {Pick<FriendState, "snapshot">} state
 * @returns {OfferView | null}
 */
export function offerView({ snapshot }) {
  if (!snapshot?.you) {
    return null;
  }
  const { you, plies, ending, takeback, rematch, room } = snapshot;
  if (room && (ending || !room.takebacks)) {
    return null;
  }
  const name = friendName(snapshot);
  if (ending) {
    if (rematch.game || rematch.offered_by === null) {
      return null;
    }
    return rematch.offered_by === you
      ? { offer: "rematch", text: texts.friends.rematchRequested(name), actions: ["withdraw"] }
      : {
          offer: "rematch",
          text: texts.friends.offersRematch(name),
          actions: ["accept", "decline"],
        };
  }
  if (takeback.offered_by !== null) {
    const count = plies.length - (takeback.plies_left ?? plies.length);
    return takeback.offered_by === you
      ? {
          offer: "takeback",
          text: texts.friends.takebackRequested(name, count),
          actions: ["withdraw"],
        }
      : {
          offer: "takeback",
          text: texts.friends.takebackOffered(name, count),
          actions: ["accept", "decline"],
        };
  }
  if (takeback.declined_by === opposite(you)) {
    return { offer: "takeback", text: texts.friends.takebackDeclined(name), actions: [] };
  }
  return hasMoved(plies, you) ? { offer: "takeback", text: "", actions: ["offer"] } : null;
}

/**
 * Shows the offers below the board.
 *
 * @param {App} app
 * @param {Session} session
 */
export function startOffers(app, session) {
  const element = byId("friend-offer");
  const text = html("p", { role: "status" });
  /** @type {OfferView | null} */
  let view = null;
  const buttons = ACTIONS.map((action) =>
    button(
      texts.friends.offerActions[action],
      () => {
        if (view) {
          session.act(view.offer, action);
        }
      },
      action === "accept" ? { class: "main" } : {},
    ),
  );
  element.append(text, ...buttons);

  function draw() {
    view = app.state().mode === FRIEND_MODE ? offerView(session.state()) : null;
    const hadFocus = element.contains(document.activeElement);
    element.hidden = view === null;
    setText(text, view?.text ?? "");
    text.hidden = !view?.text;
    buttons.forEach((control, index) => {
      control.hidden = !view?.actions.includes(/** @type {OfferAction} */ (ACTIONS[index]));
    });
    if (hadFocus && document.activeElement?.closest("[hidden]")) {
      // The button with the focus is gone.
      const next = buttons.find((control) => !control.hidden) ?? byId("board");
      next.focus({ preventScroll: true });
    }
  }
  session.subscribe((state, previous) => {
    const [now, before] = [state.snapshot, previous.snapshot];
    if (now && now.game === before?.game && now.plies.length < before.plies.length) {
      app.announce(texts.friends.takenBack(before.plies.length - now.plies.length));
    }
    draw();
  });
  app.subscribe(draw);
  draw();
}

/**
 * Shows an offer of the friend over the page while the one below the board is not in the window.
 *
 * @param {App} app
 * @param {Session} session
 */
export function startOfferAnswer(app, session) {
  const answer = byId("offer-answer");
  const offerBelowBoard = byId("friend-offer");

  /** The offer of the friend that has no answer yet, or `null`. */
  function openOffer() {
    const view = offerView(session.state());
    return view?.actions.includes("accept") ? view : null;
  }

  function draw() {
    const view = openOffer();
    const hadFocus = answer.contains(document.activeElement);
    answer.hidden = view === null || isInView(offerBelowBoard);
    if (view) {
      setText(byId("offer-answer-text"), view.text);
    }
    if (hadFocus && answer.hidden) {
      byId("board").focus({ preventScroll: true });
    }
  }

  /** @param {OfferAction} action */
  function act(action) {
    const view = openOffer();
    if (view) {
      session.act(view.offer, action);
    }
  }
  byId("offer-accept").addEventListener("click", () => act("accept"));
  byId("offer-decline").addEventListener("click", () => act("decline"));
  new IntersectionObserver(draw, { threshold: [0, 1] }).observe(offerBelowBoard);
  session.subscribe((_, previous) => {
    const view = openOffer();
    const before = offerView(previous);
    if (view?.offer === "rematch" && view.text !== before?.text) {
      // The page announces a takeback by the line below the board.
      app.announce(view.text);
    }
    draw();
  });
}
