import assert from "node:assert/strict";
import { test } from "node:test";

import * as game from "../../../game/tree.js";
import { aPosition, aSown } from "../../positions.mjs";

/**
 * The game after some plies.
 *
 * @param {string} choices
 */
function played(choices) {
  return game.fromLine(
    aPosition(),
    [...choices].map((choice) => aSown(choice)),
  );
}

/**
 * The whole tree as text: `A(b c)`.
 *
 * @param {import("../../../game/tree.js").GameNode[]} nodes
 * @returns {string}
 */
function shape(nodes) {
  return nodes
    .map(({ sown, children }) => sown.choice + (children.length > 0 ? `(${shape(children)})` : ""))
    .join(" ");
}

test("a new game stands at its start", () => {
  const tree = game.newTree(aPosition());
  assert.equal(game.position(tree), tree.start);
  assert.equal(game.current(tree), null);
  assert.equal(game.canUndo(tree), false);
  assert.equal(game.canRedo(tree), false);
  assert.equal(game.undo(tree), tree);
  assert.equal(game.redo(tree), tree);
});

test("plies follow one another", () => {
  const tree = played("AbB");
  assert.deepEqual(game.choices(tree), ["A", "b", "B"]);
  assert.deepEqual(game.path(tree), [0, 0, 0]);
  assert.equal(game.position(tree).position, "after B");
});

test("undo goes to the parent and redo back along the same line", () => {
  const twoLines = game.sow(game.undo(game.undo(played("Aba"))), aSown("a"));
  assert.equal(shape(twoLines.children), "A(b(a) a)");
  assert.deepEqual(game.path(twoLines), [0, 1]);
  const back = game.undo(twoLines);
  assert.deepEqual(game.choices(back), ["A"]);
  assert.deepEqual(game.choices(game.redo(back)), ["A", "a"]);
});

test("undo and redo change no tree that was handed out", () => {
  const tree = played("Ab");
  const before = structuredClone(tree);
  game.sow(game.undo(tree), aSown("a"));
  game.promote(tree, [0, 0]);
  game.remove(tree, [0]);
  assert.deepEqual(tree, before);
});

test("a ply made before is followed, and the line ahead stays", () => {
  const tree = game.undo(game.undo(played("Aba")));
  const again = game.sow(tree, aSown("b"));
  assert.equal(shape(again.children), "A(b(a))");
  assert.deepEqual(again.line, [0, 0, 0]);
  assert.equal(again.depth, 2);
});

test("a new ply makes an ended game unfinished", () => {
  const ended = game.end(played("A"), "resign", "south");
  assert.equal(game.sow(ended, aSown("b")).termination, game.UNFINISHED);
  assert.equal(game.sow(ended, aSown("b")).winner, null);
});

test("a place off the line takes the main line from there", () => {
  const tree = game.sow(game.undo(game.undo(played("Aba"))), aSown("a"));
  const there = game.goTo(tree, [0, 0]);
  assert.deepEqual(there.line, [0, 0, 0]);
  assert.deepEqual(game.choices(game.redo(there)), ["A", "b", "a"]);
  assert.equal(game.goTo(tree, [3]), tree);
  assert.deepEqual(game.path(game.goTo(tree, [])), []);
});

test("a promoted branch is the main line and stays the current one", () => {
  const tree = game.sow(game.undo(played("Ab")), aSown("a"));
  const promoted = game.promote(tree, [0, 1]);
  assert.equal(shape(promoted.children), "A(a b)");
  assert.deepEqual(game.choices(promoted), ["A", "a"]);
  const other = game.promote(game.goTo(tree, [0, 0]), [0, 1]);
  assert.deepEqual(game.choices(other), ["A", "b"]);
  assert.equal(game.promote(tree, []), tree);
  assert.equal(game.promote(tree, [0, 7]), tree);
});

test("a removed branch takes the current node back to its parent, and no other", () => {
  const tree = game.sow(game.undo(played("Ab")), aSown("a"));
  assert.deepEqual(game.choices(game.remove(tree, [0, 1])), ["A"]);
  const kept = game.remove(tree, [0, 0]);
  assert.equal(shape(kept.children), "A(a)");
  assert.deepEqual(game.choices(kept), ["A", "a"]);
  assert.equal(game.remove(tree, [0, 5]), tree);
  const all = game.remove(tree, [0]);
  assert.equal(shape(all.children), "");
  assert.deepEqual(game.path(all), []);
});

test("cut here leaves nothing to redo", () => {
  const tree = game.cutHere(game.undo(played("Aba")));
  assert.equal(game.canRedo(tree), false);
  assert.deepEqual(game.choices(tree), ["A", "b"]);
});

test("comments go where they belong", () => {
  const tree = game.comment(game.comment(played("Ab"), [], ["start"]), [0, 0], ["good"]);
  assert.deepEqual(tree.comments, ["start"]);
  assert.deepEqual(game.nodeAt(tree, [0, 0])?.comments, ["good"]);
  assert.deepEqual(game.nodeAt(tree, [0])?.comments, []);
});

test("a read game stands at its start with its main line ahead", () => {
  const { tags, start, comments, termination, winner } = game.newTree(aPosition());
  const plies = [
    { parent: null, sown: aSown("A"), comments: [] },
    { parent: 0, sown: aSown("b"), comments: ["why"] },
    { parent: 0, sown: aSown("a"), comments: [] },
    { parent: 1, sown: aSown("B"), comments: [] },
  ];
  const tree = game.fromGame({ tags, start, comments, plies, termination, winner });
  assert.deepEqual(game.path(tree), []);
  assert.equal(shape(tree.children), "A(b(B) a)");
  assert.deepEqual(game.choices(tree, tree.line), ["A", "b", "B"]);
  assert.deepEqual(game.nodeAt(tree, [0, 0])?.comments, ["why"]);
});

test("what is written names each ply's parent and leaves out what is empty", () => {
  const tree = game.comment(game.sow(game.undo(played("Ab")), aSown("a")), [0], ["why"]);
  assert.deepEqual(game.pliesToWrite(tree), [
    { parent: null, choice: "A", comments: ["why"] },
    { parent: 0, choice: "b" },
    { parent: 0, choice: "a" },
  ]);
});
