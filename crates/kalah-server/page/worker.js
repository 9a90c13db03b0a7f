/** The engine's side of engine-worker.js: questions in, answers out, one after another. */

import init, { answer } from "./wasm/kalah_wasm.js";

/** @typedef {{ id: number, question: string, body: string }} Asked */

const ready = init();

self.addEventListener("message", async (/** @type {MessageEvent<Asked>} */ { data }) => {
  const { id, question, body } = data;
  try {
    await ready;
    self.postMessage({ id, answer: answer(question, body) });
  } catch (error) {
    // `answer` throws a problem document as text; anything else is told in words.
    const problem =
      typeof error === "string"
        ? error
        : JSON.stringify({ type: "about:blank", title: "The engine failed", status: 500, detail: String(error) });
    self.postMessage({ id, problem });
  }
});
