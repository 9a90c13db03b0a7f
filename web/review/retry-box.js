/** The box of the review panel in which a person looks for a better move than a mistake. */

import { moveLabel } from "../board/labels.js";
import { texts } from "../texts/texts.js";
import { button, html, setText } from "../ui/dom.js";
import { betterText, plyTexts, priceText } from "./descriptions.js";
import { createRetry } from "./retry.js";

/** @import { AnalyzeResponse, ReviewedPly } from "../types/api.d.ts" */
/** @import { App } from "../types/app.d.ts" */
/** @import { Notation } from "./descriptions.js" */
/** @import { Retry } from "./retry.js" */

/**
 * Describes the last try.
 *
 * @param {Retry} retry
 * @param {Notation} notation
 */
export function retryText({ mistake, verdict, tried, phase }, notation) {
  if (phase === "shown") {
    return betterText(mistake.better_moves, notation);
  }
  const label = (/** @type {string} */ move) => moveLabel(move, notation.houses, notation.labels);
  if (!verdict || tried === null) {
    return texts.review.findBetter(notation.names[mistake.player], label(mistake.move));
  }
  const [move, played] = [label(tried), label(mistake.move)];
  switch (verdict.kind) {
    case "best":
      return mistake.better_moves.length === 1
        ? texts.review.isBest(move)
        : texts.review.isAmongBest(move);
    case "improvement":
      return texts.review.isImprovement(move, played);
    case "same":
      return texts.review.isSame(move, priceText(mistake));
    case "better":
      return texts.review.isBetter(
        move,
        played,
        texts.review.seedsCost(verdict.cost, verdict.isExact),
      );
    case "equal":
      return texts.review.isEqual(move, played, priceText(mistake));
    case "worse":
      return texts.review.isWorse(
        move,
        played,
        texts.review.seedsCost(verdict.cost, verdict.isExact),
      );
    case "unknown":
      return texts.review.isUnknown(move);
  }
}

/**
 * Shows the box and moves the focus there.
 *
 * @param {HTMLElement} box
 */
function showBox(box) {
  box.hidden = false;
  box.focus({ preventScroll: true });
  // The box has its texts after the next change of the state is drawn.
  requestAnimationFrame(() => {
    box.scrollIntoView({ block: "nearest" });
  });
}

/**
 * Creates the box with the texts and buttons of a running retry.
 *
 * @param {{ onGiveUp: () => void, onNext: () => void, onClose: () => void }} events
 */
function createBox({ onGiveUp, onNext, onClose }) {
  const title = html("p", { class: "summary" });
  const message = html("p", { role: "status" });
  const giveUp = button(texts.review.giveUp, onGiveUp, { class: "small" });
  const next = button(texts.review.nextMistake, onNext, { class: "small" });
  const close = button(texts.review.endRetry, onClose, { class: "small" });
  const element = html(
    "div",
    { class: "retry", role: "group", "aria-label": texts.review.tryAgain, tabindex: -1 },
    title,
    message,
    html("div", { class: "tools" }, giveUp, next, close),
  );
  return {
    element,
    /** @param {Retry | null} retry @param {Notation} notation @param {readonly ReviewedPly[]} plies */
    draw(retry, notation, plies) {
      element.hidden = retry === null;
      if (retry) {
        setText(title, plyTexts(plies, notation)[retry.mistake.ply - 1] ?? "");
        setText(message, retryText(retry, notation));
        element.dataset["phase"] = retry.phase;
        giveUp.hidden = retry.phase !== "asking";
      }
    },
  };
}

/**
 * Creates the box, and the button that opens it for the mistake on the board.
 *
 * @param {App} app
 * @param {object} options
 * @param {(ply: ReviewedPly) => AnalyzeResponse | null} options.analysisBefore
 * @param {() => void} options.onNext goes to the next mistake
 */
export function createRetryBox(app, { analysisBefore, onNext }) {
  const retry = createRetry(app, analysisBefore);
  /** The mistake on the board. @type {{ mistake: ReviewedPly, line: number[] } | null} */
  let offered = null;
  const onOffer = () => {
    if (offered) {
      begin(offered.mistake, offered.line);
    }
  };
  const offer = button(texts.review.tryAgain, onOffer, { class: "small main" });
  const box = createBox({
    onGiveUp: () => retry.giveUp(),
    onNext,
    onClose() {
      retry.end();
      offer.focus();
    },
  });

  /** @param {ReviewedPly} mistake @param {number[]} line */
  function begin(mistake, line) {
    retry.begin(mistake, line);
    showBox(box.element);
  }

  return {
    element: html("div", {}, offer, box.element),
    begin,
    end: retry.end,

    /** Returns the ply of the mistake, or `null` while no better move is looked for. */
    ply: () => retry.state()?.mistake.ply ?? null,

    /**
     * @param {Notation} notation
     * @param {readonly ReviewedPly[]} plies the plies of the review
     * @param {{ mistake: ReviewedPly | null, line: number[] }} onBoard the mistake on the board, and
     *   the path of the reviewed line
     */
    draw(notation, plies, { mistake, line }) {
      const now = retry.state();
      offered = mistake && { mistake, line };
      offer.hidden = now !== null || mistake === null;
      box.draw(now, notation, plies);
    },
  };
}

/** @typedef {ReturnType<typeof createRetryBox>} RetryBox */
