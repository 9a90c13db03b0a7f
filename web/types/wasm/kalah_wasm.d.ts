/**
 * The module that `wasm-bindgen` writes for the static site; only `engine/worker.js` imports it.
 */

/** Compiles and starts the module. Callers await it once before they call `handleRequest`. */
export default function init(): Promise<unknown>;

/** Returns the name of the program with its version, as servers send it in the header `Server`. */
export function programName(): string;

/**
 * Responds to a request as `POST /api/v1/ENDPOINT` does, with JSON text for both bodies.
 *
 * During an analysis it calls `onSnapshot` with the JSON text of the result so far. It throws a
 * problem document as text if the request fails.
 */
export function handleRequest(
  endpoint: string,
  body: string,
  onSnapshot?: (snapshot: string) => void,
): string;
