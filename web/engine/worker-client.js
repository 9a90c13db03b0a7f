/**
 * The engine in WebAssembly workers: one worker for quick requests and one for searches. Aborting a
 * search terminates its worker, because nothing else can stop it; the next search gets a new
 * worker.
 */

import { EngineError } from "./errors.js";
import { texts } from "../texts/texts.js";

/** @import { Endpoints } from "../types/api.d.ts" */
/** @import { Endpoint, Engine } from "../types/app.d.ts" */

/**
 * @typedef {object} PendingRequest
 * @property {number} id
 * @property {string} endpoint
 * @property {string} body
 * @property {((snapshot: any) => void) | undefined} onSnapshot receives the results so far
 * @property {(response: any) => void} resolve
 * @property {(error: unknown) => void} reject
 */

/** @type {ReadonlySet<Endpoint>} */
const SEARCH_ENDPOINTS = new Set(/** @type {Endpoint[]} */ (["choose", "prepare", "puzzle"]));

const abortError = () => new DOMException("aborted", "AbortError");

/**
 * Creates a queue for a worker that processes one request at a time. The queue creates the worker
 * for its first request.
 *
 * @param {() => Worker} create
 */
export function createWorkerQueue(create) {
  /** @type {Worker | null} */
  let worker = null;
  /** The worker processes the first of them. @type {PendingRequest[]} */
  const queue = [];
  let lastId = 0;

  function terminate() {
    worker?.terminate();
    worker = null;
  }

  function startNext() {
    const next = queue[0];
    if (!next) {
      return;
    }
    if (!worker) {
      worker = create();
      worker.onmessage = ({ data }) => {
        const waiting = queue[0];
        if (!waiting || waiting.id !== data.id) {
          return;
        }
        if (data.snapshot !== undefined) {
          waiting.onSnapshot?.(JSON.parse(data.snapshot));
          return;
        }
        queue.shift();
        if (data.failure !== undefined) {
          // A worker that has failed is not reliable.
          terminate();
        }
        finishRequest(waiting, data);
        startNext();
      };
      worker.onerror = (event) => {
        event.preventDefault();
        const waiting = queue.shift();
        terminate();
        waiting?.reject(
          new EngineError({
            type: "about:blank",
            title: texts.errors.engineStopped,
            status: 500,
            detail: event.message || texts.errors.engineNotLoaded,
          }),
        );
        startNext();
      };
    }
    worker.postMessage({ id: next.id, endpoint: next.endpoint, body: next.body });
  }

  /**
   * @param {string} endpoint
   * @param {string} body JSON text
   * @param {AbortSignal} [signal]
   * @param {(snapshot: any) => void} [onSnapshot]
   * @returns {Promise<any>}
   */
  function request(endpoint, body, signal, onSnapshot) {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(abortError());
        return;
      }
      lastId += 1;
      /** @type {PendingRequest} */
      const waiting = { id: lastId, endpoint, body, onSnapshot, resolve, reject };
      signal?.addEventListener(
        "abort",
        () => {
          const place = queue.indexOf(waiting);
          if (place < 0) {
            return;
          }
          queue.splice(place, 1);
          reject(abortError());
          if (place === 0) {
            terminate();
            startNext();
          }
        },
        { once: true },
      );
      queue.push(waiting);
      if (queue.length === 1) {
        startNext();
      }
    });
  }

  return { request };
}

/**
 * @param {PendingRequest} waiting
 * @param {{ response?: string, problem?: string, failure?: string }} data
 */
function finishRequest(waiting, data) {
  if (data.failure !== undefined) {
    waiting.reject(
      new EngineError({
        type: "about:blank",
        title: texts.errors.engineFailed,
        status: 500,
        detail: data.failure,
      }),
    );
    return;
  }
  if (data.response === undefined) {
    waiting.reject(EngineError.fromText(data.problem ?? "", 500, texts.errors.engineFailed));
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
 * @returns {Engine}
 */
export function workerEngine() {
  const create = () => new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  const quick = createWorkerQueue(create);
  const search = createWorkerQueue(create);
  return {
    kind: "worker",
    /**
     * @template {Endpoint} Q
     * @param {Q} endpoint
     * @param {Endpoints[Q]["request"]} body
     * @param {AbortSignal} [signal]
     */
    request: (endpoint, body, signal) =>
      (SEARCH_ENDPOINTS.has(endpoint) ? search : quick).request(
        endpoint,
        JSON.stringify(body),
        signal,
      ),
    analyze: (body, { signal, onSnapshot } = {}) =>
      search.request("analyze", JSON.stringify(body), signal, onSnapshot),
  };
}
