/** What `wasm-bindgen` writes beside the page of the static site; only worker.js imports it. */

/** Compiles and starts the module; to be awaited once before anything else. */
export default function init(): Promise<unknown>;

/**
 * Answers a question, as `POST /api/v1/QUESTION` does: JSON text in, JSON text out.
 *
 * It throws a problem document as text where there is no answer.
 */
export function answer(question: string, body: string): string;
