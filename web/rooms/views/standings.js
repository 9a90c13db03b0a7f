/** The standings of a room as a table, and the downloads of its results. */

import { formatSigned } from "../../game/descriptions.js";
import { texts } from "../../texts/texts.js";
import { html } from "../../ui/dom.js";
import { memberName } from "../state.js";

/** @import { RoomSnapshot, RoomState, Standing } from "../../types/room.d.ts" */

/** The most rows that the table shows. */
const MAX_SHOWN = 200;

/** The formats of the results, in the order of their links. */
const FORMATS = /** @type {const} */ (["html", "csv", "games-csv", "kgn", "json"]);

/** @returns {readonly (readonly [string, string])[]} heading and full name of each column */
const columns = () => [
  [texts.rooms.rank, ""],
  [texts.rooms.member, ""],
  [texts.rooms.pointsHead, ""],
  [texts.rooms.gamesHead, ""],
  [texts.rooms.recordShort, texts.rooms.record],
  [texts.rooms.buchholz, texts.rooms.buchholzName],
  [texts.rooms.sonneborn, texts.rooms.sonnebornName],
  [texts.rooms.rating, ""],
];

/**
 * Returns the cells of a row.
 *
 * @param {RoomSnapshot} room
 * @param {Standing} row
 */
const cells = (room, row) => [
  texts.rooms.decimal(row.rank),
  memberName(room, row.member),
  texts.rooms.decimal(row.points),
  texts.rooms.decimal(row.games),
  texts.rooms.recordOf(row.wins, row.ties, row.losses),
  texts.rooms.decimal(row.buchholz),
  texts.rooms.decimal(row.sonneborn_berger),
  row.rating
    ? texts.rooms.ratingOf(formatSigned(Math.round(row.rating.value)), row.rating.error)
    : "\u2013",
];

/** The columns that the table on a projector has: place, name and points. */
const PROJECTOR_COLUMNS = 3;

/**
 * Returns the table of some rows.
 *
 * @param {RoomSnapshot} room
 * @param {readonly Standing[]} rows
 * @param {{ isProjector?: boolean }} [options]
 */
export function standingsTable(room, rows, { isProjector = false } = {}) {
  const shown = isProjector ? PROJECTOR_COLUMNS : undefined;
  const head = columns()
    .slice(0, shown)
    .map(([text, title]) => html("th", { scope: "col", title: title || null }, text));
  const body = rows.map((row) => {
    const [rank = "", name = "", ...numbers] = cells(room, row).slice(0, shown);
    const line = html(
      "tr",
      {},
      html("td", {}, rank),
      html("th", { scope: "row" }, name),
      ...numbers.map((text) => html("td", {}, text)),
    );
    line.classList.toggle("own", row.member === room.you.member);
    return line;
  });
  return html(
    "table",
    { class: "standings" },
    html("thead", {}, html("tr", {}, ...head)),
    html("tbody", {}, ...body),
  );
}

/** Creates the section. */
export function createStandings() {
  const content = html("div", {
    class: "standings-scroller",
    tabindex: 0,
    role: "group",
    "aria-label": texts.rooms.standings,
  });
  const more = html("p", { class: "note" });
  const none = html("p", { class: "note" }, texts.rooms.noStandings);
  const text = html("p", { class: "note" }, texts.rooms.standingsText);
  const element = html(
    "section",
    {},
    html("h3", {}, texts.rooms.standings),
    content,
    more,
    none,
    text,
  );
  /** The table that is drawn, as text; an equal one stays. */
  let shownKey = "";

  return {
    element,
    /** @param {RoomState} state */
    draw({ room, standings }) {
      element.hidden = !room;
      const rows = standings?.standings ?? [];
      if (!room) {
        return;
      }
      const shown = rows.slice(0, MAX_SHOWN);
      const names = shown.map(({ member }) => memberName(room, member));
      const key = JSON.stringify([shown, names, room.you.member]);
      if (key !== shownKey) {
        shownKey = key;
        content.replaceChildren(standingsTable(room, shown));
      }
      more.textContent = texts.rooms.more(rows.length - shown.length);
      more.hidden = rows.length === shown.length;
      none.hidden = rows.length > 0;
      content.hidden = text.hidden = rows.length === 0;
    },
  };
}

/** Creates the links to the results. */
export function createDownloads() {
  const links = FORMATS.map((format) => html("a", {}, texts.rooms.downloadAs[format]));
  const element = html(
    "section",
    {},
    html("h3", {}, texts.rooms.downloads),
    html("ul", { class: "room-downloads" }, ...links.map((link) => html("li", {}, link))),
  );
  return {
    element,
    /** @param {RoomState} state */
    draw({ room }) {
      element.hidden = !room || room.is_lobby;
      if (room) {
        links.forEach((link, index) => {
          link.href = `api/v1/rooms/${room.code}/results?format=${FORMATS[index]}`;
          link.download = "";
        });
      }
    },
  };
}
