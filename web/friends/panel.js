/** The panel of a game with a friend: making one, its three links, who is there, and what comes after it. */

import { sideName, SIDES } from "../game/players.js";
import { withFragment, writeFriend, writeWatch } from "../records/link.js";
import { button, byId, copy, html, say } from "../ui/dom.js";
import { createFriendForm } from "./form.js";
import { createSession, fragmentOfSeat, mayAskForRematch } from "./session.js";
import {
  clockInWords,
  clockText,
  FRIEND_MODE,
  isFriendThere,
  prospectOf,
  timeLeft,
} from "./state.js";

/** @import { Session } from "./session.js" */
/** @import { App, Panel, State } from "../types/app.d.ts" */
/** @import { FriendState } from "../types/friend.d.ts" */

/** How often clocks are drawn, in milliseconds: their last seconds have tenths. */
const TICK_MS = 100;

/** A time that is told to be short, in milliseconds. */
const SHORT_MS = 60_000;

/** What is told of a friend who waits for a rematch. */
const ASKED = "Your friend would like another game.";

/** @type {Session | null} */
let session = null;

/** @type {Panel} */
export const FRIEND_PANEL = {
  id: "friend",
  title: "Play a friend",
  needsServer: true,
  start(app) {
    const made = sessionOf(app);
    made.start();
    if (made.state().seat) {
      app.actions.openPanel("friend");
    }
    startClocks(app, made);
    startWayBack(app, made);
    startInvitation(app, made);
    announceFriend(app, made);
  },
  create: (element, app) => createFriendPanel(element, app, sessionOf(app)),
};

/** @param {App} app */
function sessionOf(app) {
  session ??= createSession(app);
  return session;
}

/**
 * Shows the clocks beside the players, and says when the own one is short.
 *
 * @param {App} app
 * @param {Session} from
 */
function startClocks(app, from) {
  let timer = 0;
  let warned = "";

  function draw() {
    const known = from.state();
    const { seat, standing } = known;
    for (const side of SIDES) {
      const left = app.state().mode === FRIEND_MODE ? timeLeft(known, side, Date.now()) : null;
      const isShort = left !== null && left < SHORT_MS;
      const clock = byId(`clock-${side}`);
      clock.hidden = left === null;
      say(clock, left === null ? "" : clockText(left));
      clock.classList.toggle("short", isShort);
      if (isShort && seat && standing?.you === side && !standing.over && warned !== seat.game) {
        warned = seat.game;
        app.announce("You have less than a minute left.");
      }
    }
  }

  from.subscribe(({ standing }) => {
    clearInterval(timer);
    if (standing?.clock?.running) {
      timer = window.setInterval(draw, TICK_MS);
    }
    draw();
  });
  app.subscribe(draw);
}

/**
 * Shows the way back to a game that was left.
 *
 * @param {App} app
 * @param {Session} from
 */
function startWayBack(app, from) {
  byId("friend-back").addEventListener("click", () => {
    from.comeBack();
    app.actions.openPanel("friend");
  });
  const draw = () => {
    const { waits } = from.state();
    byId("friend-waits").hidden = waits === null;
    say(byId("friend-waits-text"), waits?.prospect === "asked" ? ASKED : "Your game with a friend is not over.");
  };
  from.subscribe(draw);
  draw();
}

/**
 * Shows that the friend would like another game, whatever of the page is looked at.
 *
 * @param {App} app
 * @param {Session} from
 */
function startInvitation(app, from) {
  const invitation = byId("friend-asks");
  let declined = false;
  /** Whether how the game ended is in sight, with the same offer. */
  let isEndingSeen = false;
  const draw = () => {
    invitation.hidden = declined || isEndingSeen || !isAsked(from.state());
  };
  say(byId("friend-asks-text"), ASKED);
  byId("friend-agree").addEventListener("click", from.rematch);
  byId("friend-later").addEventListener("click", () => {
    declined = true;
    from.decline();
    draw();
    byId("board").focus({ preventScroll: true });
  });
  new IntersectionObserver(([entry]) => {
    isEndingSeen = entry?.isIntersecting ?? false;
    draw();
  }).observe(byId("rematch"));
  from.subscribe((known, previous) => {
    if (isAsked(known) && !isAsked(previous)) {
      declined = false;
      app.announce(ASKED);
    }
    draw();
  });
}

/**
 * Says when the friend comes and goes, and when the connection does.
 *
 * @param {App} app
 * @param {Session} from
 */
function announceFriend(app, from) {
  from.subscribe((known, previous) => {
    const there = isFriendThere(known);
    if (there !== null && there !== isFriendThere(previous) && previous.standing?.game === known.standing?.game) {
      app.announce(there ? "Your friend is here." : "Your friend has left.");
    }
    if (known.contact !== previous.contact && (known.contact === "waiting" || (known.contact === "live" && previous.standing))) {
      app.announce(contactInWords(known));
    }
  });
}

