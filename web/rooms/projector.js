/**
 * The projector page: code, standings and the games of the round in large type on the whole window. It
 * updates by itself.
 */

import { loadNetworkAddresses, linkForOthers } from "../friends/network-address.js";
import { drawQrCode } from "../friends/qr-code.js";
import { roomFragment } from "../records/link.js";
import { texts } from "../texts/texts.js";
import { button, html, setText } from "../ui/dom.js";
import { shownCode } from "./codes.js";
import { connectionText, gameStateText, playersOf, situation } from "./descriptions.js";
import { hasRounds } from "./state.js";
import { byeNames, listedGames } from "./views/games.js";
import { standingsTable } from "./views/standings.js";

/** @import { App } from "../types/app.d.ts" */
/** @import { RoomSnapshot, RoomState } from "../types/room.d.ts" */
/** @import { RoomSession } from "./session/session.js" */

/** The most rows of the standings, and the most games, that the page shows. */
const MAX_ROWS = 40;
const MAX_GAMES = 60;

/** The most rows of the standings in one table; more rows are in two tables side by side. */
const ROWS_OF_TABLE = 16;

/** The largest and the smallest type of names and results, in pixels, and the step between two sizes. */
const TYPE_PX = { most: 52, least: 12, step: 2 };

/** Creates the elements of the page. @param {RoomSession} session */
function createElements(session) {
  const elements = {
    name: html("h1", {}),
    code: html("p", { class: "room-code" }),
    address: html("p", { class: "projector-address" }),
    qrCode: html("div", {}),
    state: html("p", { class: "projector-state", role: "status" }),
    round: html("h2", {}),
    games: html("ul", { class: "projector-games" }),
    byes: html("p", { class: "projector-byes" }),
    body: html("div", { class: "projector-body" }),
    standings: html("div", { class: "projector-standings" }),
    standingsTitle: html("h2", {}, texts.rooms.standings),
    back: button(texts.rooms.projectorBack, session.leaveProjector, { class: "quiet" }),
  };
  const { name, code, address, qrCode, state, round, games, byes, standings, back } = elements;
  elements.body.append(
    html("section", {}, round, games, byes),
    html("section", {}, elements.standingsTitle, standings),
  );
  const page = html(
    "div",
    { class: "projector", role: "main" },
    html(
      "div",
      { class: "projector-head" },
      html("div", {}, name, code, address, state),
      qrCode,
      back,
    ),
    elements.body,
  );
  return { page, ...elements };
}

/** @typedef {ReturnType<typeof createElements>} ProjectorElements */

/**
 * Draws the code and the way into the room. The address is the page's without its fragment and its
 * query, which people need not type.
 *
 * @param {ProjectorElements} elements
 * @param {string} code
 */
function drawWay({ code: shown, address, qrCode }, code) {
  setText(shown, shownCode(code));
  const { link, isReachable } = linkForOthers(roomFragment(code));
  const [page = ""] = link.replace(/^https?:\/\//, "").split(/[?#]/);
  setText(address, isReachable ? texts.rooms.enterAt(page) : texts.friends.onlyThisMachine);
  if (qrCode.dataset.link !== link) {
    qrCode.dataset.link = link;
    qrCode.replaceChildren(drawQrCode(link, texts.friends.qrCodeOf(texts.rooms.link)));
  }
}

/**
 * @param {ProjectorElements} elements
 * @param {RoomSnapshot} room
 */
function drawGames({ round, games: list, byes }, room) {
  const isByRounds = hasRounds(room);
  setText(round, isByRounds ? texts.rooms.round(room.round) : texts.rooms.games);
  round.hidden = isByRounds && room.round === 0;
  const games = listedGames(room).slice(0, MAX_GAMES);
  const lines = games.map((game) => {
    const line = html(
      "li",
      {},
      html("span", { class: "players" }, texts.rooms.versus(...playersOf(room, game))),
      html("span", { class: "result" }, gameStateText(game, { isLive: true })),
    );
    line.classList.toggle("running", game.ending === null);
    return line;
  });
  list.replaceChildren(...lines);
  list.hidden = games.length === 0;
  const names = isByRounds ? byeNames(room) : [];
  setText(byes, names.map(texts.rooms.byeOf).join(", "));
}

/**
 * @param {ProjectorElements} elements
 * @param {RoomState} state
 */
function draw(elements, state) {
  const { access, room, standings } = state;
  setText(elements.name, room?.name ?? access?.name ?? "");
  elements.name.hidden = elements.name.textContent === "";
  const problem = connectionText(state);
  setText(elements.state, problem || (room ? situation(room).join(" ") : ""));
  if (access) {
    drawWay(elements, access.code);
  }
  if (room) {
    drawGames(elements, room);
    const rows = (standings?.standings ?? []).slice(0, MAX_ROWS);
    const half = Math.ceil(rows.length / 2);
    const isHalved = rows.length > ROWS_OF_TABLE;
    const tables = isHalved ? [rows.slice(0, half), rows.slice(half)] : [rows];
    elements.standings.replaceChildren(
      ...tables.map((part) => standingsTable(room, part, { isProjector: true })),
    );
    elements.body.classList.toggle("many", isHalved);
    elements.standings.hidden = elements.standingsTitle.hidden = rows.length === 0;
    fitType(elements.body);
  }
}

/**
 * Sets the largest type with which the whole page fits into the window.
 *
 * @param {HTMLElement} body
 */
function fitType(body) {
  const { documentElement: page } = document;
  for (let size = TYPE_PX.most; size >= TYPE_PX.least; size -= TYPE_PX.step) {
    body.style.fontSize = `${size}px`;
    if (page.scrollHeight <= page.clientHeight && body.scrollWidth <= body.clientWidth) {
      return;
    }
  }
}

/**
 * Shows the page while its address is open.
 *
 * @param {App} app
 * @param {RoomSession} session
 */
export function startProjector(app, session) {
  const elements = createElements(session);

  function update() {
    const isShown = session.isProjector();
    document.body.toggleAttribute("data-projector", isShown);
    if (isShown) {
      if (!elements.page.isConnected) {
        document.body.append(elements.page);
      }
      draw(elements, session.state());
    } else {
      elements.page.remove();
    }
  }
  app.subscribe(update);
  session.subscribe(update);
  window.addEventListener("resize", update);
  void loadNetworkAddresses().then(update);
}
