/** The views of rooms, with a room whose server is the test. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { check, checkViews, expect, setView, valueOf } from "../harness.mjs";
import { setUp } from "../stage.mjs";
import { openPage } from "../friends/pages.mjs";
import { CODE, game, LEADER, MEMBER, room, serveRoom } from "./fake.mjs";

/** @import { BrowserContextOptions, Page } from "playwright" */
/** @import { RoomGame, RoomSnapshot } from "../../../types/room.d.ts" */

const stage = setUp();

/** Phones in both formats. */
const PORTRAIT = { width: 390, height: 844 };
const LANDSCAPE = { width: 844, height: 390 };
const SMALL = { width: 320, height: 568 };
const WIDE = { width: 1440, height: 900 };

/** The views of each state: both formats and both colours. */
const VIEWS = /** @type {const} */ ([
  { viewport: PORTRAIT, colorScheme: "light" },
  { viewport: LANDSCAPE, colorScheme: "dark" },
]);

/** The ending of a drawn game. @type {NonNullable<RoomGame["ending"]>} */
const DRAW = { termination: "normal", winner: "tie", seeds: { south: 24, north: 24 } };

const LEADS = { member: null, leader: true };

/** @param {number} member */
const plays = (member) => ({ member, leader: false });

/**
 * Opens a room on a page of its own.
 *
 * @param {RoomSnapshot} state
 * @param {{ leader?: boolean, member?: boolean, fragment?: string }} [options]
 * @param {BrowserContextOptions} [context]
 */
async function openRoom(state, { fragment = `#room=${CODE}`, ...access } = {}, context = {}) {
  const { page, errors } = await openPage(stage, "about:blank", {
    viewport: PORTRAIT,
    ...context,
  });
  const server = await serveRoom(page, state, access);
  await page.goto(stage.server.url + fragment);
  await page.getByRole("heading", { name: state.name }).waitFor();
  return { page, errors, server };
}

/** @param {Page} page */
const closeContext = (page) => page.context().close();

/** The states of a room, each with what the browser stores. */
const STATES = /** @type {const} */ ([
  ["leader", room(24, { you: LEADS }), { leader: true }],
  ["leader-before", room(5, { you: LEADS, round: 0, games: [], byes: [] }), { leader: true }],
  ["waiting", room(6, { you: plays(3) }), { member: true }],
  ["playing", room(6, { you: plays(1) }), { member: true }],
  ["bye", room(7, { you: plays(7) }), { member: true }],
  ["paused", room(6, { you: plays(1), paused: true }), { member: true }],
  ["visitor", room(6), {}],
  ["closed", room(6, { closed: true, next_round: null }), {}],
  [
    "free",
    room(6, {
      format: "free",
      you: plays(4),
      challenges: [
        { from: 1, to: null },
        { from: 2, to: 4 },
      ],
    }),
    { member: true },
  ],
]);

test("each state of a room is accessible, light and dark, in both formats", async () => {
  for (const [name, state, access] of STATES) {
    const { page, errors } = await openRoom(state, access);
    await checkViews(page, `room-${name}`, VIEWS);
    if (name === "leader" || name === "visitor") {
      await page.evaluate(() =>
        document.querySelectorAll("details").forEach((details) => (details.open = true)),
      );
      await checkViews(page, `room-${name}-open`, [{ viewport: SMALL }, { viewport: WIDE }]);
    }
    assert.deepEqual(errors, [], name);
    await closeContext(page);
  }
});

test("the way into a room is accessible, and the form explains each format", async () => {
  const { page, errors } = await openPage(stage, stage.server.url, { viewport: PORTRAIT });
  await page.getByRole("tab", { name: "Rooms" }).click();
  const panel = page.getByRole("tabpanel");
  for (const [format, text] of [
    ["Round robin", "until all have met"],
    ["Free challenges", "whenever they like"],
    ["Ladder", "take their place"],
    ["Swiss", "if possible those who have not met"],
  ]) {
    await panel.getByLabel(String(format)).check();
    await panel.getByText(String(text)).waitFor();
  }
  await expect(panel.getByLabel("Moves of the drawn opening")).toBeHidden();
  await panel.getByLabel("Two, with sides exchanged").check();
  await panel.getByLabel("Moves of the drawn opening").selectOption("4");
  await panel.getByText("Another device cannot be prevented").waitFor();
  const code = panel.getByLabel("Code of the room");
  await code.fill("abc");
  assert.match(
    await code.evaluate((field) => /** @type {HTMLInputElement} */ (field).validationMessage),
    /6 letters and digits/,
  );
  await checkViews(page, "room-entrance", VIEWS);
  assert.deepEqual(errors, []);
  await closeContext(page);
});

