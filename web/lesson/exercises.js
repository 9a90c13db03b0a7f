/**
 * The lessons of the course: exercises on small positions, which the engine proves in a moment. The
 * page judges a move by the proven margins alone: the exercises name no solutions.
 */

/**
 * The goal of an exercise: `best` is a move with the best margin, `win` a move that wins.
 *
 * @typedef {"best" | "win"} Goal
 */

/** @typedef {"chains" | "counting" | "captures" | "hoarding" | "starving" | "endgame"} LessonName */

/**
 * A lesson: the goal of its exercises, and their positions with South to move.
 *
 * @typedef {{ name: LessonName, goal: Goal, positions: readonly string[] }} CourseLesson
 */

/** @type {readonly CourseLesson[]} */
export const COURSE = [
  {
    name: "chains",
    goal: "best",
    positions: [
      "<6,20,18,1,0,0,3,0,1,2,0,0,0,0,3> s",
      "<6,19,18,2,0,0,3,2,0,2,0,1,1,0,0> s",
      "<6,17,16,5,0,1,0,2,1,2,1,0,1,0,2> s",
      "<6,17,18,0,2,1,3,0,1,0,3,2,0,0,1> s",
    ],
  },
  {
    name: "counting",
    goal: "best",
    positions: [
      "<6,13,14,2,2,0,0,12,0,0,2,1,1,0,1> s",
      "<6,12,15,1,0,1,11,0,0,0,0,2,3,2,1> s",
      "<6,14,17,0,1,11,0,1,0,0,1,0,0,2,1> s",
    ],
  },
  {
    name: "captures",
    goal: "best",
    positions: [
      "<6,19,17,1,0,3,1,0,2,0,4,0,0,1,0> s",
      "<6,17,18,2,1,0,0,0,5,1,0,0,4,0,0> s",
      "<6,17,16,2,2,0,0,1,0,3,0,3,1,1,2> s",
      "<6,14,19,1,3,1,0,0,0,1,3,4,0,0,2> s",
    ],
  },
  {
    name: "hoarding",
    goal: "best",
    positions: [
      "<6,19,20,0,1,0,4,1,2,1,0,0,0,0,0> s",
      "<6,16,18,0,0,1,4,3,2,0,0,0,0,4,0> s",
      "<6,20,17,3,0,1,0,1,2,0,1,0,0,3,0> s",
    ],
  },
  {
    name: "starving",
    goal: "best",
    positions: [
      "<6,19,17,0,0,0,2,6,0,4,0,0,0,0,0> s",
      "<6,18,21,3,0,0,1,1,0,4,0,0,0,0,0> s",
      "<6,20,20,3,0,0,0,3,0,0,1,1,0,0,0> s",
      "<6,21,21,4,1,0,0,0,0,1,0,0,0,0,0> s",
    ],
  },
  {
    name: "endgame",
    goal: "win",
    positions: [
      "<6,20,20,1,1,0,4,0,0,2,0,0,0,0,0> s",
      "<6,19,21,1,3,1,1,0,0,1,0,0,1,0,0> s",
      "<6,18,21,0,4,1,2,0,0,0,0,1,0,1,0> s",
      "<6,18,21,0,1,0,1,0,3,0,3,0,0,1,0> s",
    ],
  },
];

/**
 * Returns the id under which the progress counts an exercise.
 *
 * @param {CourseLesson} lesson
 * @param {number} index
 */
export const exerciseId = ({ name }, index) => `${name}-${index + 1}`;
