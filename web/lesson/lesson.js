/**
 * The lesson "How to play": small positions on the board, each completed by playing the right house.
 * The lesson is a mode; the game on the board before it comes back at its end.
 */

import { LESSON_MODE } from "../game/modes.js";
import { load, save } from "../game/storage.js";
import { gameResult, newTree, path } from "../game/tree.js";
import { texts } from "../texts/texts.js";
import { button, byId, html } from "../ui/dom.js";
import { LESSON_RULES, LESSON_STEPS } from "./steps.js";

/** @import { App, Players, State } from "../types/app.d.ts" */

/** The key under which the browser stores that the person knows the lesson. */
const KNOWN_KEY = "lesson";

/** @type {Players} */
const PLAYERS = {
  south: { kind: "person" },
  north: { kind: "remote", name: texts.lesson.otherPlayer },
};

/**
 * Creates the lesson in the elements `#lesson` and `#lesson-offer`.
 *
 * @param {App} app
 */
export function createLesson(app) {
  const { actions } = app;
  let index = 0;
  /** Whether the completed step has been announced. */
  let isDoneShown = false;

  const title = html("h2", { id: "lesson-title" });
  const task = html("p");
  const done = html("p", { class: "lesson-done" });
  const back = button(texts.lesson.back, () => void show(index - 1));
  const next = button("", () => (index + 1 < LESSON_STEPS.length ? void show(index + 1) : leave()));
  const stop = button(texts.lesson.leave, leave, { class: "quiet" });
  const card = byId("lesson");
  card.append(title, task, done, html("div", { class: "buttons" }, back, next, stop));

  const offer = byId("lesson-offer");
  byId("lesson-start").addEventListener("click", () => void start());
  byId("lesson-dismiss").addEventListener("click", () => {
    dismissOffer();
    byId("board").focus({ preventScroll: true });
  });
  let isKnown = load(KNOWN_KEY) !== null;

  function dismissOffer() {
    isKnown = true;
    offer.hidden = true;
    save(KNOWN_KEY, true);
  }

  /** Shows a step from its beginning. @param {number} step */
  async function show(step) {
    const wanted = LESSON_STEPS[step];
    if (!wanted) {
      return;
    }
    try {
      const { position } = wanted;
      const at = await app.engine.request("position", { rules: LESSON_RULES, position });
      index = step;
      isDoneShown = false;
      actions.enterMode(LESSON_MODE, newTree(at), PLAYERS);
      // The card is visible after the state has been drawn.
      requestAnimationFrame(() => card.focus({ preventScroll: true }));
    } catch (error) {
      actions.showError(error, () => {
        actions.dismissError();
        void show(step);
      });
    }
  }

  function start() {
    dismissOffer();
    return show(0);
  }

  function leave() {
    actions.resumeLocalGame();
    byId("board").focus({ preventScroll: true });
  }

  const stepNow = () => /** @type {import("./steps.js").LessonStep} */ (LESSON_STEPS[index]);

  /** @param {State} state */
  const isDone = ({ tree, animation }) =>
    tree !== null && !animation && path(tree).length >= stepNow().moves.length;

  app.registerMode(LESSON_MODE, {
    canMove: ({ tree, busy }) =>
      tree !== null && busy?.kind !== "sow" && path(tree).length < stepNow().moves.length,
    requestMove(move) {
      const { tree } = app.state();
      if (tree && stepNow().moves[path(tree).length] === move) {
        void actions.makeMove(move);
      } else {
        actions.notify(texts.lesson.anotherHouse);
      }
    },
    undo() {},
    redo() {},
    can: () => false,
    status: () => "",
  });

  /** @param {State} state */
  function draw(state) {
    const { tree, mode } = state;
    card.hidden = mode !== LESSON_MODE;
    const hasBegun = tree !== null && tree.children.length > 0;
    offer.hidden = isKnown || mode !== "play" || hasBegun;
    if (!isKnown && mode === "play" && tree && gameResult(tree)) {
      dismissOffer();
    }
    if (card.hidden) {
      return;
    }
    const { name } = stepNow();
    const isLast = index + 1 === LESSON_STEPS.length;
    const isComplete = isDone(state);
    title.textContent = texts.lesson.title(index + 1, LESSON_STEPS.length);
    task.textContent = texts.lesson.tasks[name];
    // A small window has room for one of the texts.
    task.hidden = isComplete;
    done.textContent = isComplete ? texts.lesson.done[name] : "";
    back.hidden = index === 0;
    next.textContent = isLast
      ? texts.lesson.finish
      : isComplete
        ? texts.lesson.next
        : texts.lesson.skip;
    next.hidden = isLast && !isComplete;
    next.classList.toggle("main", isComplete);
    if (isComplete && !isDoneShown) {
      isDoneShown = true;
      app.announce(texts.lesson.done[name]);
      if (document.activeElement?.closest("#board, #lesson")) {
        next.focus({ preventScroll: true });
      }
      card.scrollIntoView({ block: "nearest" });
    }
  }
  app.subscribe(draw);
  draw(app.state());

  return { start };
}
