import assert from "node:assert/strict";
import { test } from "node:test";

import { parseComments } from "../../../panels/moves/editing.js";
import { moveListItems } from "../../../panels/moves/items.js";

/**
 * @param {string} move
 * @param {...any} children
 * @returns {any}
 */
const sow = (move, ...children) => {
  const side = move === move.toUpperCase() ? "south" : "north";
  return { moveResult: { move, side }, comments: [], children };
};

/**
 * Returns the list as text.
 *
 * @param {any[]} items
 * @returns {string}
 */
const text = (items) =>
  items
    .map((item) => {
      switch (item.kind) {
        case "ply":
          return `${item.isNumbered ? item.number : ""}${item.moveResult.move}`;
        case "comment":
          return `{${item.text}}`;
        default:
          return `(${text(item.items)})`;
      }
    })
    .join(" ");

const tree = (/** @type {any[]} */ children, /** @type {string[]} */ comments = []) => ({
  children,
  comments,
});

test("turns are numbered as in records", () => {
  assert.equal(
    text(moveListItems(tree([sow("C", sow("F", sow("b", sow("A", sow("c")))))]))),
    "1.C F b 2.A c",
  );
  assert.equal(text(moveListItems(tree([sow("b", sow("A"))]))), "1…b 2.A");
  assert.equal(text(moveListItems(tree([]))), "");
});

test("variations follow the move that they replace, and a number follows them", () => {
  const children = [
    sow("A", sow("b", sow("C")), sow("c", sow("D"), sow("E", sow("d")))),
    sow("B", sow("b")),
  ];
  assert.equal(text(moveListItems(tree(children))), "1.A (1.B b) 1…b (1…c 2.D (2.E d)) 2.C");
});

test("a bonus turn within a variation keeps its number", () => {
  assert.equal(
    text(moveListItems(tree([sow("C", sow("F", sow("b")), sow("E", sow("b")))]))),
    "1.C F (1.E b) 1…b",
  );
});

test("comments follow their ply", () => {
  const commented = { ...sow("A", sow("b")), comments: ["well", "well"] };
  assert.equal(text(moveListItems(tree([commented], ["first"]))), "{first} 1.A {well} {well} 1…b");
});

test("paths identify the plies", () => {
  const items = moveListItems(tree([sow("A", sow("b"), sow("c", sow("D")))]));
  /** @type {(of: any[]) => number[][]} */
  const paths = (of) =>
    of.flatMap((item) => (item.kind === "variation" ? paths(item.items) : [item.path]));
  assert.deepEqual(paths(items), [[0], [0, 0], [0, 1], [0, 1, 0]]);
});

test("commands of programs in comments are not shown", () => {
  const comments = ["[%clk 0:04:59]", "[%emt 0:01] slow [%csl Ra]", "[%", ""];
  const commented = { ...sow("A", sow("b")), comments };
  assert.equal(text(moveListItems(tree([commented]))), "1.A {slow} {[%} {} 1…b");
  const timed = { ...sow("A", sow("b")), comments: comments.slice(0, 1) };
  assert.equal(text(moveListItems(tree([timed]))), "1.A b");
});

test("comments are split at empty lines, and a brace is refused", () => {
  assert.deepEqual(parseComments(" a\nb \n \n\nc\n"), ["a\nb", "c"]);
  assert.deepEqual(parseComments(" "), []);
  assert.equal(parseComments("a } b"), null);
});
