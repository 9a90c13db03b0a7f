import assert from "node:assert/strict";
import { test } from "node:test";

import { compress, decompress } from "../../../sharing/compression.js";

test("decompress is the inverse of compress, in letters of addresses", async () => {
  const long = Array.from({ length: 2_000 }, (_, index) => `${index}. CF { Größe 🌰 } a`).join(" ");
  for (const text of ["", "1. C *", "ä 🌰 \u0000", long]) {
    const compressed = await compress(text);
    assert.match(compressed, /^[A-Za-z0-9_-]*$/);
    assert.equal(await decompress(compressed), text);
  }
  assert.ok((await compress(long)).length < long.length / 4);
});

test("damaged letters and texts that are too long are refused", async () => {
  const compressed = await compress("1. CF c 2. A d *");
  for (const damaged of ["", "A", "*", compressed.slice(0, -2), compressed.slice(1)]) {
    await assert.rejects(decompress(damaged), damaged);
  }
  await assert.rejects(decompress(await compress("a".repeat(300_000))), RangeError);
});
