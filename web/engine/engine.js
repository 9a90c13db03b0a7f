/** The one door to rules and engine: a server's API, or WebAssembly in workers of the page's own. */

import { httpEngine } from "./http.js";
import { workerEngine } from "./worker-client.js";

/** @import { Engine } from "../types/app.d.ts" */

/**
 * The engine that the page was served with: `<html data-engine="server">` or `"worker"`.
 *
 * @param {string | undefined} kind
 * @returns {Engine}
 */
export function createEngine(kind) {
  return kind === "worker" ? workerEngine() : httpEngine();
}
