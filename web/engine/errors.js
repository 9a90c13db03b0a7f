/** Errors of requests to the engine. */

import { detailText, problemTitle } from "../texts/from-server.js";
import { texts } from "../texts/texts.js";

/** @import { ProblemDetails } from "../types/api.d.ts" */

/** The status of a request without a response. */
export const NO_RESPONSE_STATUS = 0;

/** The HTTP status of a client that has sent too many requests. */
const TOO_MANY_REQUESTS_STATUS = 429;

/** The first HTTP status of an error of the server, which is that of an unexpected error. */
export const SERVER_ERROR_STATUS = 500;

/** The HTTP status of a response that cannot be read. */
export const BAD_RESPONSE_STATUS = 502;

/** A failed request; `message` is a text for players. */
export class EngineError extends Error {
  /** @param {ProblemDetails} problem with texts in the language of the page */
  constructor(problem) {
    super(problem.detail ? `${problem.title}: ${problem.detail}` : problem.title);
    this.name = "EngineError";
    /** The problem document. */
    this.problem = problem;
    /** Whether the same request may succeed later. */
    this.isTemporary =
      problem.status === NO_RESPONSE_STATUS ||
      problem.status === TOO_MANY_REQUESTS_STATUS ||
      problem.status >= SERVER_ERROR_STATUS;
  }

  /**
   * Returns the error for a request without a response, with status 0.
   *
   * @param {string} detail
   */
  static unreachable(detail) {
    return new EngineError({
      type: "about:blank",
      title: texts.errors.unreachable,
      status: NO_RESPONSE_STATUS,
      detail,
    });
  }

  /**
   * Returns the error for a problem document.
   *
   * @param {string} text
   * @param {number} status used if the text is not a problem document
   * @param {string} title used if the text is not a problem document
   */
  static fromText(text, status, title) {
    try {
      const problem = JSON.parse(text);
      if (typeof problem?.title === "string" && typeof problem.status === "number") {
        return new EngineError({
          ...problem,
          title: problemTitle(problem),
          detail: detailText(problem.detail ?? ""),
        });
      }
    } catch {
      // The text is not JSON: the arguments describe the error.
    }
    return new EngineError({ type: "about:blank", title, status, detail: "" });
  }
}

/**
 * Returns whether an error is the result of an aborted request.
 *
 * @param {unknown} error
 */
export function isAbort(error) {
  return error instanceof DOMException && error.name === "AbortError";
}

/**
 * Returns the text for players of an error that was thrown. Errors that the page has not foreseen
 * have English messages of the browser.
 *
 * @param {unknown} error
 * @returns {string}
 */
export function errorText(error) {
  if (!(error instanceof Error)) {
    return String(error);
  }
  const isForeseen = error instanceof EngineError || error.constructor === Error;
  return isForeseen ? error.message : texts.errors.unexpected(detailText(error.message));
}
