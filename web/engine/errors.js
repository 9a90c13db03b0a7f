/** Why a question has no answer, as an error that can be shown. */

/** @import { Problem } from "../types/api.d.ts" */

/** The title of a question that reached nobody. */
const UNREACHABLE_TITLE = "The server cannot be reached";

/** A question without an answer; `message` is fit to be read by a player. */
export class EngineError extends Error {
  /** @param {Problem} problem */
  constructor(problem) {
    super(problem.detail ? `${problem.title}: ${problem.detail}` : problem.title);
    this.name = "EngineError";
    /** The whole document. */
    this.problem = problem;
    /** Whether the same question may be answered later. */
    this.isTemporary = problem.status === 0 || problem.status === 429 || problem.status >= 500;
  }

  /**
   * Nobody answered at all: status 0.
   *
   * @param {string} detail
   */
  static unreachable(detail) {
    return new EngineError({ type: "about:blank", title: UNREACHABLE_TITLE, status: 0, detail });
  }

  /**
   * The error that a problem document tells, whatever stands in its place.
   *
   * @param {string} text
   * @param {number} status what to say where the text is no problem document
   * @param {string} title likewise
   */
  static fromText(text, status, title) {
    try {
      const problem = JSON.parse(text);
      if (typeof problem?.title === "string" && typeof problem.status === "number") {
        return new EngineError(problem);
      }
    } catch {
      // Not JSON: the words below say as much as is known.
    }
    return new EngineError({ type: "about:blank", title, status, detail: "" });
  }
}

/**
 * Whether a question failed because it was called off.
 *
 * @param {unknown} error
 */
export function isAbort(error) {
  return error instanceof DOMException && error.name === "AbortError";
}
