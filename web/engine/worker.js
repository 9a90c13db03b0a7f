/** The engine's side of worker-client.js: questions in, answers out, one after another. */

import init, { answer } from "../wasm/kalah_wasm.js";

/** @typedef {{ id: number, question: string, body: string }} Asked */

const ready = init();

self.addEventListener("message", async (/** @type {MessageEvent<Asked>} */ { data }) => {
  const { id, question, body } = data;
  try {
    await ready;
    self.postMessage({ id, answer: answer(question, body) });
  } catch (error) {
    if (typeof error === "string") {
      // A problem document: the question has no answer, and the next one may have.
      self.postMessage({ id, problem: error });
    } else {
      self.postMessage({ id, broken: String(error) });
    }
  }
});
