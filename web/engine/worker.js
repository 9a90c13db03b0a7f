/** The worker with the engine: processes the requests of worker-client.js one at a time. */

import init, { handleRequest, programName } from "../wasm/kalah_wasm.js";

/** The request for the name of the program. It is not part of the API. */
const PROGRAM_REQUEST = "program";

/** @typedef {{ id: number, endpoint: string, body: string }} WorkerRequest */

const ready = init();

self.addEventListener("message", async (/** @type {MessageEvent<WorkerRequest>} */ { data }) => {
  const { id, endpoint, body } = data;
  try {
    await ready;
    const response =
      endpoint === PROGRAM_REQUEST
        ? JSON.stringify(programName())
        : handleRequest(endpoint, body, (snapshot) => self.postMessage({ id, snapshot }));
    self.postMessage({ id, response });
  } catch (error) {
    if (typeof error === "string") {
      // A problem document: this request failed, and the worker can process others.
      self.postMessage({ id, problem: error });
    } else {
      self.postMessage({ id, failure: String(error) });
    }
  }
});
