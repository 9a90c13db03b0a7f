/**
 * The analysis panel: evaluation of the position, best line, position editor, links and files.
 */

import { createGameFiles } from "../panels/game-files.js";
import { addPositionEditor, createPositionTools } from "../panels/position-editor/editor.js";
import { startAddress } from "../records/address.js";
import { texts } from "../texts/texts.js";
import { byId, detailsSection } from "../ui/dom.js";
import { createEvaluation } from "./evaluation.js";
import { addStatusLine } from "./status-line.js";

/** @import { LiveAnalysis } from "./live-analysis.js" */
/** @import { App, Panel, State } from "../types/app.d.ts" */

/**
 * @param {(app: App) => LiveAnalysis} liveAnalysisFor returns the live analysis of an app
 * @returns {Panel}
 */
export function analysisPanel(liveAnalysisFor) {
  return {
    id: "analysis",
    title: texts.analysis.title,
    start(app) {
      addStatusLine(byId("status"), app, liveAnalysisFor(app));
      addPositionEditor(byId("controls"), app);
      void startAddress(app);
    },
    create(element, app) {
      const evaluation = createEvaluation(app, liveAnalysisFor(app));
      const files = createGameFiles(app);
      element.append(
        evaluation.element,
        detailsSection(texts.position.title, createPositionTools(app)),
        detailsSection(texts.records.title, files.element),
      );
      return (/** @type {State} */ state) => {
        evaluation.draw(state);
      };
    },
  };
}
