/**
 * The engine in WebAssembly workers: one worker for quick requests and one for searches. Aborting a
 * search terminates its worker, because nothing else can stop it; the next search gets a new
 * worker.
 */

import { detailText } from "../texts/from-server.js";
import { EngineError, SERVER_ERROR_STATUS } from "./errors.js";
import { texts } from "../texts/texts.js";

/** @import { Endpoints } from "../types/api.d.ts" */
/** @import { Engine, OneResponseSearch, QuickEndpoint } from "../types/app.d.ts" */

/** The request for the name of the program. It is not part of the API. */
const PROGRAM_REQUEST = "program";

/**
 * @typedef {object} PendingRequest
 * @property {number} id
 * @property {string} endpoint
 * @property {string} body
 * @property {((snapshot: any) => void) | undefined} onSnapshot receives the results so far
 * @property {(response: any) => void} resolve
 * @property {(error: unknown) => void} reject
 */

/**
 * A message of a worker: a snapshot, or the end of the request.
 *
 * @typedef {object} WorkerMessage
 * @property {number} id
 * @property {string} [snapshot]
 * @property {string} [response]
 * @property {string} [problem]
 * @property {string} [failure]
 */

const abortError = () => new DOMException("aborted", "AbortError");

/**
 * A queue for a worker that processes one request at a time.
 *
 * @typedef {object} Queue
 * @property {() => Worker} create
 * @property {Worker | null} worker `null` before the first request and after the end of a worker
 * @property {PendingRequest[]} requests the worker processes the first of them
 * @property {number} lastId
 */

/** @param {Queue} queue */
function terminate(queue) {
  queue.worker?.terminate();
  queue.worker = null;
}

/** Sends the first request to the worker. @param {Queue} queue */
function startNext(queue) {
  const [next] = queue.requests;
  if (next) {
    queue.worker ??= startWorker(queue);
    queue.worker.postMessage({ id: next.id, endpoint: next.endpoint, body: next.body });
  }
}

/** @param {Queue} queue */
function startWorker(queue) {
  const worker = queue.create();
  worker.onmessage = ({ data }) => handleMessage(queue, data);
  worker.onerror = (event) => {
    event.preventDefault();
    handleError(queue, event.message);
  };
  return worker;
}

/** @param {Queue} queue @param {WorkerMessage} data */
function handleMessage(queue, data) {
  const [waiting] = queue.requests;
  if (!waiting || waiting.id !== data.id) {
    return;
  }
  if (data.snapshot !== undefined) {
    waiting.onSnapshot?.(JSON.parse(data.snapshot));
    return;
  }
  queue.requests.shift();
  if (data.failure !== undefined) {
    // A worker that has failed is not reliable.
    terminate(queue);
  }
  finishRequest(waiting, data);
  startNext(queue);
}

/** @param {Queue} queue @param {string} message */
function handleError(queue, message) {
  const waiting = queue.requests.shift();
  terminate(queue);
  waiting?.reject(
    new EngineError({
      type: "about:blank",
      title: texts.errors.engineStopped,
      status: SERVER_ERROR_STATUS,
      detail: message ? detailText(message) : texts.errors.engineNotLoaded,
    }),
  );
  startNext(queue);
}

/** Removes a request that is aborted. @param {Queue} queue @param {PendingRequest} waiting */
function abort(queue, waiting) {
  const place = queue.requests.indexOf(waiting);
  if (place < 0) {
    return;
  }
  queue.requests.splice(place, 1);
  waiting.reject(abortError());
  if (place === 0) {
    terminate(queue);
    startNext(queue);
  }
}

/**
 * Creates a queue. It creates the worker for its first request.
 *
 * @param {() => Worker} create
 */
export function createWorkerQueue(create) {
  /** @type {Queue} */
  const queue = { create, worker: null, requests: [], lastId: 0 };
  return {
    /**
     * @param {string} endpoint
     * @param {string} body JSON text
     * @param {AbortSignal} [signal]
     * @param {(snapshot: any) => void} [onSnapshot]
     * @returns {Promise<any>}
     */
    request: (endpoint, body, signal, onSnapshot) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) {
          reject(abortError());
          return;
        }
        queue.lastId += 1;
        /** @type {PendingRequest} */
        const waiting = { id: queue.lastId, endpoint, body, onSnapshot, resolve, reject };
        signal?.addEventListener("abort", () => abort(queue, waiting), { once: true });
        queue.requests.push(waiting);
        if (queue.requests.length === 1) {
          startNext(queue);
        }
      }),
  };
}

/**
 * @param {PendingRequest} waiting
 * @param {WorkerMessage} data
 */
function finishRequest(waiting, data) {
  if (data.failure !== undefined) {
    waiting.reject(
      new EngineError({
        type: "about:blank",
        title: texts.errors.engineFailed,
        status: SERVER_ERROR_STATUS,
        detail: detailText(data.failure),
      }),
    );
    return;
  }
  if (data.response === undefined) {
    waiting.reject(
      EngineError.fromText(data.problem ?? "", SERVER_ERROR_STATUS, texts.errors.engineFailed),
    );
    return;
  }
  try {
    waiting.resolve(JSON.parse(data.response));
  } catch (error) {
    waiting.reject(error);
  }
}

/**
 * Creates the engine in workers.
 *
 * @param {string} script the address of the workers' script, relative to the document
 * @returns {Engine}
 */
export function workerEngine(script) {
  const create = () => new Worker(new URL(script, document.baseURI), { type: "module" });
  const quick = createWorkerQueue(create);
  const searches = createWorkerQueue(create);
  return {
    kind: "worker",
    /**
     * @template {QuickEndpoint} Q
     * @param {Q} endpoint
     * @param {Endpoints[Q]["request"]} body
     * @param {AbortSignal} [signal]
     */
    request: (endpoint, body, signal) => quick.request(endpoint, JSON.stringify(body), signal),
    /**
     * @template {OneResponseSearch} Q
     * @param {Q} endpoint
     * @param {Endpoints[Q]["request"]} body
     * @param {AbortSignal} [signal]
     */
    search: (endpoint, body, signal) => searches.request(endpoint, JSON.stringify(body), signal),
    analyze: (body, { signal, onSnapshot } = {}) =>
      searches.request("analyze", JSON.stringify(body), signal, onSnapshot),
    program: () => quick.request(PROGRAM_REQUEST, ""),
  };
}
