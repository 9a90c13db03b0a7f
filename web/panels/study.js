/** The panels for looking into games, which share what they find out. */

import { analysisPanel } from "./analysis-panel.js";
import { createAnalyst } from "../analysis/analyzer.js";
import { reviewPanel } from "./review-panel.js";
import { createWatcher } from "../analysis/live-analysis.js";

/** @import { App, Panel } from "../types/app.d.ts" */

/**
 * What is made of the app when it is first wanted, and the same from then on.
 *
 * @template T
 * @param {(app: App) => T} create
 * @returns {(app: App) => T}
 */
function once(create) {
  /** @type {{ made: T } | null} */
  let kept = null;
  return (app) => (kept ??= { made: create(app) }).made;
}

const analystOf = once((app) => createAnalyst(app.engine));
const watcherOf = once((app) => createWatcher(app, analystOf(app)));

/** @type {readonly Panel[]} */
export const STUDY_PANELS = [analysisPanel(watcherOf), reviewPanel(analystOf)];
