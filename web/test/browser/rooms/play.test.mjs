/** Rooms on the server: with the keyboard alone, in two tabs, with a pause, and with help. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { check, checkViews, expect, houses, valueOf } from "../harness.mjs";
import { setUpWithOwnServer } from "../stage.mjs";
import { openPage } from "../friends/pages.mjs";
import { Bot, MoveRecord } from "./bots.mjs";

/** @import { Page } from "playwright" */

// Its server refuses analyses of positions of its games, which tests of other files may request.
const stage = setUpWithOwnServer(["--lobby"]);

/** The most steps of the focus to a control of the page. */
const MAX_TABS = 150;

/** Phones in both formats. */
const VIEWS = /** @type {const} */ ([
  { viewport: { width: 390, height: 844 }, colorScheme: "light" },
  { viewport: { width: 844, height: 390 }, colorScheme: "dark" },
]);

/**
 * Moves the focus with the Tab key to a control with a name.
 *
 * @param {Page} page
 * @param {string} name
 */
async function tabTo(page, name) {
  for (let step = 0; step < MAX_TABS; step += 1) {
    await page.keyboard.press("Tab");
    const found = await page.evaluate((wanted) => {
      const { activeElement } = document;
      const labels = activeElement instanceof HTMLInputElement ? activeElement.labels : null;
      const label = labels?.[0]?.textContent ?? activeElement?.textContent;
      return (activeElement?.getAttribute("aria-label") ?? label)?.trim() === wanted;
    }, name);
    if (found) {
      return;
    }
  }
  assert.fail(`Tab does not reach ${name}`);
}

/**
 * Creates a room with the API, and returns its code and the leader's token.
 *
 * @param {Record<string, unknown>} options
 */
