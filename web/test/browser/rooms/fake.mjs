/**
 * A room whose server is the test: its state is given, and its live connection sends what the test
 * says.
 *
 * @import { Page, WebSocketRoute } from "playwright"
 * @import { Member, RoomGame, RoomSnapshot, Standing } from "../../../types/room.d.ts"
 */

/** The tokens that the browser of the leader and of a member stores. */
export const LEADER = "L".repeat(22);
export const MEMBER = "M".repeat(22);

/** The code of the room. */
export const CODE = "ABCDEF";

/** The names of the first members; the first one is markup, which the page shows as text. */
const NAMES = ['<b>Ann</b> & "Co"', "بوب", "Carla Maria von der Wiesenau", "Ñandú"];

/** @param {number} number @returns {Member} */
const member = (number) => ({
  number,
  name: NAMES[number - 1] ?? `Member ${number}`,
  bot: number === 6,
  status: "active",
  connected: number % 5 !== 0,
});

/**
 * Returns a game between two members, which has ended if its number is even.
 *
 * @param {number} pairing
 * @param {Partial<RoomGame>} [values]
 * @returns {RoomGame}
 */
export const game = (pairing, values = {}) => ({
  game: String(pairing).padStart(22, "G"),
  round: 2,
  pairing,
  leg: 1,
  south: 2 * pairing - 1,
  north: 2 * pairing,
  plies: 12 + pairing,
  to_move: pairing % 2 === 0 ? null : "south",
  swapped: false,
  position: {
    rows: { south: [4, 0, 5, 12, 1, 6], north: [0, 3, 7, 1, 0, 2] },
    stores: { south: 11, north: 9 },
  },
  clock: null,
  ending:
    pairing % 2 === 0
      ? { termination: "normal", winner: "south", seeds: { south: 30, north: 18 } }
      : null,
  ...values,
});

/**
 * Returns a room in its second round.
 *
 * @param {number} people
 * @param {Partial<RoomSnapshot>} [values]
 * @returns {RoomSnapshot}
 */
export function room(people, values = {}) {
  const pairings = Math.floor(people / 2);
  return {
    code: CODE,
    name: 'Class <i>7b</i> & "Kalah"',
    rules: "cs32",
    start: "<6,0,0,4,4,4,4,4,4,4,4,4,4,4,4> south",
    clock: { initial_ms: 600_000, increment_ms: 5_000 },
    format: "swiss",
    games_per_pairing: 1,
    opening_plies: 0,
    engine_help: false,
    is_lobby: false,
    round: 2,
    paused: false,
    closed: false,
    revision: 7,
    next_round: "running-games",
    members: Array.from({ length: people }, (_, index) => member(index + 1)),
    games: Array.from({ length: pairings }, (_, index) => game(index + 1)),
    byes: people % 2 === 1 ? [{ round: 2, member: people }] : [],
    challenges: [],
    standings_revision: 3,
    you: { member: null, leader: false },
    ...values,
  };
}

/** @param {number} people @returns {Standing[]} */
const standings = (people) =>
  Array.from({ length: people }, (_, index) => ({
    rank: index + 1,
    member: index + 1,
    points: (people - index) / 2,
    games: 3,
    wins: 2,
    ties: 1,
    losses: 0,
    byes: 0,
    buchholz: 4.5,
    sonneborn_berger: 3.25,
    rating: index % 3 === 2 ? null : { value: 140.4 - 20 * index, error: 120 },
  }));

/**
 * Answers the requests and the live connection of a page about the room.
 *
 * @param {Page} page
 * @param {RoomSnapshot} state
 * @param {{ leader?: boolean, member?: boolean }} [access] what the browser stores
 */
export async function serveRoom(page, state, { leader = false, member: isMember = false } = {}) {
  /** @type {WebSocketRoute[]} */
  const sockets = [];
  /** @type {any[]} */
  const commands = [];
  const live = { state };
  await page.addInitScript(
    (access) => localStorage.setItem("kalah.room-access", JSON.stringify([access])),
    {
      code: CODE,
      // The name of the room has changed since the last visit.
      name: "Former name",
      token: isMember ? MEMBER : null,
      leader: leader ? LEADER : null,
      isEntering: false,
    },
  );
  await page.route("**/api/v1/rooms/**", async (route) => {
    const request = route.request();
    const { pathname } = new URL(request.url());
    if (pathname.endsWith("/standings")) {
      await route.fulfill({
        json: {
          revision: live.state.standings_revision,
          standings: live.state.round === 0 ? [] : standings(live.state.members.length),
        },
      });
    } else if (pathname.endsWith("/commands")) {
      commands.push(request.postDataJSON());
      await route.fulfill({ json: {} });
    } else if (pathname.endsWith(`/${CODE}`)) {
      await route.fulfill({ json: live.state });
    } else {
      // The server has no lobby.
      await route.fulfill({ status: 404, json: { title: "Not found", status: 404 } });
    }
  });
  // The games of the room are not on the server of the page.
  await page.route("**/api/v1/games/summaries", async (route) => {
    const { games } = route.request().postDataJSON();
    await route.fulfill({ json: { games: games.map(() => null) } });
  });
  await page.routeWebSocket(/\/api\/v1\/rooms\/\w+\/live$/, (socket) => {
    sockets.push(socket);
    socket.onMessage((text) => {
      const { type } = JSON.parse(String(text));
      const message = type === "ping" ? { type: "pong" } : { type: "state", state: live.state };
      socket.send(JSON.stringify(message));
    });
  });
  return {
    commands,
    /** Sends another state. @param {Partial<RoomSnapshot>} change */
    update(change) {
      live.state = { ...live.state, ...change };
      sockets.at(-1)?.send(JSON.stringify({ type: "state", state: live.state }));
    },
    /** Closes the connection. @param {number} code */
    close: (code) => void sockets.at(-1)?.close({ code, reason: "" }),
  };
}
