/**
 * Questions to WebAssembly in workers: one for what is quick, one for searches. A search that is called
 * off ends its worker, since nothing else can stop it; the next one gets a new worker.
 */

import { EngineError } from "./errors.js";

/** @import { Questions } from "../types/api.d.ts" */
/** @import { Engine, Question } from "../types/app.d.ts" */

/**
 * @typedef {object} Waiting one question on its way
 * @property {number} id
 * @property {string} question
 * @property {string} body
 * @property {(answer: any) => void} resolve
 * @property {(error: unknown) => void} reject
 */

/** @type {ReadonlySet<Question>} */
const SEARCHES = new Set(/** @type {Question[]} */ (["analyse", "choose", "prepare"]));

const calledOff = () => new DOMException("called off", "AbortError");

/**
 * A worker that answers one question after another, made when it is first needed.
 *
 * @param {() => Worker} create
 */
export function lane(create) {
  /** @type {Worker | null} */
  let worker = null;
  /** The first of them is at work. @type {Waiting[]} */
  const queue = [];
  let lastId = 0;

  function end() {
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
        queue.shift();
        if (data.broken !== undefined) {
          // Nothing sensible comes from it any more.
          end();
        }
        settle(waiting, data);
        startNext();
      };
      worker.onerror = (event) => {
        event.preventDefault();
        const waiting = queue.shift();
        end();
        waiting?.reject(
          new EngineError({
            type: "about:blank",
            title: "The engine stopped",
            status: 500,
            detail: event.message || "it could not be loaded",
          }),
        );
        startNext();
      };
    }
    worker.postMessage({ id: next.id, question: next.question, body: next.body });
  }

  /**
   * @param {string} question
   * @param {string} body JSON text
   * @param {AbortSignal} [signal]
   * @returns {Promise<any>}
   */
  function ask(question, body, signal) {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(calledOff());
        return;
      }
      lastId += 1;
      /** @type {Waiting} */
      const waiting = { id: lastId, question, body, resolve, reject };
      signal?.addEventListener(
        "abort",
        () => {
          const place = queue.indexOf(waiting);
          if (place < 0) {
            return;
          }
          queue.splice(place, 1);
          reject(calledOff());
          if (place === 0) {
            end();
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

  return { ask };
}

/**
 * @param {Waiting} waiting
 * @param {{ answer?: string, problem?: string, broken?: string }} data
 */
function settle(waiting, data) {
  if (data.broken !== undefined) {
    waiting.reject(new EngineError({ type: "about:blank", title: "The engine failed", status: 500, detail: data.broken }));
    return;
  }
  if (data.answer === undefined) {
    waiting.reject(EngineError.fromText(data.problem ?? "", 500, "The engine failed"));
    return;
  }
  try {
    waiting.resolve(JSON.parse(data.answer));
  } catch (error) {
    waiting.reject(error);
  }
}

/** @returns {Engine} */
export function workerEngine() {
  const create = () => new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  const quick = lane(create);
  const search = lane(create);
  return {
    kind: "worker",
    /**
     * @template {Question} Q
     * @param {Q} question
     * @param {Questions[Q]["ask"]} body
     * @param {AbortSignal} [signal]
     */
    ask: (question, body, signal) =>
      (SEARCHES.has(question) ? search : quick).ask(question, JSON.stringify(body), signal),
  };
}
