/** The engine's side of worker-client.js: questions in, answers out, one after another. */

import init, { answer } from "../wasm/kalah_wasm.js";

/** @typedef {{ id: number, endpoint: string, body: string }} Asked */

const ready = init();

self.addEventListener("message", async (/** @type {MessageEvent<Asked>} */ { data }) => {
  const { id, endpoint, body } = data;
  try {
    await ready;
    self.postMessage({ id, response: answer(endpoint, body) });
  } catch (error) {
    if (typeof error === "string") {
      // A problem document: the endpoint has no answer, and the next one may have.
      self.postMessage({ id, problem: error });
    } else {
      self.postMessage({ id, failure: String(error) });
    }
  }
});
