/** The steps of the lesson "How to play": small positions, each with the houses to play. */

/** @import { Move } from "../types/api.d.ts" */

/** The rules of the lesson. */
export const LESSON_RULES = "standard";

/**
 * A step: a position with South to move, and the moves that complete it, in order.
 *
 * @typedef {{ name: "sow" | "stores" | "bonusTurn" | "order" | "capture" | "end",
 *   position: string, moves: readonly Move[] }} LessonStep
 */

/** @type {readonly LessonStep[]} */
export const LESSON_STEPS = [
  { name: "sow", position: "<6,0,0,0,4,0,0,0,0,0,0,0,4,0,0> s", moves: ["B"] },
  { name: "stores", position: "<6,0,0,1,0,0,0,0,8,2,2,2,2,2,2> s", moves: ["F"] },
  { name: "bonusTurn", position: "<6,0,0,0,0,2,3,4,5,2,2,2,2,2,2> s", moves: ["D"] },
  { name: "order", position: "<6,5,5,0,3,0,0,2,1,3,0,3,0,2,2> s", moves: ["F", "E"] },
  { name: "capture", position: "<6,6,6,2,0,1,0,5,0,0,2,4,3,6,0> s", moves: ["C"] },
  { name: "end", position: "<6,24,18,0,0,0,0,0,1,0,2,1,0,2,0> s", moves: ["F"] },
];