test("the projector page is accessible, fits its window, and has one control", async () => {
  for (const [name, people] of /** @type {const} */ ([
    ["few", 8],
    ["class", 30],
  ])) {
    const { page, errors } = await openRoom(room(people), { fragment: `#projector=${CODE}` });
    await page.locator(".projector .standings").first().waitFor();
    await checkViews(page, `projector-${name}`, VIEWS);
    await checkViews(page, `projector-${name}`, [{ viewport: WIDE, colorScheme: "light" }]);
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    assert.ok(height <= WIDE.height, `${name} is ${height} pixels high`);
    await expect(page.locator("button:visible, a:visible, input:visible")).toHaveCount(1);
    const size = await page
      .locator(".projector .room-code")
      .evaluate((code) => Number.parseFloat(getComputedStyle(code).fontSize));
    assert.ok(size >= 100, `the code is ${size} pixels high`);
    await page.getByRole("button", { name: "Back" }).click();
    await page.getByRole("tab", { name: "Rooms" }).waitFor();
    await expect(page).toHaveURL(new RegExp(`#room=${CODE}$`));
    assert.deepEqual(errors, []);
    await closeContext(page);
  }
});

test("the projector page follows the room by itself", async () => {
  const { page, server } = await openRoom(room(4), { fragment: `#projector=${CODE}` });
  const games = page.locator(".projector-games");
  await games.getByText("running, 11:9").waitFor();
  server.update({ games: [game(1, { to_move: null, ending: DRAW }), game(2)] });
  await games.getByText("0.5 : 0.5").waitFor();
  server.update({ round: 3, games: [game(1, { round: 3, south: 4, north: 3 })] });
  await page.getByRole("heading", { name: "Round 3" }).waitFor();
  await games.getByText("Ñandú – Carla Maria von der Wiesenau").waitFor();
  await closeContext(page);
});

test("names are shown as text in every view", async () => {
  const state = room(4, { you: LEADS });
  const [ann] = state.members;
  const name = ann?.name ?? "";
  const { page, errors } = await openRoom(state, { leader: true });
  await page.locator(".board-tile .player").getByText(name).waitFor();
  await page.locator(".people").getByText(name).waitFor();
  await page.locator(".standings").getByText(name).waitFor();
  await page.getByText("Decide this game").first().click();
  await page.getByRole("button", { name: `${name} wins` }).click();
  await page.getByRole("dialog").getByText(`End the game: ${name} wins?`).waitFor();
  await check(page, "room-names");
  await page.getByRole("button", { name: "Let it go on" }).click();
  const board = page.getByRole("button", { name: `Watch ${name} – بوب` });
  await expect(board).toHaveAttribute(
    "aria-label",
    /Co": store 11, houses 4 0 5 12 1 6\. بوب: store 9, houses 0 3 7 1 0 2\. 13 moves, .* to move$/,
  );
  await expect(page.locator("#panel-rooms b, #panel-rooms i")).toHaveCount(0);
  await page.getByRole("button", { name: "Projector page" }).click();
  await page.locator(".projector").getByText(`${name} – بوب`).waitFor();
  await expect(page.locator(".projector b, .projector i")).toHaveCount(0);
  await check(page, "projector-names");
  // The projector page is that of any visitor, and the browser still leads the room.
  await page.getByRole("button", { name: "Back" }).click();
  await page.getByRole("heading", { name: "All boards" }).waitFor();
  const stored = await page.evaluate(() => localStorage.getItem("kalah.room-access"));
  assert.ok(stored?.includes(LEADER), String(stored));
  assert.deepEqual(errors, []);
  await closeContext(page);
});

