/**
 * The lesson "How to play": small positions on the board, each completed by playing the right house.
 * The lesson is a mode; the game on the board before it comes back at its end.
 */

import { LESSON_MODE } from "../game/modes.js";
import { changeStored, load, onOtherTabChange } from "../storage/values.js";
import { gameResult, newTree, path } from "../game/tree.js";
import { goToPanel } from "../panels/panels.js";
import { texts } from "../texts/texts.js";
import { button, byId, html } from "../ui/dom.js";
import { hasTouch } from "../ui/touch.js";
import { COURSE_PANEL_ID } from "./panel.js";
import { LESSON_RULES, LESSON_STEPS } from "./steps.js";

/** @import { LessonStep } from "./steps.js" */
/** @import { App, Mode, Players, State } from "../types/app.d.ts" */

/** The key under which the browser stores that the person knows the lesson. */
const KNOWN_KEY = "lesson";

/** @type {Players} */
const PLAYERS = {
  south: { kind: "person" },
  north: { kind: "remote", name: texts.lesson.otherPlayer },
};

/**
 * The lesson with its parts.
 *
 * @typedef {object} Lesson
 * @property {App} app
 * @property {number} index the index of the step
 * @property {boolean} isDoneShown whether the completed step has been announced
 * @property {boolean} isKnown whether the lesson is no longer offered
 * @property {ReturnType<typeof createElements>} elements
 */

/**
 * @param {{ onBack: () => void, onNext: () => void, onCourse: () => void, onLeave: () => void }}
 *   events
 */
function createElements({ onBack, onNext, onCourse, onLeave }) {
  const title = html("h2", { id: "lesson-title" });
  const task = html("p");
  const done = html("p", { class: "lesson-done" });
  const back = button(texts.lesson.back, onBack);
  const next = button("", onNext);
  const course = button(texts.course.begin, onCourse, { class: "main" });
  const stop = button(texts.lesson.leave, onLeave, { class: "quiet" });
  const card = byId("lesson");
  card.append(title, task, done, html("div", { class: "buttons" }, back, course, next, stop));
  return { card, title, task, done, back, next, course, offer: byId("lesson-offer") };
}

/** @param {Lesson} lesson */
const stepOf = ({ index }) => /** @type {LessonStep} */ (LESSON_STEPS[index]);

/** @param {Lesson} lesson */
const isLast = ({ index }) => index + 1 === LESSON_STEPS.length;

/** Hides the offer of the lesson. @param {Lesson} lesson */
function hideOffer(lesson) {
  lesson.isKnown = true;
  lesson.elements.offer.hidden = true;
}

/** Offers the lesson no longer. @param {Lesson} lesson */
function dismissOffer(lesson) {
  hideOffer(lesson);
  void changeStored(KNOWN_KEY, () => true);
}

/** Shows a step from its beginning. @param {Lesson} lesson @param {number} index */
async function show(lesson, index) {
  const { actions, engine } = lesson.app;
  const wanted = LESSON_STEPS[index];
  if (!wanted) {
    return;
  }
  try {
    const { position } = wanted;
    const at = await engine.request("position", { rules: LESSON_RULES, position });
    lesson.index = index;
    lesson.isDoneShown = false;
    actions.enterMode(LESSON_MODE, newTree(at), PLAYERS);
    // The card is visible after the state has been drawn.
    requestAnimationFrame(() => {
      lesson.elements.card.focus({ preventScroll: true });
      lesson.elements.card.scrollIntoView({ block: "nearest" });
    });
  } catch (error) {
    actions.showError(error, () => {
      actions.dismissError();
      void show(lesson, index);
    });
  }
}

/** @param {Lesson} lesson */
function start(lesson) {
  dismissOffer(lesson);
  return show(lesson, 0);
}

/** Returns to the game before the lesson. @param {Lesson} lesson */
function leave({ app }) {
  app.actions.resumeLocalGame();
  byId("board").focus({ preventScroll: true });
}

/**
 * Returns the mode of the lesson, in which the moves are given.
 *
 * @param {Lesson} lesson
 * @returns {Mode}
 */
