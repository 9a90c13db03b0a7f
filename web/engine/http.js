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

/** @import { AnalyzeResponse, Endpoints } from "../types/api.d.ts" */
/** @import { Engine, OneResponseSearch, QuickEndpoint } from "../types/app.d.ts" */

/** The path of the API, relative to the page. */
const API = "api/v1/";

/** One second, in milliseconds. */
const SECOND_MS = 1_000;

/** The timeout of a request without a search, in milliseconds. */
const TIMEOUT_MS = 10_000;

/**
 * The time that a search takes in addition to its time limit, for queueing and transfer, in
 * milliseconds.
 */
const SEARCH_OVERHEAD_MS = 30_000;

/** The time limit of a search that has no other one, in milliseconds. */
const MAX_SEARCH_MS = 30_000;

/**
 * The time without a byte after which a stream has failed, in milliseconds. The server sends a
 * comment every 4 seconds.
 */
const STREAM_SILENCE_MS = 12_000;

/**
 * The same after the page has been in the background, where the connection may have been lost: the
 * next comment is due. A search without a stream has this time in addition to its time limit.
 */
const WAKE_SILENCE_MS = 5_000;

/** The timeout of a request that tests whether the server can be reached, in milliseconds. */
const PROBE_TIMEOUT_MS = 5_000;

/**
 * Returns the time limit of a search, in milliseconds.
 *
 * @param {{ time?: unknown }} body
 */
function searchMs({ time }) {
  const [, count, unit] = /^(\d+)(ms|s)$/.exec(String(time)) ?? [];
  return count ? Number(count) * (unit === "s" ? SECOND_MS : 1) : MAX_SEARCH_MS;
}

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

/** Returns whether the server responds to a small request, also with an error. */
const isServerReachable = () =>
  fetchJson("rules", { timeoutMs: PROBE_TIMEOUT_MS }).then(
    () => true,
    (error) => error.problem.status !== NO_RESPONSE_STATUS,
  );

/**
 * Sends a request that may be repeated. It is sent again at once when its network has gone, and when
 * the response is overdue after the page has been in the background. It fails if the response is
 * overdue and the server cannot be reached, which a browser tells of no open connection.
 *
 * @template T
 * @param {(signal: AbortSignal) => Promise<T>} send
 * @param {number} dueMs the time within which the response is due
 * @param {AbortSignal | undefined} signal
 * @returns {Promise<T>}
 */
async function overNewNetworks(send, dueMs, signal) {
  for (;;) {
    signal?.throwIfAborted();
    const control = new AbortController();
    const forwardAbort = () => control.abort(signal?.reason);
    signal?.addEventListener("abort", forwardAbort, { once: true });
    let isLost = false;
    const lose = () => {
      isLost = true;
      control.abort();
    };
    let isUnreachable = false;
    const probe = async () => {
      isUnreachable = !(await isServerReachable());
      if (isUnreachable) {
        control.abort();
      }
    };
    const probeTimer = setTimeout(() => void probe(), dueMs);
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let wakeTimer;
    const stopListening = onWake((cause) => {
      if (cause === "network") {
        lose();
      } else {
        wakeTimer ??= setTimeout(lose, dueMs);
      }
    });
    try {
      return await send(control.signal);
    } catch (error) {
      if (isUnreachable) {
        throw EngineError.unreachable(texts.errors.checkNetwork);
      }
      if (!isLost) {
        throw error;
      }
    } finally {
      clearTimeout(probeTimer);
      clearTimeout(wakeTimer);
      stopListening();
      signal?.removeEventListener("abort", forwardAbort);
    }
  }
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
 * Analyzes a position over the stream of server-sent events. An abort closes the connection, and
 * then the server stops the analysis. A stream that is silent, or whose network has gone, fails.
 *
 * @type {Engine["analyze"]}
 */
function streamAnalysis(body, { signal, onSnapshot, onQueued } = {}) {
  const fields = Object.entries(body).map(([key, value]) => [key, String(value)]);
  return withTimeout(signal, STREAM_SILENCE_MS, async (control, timeout) => {
    const stopListening = onWake((cause) => {
      if (cause === "network") {
        control.abort(EngineError.unreachable(texts.errors.checkNetwork));
      } else {
        timeout.shorten(WAKE_SILENCE_MS);
      }
    });
    try {
      const response = await fetchApi(`analyses?${new URLSearchParams(fields)}`, {
        headers: { accept: "text/event-stream" },
        signal: control.signal,
      });
      const received = { result: /** @type {AnalyzeResponse | null} */ (null) };
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
      fetchJson(endpoint, { ...(body && { body }), ...(signal && { signal }) }),
    /**
     * @template {OneResponseSearch} Q
     * @param {Q} endpoint
     * @param {Endpoints[Q]["request"]} body
     * @param {AbortSignal} [signal]
     */
    search(endpoint, body, signal) {
      const limitMs = searchMs(/** @type {{ time?: unknown }} */ (body));
      const timeoutMs = limitMs + SEARCH_OVERHEAD_MS;
      return overNewNetworks(
        (inner) => fetchJson(endpoint, { body, timeoutMs, signal: inner }),
        limitMs + WAKE_SILENCE_MS,
        signal,
      );
    },
    analyze: streamAnalysis,
  };
}
