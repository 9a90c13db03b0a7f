/** The games of the round, or of a room without rounds, with their results and the way to each. */

import { texts } from "../../texts/texts.js";
import { html, keyedChildren, setText } from "../../ui/dom.js";
import { gameStateText, playersOf } from "../descriptions.js";
import { hasRounds, isPlayer, memberName, pairingsOf } from "../state.js";

/** @import { RoomGame, RoomSnapshot, RoomState } from "../../types/room.d.ts" */
/** @import { RoomSession } from "../session/session.js" */

/**
 * Returns the games in the order of the list: by pairings in a round, or else running ones first and
 * then those that ended last.
 *
 * @param {RoomSnapshot} room
 * @returns {RoomGame[]}
 */
export function listedGames(room) {
  if (hasRounds(room)) {
    return pairingsOf(room).flatMap(({ games }) => games);
  }
  const running = room.games.filter(({ ending }) => ending === null);
  return [...running, ...room.games.filter(({ ending }) => ending !== null).toReversed()];
}

/**
 * Returns the names of the members with a bye in the round.
 *
 * @param {RoomSnapshot} room
 */
export const byeNames = (room) =>
  room.byes
    .filter(({ round }) => round === room.round)
    .map(({ member }) => memberName(room, member));

/**
 * Creates the button that opens a game.
 *
 * @param {RoomSession} session
 * @param {string} id
 */
function createItem(session, id) {
  const open = () => {
    const game = session.state().room?.games.find(({ game: other }) => other === id);
    if (game) {
      session.openGame(game);
    }
  };
  const players = html("span", { class: "players" });
  const result = html("span", { class: "result" });
  return html("li", {}, html("button", { type: "button", onclick: open }, players, result));
}

/**
 * @param {HTMLElement | undefined} item
 * @param {RoomSnapshot} room
 * @param {RoomGame} game
 */
function drawItem(item, room, game) {
  const [players, result] = item?.querySelectorAll("span") ?? [];
  if (!item || !players || !result) {
    return;
  }
  setText(players, texts.rooms.versus(...playersOf(room, game)));
  setText(result, gameStateText(game, { isLive: false }));
  item.classList.toggle("own", isPlayer(game, room.you.member));
  item.classList.toggle("running", game.ending === null);
}

/**
 * Creates the list of games. Each is a button that opens its board.
 *
 * @param {RoomSession} session
 */
export function createGames(session) {
  const title = html("h3", {});
  const list = html("ul", { class: "room-games" });
  const byes = html("p", { class: "note" });
  const none = html("p", { class: "note" }, texts.rooms.noGames);
  const element = html("section", {}, title, list, byes, none);

  return {
    element,
    /** @param {RoomState} state */
    draw({ room }) {
      // The leader sees the boards instead.
      element.hidden = !room || room.you.leader || (hasRounds(room) && room.round === 0);
      if (!room || element.hidden) {
        return;
      }
      const isByRounds = hasRounds(room);
      setText(title, isByRounds ? texts.rooms.pairings(room.round) : texts.rooms.games);
      const games = listedGames(room);
      const items = keyedChildren(
        list,
        games.map(({ game }) => game),
        (id) => createItem(session, id),
      );
      games.forEach((game, index) => drawItem(items[index], room, game));
      const names = isByRounds ? byeNames(room) : [];
      setText(byes, names.map(texts.rooms.byeOf).join(", "));
      byes.hidden = names.length === 0;
      none.hidden = games.length > 0;
      list.hidden = games.length === 0;
    },
  };
}