async function createRoom(options) {
  const clock = { initial: "10m", increment: "5s" };
  const body = { name: "Club", position: "4x3", format: "swiss", clock, ...options };
  const response = await fetch(`${stage.server.url}api/v1/rooms`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const { code, leader_token: leader } = await response.json();
  return { code, leader };
}

/** @param {{ code: string, leader: string }} room @param {unknown} command */
async function lead({ code, leader }, command) {
  const response = await fetch(`${stage.server.url}api/v1/rooms/${code}/commands`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${leader}` },
    body: JSON.stringify(command),
  });
  assert.equal(response.status, 200, await response.text());
}

/** Enters the room that a page shows. @param {Page} page @param {string} name */
async function enter(page, name) {
  await page.getByRole("textbox", { name: "Your name" }).fill(name);
  await page.getByRole("button", { name: "Enter", exact: true }).click();
  await page.getByText(/^(Wait for the first round|Challenge another)/).waitFor();
}

test("a leader creates a room, enters it, starts a round and moves with the keyboard alone", async () => {
  const { page, errors } = await openPage(stage, stage.server.url);
  await houses(page).first().waitFor();
  const { keyboard } = page;
  await tabTo(page, "Play a friend");
  await keyboard.press("ArrowRight");
  await page.getByRole("tab", { name: "Rooms", selected: true }).waitFor();
  await tabTo(page, "Name of the room");
  await keyboard.type("Club");
  await tabTo(page, "Create room");
  await keyboard.press("Enter");
  await page.getByRole("heading", { name: "Lead the room" }).waitFor();
  await tabTo(page, "Play, too");
  await keyboard.press("Enter");
  await keyboard.press("Tab");
  await keyboard.type("Ann");
  await keyboard.press("Enter");
  await page.getByText("Wait for the first round").waitFor();
  const code = /#room=(\w+)/.exec(page.url())?.[1] ?? "";
  const bot = new Bot(stage.server, code, "Bob", new MoveRecord());
  await bot.enter();
  await page.getByText("People (2)").waitFor();
  await tabTo(page, "Start the first round");
  await keyboard.press("Enter");
  await page.getByText("You play Bob").waitFor();
  await tabTo(page, "Play");
  await keyboard.press("Enter");
  await page.waitForURL(/#friend=/);
  await page.waitForFunction(() => document.activeElement?.id === "board");
  const playing = bot.play(1);
  await houses(page).first().waitFor();
  const house = houses(page).first();
  const pit = await house.getAttribute("data-pit");
  await house.focus();
  await keyboard.press("Enter");
  await page.locator("#log", { hasText: `You play house ${pit}` }).waitFor();
  await page.getByText("Your game is on the board.").waitFor();
  assert.deepEqual(errors, []);
  await page.context().close();
  bot.hasStopped = true;
  await playing;
});

test("the leader goes on with another device by a link that works once", async () => {
  const { code, leader } = await createRoom({});
  const address = `${stage.server.url}#room=${code}`;
  const one = await openPage(stage, "about:blank");
  await one.page.addInitScript(
    (access) => localStorage.setItem("kalah.room-access", JSON.stringify([access])),
    { code, leader, name: "Club", token: null, isEntering: false },
  );
  await one.page.goto(address);
  await one.page.getByRole("heading", { name: "Lead the room" }).waitFor();
  await tabTo(one.page, "Lead on another device");
  await one.page.keyboard.press("Enter");
  const field = one.page.getByRole("textbox", { name: "Link for leading on another device" });
  await field.waitFor();
  await checkViews(one.page, "room-leader-device", VIEWS);
  await one.page.getByRole("button", { name: "Close: Link for leading" }).click();
  await field.waitFor({ state: "detached" });
  await one.page.keyboard.press("Enter");
  const link = await valueOf(field);

  // Its visitor has entered the room before.
  const two = await openPage(stage, address);
  await enter(two.page, "Ann");
  /** @type {string[]} */
  const addresses = [link];
  two.page.on("request", (request) => {
    addresses.push(request.url(), request.headers()["referer"] ?? "");
  });
  await two.page.goto(link);
  await two.page.getByRole("heading", { name: "Lead the room" }).waitFor();
  await two.page.getByText("Wait for the first round").waitFor();
  await expect(two.page, "the code is not in the address").toHaveURL(address);
  await two.page.getByRole("button", { name: "Pause all games" }).click();
  await one.page.getByRole("button", { name: "Resume all games" }).waitFor();
  await two.page.reload();
  await two.page.getByRole("button", { name: "Resume all games" }).waitFor();
  const deviceCode = link.split(".").at(-1) ?? "";
  assert.deepEqual(
    addresses.filter(
      (text, index) => text.includes(leader) || (index > 0 && text.includes(deviceCode)),
    ),
    [],
  );

  const three = await openPage(stage, link);
  await three.page.getByRole("alert").getByText("This link has been used").waitFor();
  await three.page.getByText("People (1)").waitFor();
  await expect(three.page.getByRole("heading", { name: "Lead the room" })).toBeHidden();
  await expect(three.page).toHaveURL(address);
  await check(three.page, "room-leader-used");

  const four = await openPage(stage, `${stage.server.url}#leader=${code}.${deviceCode.slice(1)}`);
  await four.page.getByText("This link for leading a room").waitFor();
  await expect(four.page).toHaveURL(`${stage.server.url}#leader=${code}`);
  await four.page.context().close();
  for (const { page, errors } of [one, two]) {
    assert.deepEqual(errors, []);
    await page.context().close();
  }
  await three.page.context().close();
});

/**
 * Opens the room on a page as a member, with a bot as the other one.
 *
 * @param {Record<string, unknown>} [options]
 */
async function meet(options = {}) {
  const room = await createRoom(options);
  const visit = await openPage(stage, `${stage.server.url}#room=${room.code}`);
  await enter(visit.page, "<i>Ann</i>");
  const bot = new Bot(stage.server, room.code, "Bob", new MoveRecord());
  await bot.enter();
  await visit.page.getByText("People (2)").waitFor();
  return { room, bot, ...visit };
}

const START = { command: "start-round", void_running: false };

test("all tabs of a browser, and a page that was closed, are the same member", async () => {
  const { room, page, errors } = await meet();
  const other = await page.context().newPage();
  await other.goto(page.url());
  await other.getByText("Wait for the first round").waitFor();
  const elsewhere = await openPage(stage, page.url());
  const tab = await elsewhere.page.context().newPage();
  await tab.goto(page.url());
  await tab.getByText("You are watching.").waitFor();
  await enter(elsewhere.page, "Cid");
  await tab.getByText("Wait for the first round").waitFor();
  await elsewhere.page.getByRole("button", { name: "Leave the room" }).click();
  await elsewhere.page.getByRole("button", { name: "Leave", exact: true }).click();
  await elsewhere.page.getByText("You have left this room.").waitFor();
  await elsewhere.page.context().close();
  await page.getByText("People (2)").waitFor();
  await page.close();
  await lead(room, START);
  await other.waitForURL(/#friend=/);
  await houses(other).or(other.getByText("Bob is to move")).first().waitFor();
  await other.close();
  const third = await other.context().newPage();
  await third.goto(stage.server.url);
  await third.getByRole("tab", { name: "Rooms" }).click();
  await third.getByRole("button", { name: /^Club/ }).click();
  await third.getByRole("button", { name: "Play", exact: true }).click();
  await third.locator("#plate-south, #plate-north").getByText("<i>Ann</i> (you)").waitFor();
  await expect(third.locator(".plate i")).toHaveCount(0);
  assert.deepEqual(errors, []);
  await lead(room, { command: "close" });
  await third
    .locator("#room-pause", { hasText: "The leader has closed the room." })
    .or(third.getByText("No result"))
    .first()
    .waitFor();
  await third.context().close();
});

test("a round that starts takes no one out of a game, and says where the own game is", async () => {
  const { room, page, errors } = await meet();
  await page.getByRole("tab", { name: "Analysis" }).click();
  await houses(page).first().click();
  await lead(room, START);
  const notice = page.locator("#friend-return", { hasText: "With Bob" });
  await notice.waitFor();
  await expect(page).not.toHaveURL(/#friend=/);
  await check(page, "room-game-elsewhere");
  await page.getByRole("tab", { name: "Play a friend" }).click();
  await page.locator(".my-games", { hasText: "Club: " }).waitFor();
  await notice.getByRole("button").click();
  await page.waitForURL(/#friend=/);
  await page.locator("#plate-south, #plate-north").getByText("<i>Ann</i> (you)").waitFor();
  assert.deepEqual(errors, []);
  await lead(room, { command: "close" });
  await page.context().close();
});

test("a pause stops the board, and the leader's decision ends the game without a rematch", async () => {
  const { room, page, errors } = await meet();
  await lead(room, START);
  await page.waitForURL(/#friend=/);
  await page.locator("#turn", { hasText: /your clock starts|loses without/ }).waitFor();
  await lead(room, { command: "pause" });
  await page.locator("#room-pause", { hasText: "The leader has paused all games." }).waitFor();
  await expect(houses(page)).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Ask to take back" })).toBeHidden();
  await expect(page.locator("#hint")).toBeHidden();
  await checkViews(page, "room-game-paused", VIEWS);
  await lead(room, { command: "resume" });
  await page.locator("#room-pause").waitFor({ state: "hidden" });
  const { game, south } = await firstGame(room.code);
  const result = south === 1 ? "south" : "north";
  await lead(room, { command: "end-game", game, result });
  await page.getByRole("heading", { name: "You win" }).waitFor();
  await page.locator("#game-end-note", { hasText: "The room's leader has decided" }).waitFor();
  await expect(page.locator("#rematch")).toBeHidden();
  await checkViews(page, "room-game-decided", VIEWS);
  await lead(room, START);
  const next = await firstGame(room.code);
  await page.waitForURL(`**/#friend=${next.game}`);
  await lead(room, { command: "end-game", game: next.game, result: "void" });
  await page.locator("#game-end-text", { hasText: "The leader has ended the game" }).waitFor();
  await page.getByRole("button", { name: "Back to the room" }).click();
  await page.getByText("without result").waitFor();
  await lead(room, { command: "remove", member: 1 });
  await page.getByText("The leader has removed you from this room.").waitFor();
  assert.deepEqual(errors, []);
  await page.context().close();
});

test("the lobby is one tap away, and a challenge begins a game as soon as it is accepted", async () => {
  const { page, errors } = await openPage(stage, stage.server.url);
  await page.getByRole("tab", { name: "Rooms" }).click();
  await page.getByRole("button", { name: "Enter the lobby" }).click();
  await enter(page, "Ann");
  await page.getByRole("button", { name: "Challenge all" }).click();
  await page.getByText("You challenge all").waitFor();
  await checkViews(page, "room-lobby", VIEWS);
  const bot = new Bot(stage.server, "LOBBY", "Bob", new MoveRecord());
  await bot.enter();
  const { you, members } = (await bot.room()) ?? {};
  assert.equal(you?.member, bot.number);
  const from = members?.find(({ name }) => name === "Ann")?.number;
  await bot.request("rooms/LOBBY/commands", { command: "accept-challenge", from });
  await page.waitForURL(/#friend=/);
  await page.locator("#plate-south, #plate-north").getByText("Bob", { exact: true }).waitFor();
  await page.getByText("You play Bob").waitFor();
  assert.deepEqual(errors, []);
  await page.context().close();
});

/** Returns the first game of the round. @param {string} code */
async function firstGame(code) {
  const { games } = await (await fetch(`${stage.server.url}api/v1/rooms/${code}`)).json();
  return games[0];
}

test("players get hints only in a room that allows them", async () => {
  for (const engine_help of [false, true]) {
    const { room, page, bot, errors } = await meet({ engine_help });
    await lead(room, START);
    await page.waitForURL(/#friend=/);
    const playing = bot.play(1);
    await houses(page).first().waitFor();
    await expect(page.locator("#hint")).toBeVisible({ visible: engine_help });
    await expect(page.locator("#margins")).toBeVisible({ visible: engine_help });
    if (engine_help) {
      await page.locator("#hint").click();
      await page.locator("#event", { hasText: "Hint: " }).waitFor();
    } else {
      await page.getByRole("tab", { name: "Analysis" }).click();
      await page.getByText("This room has no hints, scores or analysis").first().waitFor();
    }
    await check(page, `room-help-${engine_help}`);
    bot.hasStopped = true;
    await playing;
    await lead(room, { command: "close" });
    assert.deepEqual(errors, []);
    await page.context().close();
  }
});
