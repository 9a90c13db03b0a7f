/** The one door to rules and engine: a server's API, or WebAssembly in workers of the page's own. */

import { httpEngine } from "./engine-http.js";
import { workerEngine } from "./engine-worker.js";

/** @import { Engine } from "./app.d.ts" */

/**
 * The engine that the page was served with: `<html data-engine="server">` or `"worker"`.
 *
 * @param {string | undefined} kind
 * @returns {Engine}
 */
export function createEngine(kind) {
  return kind === "worker" ? workerEngine() : httpEngine();
}