const lessonMode = (lesson) => ({
  canMove: ({ tree, busy }) =>
    tree !== null && busy?.kind !== "sow" && path(tree).length < stepOf(lesson).moves.length,
  requestMove(move) {
    const { state, actions } = lesson.app;
    const { tree } = state();
    if (tree && stepOf(lesson).moves[path(tree).length] === move) {
      void actions.makeMove(move);
    } else {
      actions.notify(texts.lesson.anotherHouse);
    }
  },
  undo() {},
  redo() {},
  can: () => false,
  hidesControls: () => true,
  status: () => "",
});

/** Draws the offer and the card. @param {Lesson} lesson @param {State} state */
function draw(lesson, state) {
  const { tree, mode, animation } = state;
  const { card, offer } = lesson.elements;
  card.hidden = mode !== LESSON_MODE;
  const hasBegun = tree !== null && tree.children.length > 0;
  offer.hidden = lesson.isKnown || mode !== "play" || hasBegun;
  if (!lesson.isKnown && mode === "play" && tree && gameResult(tree)) {
    dismissOffer(lesson);
  }
  if (!card.hidden) {
    const isComplete =
      tree !== null && !animation && path(tree).length >= stepOf(lesson).moves.length;
    drawStep(lesson, { isComplete });
    if (isComplete && !lesson.isDoneShown) {
      showDone(lesson);
    }
  }
}

/** @param {Lesson} lesson @param {{ isComplete: boolean }} progress */
function drawStep(lesson, { isComplete }) {
  const { title, task, done, back, next, course } = lesson.elements;
  const { name } = stepOf(lesson);
  const nextText = isComplete ? texts.lesson.next : texts.lesson.skip;
  title.textContent = texts.lesson.title(lesson.index + 1, LESSON_STEPS.length);
  task.textContent =
    name === "sow" && hasTouch() ? texts.lesson.sowByTouch : texts.lesson.tasks[name];
  // A small window has room for one of the texts.
  task.hidden = isComplete;
  done.textContent = isComplete ? texts.lesson.done[name] : "";
  back.hidden = lesson.index === 0;
  next.textContent = isLast(lesson) ? texts.lesson.finish : nextText;
  next.hidden = isLast(lesson) && !isComplete;
  course.hidden = !isLast(lesson) || !isComplete;
  next.classList.toggle("main", isComplete && course.hidden);
}

/** Announces that the step is complete. @param {Lesson} lesson */
function showDone(lesson) {
  const { card, next, course } = lesson.elements;
  lesson.isDoneShown = true;
  lesson.app.announce(texts.lesson.done[stepOf(lesson).name]);
  if (document.activeElement?.closest("#board, #lesson")) {
    (course.hidden ? next : course).focus({ preventScroll: true });
  }
  card.scrollIntoView({ block: "nearest" });
}

/**
 * Creates the lesson in the elements `#lesson` and `#lesson-offer`.
 *
 * @param {App} app
 */
export function createLesson(app) {
  /** @type {Lesson} */
  const lesson = {
    app,
    index: 0,
    isDoneShown: false,
    isKnown: load(KNOWN_KEY) !== null,
    elements: createElements({
      onBack: () => void show(lesson, lesson.index - 1),
      onNext: () => (isLast(lesson) ? leave(lesson) : void show(lesson, lesson.index + 1)),
      onCourse() {
        leave(lesson);
        goToPanel(app, COURSE_PANEL_ID);
      },
      onLeave: () => leave(lesson),
    }),
  };
  byId("lesson-start").addEventListener("click", () => void start(lesson));
  byId("lesson-dismiss").addEventListener("click", () => {
    dismissOffer(lesson);
    byId("board").focus({ preventScroll: true });
  });
  onOtherTabChange(KNOWN_KEY, () => {
    if (load(KNOWN_KEY) !== null) {
      hideOffer(lesson);
    }
  });
  app.registerMode(LESSON_MODE, lessonMode(lesson));
  app.subscribe((state) => draw(lesson, state));
  draw(lesson, app.state());
  return { start: () => start(lesson) };
}
