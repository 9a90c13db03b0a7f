import assert from "node:assert/strict";
import { test } from "node:test";

import { addMove, newTree, undo } from "../../../game/tree.js";
import { gradedPlies, isGraded, takeGrades } from "../../../records/annotations.js";
import { makePosition } from "../../positions.mjs";

/** @import { MoveResult } from "../../../types/api.d.ts" */
/** @import { GameNode } from "../../../types/app.d.ts" */

/** @param {string} move */
const result = (move) =>
  /** @type {MoveResult} */ (/** @type {unknown} */ ({ move, after: makePosition() }));

/** A game `A B` with the variation `A C`. */
function tree() {
  const one = addMove(newTree(makePosition()), result("A"));
  const two = undo(addMove(one, result("B")));
  return addMove(two, result("C"));
}

/** @param {GameNode | undefined} node @param {number} child */
const childOf = (node, child) => node?.children[child];

test("grades are the first comments of their moves, and come back from there", () => {
  const game = tree();
  const [first] = game.children;
  const second = childOf(first, 1);
  const main = childOf(first, 0);
  assert.ok(first && main && second);
  first.comments.push("well");
  const grades = new Map([
    [first.moveResult, /** @type {const} */ ("blunder")],
    [main.moveResult, /** @type {const} */ ("beautiful")],
    [second.moveResult, /** @type {const} */ ("inaccuracy")],
  ]);
  const plies = gradedPlies(game, grades);
  assert.deepEqual(
    plies.map(({ move, comments }) => [move, comments]),
    [
      ["A", ["??", "well"]],
      ["B", ["!!"]],
      ["C", ["?!"]],
    ],
  );
  first.comments.splice(0, 1, "??", "well");
  main.comments.push("!!");
  second.comments.push("?!");
  const taken = takeGrades(game);
  assert.deepEqual(taken.grades, grades);
  assert.deepEqual(taken.tree.children[0]?.comments, ["well"]);
  assert.deepEqual(childOf(taken.tree.children[0], 1)?.comments, []);
});

test("only a game with a grade on one of its moves is graded", () => {
  const game = tree();
  const second = childOf(game.children[0], 1);
  assert.ok(second);
  assert.equal(isGraded(game, new Map()), false);
  assert.equal(isGraded(game, new Map([[second.moveResult, "mistake"]])), true);
  assert.equal(isGraded(game, new Map([[result("B"), "mistake"]])), false);
});

test("a comment that only begins like a grade is a comment", () => {
  const game = tree();
  const [first] = game.children;
  first?.comments.push("?? why", "?");
  const taken = takeGrades(game);
  assert.equal(taken.grades.size, 0);
  assert.deepEqual(taken.tree.children[0]?.comments, ["?? why", "?"]);
});
