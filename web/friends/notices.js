/**
 * The parts of the page outside the panel that follow a game with a friend: the clocks beside the
 * players, the notice of a game to return to, and announcements.
 */

import { SIDES } from "../game/players.js";
import { texts } from "../texts/texts.js";
import { byId, setText } from "../ui/dom.js";
import { clockText, timeLeft } from "./clock-times.js";
import { sortedGames, turnText } from "./my-games.js";
import { connectionText, FRIEND_MODE, friendName, isFriendConnected } from "./state.js";

/** @import { Session } from "./session/session.js" */
/** @import { Side } from "../types/api.d.ts" */
/** @import { App } from "../types/app.d.ts" */

/** The interval of drawing the clocks, in milliseconds. The last ten seconds show tenths. */
const CLOCK_INTERVAL_MS = 100;

/** The time on a clock that counts as low, in milliseconds. */
const LOW_TIME_MS = 60_000;

/**
 * Shows the clocks beside the players and announces that the own time is low.
 *
 * @param {App} app
 * @param {Session} session
 */
export function startClocks(app, session) {
  let timer = 0;
  /** The game whose low time has been announced. */
  let warnedGame = "";

  function draw() {
    const friendState = session.state();
    const { access, snapshot } = friendState;
    const isShown = app.state().mode === FRIEND_MODE;
    for (const side of SIDES) {
      const left = isShown ? timeLeft(friendState, side, performance.now()) : null;
      const isLow = drawClock(side, left);
      const isOwn = snapshot?.you === side && !snapshot.ending;
      if (isLow && isOwn && access && warnedGame !== access.game) {
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
 * Draws the clock of a side and returns whether its time is low.
 *
 * @param {Side} side
 * @param {number | null} left the time in milliseconds; `null` without a clock
 */
function drawClock(side, left) {
  const clock = byId(`clock-${side}`);
  const isLow = left !== null && left < LOW_TIME_MS;
  clock.hidden = left === null;
  setText(clock, left === null ? "" : clockText(left));
  clock.classList.toggle("short", isLow);
  return isLow;
}

/**
 * Shows the button that returns to a game of the player while none is on the board: to the one that
 * waits for the player, if any.
 *
 * @param {App} app
 * @param {Session} session
 */
export function startReturnNotice(app, session) {
  const firstGame = () => sortedGames(session.state().ownGames)[0];
  byId("friend-return-button").addEventListener("click", () => {
    const game = firstGame();
    if (game) {
      session.openGame(game.access);
      app.actions.openPanel("friend");
    }
  });
  const draw = () => {
    const { access, ownGames } = session.state();
    const game = access ? undefined : firstGame();
    byId("friend-return").hidden = game === undefined;
    if (game) {
      const running = ownGames.filter(({ summary }) => summary.ending === null).length;
      const notOver = running > 0 ? `${texts.friends.notOver(running)} ` : "";
      const name = texts.friends.gameWith(friendName(game.summary));
      setText(byId("friend-return-text"), `${notOver}${name}: ${turnText(game.summary)}`);
    }
  };
  session.subscribe(draw);
  draw();
}

/**
 * Announces that the friend connects or disconnects, and changes of the connection.
 *
 * @param {App} app
 * @param {Session} session
 */
export function announceFriend(app, session) {
  session.subscribe((friendState, previous) => {
    const isConnected = isFriendConnected(friendState);
    const { snapshot } = friendState;
    if (
      snapshot &&
      isConnected !== null &&
      isConnected !== isFriendConnected(previous) &&
      previous.snapshot?.game === snapshot.game
    ) {
      const name = friendName(snapshot);
      app.announce(isConnected ? texts.friends.here(name) : texts.friends.left(name));
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
