/** Questions over the server's API. */

import { EngineError, isAbort } from "./errors.js";

/** @import { Questions } from "../types/api.d.ts" */
/** @import { Engine, Question } from "../types/app.d.ts" */

/** Where the API lies, seen from the page. */
const API = "api/v1/";

/** How long a question may take that needs no search, in milliseconds. */
const QUICK_MS = 10_000;

/** How much longer than its own `time` a search may take: queueing, and the way there and back. */
const SEARCH_SLACK_MS = 30_000;

/** What `time` is where a search does not say it, in milliseconds: generous. */
const SEARCH_MS = 30_000;

/** @type {ReadonlySet<Question>} */
const SEARCHES = new Set(/** @type {Question[]} */ (["analyse", "choose"]));

/** Questions with nothing to say: got, not posted. @type {ReadonlySet<Question>} */
const WITHOUT_BODY = new Set(/** @type {Question[]} */ (["rules"]));

/**
 * How long to wait for the answer to `question`, in milliseconds.
 *
 * @param {Question} question
 */
function patience(question) {
  return SEARCHES.has(question) ? SEARCH_MS + SEARCH_SLACK_MS : QUICK_MS;
}

/**
 * One request to the API and its JSON answer. Friend games use it too.
 *
 * @param {string} path below `api/v1/`
 * @param {{ method?: string, body?: unknown, token?: string, signal?: AbortSignal, patienceMs?: number }} [options]
 * @returns {Promise<any>}
 */
export async function request(path, { method, body, token, signal, patienceMs = QUICK_MS } = {}) {
  signal?.throwIfAborted();
  const ending = new AbortController();
  const forward = () => ending.abort(signal?.reason);
  signal?.addEventListener("abort", forward, { once: true });
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    ending.abort();
  }, patienceMs);
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
      signal: ending.signal,
      cache: "no-store",
      referrerPolicy: "no-referrer",
    });
    const text = await response.text();
    if (!response.ok) {
      throw EngineError.fromText(text, response.status, `The server answered ${response.status}`);
    }
    try {
      return JSON.parse(text);
    } catch {
      throw new EngineError({ type: "about:blank", title: "The answer is no JSON", status: 502, detail: "" });
    }
  } catch (error) {
    if (error instanceof EngineError) {
      throw error;
    }
    if (late) {
      throw EngineError.unreachable(`no answer in ${patienceMs / 1000} seconds`);
    }
    if (isAbort(error) || signal?.aborted) {
      throw new DOMException("called off", "AbortError");
    }
    throw EngineError.unreachable("is it still running, and is the network there?");
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", forward);
  }
}

/** @returns {Engine} */
export function httpEngine() {
  return {
    kind: "server",
    /**
     * @template {Question} Q
     * @param {Q} question
     * @param {Questions[Q]["ask"]} body
     * @param {AbortSignal} [signal]
     */
    ask: (question, body, signal) =>
      request(question, {
        ...(!WITHOUT_BODY.has(question) && { body }),
        patienceMs: patience(question),
        ...(signal && { signal }),
      }),
  };
}