test("the leader's controls send commands, after a confirmation where they end something", async () => {
  const { page, server } = await openRoom(room(5, { you: LEADS }), { leader: true });
  const click = (/** @type {string} */ name) =>
    page.getByRole("button", { name, exact: true }).click();
  await click("Start round 3");
  await page.getByRole("heading", { name: "1 game is still running" }).waitFor();
  await click("Wait");
  assert.deepEqual(server.commands, []);
  await click("Start round 3");
  await click("Void them and start");
  await click("Pause all games");
  server.update({ paused: true });
  await click("Resume all games");
  await click("Rename بوب");
  await page.getByRole("textbox", { name: "Name of بوب" }).fill("Bob");
  await click("Save");
  await page.getByRole("textbox", { name: "Name of بوب" }).waitFor({ state: "hidden" });
  await click("Remove بوب");
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await page.getByText("Decide this game").first().click();
  await click("Void the game");
  await click("End the game");
  await click("Close the room");
  await page.getByRole("dialog").getByRole("button", { name: "Close the room" }).click();
  await page.waitForFunction(() => document.querySelector("dialog[open]") === null);
  while (server.commands.length < 7) {
    await page.waitForTimeout(10);
  }
  assert.deepEqual(server.commands, [
    { command: "start-round", void_running: true },
    { command: "pause" },
    { command: "resume" },
    { command: "rename", member: 2, name: "Bob" },
    { command: "remove", member: 2 },
    { command: "end-game", game: game(1).game, result: "void" },
    { command: "close" },
  ]);
  await closeContext(page);
});

test("members of a room without rounds challenge each other", async () => {
  const free = room(4, { format: "free", round: 0, games: [], you: plays(4) });
  const { page, server } = await openRoom(free, { member: true });
  await page.getByRole("button", { name: "Challenge all" }).click();
  server.update({ challenges: [{ from: 4, to: null }] });
  await page.getByText("You challenge all").waitFor();
  await expect(page.getByRole("button", { name: "Challenge بوب" })).toBeHidden();
  await page.getByRole("button", { name: "Withdraw" }).click();
  server.update({
    challenges: [
      { from: 2, to: 4 },
      { from: 3, to: null },
    ],
  });
  await page.getByRole("button", { name: "Decline the challenge of بوب" }).click();
  await page.getByRole("button", { name: "Accept the challenge of Carla Maria" }).click();
  await page.getByRole("button", { name: "Challenge بوب" }).click();
  while (server.commands.length < 5) {
    await page.waitForTimeout(10);
  }
  assert.deepEqual(server.commands, [
    { command: "challenge", to: null },
    { command: "withdraw-challenge" },
    { command: "decline-challenge", from: 2 },
    { command: "accept-challenge", from: 3 },
    { command: "challenge", to: 2 },
  ]);
  await closeContext(page);
});

test("a removed member sees the reason, and a room that does not exist is not opened", async () => {
  const { page, server } = await openRoom(room(4, { you: plays(1) }), { member: true });
  await page.getByRole("button", { name: "Play", exact: true }).waitFor();
  server.close(4410);
  await page.getByText("The leader has removed you from this room.").waitFor();
  await check(page, "room-removed");
  await closeContext(page);

  const other = await openRoom(room(4), {});
  other.server.close(4404);
  await other.page.getByText("There is no room with this code").waitFor();
  await other.page.getByRole("button", { name: "Close this view" }).click();
  await other.page.getByRole("heading", { name: "Enter a room" }).waitFor();
  await closeContext(other.page);
});

test("tokens are in no address, and the link of a room has none", async () => {
  const { page } = await openRoom(room(4, { you: LEADS }), { leader: true, member: true });
  /** @type {string[]} */
  const addresses = [];
  page.on("request", (request) => {
    addresses.push(request.url(), request.headers()["referer"] ?? "");
  });
  await page.getByText("Invite people").click();
  const link = await valueOf(page.getByRole("textbox", { name: "Link to the room" }));
  await page.getByRole("button", { name: "Pause all games" }).click();
  await page.reload();
  await page.getByRole("heading", { name: "Lead the room" }).waitFor();
  addresses.push(link, page.url());
  for (const address of addresses) {
    assert.ok(!address.includes(LEADER) && !address.includes(MEMBER), address);
  }
  assert.ok(addresses.length > 10);
  await closeContext(page);
});

test("another panel shows the board again, and the panel of rooms the room", async () => {
  const { page, errors } = await openRoom(room(4, { you: plays(4) }), { member: true });
  await setView(page, { viewport: WIDE });
  await expect(page.locator("#board")).toBeHidden();
  await page.getByRole("tab", { name: "Puzzles" }).click();
  await page.locator(".house.playable").first().waitFor();
  await page.getByRole("button", { name: "Back to the room" }).waitFor();
  await page.getByRole("tab", { name: "Rooms" }).click();
  await page.getByText("Your game of this round is over").waitFor();
  await expect(page.locator("#board")).toBeHidden();
  assert.deepEqual(errors, []);
  await closeContext(page);
});
