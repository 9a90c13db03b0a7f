import assert from "node:assert/strict";
import { test } from "node:test";

import jsqr from "jsqr";

import { qrModules } from "../../../friends/qr-code.js";

/** The pixels of a module in the picture that is decoded. */
const SCALE = 4;

/** Jsqr is a CommonJS module. @type {typeof jsqr.default} */
const decode = /** @type {any} */ (jsqr).default ?? jsqr;

test("the code of a link is decoded to the link", () => {
  const id = "AbCdEfGhIjKlMnOpQrStU_";
  for (const text of [
    `https://kalah.example/#friend=${id}.${id}`,
    `http://127.0.0.1:8080/#watch=${id}`,
  ]) {
    const modules = qrModules(text);
    const size = modules.length * SCALE;
    const pixels = new Uint8ClampedArray(4 * size * size);
    for (let y = 0; y < size; y += 1) {
      for (let x = 0; x < size; x += 1) {
        const isDark = modules[Math.floor(y / SCALE)]?.[Math.floor(x / SCALE)];
        pixels.set([...Array(3).fill(isDark ? 0 : 255), 255], 4 * (y * size + x));
      }
    }
    assert.equal(decode(pixels, size, size)?.data, text);
  }
});
