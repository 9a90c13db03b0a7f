/** The engine of a server, over HTTP. */

import {
  BAD_RESPONSE_STATUS,
  EngineError,
  isAbort,
  NO_RESPONSE_STATUS,
  SERVER_ERROR_STATUS,
} from "./errors.js";
import { createEventParser } from "./event-stream.js";
import { onWake } from "./wake.js";
import { texts } from "../texts/texts.js";

/** @import { Endpoints } from "../types/api.d.ts" */
/** @import { Engine, OneResponseSearch, QuickEndpoint } from "../types/app.d.ts" */

/** The path of the API, relative to the page. */
const API = "api/v1/";

/** One second, in milliseconds. */
const SECOND_MS = 1_000;

/** The timeout of a request without a search, in milliseconds. */
const TIMEOUT_MS = 10_000;

/**
 * The time without a byte after which a stream has failed, in milliseconds. The server sends a
 * comment every 3 seconds.
 */
const STREAM_SILENCE_MS = 9_000;

/**
 * The same after the page has been in the background, where the connection may have been lost, and
 * before the first byte, which the server sends at once: the next byte is due.
 */
const DUE_SILENCE_MS = 5_000;

/** The time in which a connection shows that it works, in milliseconds. */
const PROBE_TIMEOUT_MS = 2_000;

/** The number of connections that browsers keep open to a server. */
const MAX_CONNECTIONS = 6;

/** The error for a response that does not have the form of the API. */
const notJsonError = () =>
  new EngineError({
    type: "about:blank",
    title: texts.errors.notJson,
    status: BAD_RESPONSE_STATUS,
    detail: "",
  });

/**
 * The end of a request that takes too long.
 *
 * @typedef {object} Timeout
 * @property {() => void} restart begins the time again
 * @property {(ms: number) => void} shorten also ends the request after this time, unless `restart` is
 *   called before; further calls until then change nothing
 * @property {() => void} clear
 */

/**
 * Creates a timeout that begins now.
 *
 * @param {number} timeoutMs
 * @param {(error: EngineError) => void} end ends the request
 * @returns {Timeout}
 */
function createTimeout(timeoutMs, end) {
  /** The timers by their times. @type {Map<number, ReturnType<typeof setTimeout>>} */
  const timers = new Map();
  const clear = () => {
    timers.forEach((timer) => clearTimeout(timer));
    timers.clear();
  };
  const shorten = (/** @type {number} */ ms) => {
    if (!timers.has(ms)) {
      const message = texts.errors.noResponse(ms / SECOND_MS);
      const timer = setTimeout(() => end(EngineError.unreachable(message)), ms);
      timers.set(ms, timer);
    }
  };
  const restart = () => {
    clear();
    shorten(timeoutMs);
  };
  restart();
  return { restart, shorten, clear };
}

/**
 * Calls `use` with the control of a request and its timeout, and returns its result. Failures are
 * EngineErrors, and an abort of `signal` is an AbortError.
 *
 * @template T
 * @param {AbortSignal | undefined} signal aborts the request
 * @param {number} timeoutMs
 * @param {(control: AbortController, timeout: Timeout) => Promise<T>} use may abort the request with
 *   an EngineError
 * @returns {Promise<T>}
 */
async function withTimeout(signal, timeoutMs, use) {
  signal?.throwIfAborted();
  const control = new AbortController();
  const forwardAbort = () => control.abort(signal?.reason);
  signal?.addEventListener("abort", forwardAbort, { once: true });
  const timeout = createTimeout(timeoutMs, (error) => control.abort(error));
  try {
    return await use(control, timeout);
  } catch (thrown) {
    // Not all parts of a browser throw the reason of an abort.
    const { reason } = control.signal;
    const error = reason instanceof EngineError ? reason : thrown;
    if (error instanceof EngineError) {
      throw error;
    }
    if (isAbort(error) || signal?.aborted) {
      throw new DOMException("aborted", "AbortError");
    }
    throw EngineError.unreachable(texts.errors.checkNetwork);
  } finally {
    timeout.clear();
    signal?.removeEventListener("abort", forwardAbort);
  }
}

/**
 * Sends a request to the API. It rejects if the status of the response is an error.
 *
 * @param {string} path below `api/v1/`
 * @param {RequestInit} options
 */
async function fetchApi(path, options) {
  const response = await fetch(new URL(API + path, document.baseURI), {
    ...options,
    cache: "no-store",
    referrerPolicy: "no-referrer",
  });
  if (!response.ok) {
    const text = await response.text();
    throw EngineError.fromText(text, response.status, texts.errors.status(response.status));
  }
  return response;
}

/**
 * Sends a request to the API and returns its JSON. Games with friends use it too.
 *
 * @param {string} path below `api/v1/`
 * @param {{ method?: string, body?: unknown, token?: string, signal?: AbortSignal, timeoutMs?:
 *   number }} [options]
 * @returns {Promise<any>}
 */
export function fetchJson(path, { method, body, token, signal, timeoutMs = TIMEOUT_MS } = {}) {
  /** @type {Record<string, string>} */
  const headers = { accept: "application/json" };
  if (body !== undefined) {
    headers["content-type"] = "application/json";
  }
  if (token !== undefined) {
    headers.authorization = `Bearer ${token}`;
  }
  return withTimeout(signal, timeoutMs, async (control) => {
    const response = await fetchApi(path, {
      method: method ?? (body === undefined ? "GET" : "POST"),
      headers,
      body: body === undefined ? null : JSON.stringify(body),
      signal: control.signal,
    });
    const text = await response.text();
    try {
      return JSON.parse(text);
    } catch {
      throw notJsonError();
    }
  });
}

