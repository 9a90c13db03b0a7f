/** Tests of requests to the engine over connections that died without a word. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { after, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";

import { installClock, open, stopClock } from "../harness.mjs";
import { setUp } from "../stage.mjs";

/** @import { AddressInfo, Socket } from "node:net" */

const stage = setUp();

/** The time of the page's clock in which lost requests have to arrive, in seconds. */
const MAX_SECONDS = 10;

/** The time that a request has in each second of the page's clock, in milliseconds. */
const REAL_STEP_MS = 400;

/**
 * Starts a proxy before the server. When the first request to each of the endpoints arrives, all
 * connections die: they stay open, and no more bytes pass.
 *
 * @param {Set<string>} endpoints
 */
async function startProxy(endpoints) {
  /** @type {Set<{ isDead: boolean }>} */
  const connections = new Set();
  /** @type {Set<Socket>} */
  const sockets = new Set();
  const proxy = createServer((client) => {
    const server = connect(Number(new URL(stage.server.url).port), "127.0.0.1");
    const connection = { isDead: false };
    connections.add(connection);
    client.on("data", (bytes) => {
      const [, endpoint = ""] = /^POST \/api\/v1\/(\w+) /.exec(bytes.toString()) ?? [];
      if (endpoints.delete(endpoint)) {
        connections.forEach((known) => (known.isDead = true));
      }
    });
    for (const [from, to] of /** @type {const} */ ([
      [client, server],
      [server, client],
    ])) {
      sockets.add(from);
      from.on("data", (bytes) => connection.isDead || to.write(bytes));
      from.on("close", () => connection.isDead || to.destroy());
      from.on("error", () => from.destroy());
    }
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  after(() => {
    proxy.close();
    sockets.forEach((socket) => socket.destroy());
  });
  const { port } = /** @type {AddressInfo} */ (proxy.address());
  return `http://127.0.0.1:${port}/`;
}

test("a move and the computer's answer arrive although their connections are lost", async () => {
  const lost = new Set(["move", "choose"]);
  const url = await startProxy(lost);
  const context = await stage.browser.newContext({ reducedMotion: "reduce" });
  const { page, errors } = await open(context);
  await installClock(page);
  await page.goto(url);
  const house = page.locator(".house.playable").last();
  await house.waitFor();
  await stopClock(page);
  await house.click();
  const ownMoveHasArrived = async () => lost.size === 0;
  const isOwnTurn = async () => (await page.locator("#turn", { hasText: "Your turn" }).count()) > 0;
  for (const isDone of [ownMoveHasArrived, isOwnTurn]) {
    for (let seconds = 0; !(await isDone()); seconds += 1) {
      assert.ok(seconds <= MAX_SECONDS, `not ${isDone.name} after ${seconds} s`);
      await page.clock.runFor(1_000);
      await delay(REAL_STEP_MS);
    }
  }
  assert.deepEqual(errors, []);
  await context.close();
});
