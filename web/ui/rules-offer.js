/**
 * The offer of the rules of the class, beside that of the lesson, while the board has the rules of
 * a first visit.
 */

import { chosenRules, FIRST_RULES } from "../storage/chosen-rules.js";
import { byId } from "./dom.js";

/** @import { App, State } from "../types/app.d.ts" */

/** The rules of the class, which the offer names. */
const CLASS_RULES = "cs32";

/** Starts the game on the board again by the rules of the class. @param {App} app */
async function startByClassRules({ state, actions }) {
  const { tree, players } = state();
  if (tree) {
    const { position } = tree.start;
    if (await actions.newGame({ rules: CLASS_RULES, position, players })) {
      actions.chooseRules(CLASS_RULES);
      byId("board").focus({ preventScroll: true });
    }
  }
}

/** @param {State} state */
function draw({ tree }) {
  // The offer is there before the game, so that nothing moves when the game arrives.
  const isOffered = (tree?.start.rules ?? chosenRules()) === FIRST_RULES;
  byId("rules-offer").hidden = byId("rules-class").hidden = !isOffered;
}

/** Creates the offer in the elements `#rules-offer` and `#rules-class`. @param {App} app */
export function createRulesOffer(app) {
  byId("rules-class").addEventListener("click", () => void startByClassRules(app));
  app.subscribe(draw);
  draw(app.state());
}
