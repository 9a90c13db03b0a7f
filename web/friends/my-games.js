/** The list of the player's games on the server, with the friend's name, the turn and the way to each. */

import { opposite } from "../game/players.js";
import { UNFINISHED } from "../game/tree.js";
import { rulesTitle } from "../texts/from-server.js";
import { texts } from "../texts/texts.js";
import { html } from "../ui/dom.js";
import { friendName } from "./state.js";
import { isWaiting } from "./session/own-games.js";

/** @import { Session } from "./session/session.js" */
/** @import { FriendState, GameSummary, OwnGame } from "../types/friend.d.ts" */

/** Describes how a game has ended. @param {GameSummary} summary */
function endedText({ you, names, ending }) {
  if (ending?.termination === UNFINISHED) {
    return texts.game.noResult;
  }
  if (!ending?.winner) {
    return texts.game.draw;
  }
  return ending.winner === you ? texts.game.youWin : texts.game.wins(friendName({ you, names }));
}

/**
 * Describes what a game waits for, or how it has ended.
 *
 * @param {GameSummary} summary
 */
export function turnText(summary) {
  const { you, to_move: mover, free_seat: free, ending, takeback, rematch } = summary;
  const name = friendName(summary);
  if (ending) {
    return rematch.offered_by === opposite(you ?? "south")
      ? texts.friends.offersRematch(name)
      : endedText(summary);
  }
  if (free !== null) {
    return texts.friends.notJoined;
  }
  if (you !== null && takeback.offered_by === opposite(you)) {
    return texts.friends.asksTakeback(name);
  }
  return mover === you ? texts.friends.yourTurn : texts.friends.turnOf(name);
}

/**
 * Returns the games in the order of the list: first those that wait for the player.
 *
 * @param {readonly OwnGame[]} games
 */
export const sortedGames = (games) =>
  games.toSorted((one, other) => Number(isWaiting(other.summary)) - Number(isWaiting(one.summary)));

/**
 * Creates the list of the player's games, without that on the board.
 *
 * @param {Session} session
 */
export function createMyGames(session) {
  const list = html("ul", { class: "my-games" });
  const element = html("section", {}, html("h3", {}, texts.friends.myGames), list);
  /** The games that are drawn; equal ones keep their elements and the focus. */
  let shownKey = "";

  /** @param {OwnGame} game */
  function item({ access, summary }) {
    const text = html("span", { class: "my-game-turn" }, turnText(summary));
    const game = texts.friends.gameDetails(rulesTitle(summary.rules), summary.plies);
    const details = summary.room ? texts.rooms.inRoom(summary.room.name, game) : game;
    const open = html(
      "button",
      { type: "button", onclick: () => session.openGame(access) },
      html("b", {}, texts.friends.gameWith(friendName(summary))),
      text,
      html("span", { class: "note" }, details),
    );
    open.classList.toggle("waiting", isWaiting(summary));
    return html("li", {}, open);
  }

  return {
    element,
    /** @param {FriendState} friendState */
    draw({ ownGames, access }) {
      const others = sortedGames(ownGames.filter((game) => game.access.game !== access?.game));
      element.hidden = others.length === 0;
      const key = JSON.stringify(others);
      if (key !== shownKey) {
        shownKey = key;
        list.replaceChildren(...others.map(item));
      }
    },
  };
}
