/** The panel of the course: the lessons with their progress, and the exercise on the board. */

import { texts } from "../texts/texts.js";
import { bringIntoView, button, byId, html, setText } from "../ui/dom.js";
import { COURSE_MODE, courseText, createCourse, exerciseAfter } from "./course.js";
import { COURSE } from "./exercises.js";
import { nextExercise, solvedCount } from "./judge.js";

/** @import { App, Panel, State } from "../types/app.d.ts" */
/** @import { Course } from "./course.js" */

/** The id of the panel. */
export const COURSE_PANEL_ID = "lessons";

/** The sign of a lesson whose exercises are all solved. */
const DONE_SIGN = "\u2713";

/** @returns {Panel} */
export function coursePanel() {
  return {
    id: COURSE_PANEL_ID,
    title: texts.course.title,
    create: (element, app) => createPanel(element, app, createCourse(app)),
  };
}

/**
 * Creates the list of lessons.
 *
 * @param {Course} course
 * @param {() => void} onOpen
 */
function createList(course, onOpen) {
  const entries = COURSE.map((lesson) => {
    const open = () => {
      void course.open(lesson, nextExercise(lesson, course.state().solved));
      onOpen();
    };
    const progress = html("span", { class: "note" });
    const { title } = texts.course.lessons[lesson.name];
    const item = html("li", {}, button(title, open, { class: "quiet" }), " ", progress);
    return { lesson, progress, item };
  });
  return {
    element: html(
      "ol",
      { class: "course-lessons", "aria-label": texts.course.title },
      ...entries.map(({ item }) => item),
    ),
    draw() {
      const { solved, exercise } = course.state();
      for (const { lesson, progress, item } of entries) {
        const count = solvedCount(lesson, solved);
        const all = lesson.positions.length;
        const sign = count === all ? ` ${DONE_SIGN}` : "";
        setText(progress, `${texts.course.progress(count, all)}${sign}`);
        item.toggleAttribute("data-current", exercise?.lesson === lesson);
      }
    },
  };
}

/**
 * Creates the exercise: its lesson, the judgement on the last try, and the buttons.
 *
 * @param {App} app
 * @param {Course} course
 */
function createExercise(app, course) {
  const title = html("h3");
  const text = html("p");
  const message = html("p", { class: "course-message" });
  const why = html("p");
  const status = html("div", { class: "course-status", role: "status" }, message, why);
  const giveUp = button(texts.course.giveUp, () => course.giveUp(), { class: "small" });
  const next = button(texts.course.next, () => {
    const { exercise } = course.state();
    const after = exercise && exerciseAfter(exercise);
    if (after) {
      void course.open(after.lesson, after.index);
      bringIntoView(element);
    }
  });
  const again = button(
    texts.course.again,
    () => {
      const { exercise } = course.state();
      if (exercise) {
        void course.open(exercise.lesson, exercise.index);
      }
    },
    { class: "small" },
  );
  const onLeave = () => {
    app.actions.resumeLocalGame();
    byId("board").focus({ preventScroll: true });
  };
  const leave = button(texts.game.backToGame, onLeave, { class: "small" });
  const tools = html("div", { class: "tools" }, next, giveUp, again, leave);
  const element = html("div", { class: "course-exercise" }, title, text, status, tools);
  return {
    element,
    /** @param {State} state */
    draw({ mode, settings }) {
      const now = course.state();
      const { phase, exercise, tried, error } = now;
      const isEnded = phase === "solved" || phase === "shown";
      title.hidden = text.hidden = exercise === null;
      if (exercise) {
        const { lesson, index } = exercise;
        const words = texts.course.lessons[lesson.name];
        setText(title, texts.course.exercise(words.title, index + 1, lesson.positions.length));
        setText(text, words.text);
      }
      setText(message, courseText(now, settings.labels));
      message.classList.toggle("right", phase === "solved");
      message.classList.toggle("wrong", error !== "" || (phase === "asking" && tried !== null));
      setText(why, now.why && texts.reasons.why(now.why));
      giveUp.hidden = phase !== "asking";
      again.hidden = !isEnded;
      next.hidden = exercise === null || exerciseAfter(exercise) === null;
      next.classList.toggle("main", isEnded);
      next.classList.toggle("small", !isEnded);
      setText(next, isEnded ? texts.course.next : texts.course.skip);
      leave.hidden = mode !== COURSE_MODE;
    },
  };
}

/** @param {HTMLElement} element @param {App} app @param {Course} course */
function createPanel(element, app, course) {
  const exercise = createExercise(app, course);
  const list = createList(course, () => bringIntoView(exercise.element));
  element.append(exercise.element, list.element);
  return (/** @type {State} */ state) => {
    exercise.draw(state);
    list.draw();
  };
}
