/** All boards of the round at once, live, for the leader: each opens a game, or ends it. */

import { texts } from "../../texts/texts.js";
import { button, html, keyedChildren, setText } from "../../ui/dom.js";
import { ask } from "../../ui/question.js";
import { boardText, playersOf, turnText } from "../descriptions.js";
import { memberName, memberOn } from "../state.js";
import { listedGames } from "./games.js";
import { createSmallBoard } from "./small-board.js";

/** @import { Side } from "../../types/api.d.ts" */
/** @import { RoomGame, RoomSnapshot, RoomState } from "../../types/room.d.ts" */
/** @import { RoomSession } from "../session/session.js" */

/** The results that the leader can set, in the order of their buttons. */
const RESULTS = /** @type {const} */ (["south", "tie", "north", "void"]);

/**
 * Returns the name of a result, by the sides on which the members began.
 *
 * @param {RoomSnapshot} room
 * @param {RoomGame} game
 * @param {(typeof RESULTS)[number]} result
 */
function resultName(room, game, result) {
  switch (result) {
    case "tie":
      return texts.rooms.draw;
    case "void":
      return texts.rooms.voidGame;
    default:
      return texts.rooms.wins(memberName(room, game[result]));
  }
}

/**
 * Creates the buttons that end a game.
 *
 * @param {RoomSession} session
 * @param {() => { room: RoomSnapshot, game: RoomGame } | null} current
 */
function createDecision(session, current) {
  const summary = html("summary", {}, texts.rooms.endGame);
  const buttons = RESULTS.map((result) =>
    button("", () => void decide(result), { class: "small" }),
  );
  const element = html("details", {}, summary, html("div", { class: "tools" }, ...buttons));

  /** @param {(typeof RESULTS)[number]} result */
  async function decide(result) {
    const now = current();
    if (!now) {
      return;
    }
    const question = texts.rooms.decideQuestion(resultName(now.room, now.game, result));
    if (await ask(question, { yes: texts.rooms.decideYes, no: texts.rooms.goOn })) {
      await session.lead({ command: "end-game", game: now.game.game, result });
    }
  }

  return {
    element,
    /** @param {RoomSnapshot} room @param {RoomGame} game */
    draw(room, game) {
      element.hidden = game.ending !== null;
      summary.ariaLabel = texts.rooms.endGameOf(...playersOf(room, game));
      RESULTS.forEach((result, index) => {
        const control = buttons[index];
        if (control) {
          setText(control, resultName(room, game, result));
        }
      });
    },
  };
}

/**
 * Creates the board of a game.
 *
 * @param {RoomSession} session
 * @param {string} id the game
 */
function createTile(session, id) {
  const current = () => {
    const { room } = session.state();
    const game = room?.games.find(({ game: other }) => other === id);
    return room && game ? { room, game } : null;
  };
  const open = () => {
    const now = current();
    if (now) {
      session.openGame(now.game);
    }
  };
  const names = {
    north: html("span", { class: "player" }),
    south: html("span", { class: "player" }),
  };
  const state = html("span", { class: "note" });
  const watch = html("button", { type: "button", class: "board-button", onclick: open });
  const decision = createDecision(session, current);
  const element = html("li", { class: "board-tile" }, watch, decision.element);
  /** @type {ReturnType<typeof createSmallBoard> | null} */
  let board = null;

  /** @param {RoomSnapshot} room @param {RoomGame} game */
  function draw(room, game) {
    if (!board) {
      board = createSmallBoard(game.position.rows.south.length);
      watch.append(names.north, board.element, names.south, state);
    }
    board.draw(game.position);
    for (const side of /** @type {Side[]} */ (["south", "north"])) {
      setText(names[side], memberName(room, memberOn(game, side)));
      names[side].classList.toggle("to-move", game.to_move === side);
    }
    const moves = texts.rooms.moves(game.plies);
    setText(state, game.ending === null ? moves : turnText(room, game));
    const label = `${texts.rooms.watchGame(...playersOf(room, game))}. ${boardText(room, game)}`;
    if (watch.ariaLabel !== label) {
      watch.ariaLabel = label;
    }
    element.classList.toggle("over", game.ending !== null);
    decision.draw(room, game);
  }
  return { element, draw };
}

/**
 * Creates the boards.
 *
 * @param {RoomSession} session
 */
export function createBoards(session) {
  const list = html("ul", { class: "room-boards" });
  const element = html("section", {}, html("h3", {}, texts.rooms.boards), list);
  /** The boards by their games. @type {Map<string, ReturnType<typeof createTile>>} */
  const tiles = new Map();

  /** @param {string} id */
  function create(id) {
    const tile = createTile(session, id);
    tiles.set(id, tile);
    return tile.element;
  }

  return {
    element,
    /** @param {RoomState} state */
    draw({ room }) {
      element.hidden = !room?.you.leader || room.games.length === 0;
      if (!room || element.hidden) {
        return;
      }
      const games = listedGames(room);
      const shown = new Set(games.map(({ game }) => game));
      keyedChildren(list, [...shown], create);
      for (const id of tiles.keys()) {
        if (!shown.has(id)) {
          tiles.delete(id);
        }
      }
      games.forEach((game) => tiles.get(game.game)?.draw(room, game));
    },
  };
}