/** Whether the friend waits for a rematch. @param {FriendState} known */
const isAsked = ({ standing }) => standing !== null && prospectOf(standing) === "asked";

/** @param {FriendState} known */
function contactInWords({ contact, standing }) {
  switch (contact) {
    case "live":
      return "Connected.";
    case "off":
      return "";
    default:
      return standing ? "The connection is lost, and the game is not: trying again." : "Connecting to the server\u2026";
  }
}

/** Who is there. @param {FriendState} known */
function companyInWords(known) {
  const { standing } = known;
  if (!standing) {
    return "";
  }
  const there = isFriendThere(known);
  if (there === null) {
    const present = SIDES.filter((side) => standing.connected[side]).map(sideName);
    return `You look on. ${present.length === 0 ? "Nobody plays just now" : `${present.join(" and ")} ${present.length === 1 ? "is" : "are"} here`}.`;
  }
  if (there) {
    return "Your friend is here.";
  }
  return standing.plies.length === 0 ? "Your friend has not come yet: send the link." : "Your friend is away just now, and can come back at any time.";
}

/**
 * @param {HTMLElement} element
 * @param {App} app
 * @param {Session} from
 */
function createFriendPanel(element, app, from) {
  const trouble = html("p", { class: "note wrong", role: "status" });
  const form = createFriendForm(async (wish) => {
    try {
      await from.make(wish);
    } catch (error) {
      app.actions.fail(error);
    }
  });
  const contact = html("p", { class: "contact" });
  const company = html("p", {});
  const rules = html("p", { class: "note" });
  const again = button("Connect now", from.hurry, { class: "small" });
  const back = button("Back to the game", from.enter, { class: "main" });
  const rematch = button("Rematch", () => app.actions.rematch(), { class: "main" });
  const wanted = html("p", {});
  const links = html("div", { class: "links" });
  const leave = button("Leave this game", from.leave, { class: "small" });
  const playing = html("div", {}, contact, company, rules,
    html("div", { class: "tools" }, back, again, rematch), wanted, links, html("div", { class: "tools" }, leave));
  element.append(trouble, form.element, playing);
  /** @type {string} */
  let linked = "";

  /** @param {string} name @param {string} what it is for @param {string} fragment */
  function link(name, what, fragment) {
    const address = withFragment(window.location.href, fragment);
    const field = html("input", { type: "text", readonly: true, class: "wide", value: address, "aria-label": `Link to ${name.toLowerCase()}`, onfocus: () => field.select() });
    const copied = button("Copy", () => void copy(copied, address, (error) => app.actions.fail(error)), {
      class: "small", "aria-label": `Copy the link to ${name.toLowerCase()}`,
    });
    return html("div", { class: "link" }, html("p", {}, html("b", {}, name), ` ${what}`), html("div", { class: "tools" }, field, copied));
  }

  /** @param {FriendState} known */
  function drawLinks({ seat, friendToken, standing }) {
    // There are links to a game once it is known that there is such a game.
    links.hidden = !standing;
    const now = seat ? `${fragmentOfSeat(seat)} ${friendToken}` : "";
    if (!seat || linked === now) {
      return;
    }
    linked = now;
    links.replaceChildren(
      ...(friendToken ? [link("Send", "this one to your friend, and to nobody else: it is the other seat.", writeFriend(seat.game, friendToken))] : []),
      ...(seat.token ? [link("Keep", "this one: it is your own seat, on any device. Whoever has it can sow for you.", fragmentOfSeat(seat))] : []),
      link("Watch", "is for everybody who likes to look on.", writeWatch(seat.game)),
    );
  }

  /** @param {State} state */
  function draw(state) {
    const known = from.state();
    const { seat, standing } = known;
    form.element.hidden = seat !== null;
    playing.hidden = seat === null;
    say(trouble, known.trouble ?? "");
    if (!seat) {
      form.draw(state);
      return;
    }
    say(contact, `${known.contact === "live" ? "\u25cf" : "\u25cb"} ${contactInWords(known)}`);
    say(company, known.contact === "live" ? companyInWords(known) : "");
    say(rules, standing ? [`Rules: ${standing.rules}`, ...(standing.clock ? [clockInWords(standing.clock)] : [])].join(". ") : "");
    again.hidden = known.contact !== "waiting";
    back.hidden = state.mode === FRIEND_MODE || !standing;
    rematch.hidden = !mayAskForRematch(known) || state.mode !== FRIEND_MODE;
    say(wanted, isAsked(known) ? ASKED : standing?.over && standing.rematch.offered_by ? "Another game is asked for." : "");
    drawLinks(known);
  }
  from.subscribe(() => draw(app.state()));
  return draw;
}
