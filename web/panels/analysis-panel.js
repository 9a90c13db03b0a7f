/** The panel for those who want to know: margins, the best line, variations, positions by hand, files and links. */

import { startAddress } from "../records/address.js";
import { section } from "../ui/elements.js";
import { createEvaluation } from "./evaluation.js";
import { createFiles } from "./game-files.js";
import { createMoves } from "./move-list.js";
import { createPositionForm } from "./position-form.js";

/** @import { App, Panel, State } from "../types/app.d.ts" */
/** @import { Watcher } from "../analysis/live-analysis.js" */

/**
 * @param {(app: App) => Watcher} watcherOf what looks into positions, the same one each time
 * @returns {Panel}
 */
export function analysisPanel(watcherOf) {
  return {
    id: "analysis",
    title: "Analysis",
    start(app) {
      watcherOf(app);
      void startAddress(app);
    },
    create(element, app) {
      const evaluation = createEvaluation(app, watcherOf(app));
      const moves = createMoves(app);
      const form = createPositionForm(app);
      const files = createFiles(app);
      const list = section("Moves", moves.element);
      list.open = true;
      element.append(
        evaluation.element,
        list,
        section("Set up a position", form.element),
        section("Links and files", files.element),
      );
      return (/** @type {State} */ state) => {
        evaluation.draw(state);
        moves.draw(state);
        form.draw(state);
      };
    },
  };
}
