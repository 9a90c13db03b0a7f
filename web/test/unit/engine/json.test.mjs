import assert from "node:assert/strict";
import { test } from "node:test";

import { formatJson, parseJson } from "../../../engine/json.js";

test("the page's names become the keys of the API", () => {
  assert.equal(formatJson({ position: "6x4", move: "A" }), '{"position":"6x4","choice":"A"}');
  assert.equal(formatJson({ moves: ["A", "b"] }), '{"choices":["A","b"]}');
  assert.equal(formatJson({ plies: [{ move: "A" }] }), '{"plies":[{"choice":"A"}]}');
});

test("the option `moves` of an analysis keeps its key", () => {
  assert.equal(formatJson({ moves: "all" }), '{"moves":"all"}');
});

test("the keys of the API become the page's names", () => {
  const analysis = '{"best":"A","moves":[{"choice":"A","lower":1}]}';
  assert.deepEqual(parseJson(analysis), { best: "A", moves: [{ move: "A", lower: 1 }] });
  const sown = '{"choice":"A","after":{"choices":["b"]},"path":[]}';
  assert.deepEqual(parseJson(sown), { move: "A", after: { moves: ["b"] }, path: [] });
});
