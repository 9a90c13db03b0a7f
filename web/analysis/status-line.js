/**
 * The line below the board about the analysis, while the houses show their scores. The analysis
 * panel shows the same texts.
 */

import { progressText, workText } from "./summary.js";
import { html, setText } from "../ui/dom.js";

/** @import { LiveAnalysis } from "./live-analysis.js" */
/** @import { App } from "../types/app.d.ts" */

/**
 * Adds the line to an element.
 *
 * @param {HTMLElement} parent
 * @param {App} app
 * @param {LiveAnalysis} liveAnalysis
 */
export function addStatusLine(parent, app, liveAnalysis) {
  const line = html("p", { class: "analysis-status", hidden: true });
  parent.append(line);
  const draw = () => {
    const state = liveAnalysis.state();
    const { settings, analysisLock, scoresLock, panel } = app.state();
    const isLocked = analysisLock !== null || scoresLock !== null;
    line.hidden = !settings.margins || isLocked || panel === "analysis" || panel === "review";
    const work = state.analysis ? workText(state.analysis) : "";
    const parts = [work, progressText(state)].filter(Boolean);
    setText(line, line.hidden ? "" : parts.join(" \u00b7 "));
  };
  liveAnalysis.subscribe(draw);
  app.subscribe((state, previous) => {
    if (
      state.settings.margins !== previous.settings.margins ||
      state.analysisLock !== previous.analysisLock ||
      state.scoresLock !== previous.scoresLock ||
      state.panel !== previous.panel
    ) {
      draw();
    }
  });
  draw();
}
