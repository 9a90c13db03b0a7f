/** Tests of links to games with friends that cannot connect. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { check, expect, houses, setView } from "../harness.mjs";
import { setUpWithOwnServer } from "../stage.mjs";
import { createGame, joinGame, openPage } from "./pages.mjs";

/** @import { BrowserContextOptions, Page } from "playwright" */

/** The live connections that the server allows for one game. */
const MAX_CONNECTIONS = 256;

/** The live connections that the server allows for one address in these tests. */
const MAX_CONNECTIONS_PER_ADDRESS = 400;

/** The contexts that hold the connections: Chromium opens at most 255 WebSockets in each. */
const HOLDERS = 2;

// One test fills the limit of connections, and another one kills the server.
const stage = setUpWithOwnServer(["--live-connections", String(MAX_CONNECTIONS_PER_ADDRESS)]);

/** @param {string} [address] @param {BrowserContextOptions} [options] */
const visit = (address = stage.server.url, options = {}) => openPage(stage, address, options);

/** @param {Page} page */
const noticeOf = (page) => page.getByRole("region", { name: "Game with a friend" });

/**
 * Holds live connections to a game from a page without scripts of its own.
 *
 * @param {string} game
 * @param {number} count
 */
async function hold(game, count) {
  const pages = await Promise.all(
    Array.from({ length: HOLDERS }, () => visit(`${stage.server.url}icon.svg`)),
  );
  for (const { page } of pages) {
    await page.evaluate(
      ([id, size]) =>
        Promise.all(
          Array.from(
            { length: Number(size) },
            () =>
              new Promise((resolve, reject) => {
                const address = new URL(`api/v1/games/${id}/live`, location.href);
                address.protocol = "ws";
                const socket = new WebSocket(address);
                socket.onopen = () => socket.send('{"type":"hello"}');
                socket.onmessage = () => resolve(true);
                socket.onclose = () => reject(new Error("a connection was refused"));
              }),
          ),
        ).then(() => true),
      [game, String(count / HOLDERS)],
    );
  }
  return async () => {
    for (const { page } of pages) {
      await page.context().close();
    }
  };
}

/** Checks that the page shows no game and cannot play one. @param {Page} page */
async function assertNothingToPlay(page) {
  await expect(houses(page)).toHaveCount(0);
  await expect(page.locator("#board")).toBeHidden();
  await expect(page.locator("#controls")).toBeHidden();
  await page.keyboard.press("c");
  await page.keyboard.press("u");
  await expect(page.locator("#event")).toHaveText("");
  await expect(page.getByRole("log")).toHaveText("");
}

/** Creates a game, leaves its page open only as long as necessary, and returns its link. */
async function newLink() {
  const { page } = await visit();
  const link = await createGame(page);
  await houses(page).first().waitFor();
  await page.context().close();
  return link;
}

test("a game with 256 spectators shows this reason to others, and has room for players", async () => {
  const link = await newLink();
  const friend = await joinGame(stage, link);
  await friend.page.goto("about:blank");
  const game = link.split("=").at(-1) ?? "";
  const release = await hold(game, MAX_CONNECTIONS);
  const { page, errors } = await visit(link);
  await noticeOf(page).getByText("This game has 256 live connections, as many as").waitFor();
  await assertNothingToPlay(page);
  await check(page, "friend-full-1440-light");
  await setView(page, { colorScheme: "dark", viewport: { width: 390, height: 844 } });
  await assertNothingToPlay(page);
  await check(page, "friend-full-390-dark");
  assert.deepEqual(errors, []);
  await friend.page.goto(link);
  await friend.page.locator("#plate-north .name", { hasText: "You" }).waitFor();
  await friend.page.context().close();
  // Without a network the page does not try again by itself, so that only the button does.
  await page.evaluate(() => window.dispatchEvent(new Event("offline")));
  await release();
  await page.keyboard.press("Tab");
  await noticeOf(page).getByRole("button", { name: "Try again" }).focus();
  await page.keyboard.press("Enter");
  await noticeOf(page).waitFor({ state: "hidden" });
  await page.waitForFunction(() => document.querySelectorAll(".house").length === 8);
  await page.context().close();
});

test("the notice precedes the game of the link, and no other game is loaded", async () => {
  const link = await newLink();
  const { page } = await visit();
  await houses(page).first().waitFor();
  // The live connection stays open without a message.
  await page.routeWebSocket(/\/live$/, () => {});
  await page.goto(link);
  await page.reload();
  await noticeOf(page).getByText("Connecting to your friend's game").waitFor();
  await assertNothingToPlay(page);
  await check(page, "friend-connecting-1440-light");
  // The own game returns when the player leaves the link.
  await noticeOf(page).getByRole("button", { name: "Start another game" }).click();
  await page.getByRole("dialog", { name: "New game" }).waitFor();
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => document.querySelectorAll(".house").length === 12);
  await page.context().close();
});

test("a link that is opened over a local game hides that game", async () => {
  const { page } = await visit();
  await houses(page).first().waitFor();
  await page.evaluate((fragment) => (location.hash = fragment), `#friend=${"A".repeat(22)}`);
  await noticeOf(page).getByText("There is no such game on this server").waitFor();
  await expect(page.locator("#board")).toBeHidden();
  await check(page, "friend-denied-1440-light");
  await page.goBack();
  await houses(page).first().waitFor();
  await expect(noticeOf(page)).toBeHidden();
  await page.context().close();
});

test("a server that opens no live connection, and one that is down, are named", async () => {
  const link = await newLink();
  const { page } = await visit();
  await houses(page).first().waitFor();
  await page.routeWebSocket(/\/live$/, (socket) => void socket.close({ code: 1006 }));
  await page.evaluate(() => {
    // A proxy that answers the opening request with an error: the browser reports 1006.
    const Original = WebSocket;
    window.WebSocket = class extends Original {
      /** @param {string | URL} address */
      constructor(address) {
        super(String(address).replace("/live", "/none"));
      }
    };
  });
  await page.evaluate((hash) => (location.hash = hash), new URL(link).hash);
  await noticeOf(page).getByText("opens no live connection").waitFor();
  await stage.server.end("SIGKILL");
  await noticeOf(page).getByText("The server cannot be reached.").waitFor();
  await stage.server.start();
  await page.context().close();
});
