/** The engine of a server, over HTTP. */

import { EngineError, isAbort } from "./errors.js";

/** @import { Endpoints } from "../types/api.d.ts" */
/** @import { Endpoint, Engine } from "../types/app.d.ts" */

/** The path of the API, relative to the page. */
const API = "api/v1/";

/** The timeout of a request without a search, in milliseconds. */
const TIMEOUT_MS = 10_000;

/**
 * The time that a search takes in addition to its time limit, for queueing and transfer, in
 * milliseconds.
 */
const SEARCH_OVERHEAD_MS = 30_000;

/** The longest time limit of a search, in milliseconds. */
const SEARCH_MS = 30_000;

/** @type {ReadonlySet<Endpoint>} */
const SEARCH_ENDPOINTS = new Set(/** @type {Endpoint[]} */ (["analyze", "choose"]));

/** Endpoints without a request body, which use the method GET. @type {ReadonlySet<Endpoint>} */
const GET_ENDPOINTS = new Set(/** @type {Endpoint[]} */ (["rules"]));

/**
 * Returns the timeout of a request to `endpoint`, in milliseconds.
 *
 * @param {Endpoint} endpoint
 */
function timeoutFor(endpoint) {
  return SEARCH_ENDPOINTS.has(endpoint) ? SEARCH_MS + SEARCH_OVERHEAD_MS : TIMEOUT_MS;
}

/**
 * Sends a request to the API and returns its JSON. Games with friends use it too.
 *
 * @param {string} path below `api/v1/`
 * @param {{ method?: string, body?: unknown, token?: string, signal?: AbortSignal, timeoutMs?:
 *   number }} [options]
 * @returns {Promise<any>}
 */
export async function fetchJson(
  path,
  { method, body, token, signal, timeoutMs = TIMEOUT_MS } = {},
) {
  signal?.throwIfAborted();
  const control = new AbortController();
  const forwardAbort = () => control.abort(signal?.reason);
  signal?.addEventListener("abort", forwardAbort, { once: true });
  let isTimedOut = false;
  const timer = setTimeout(() => {
    isTimedOut = true;
    control.abort();
  }, timeoutMs);
  /** @type {Record<string, string>} */
  const headers = { accept: "application/json" };
  if (body !== undefined) {
    headers["content-type"] = "application/json";
  }
  if (token !== undefined) {
    headers.authorization = `Bearer ${token}`;
  }
  try {
    const response = await fetch(new URL(API + path, document.baseURI), {
      method: method ?? (body === undefined ? "GET" : "POST"),
      headers,
      body: body === undefined ? null : JSON.stringify(body),
      signal: control.signal,
      cache: "no-store",
      referrerPolicy: "no-referrer",
    });
    const text = await response.text();
    if (!response.ok) {
      throw EngineError.fromText(
        text,
        response.status,
        `The server responded with status ${response.status}`,
      );
    }
    try {
      return JSON.parse(text);
    } catch {
      throw new EngineError({
        type: "about:blank",
        title: "The response is not JSON",
        status: 502,
        detail: "",
      });
    }
  } catch (error) {
    if (error instanceof EngineError) {
      throw error;
    }
    if (isTimedOut) {
      throw EngineError.unreachable(`no response within ${timeoutMs / 1000} seconds`);
    }
    if (isAbort(error) || signal?.aborted) {
      throw new DOMException("aborted", "AbortError");
    }
    throw EngineError.unreachable("check that the server is running and that the network works");
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", forwardAbort);
  }
}

/**
 * Creates the engine of a server.
 *
 * @returns {Engine}
 */
export function httpEngine() {
  return {
    kind: "server",
    /**
     * @template {Endpoint} Q
     * @param {Q} endpoint
     * @param {Endpoints[Q]["request"]} body
     * @param {AbortSignal} [signal]
     */
    request: (endpoint, body, signal) =>
      fetchJson(endpoint, {
        ...(!GET_ENDPOINTS.has(endpoint) && { body }),
        timeoutMs: timeoutFor(endpoint),
        ...(signal && { signal }),
      }),
  };
}
