/** Delays, and the repetition of requests that the engine refuses for a time. */

import { EngineError } from "./errors.js";

/**
 * Waits for a time. It rejects when `signal` is aborted.
 *
 * @param {number} milliseconds
 * @param {AbortSignal} signal
 * @returns {Promise<void>}
 */
export function delay(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    signal.addEventListener("abort", stop, { once: true });
  });
}

/**
 * Sends a request, and sends it again after a temporary error.
 *
 * @template T
 * @param {() => Promise<T>} send
 * @param {readonly number[]} delaysMs the delay before each repetition, in milliseconds
 * @param {AbortSignal} signal
 * @returns {Promise<T>}
 */
export async function withRetries(send, delaysMs, signal) {
  for (const wait of delaysMs) {
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof EngineError && error.isTemporary)) {
        throw error;
      }
      await delay(wait, signal);
    }
  }
  return send();
}
