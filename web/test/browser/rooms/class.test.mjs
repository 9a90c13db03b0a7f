/**
 * A class in a room: a leader with a phone, two pupils with phones, and six who use the API, in three
 * rounds of a Swiss tournament, with a server that is killed in the second one.
 */

import assert from "node:assert/strict";
import { text } from "node:stream/consumers";
import { test } from "node:test";

import { check, expect, houses, open } from "../harness.mjs";
import { setUpWithOwnServer } from "../stage.mjs";
import { Bot, MoveRecord } from "./bots.mjs";

/** @import { Page } from "playwright" */

const stage = setUpWithOwnServer();

/** A phone in upright format. */
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

/** The number of rounds, and of the members who use the API. */
const ROUNDS = 3;
const BOTS = 6;

/** The seeds on the board. */
const SEEDS = 8;

/** The longest wait for a tap, and the delay between two looks at a page, in milliseconds. */
const TAP_TIMEOUT_MS = 2_000;
const TAP_DELAY_MS = 40;

/** The chances to move that members take in the second round before the server is killed. */
const MOVES_BEFORE_KILL = 8;

const record = new MoveRecord();

/** The addresses that the phones have requested or shown, and the pages that referred to them. */
const addresses = new Set();

/** Opens a page on a phone whose menu for sharing keeps the text. @param {string} address */
async function openPhone(address) {
  const context = await stage.browser.newContext({ ...PHONE, reducedMotion: "reduce" });
  const { page, errors } = await open(context);
  await page.addInitScript(() => {
    /** @param {ShareData} data */
    navigator.share = async ({ text: message, url }) => {
      document.documentElement.dataset["shared"] = `${message} ${url}`;
    };
  });
  page.on("request", (request) => {
    addresses.add(request.url());
    addresses.add(request.headers()["referer"] ?? "");
  });
  page.on("framenavigated", (frame) => addresses.add(frame.url()));
  page.on("websocket", (socket) => {
    addresses.add(socket.url());
    const game = /games\/([\w-]+)\/live/.exec(socket.url())?.[1];
    socket.on("framesent", ({ payload }) => {
      const message = JSON.parse(String(payload));
      if (game && message.type === "move") {
        record.add(game, message.ply, message.move);
      }
    });
  });
  await page.goto(address);
  return { page, errors };
}

/** Creates the room on the leader's phone, and returns the shared text. @param {Page} page */
async function createRoom(page) {
  await page.getByRole("tab", { name: "Rooms" }).tap();
  const panel = page.getByRole("tabpanel");
  await panel.getByLabel("Name of the room").fill("Class 7b");
  await panel.getByLabel("Swiss").check();
  await panel.getByLabel("Rules").selectOption("cs32");
  await panel.getByLabel("Houses a side").selectOption("2");
  await panel.getByLabel("Seeds in each").selectOption("2");
  await panel.getByLabel("Clock").selectOption("10 minutes + 5 seconds per turn");
  await panel.getByRole("button", { name: "Create room" }).tap();
  await page.getByRole("button", { name: "Share", exact: true }).tap();
  const html = page.locator("html");
  await expect(html).toHaveAttribute("data-shared", /./);
  return (await html.getAttribute("data-shared")) ?? "";
}

/** Enters the room with a name. @param {Page} page @param {string} name */
async function enter(page, name) {
  await page.getByRole("textbox", { name: "Your name" }).fill(name);
  await page.getByRole("button", { name: "Enter", exact: true }).tap();
  await page.getByText("Wait for the first round").waitFor();
}

/**
 * Plays the game of a round, which opens by itself. The page of a member with a bye says so.
 *
 * @param {Page} page
 * @param {number} round
 * @param {() => boolean} [mayMove] whether the member goes on
 */
async function playRound(page, round, mayMove = () => true) {
  const bye = page.getByText(`You have a bye in round ${round}`);
  const board = page.locator("#turn", { hasText: /your clock starts|loses without/ });
  await bye.or(board).first().waitFor();
  if (await bye.isVisible()) {
    return;
  }
  const end = page.locator("#game-end");
  while (!(await end.isVisible())) {
    const house = houses(page).first();
    if (mayMove() && (await house.isVisible())) {
      // The house may no longer be playable when the finger reaches it.
      await house.tap({ timeout: TAP_TIMEOUT_MS }).catch(() => {});
    }
    await page.waitForTimeout(TAP_DELAY_MS);
  }
  await page.getByRole("button", { name: "Back to the room" }).waitFor();
}

/**
 * Checks the exported games: each has exactly the moves that its players have sent.
 *
 * @param {string} code
 */