/**
 * Reads a stream of events to its end.
 *
 * @param {Response} response
 * @param {(name: string, data: string) => void} onEvent
 * @param {() => void} onBytes called after each part of the stream
 */
async function readEvents(response, onEvent, onBytes) {
  const parse = createEventParser(onEvent);
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  try {
    for (let isOpen = reader !== undefined; reader && isOpen;) {
      const { done, value } = await reader.read();
      onBytes();
      isOpen = !done;
      parse(decoder.decode(value, { stream: isOpen }));
    }
  } catch (error) {
    void reader?.cancel().catch(() => {});
    throw error;
  }
}

/**
 * Sends a request whose response is a stream of server-sent events, and returns its result. An abort
 * closes the connection, and then the server stops the search. A stream that is silent, or whose
 * network has gone, fails.
 *
 * @param {string} path below `api/v1/`
 * @param {RequestInit} options
 * @param {Parameters<Engine["analyze"]>[1]} [handlers]
 * @returns {Promise<any>}
 */
function fetchResult(path, options, { signal, onSnapshot, onQueued } = {}) {
  return withTimeout(signal, STREAM_SILENCE_MS, async (control, timeout) => {
    timeout.shorten(DUE_SILENCE_MS);
    const stopListening = onWake((cause) => {
      if (cause === "network") {
        control.abort(EngineError.unreachable(texts.errors.checkNetwork));
      } else {
        timeout.shorten(DUE_SILENCE_MS);
      }
    });
    try {
      const response = await fetchApi(path, {
        ...options,
        headers: { ...options.headers, accept: "text/event-stream" },
        signal: control.signal,
      });
      timeout.restart();
      const received = { result: /** @type {any} */ (null) };
      /** @param {string} name @param {string} data */
      const onEvent = (name, data) => {
        // An event that was received before the abort is not for the caller.
        control.signal.throwIfAborted();
        switch (name) {
          case "queued":
            onQueued?.(parseData(data));
            break;
          case "snapshot":
            onSnapshot?.(parseData(data));
            break;
          case "done":
            received.result = parseData(data);
            break;
          case "problem":
            throw EngineError.fromText(data, SERVER_ERROR_STATUS, texts.errors.engineFailed);
        }
      };
      await readEvents(response, onEvent, timeout.restart);
      if (!received.result) {
        throw EngineError.unreachable(texts.errors.streamEnded);
      }
      return received.result;
    } finally {
      stopListening();
    }
  });
}

/**
 * Returns whether the connection of a request was lost.
 *
 * @param {unknown} error
 */
const isLost = (error) =>
  error instanceof EngineError && error.problem.status === NO_RESPONSE_STATUS;

/**
 * Makes the browser close the open connections that are lost, which it would use for the next
 * requests: a request that is aborted closes its own.
 *
 * @param {AbortSignal} [signal]
 */
async function closeLostConnections(signal) {
  const options = { timeoutMs: PROBE_TIMEOUT_MS, ...(signal && { signal }) };
  const probes = Array.from({ length: MAX_CONNECTIONS }, () => fetchJson("rules", options));
  await Promise.allSettled(probes);
}

/**
 * Sends a request that may be repeated. It is sent again when its connection is lost: once, and
 * whenever the network has changed.
 *
 * @template T
 * @param {(isLastTry: boolean) => Promise<T>} send
 * @param {AbortSignal | undefined} signal
 * @returns {Promise<T>}
 */
async function overNewConnections(send, signal) {
  for (let isLastTry = false; ;) {
    let hasNewNetwork = false;
    const stopListening = onWake((cause) => {
      hasNewNetwork ||= cause === "network";
    });
    try {
      return await send(isLastTry);
    } catch (error) {
      if (!isLost(error) || (isLastTry && !hasNewNetwork)) {
        throw error;
      }
      isLastTry = !hasNewNetwork;
    } finally {
      stopListening();
    }
    await closeLostConnections(signal);
  }
}

/**
 * Parses the data of an event.
 *
 * @param {string} data
 */
function parseData(data) {
  try {
    return JSON.parse(data);
  } catch {
    throw notJsonError();
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
     * @template {QuickEndpoint} Q
     * @param {Q} endpoint
     * @param {Endpoints[Q]["request"]} body `null` for an endpoint without fields, which uses `GET`
     * @param {AbortSignal} [signal]
     */
    request: (endpoint, body, signal) =>
      overNewConnections((isLastTry) => {
        const timeoutMs = isLastTry ? TIMEOUT_MS : DUE_SILENCE_MS;
        return fetchJson(endpoint, { timeoutMs, ...(body && { body }), ...(signal && { signal }) });
      }, signal),
    /**
     * @template {OneResponseSearch} Q
     * @param {Q} endpoint
     * @param {Endpoints[Q]["request"]} body
     * @param {AbortSignal} [signal]
     */
    search(endpoint, body, signal) {
      const options = {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      };
      return overNewConnections(() => fetchResult(endpoint, options, signal && { signal }), signal);
    },
    async analyze(body, handlers) {
      const fields = Object.entries(body).map(([key, value]) => [key, String(value)]);
      try {
        return await fetchResult(`analyses?${new URLSearchParams(fields)}`, {}, handlers);
      } catch (error) {
        if (isLost(error)) {
          // The caller sends the analysis again.
          void closeLostConnections();
        }
        throw error;
      }
    },
    async program() {
      const response = await withTimeout(undefined, TIMEOUT_MS, ({ signal }) =>
        fetchApi("rules", { method: "HEAD", signal }),
      );
      return response.headers.get("server");
    },
  };
}
