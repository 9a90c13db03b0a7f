/** Tests of connections that die without a word, and of the time on a clock. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { expect, houses, installClock, open, stopClock } from "../harness.mjs";
import { setUp } from "../stage.mjs";
import { takeSeat } from "./pages.mjs";

/** @import { Page } from "playwright" */

const stage = setUp();

/** The silence, the time for an answer and the delay after which the page connects again, at most. */
const SILENCE_MS = 12_000;

/** The same for a page that becomes visible, which is less than the silence after which it asks. */
const WAKE_MS = 3_000;

/** Sends a request to the API. @param {string} path @param {object} body @param {string} [token] */
async function post(path, body, token) {
  const response = await fetch(`${stage.server.url}api/v1/${path}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(token && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  });
  assert.ok(response.ok, `${path}: ${response.status}`);
  return response.json();
}

/**
 * Opens a game with a clock whose creator, South, is the test. The connection of the page can be
 * cut without a notice to either side. With `isStopped`, only the test advances the clock of the page.
 *
 * @param {{ watches?: boolean, isStopped?: boolean }} [options]
 */
async function openGame({ watches = false, isStopped = true } = {}) {
  const { game, token } = await post("games", {
    position: "4x3",
    side: "south",
    clock: { initial: "10m", increment: "0s" },
  });
  const context = await stage.browser.newContext({ reducedMotion: "reduce" });
  const { page, errors } = await open(context);
  if (isStopped) {
    await installClock(page);
  }
  let sockets = 0;
  let cut = 0;
  await page.routeWebSocket(/\/live$/, (socket) => {
    sockets += 1;
    const number = sockets;
    const server = socket.connectToServer();
    socket.onMessage((message) => void (number > cut && server.send(message)));
    server.onMessage((message) => void (number > cut && socket.send(message)));
    socket.onClose(() => {});
  });
  await page.goto(`${stage.server.url}#friend=${game}`);
  await page.locator(".house").first().waitFor();
  if (watches) {
    await post(`games/${game}/join`, { token: "A".repeat(22) });
  } else {
    await takeSeat(page);
    await page.locator("#plate-north .name", { hasText: "You" }).waitFor();
  }
  if (isStopped) {
    await stopClock(page);
  }
  return {
    page,
    errors,
    /** Makes the move of South. @param {number} ply @param {string} move */
    play: (ply, move) => post(`games/${game}/plies`, { ply, move }, token),
    cutConnection: () => (cut = sockets),
    leave: () => context.close(),
  };
}

/** Waits until the page shows the move of house A. @param {Page} page */
const waitForMove = (page) => page.locator("[data-pit=A][aria-label*=' 0 seeds']").waitFor();

test("the page notices a connection that died without a word, and fetches what it missed", async () => {
  for (const watches of [false, true]) {
    const { page, errors, play, cutConnection, leave } = await openGame({ watches });
    cutConnection();
    await play(1, "A");
    await page.clock.runFor(SILENCE_MS);
    await waitForMove(page);
    await expect(houses(page)).toHaveCount(watches ? 0 : 4);
    assert.deepEqual(errors, []);
    await leave();
  }
});

test("a page with another network connects again at once", async () => {
  const { page, errors, play, cutConnection, leave } = await openGame();
  cutConnection();
  await play(1, "A");
  await page.evaluate(() => window.dispatchEvent(new Event("online")));
  await waitForMove(page);
  assert.deepEqual(errors, []);
  await leave();
});

test("a page that becomes visible connects again soon", async () => {
  const { page, errors, play, cutConnection, leave } = await openGame();
  cutConnection();
  await play(1, "A");
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
  await page.clock.runFor(WAKE_MS);
  await waitForMove(page);
  assert.deepEqual(errors, []);
  await leave();
});

test("the time on a clock does not follow the time of day", async () => {
  const { page, errors, play, leave } = await openGame({ isStopped: false });
  await play(1, "A");
  await waitForMove(page);
  // The clock of North runs after North's first move, which gives a bonus turn.
  await page.locator('[data-pit="b"]').click();
  const north = page.getByRole("timer", { name: "North's clock" });
  await north.getByText(/^9:/).waitFor();
  for (const hours of [1, -1]) {
    await page.evaluate((shift) => {
      Date.now = () => performance.timeOrigin + performance.now() + shift * 3_600_000;
    }, hours);
    const before = (await north.textContent()) ?? "";
    await north.filter({ hasNotText: before }).waitFor();
    await expect(north, `${hours} h`).toHaveText(/^9:\d\d$/);
  }
  assert.deepEqual(errors, []);
  await leave();
});
