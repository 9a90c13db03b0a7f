/**
 * The grades of moves in records: a comment that is the symbol of a grade, such as `{ ?? }`, directly
 * after its move.
 */

import { GRADE_SYMBOLS } from "../review/descriptions.js";
import { pliesToWrite } from "../game/tree.js";

/** @import { MoveResult } from "../types/api.d.ts" */
/** @import { GameNode, GameTree, ShownGrade, State } from "../types/app.d.ts" */

/** @type {ReadonlyMap<string, ShownGrade>} */
const GRADE_OF_SYMBOL = new Map(
  Object.entries(GRADE_SYMBOLS).map(([grade, symbol]) => [
    symbol,
    /** @type {ShownGrade} */ (grade),
  ]),
);

/**
 * Returns the game with its grades apart from its comments.
 *
 * @param {GameTree} tree a game of a record
 * @returns {{ tree: GameTree, grades: State["grades"] }}
 */
export function takeGrades(tree) {
  /** @type {Map<MoveResult, ShownGrade>} */
  const grades = new Map();
  /** @param {GameNode} node @returns {GameNode} */
  const withoutGrade = (node) => {
    const [first = "", ...others] = node.comments;
    const grade = GRADE_OF_SYMBOL.get(first);
    if (grade) {
      grades.set(node.moveResult, grade);
    }
    return {
      ...node,
      comments: grade ? others : node.comments,
      children: node.children.map(withoutGrade),
    };
  };
  const children = tree.children.map(withoutGrade);
  return { tree: { ...tree, children }, grades };
}

/**
 * Returns whether a move after a position has a grade.
 *
 * @param {Pick<GameTree, "children">} tree
 * @param {State["grades"]} grades
 * @returns {boolean}
 */
export const isGraded = ({ children }, grades) =>
  children.some((node) => grades.has(node.moveResult) || isGraded(node, grades));

/**
 * Returns the plies of a game for a request to `write`, with the grades of their moves as comments.
 *
 * @param {Pick<GameTree, "children">} tree
 * @param {State["grades"]} grades
 * @returns {ReturnType<typeof pliesToWrite>}
 */
export function gradedPlies({ children }, grades) {
  /** @param {GameNode} node @returns {GameNode} */
  const withGrade = (node) => {
    const grade = grades.get(node.moveResult);
    return {
      ...node,
      comments: grade ? [GRADE_SYMBOLS[grade], ...node.comments] : node.comments,
      children: node.children.map(withGrade),
    };
  };
  return pliesToWrite({ children: children.map(withGrade) });
}
