import assert from "node:assert/strict";
import { test } from "node:test";

import * as game from "../../../game/tree.js";
import { makeMoveResult, makePosition } from "../../positions.mjs";

/**
 * Returns the game after moves.
 *
 * @param {string} moves
 */
function gameAfter(moves) {
  return game.fromLine(
    makePosition(),
    [...moves].map((move) => makeMoveResult(move)),
  );
}

/**
 * Returns the whole tree as text, such as `A(b c)`.
 *
 * @param {import("../../../game/tree.js").GameNode[]} nodes
 * @returns {string}
 */
function shape(nodes) {
  return nodes
    .map(
      ({ moveResult, children }) =>
        moveResult.move + (children.length > 0 ? `(${shape(children)})` : ""),
    )
    .join(" ");
}

test("a new game is at its start", () => {
  const tree = game.newTree(makePosition());
  assert.equal(game.position(tree), tree.start);
  assert.equal(game.currentNode(tree), null);
  assert.equal(game.canUndo(tree), false);
  assert.equal(game.canRedo(tree), false);
  assert.equal(game.undo(tree), tree);
  assert.equal(game.redo(tree), tree);
});

test("moves are added at the current node", () => {
  const tree = gameAfter("AbB");
  assert.deepEqual(game.movesTo(tree), ["A", "b", "B"]);
  assert.deepEqual(game.path(tree), [0, 0, 0]);
  assert.equal(game.position(tree).position, "after B");
});

test("undo goes to the parent and redo back along the same line", () => {
  const twoLines = game.addMove(game.undo(game.undo(gameAfter("Aba"))), makeMoveResult("a"));
  assert.equal(shape(twoLines.children), "A(b(a) a)");
  assert.deepEqual(game.path(twoLines), [0, 1]);
  const back = game.undo(twoLines);
  assert.deepEqual(game.movesTo(back), ["A"]);
  assert.deepEqual(game.movesTo(game.redo(back)), ["A", "a"]);
});

test("functions do not change their arguments", () => {
  const tree = gameAfter("Ab");
  const before = structuredClone(tree);
  game.addMove(game.undo(tree), makeMoveResult("a"));
  game.promoteBranch(tree, [0, 0]);
  game.removeBranch(tree, [0]);
  assert.deepEqual(tree, before);
});

test("a move with a branch follows it and keeps the line", () => {
  const tree = game.undo(game.undo(gameAfter("Aba")));
  const again = game.addMove(tree, makeMoveResult("b"));
  assert.equal(shape(again.children), "A(b(a))");
  assert.deepEqual(again.line, [0, 0, 0]);
  assert.equal(again.depth, 2);
});

test("a new move makes a finished game unfinished", () => {
  const ended = game.endGame(gameAfter("A"), "resign", "south");
  assert.equal(game.addMove(ended, makeMoveResult("b")).termination, game.UNFINISHED);
  assert.equal(game.addMove(ended, makeMoveResult("b")).winner, null);
});

test("goTo a node off the line continues with its main line", () => {
  const tree = game.addMove(game.undo(game.undo(gameAfter("Aba"))), makeMoveResult("a"));
  const there = game.goTo(tree, [0, 0]);
  assert.deepEqual(there.line, [0, 0, 0]);
  assert.deepEqual(game.movesTo(game.redo(there)), ["A", "b", "a"]);
  assert.equal(game.goTo(tree, [3]), tree);
  assert.deepEqual(game.path(game.goTo(tree, [])), []);
});

test("a promoted branch is the main line and stays current", () => {
  const tree = game.addMove(game.undo(gameAfter("Ab")), makeMoveResult("a"));
  const promoted = game.promoteBranch(tree, [0, 1]);
  assert.equal(shape(promoted.children), "A(a b)");
  assert.deepEqual(game.movesTo(promoted), ["A", "a"]);
  const other = game.promoteBranch(game.goTo(tree, [0, 0]), [0, 1]);
  assert.deepEqual(game.movesTo(other), ["A", "b"]);
  assert.equal(game.promoteBranch(tree, []), tree);
  assert.equal(game.promoteBranch(tree, [0, 7]), tree);
});

test("removing the current branch goes to its parent, and removing another one stays", () => {
  const tree = game.addMove(game.undo(gameAfter("Ab")), makeMoveResult("a"));
  assert.deepEqual(game.movesTo(game.removeBranch(tree, [0, 1])), ["A"]);
  const kept = game.removeBranch(tree, [0, 0]);
  assert.equal(shape(kept.children), "A(a)");
  assert.deepEqual(game.movesTo(kept), ["A", "a"]);
  assert.equal(game.removeBranch(tree, [0, 5]), tree);
  const all = game.removeBranch(tree, [0]);
  assert.equal(shape(all.children), "");
  assert.deepEqual(game.path(all), []);
});

test("truncate removes the moves to redo", () => {
  const tree = game.truncate(game.undo(gameAfter("Aba")));
  assert.equal(game.canRedo(tree), false);
  assert.deepEqual(game.movesTo(tree), ["A", "b"]);
});

test("setComments changes the comments of one node", () => {
  const tree = game.setComments(game.setComments(gameAfter("Ab"), [], ["start"]), [0, 0], ["good"]);
  assert.deepEqual(tree.comments, ["start"]);
  assert.deepEqual(game.nodeAt(tree, [0, 0])?.comments, ["good"]);
  assert.deepEqual(game.nodeAt(tree, [0])?.comments, []);
});

test("fromGame starts with the main line to redo", () => {
  const { tags, start, comments, termination, winner } = game.newTree(makePosition());
  const plies = [
    { parent: null, result: makeMoveResult("A"), comments: [] },
    { parent: 0, result: makeMoveResult("b"), comments: ["why"] },
    { parent: 0, result: makeMoveResult("a"), comments: [] },
    { parent: 1, result: makeMoveResult("B"), comments: [] },
  ];
  const tree = game.fromGame({ tags, start, comments, plies, termination, winner });
  assert.deepEqual(game.path(tree), []);
  assert.equal(shape(tree.children), "A(b(B) a)");
  assert.deepEqual(game.movesTo(tree, tree.line), ["A", "b", "B"]);
  assert.deepEqual(game.nodeAt(tree, [0, 0])?.comments, ["why"]);
});

test("pliesToWrite names parents and omits empty comments", () => {
  const tree = game.setComments(
    game.addMove(game.undo(gameAfter("Ab")), makeMoveResult("a")),
    [0],
    ["why"],
  );
  assert.deepEqual(game.pliesToWrite(tree), [
    { parent: null, move: "A", comments: ["why"] },
    { parent: 0, move: "b" },
    { parent: 0, move: "a" },
  ]);
});
