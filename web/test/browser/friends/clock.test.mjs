/** Tests of the clock that the creator of a game with a friend chooses. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { check, expect } from "../harness.mjs";
import { setUp } from "../stage.mjs";
import { createGame, openPage } from "./pages.mjs";

const stage = setUp();

test("the creator of a game chooses own times within their ranges", async () => {
  for (const viewport of [
    { width: 1440, height: 900 },
    { width: 390, height: 844 },
  ]) {
    const { page, errors } = await openPage(stage, stage.server.url, { viewport });
    await page.getByRole("tab", { name: "Play a friend" }).click();
    const panel = page.getByRole("tabpanel");
    const minutes = panel.getByRole("spinbutton", { name: "Minutes" }).first();
    await expect(minutes).toBeHidden();
    await panel.getByLabel("Clock").selectOption("Custom clock");
    await minutes.fill("0");
    const message = () =>
      minutes.evaluate((field) => /** @type {HTMLInputElement} */ (field).validationMessage);
    await expect.poll(message).toMatch(/^A clock starts with 1 second to 24 hours/);
    await panel.getByRole("spinbutton", { name: "Seconds", exact: true }).fill("45");
    await panel.getByRole("spinbutton", { name: "Seconds added per turn" }).fill("7");
    await expect.poll(message).toBe("");
    await check(page, `friend-clock-${viewport.width}-light`);
    await createGame(page, "Custom clock");
    await panel.getByText("Each player: 45 seconds plus 7 seconds per turn").waitFor();
    await page.getByRole("timer", { name: "South's clock" }).getByText("0:45").waitFor();
    // The code of the link in the panel is folded.
    await panel.getByText("QR code", { exact: true }).click();
    const code = panel.getByRole("img", { name: "QR code: Link to this game" });
    await code.waitFor();
    // The page scrolls the opened code into view.
    await page.waitForFunction(
      (image) => {
        const { bottom } = /** @type {Element} */ (image).getBoundingClientRect();
        const panels = document.querySelector("#panels")?.getBoundingClientRect();
        return bottom <= Math.min(panels?.bottom ?? 0, window.innerHeight) + 1;
      },
      await code.elementHandle(),
    );
    await check(page, `friend-qr-code-${viewport.width}-light`);
    assert.deepEqual(errors, []);
    await page.context().close();
  }
});