async function checkExport(code) {
  const results = `${stage.server.url}api/v1/rooms/${code}/results`;
  const exported = await (await fetch(`${results}?format=json`)).json();
  const records = await (await fetch(`${results}?format=kgn`)).text();
  // Three rounds of eight, seven and seven members.
  assert.equal(exported.games.length, 4 + 3 + 3);
  assert.equal(record.size, exported.games.length);
  assert.equal(exported.byes.length, 2);
  /** @type {Map<number, string>} */
  const names = new Map(
    exported.members.map((/** @type {any} */ { number, name }) => [number, name]),
  );
  const parts = records.trim().split(/\n\n(?=\[Event )/);
  assert.equal(parts.length, exported.games.length);
  for (const { game, plies, south, north, ending } of exported.games) {
    assert.deepEqual(plies, record.moves(game), `the moves of ${game}`);
    const part = parts.find((one) => one.includes(`[Game "${game}"]`)) ?? "";
    const [tags = "", moves = ""] = part.split("\n\n");
    assert.ok(tags.includes(`[South "${names.get(south)}"]`), tags);
    assert.ok(tags.includes(`[North "${names.get(north)}"]`), tags);
    const letters = moves.replace(/\d+\.|\d+-\d+|\s/g, "");
    assert.equal(letters, plies.join(""), `the record of ${game}`);
    const { south: own, north: other } = ending.seeds;
    assert.equal(own + other, SEEDS);
    const winner = own === other ? "tie" : own > other ? "south" : "north";
    assert.equal(ending.winner, winner, game);
    assert.ok(tags.includes(`[Result "${own}-${other}"]`), tags);
  }
  const points = exported.standings.map((/** @type {any} */ row) => row.points);
  const sum = points.reduce((/** @type {number} */ one, /** @type {number} */ two) => one + two, 0);
  assert.equal(sum, exported.games.length + exported.byes.length);
  return JSON.stringify(exported) + records;
}

/** Returns the tokens that a phone stores. @param {Page} page */
const tokensOf = (page) =>
  page.evaluate(() =>
    Object.values(localStorage).flatMap((value) =>
      [...value.matchAll(/"(?:token|leader)":"([\w-]{22})"/g)].map(([, token]) => String(token)),
    ),
  );

test("a class of eight plays three rounds while a pupil leaves and the server is killed", async () => {
  const leader = await openPhone(stage.server.url);
  const shared = await createRoom(leader.page);
  const [address = ""] = /https?:\S+/.exec(shared) ?? [];
  const code = /\/room\/(\w{6})$/.exec(address)?.[1] ?? "";
  await check(leader.page, "class-created");

  const ann = await openPhone(address);
  await enter(ann.page, "Ann");
  const ben = await openPhone(stage.server.url);
  await ben.page.getByRole("tab", { name: "Rooms" }).tap();
  const typed = `${code.slice(0, 3)} ${code.slice(3)}`.toLowerCase();
  await ben.page.getByLabel("Code of the room").fill(typed);
  await ben.page.getByRole("button", { name: "Open", exact: true }).tap();
  await enter(ben.page, "Ben");
  const bots = Array.from(
    { length: BOTS },
    (_, index) => new Bot(stage.server, code, `Pupil ${index + 3}`, record),
  );
  for (const bot of bots) {
    await bot.enter();
  }
  await leader.page.getByText("People (8)").waitFor();

  await leader.page.getByRole("button", { name: "Start the first round" }).tap();
  await Promise.all([
    playRound(ann.page, 1),
    playRound(ben.page, 1),
    ...bots.map((bot) => bot.play(1)),
  ]);
  await ann.page.getByRole("button", { name: "Back to the room" }).tap();
  await ann.page.getByText("Your game of this round is over.").waitFor();
  assert.equal(await bots.pop()?.leave().then(Boolean), true);
  await leader.page.getByText("People (7)").waitFor();

  // All wait after their first moves in the second round while the server is killed.
  let isKilled = false;
  let moves = 0;
  const mayMove = () => isKilled || (moves += 1) <= MOVES_BEFORE_KILL;
  await leader.page.getByText("The next round can start.").waitFor();
  await leader.page.getByRole("button", { name: "Start round 2" }).tap();
  const second = Promise.all([
    playRound(ann.page, 2, mayMove),
    playRound(ben.page, 2, () => isKilled),
    ...bots.map((bot) => bot.play(2, mayMove)),
  ]);
  while (moves < MOVES_BEFORE_KILL) {
    await leader.page.waitForTimeout(TAP_DELAY_MS);
  }
  await stage.server.end("SIGKILL");
  await leader.page.getByText("Reconnecting to the room").waitFor();
  await stage.server.start();
  await leader.page.getByText("Reconnecting to the room").waitFor({ state: "hidden" });
  isKilled = true;
  await second;

  for (let round = 3; round <= ROUNDS; round += 1) {
    await leader.page.getByText("The next round can start.").waitFor();
    await leader.page.getByRole("button", { name: `Start round ${round}` }).tap();
    await Promise.all([
      playRound(ann.page, round),
      playRound(ben.page, round),
      ...bots.map((bot) => bot.play(round)),
    ]);
  }
  await leader.page.getByText("All games of the round are over.").waitFor();
  const waiting = leader.page.waitForEvent("download");
  await leader.page.getByRole("link", { name: "All data (JSON)" }).tap();
  const file = await text(await (await waiting).createReadStream());
  assert.equal(JSON.parse(file).room.code, code);
  const exported = await checkExport(code);

  await ben.page.reload();
  await ben.page.getByRole("button", { name: "Back to the room" }).tap();
  await ben.page.getByText(/^You: place \d of 8, /).waitFor();
  await check(ben.page, "class-standings");
  const tokens = (await Promise.all([leader, ann, ben].map(({ page }) => tokensOf(page)))).flat();
  assert.ok(tokens.length >= 3, "the phones store their tokens");
  for (const token of tokens) {
    assert.ok(!exported.includes(token), "a token is in the export");
    assert.deepEqual(
      [...addresses].filter((one) => one.includes(token)),
      [],
    );
  }
  for (const { page, errors } of [leader, ann, ben]) {
    // The browser logs the connections that ended with the server.
    assert.deepEqual(
      errors.filter(
        (error) =>
          !/ERR_CONNECTION_(?:REFUSED|RESET|CLOSED)|ERR_EMPTY_RESPONSE|WebSocket/.test(error),
      ),
      [],
    );
    await page.context().close();
  }
});
