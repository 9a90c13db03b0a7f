/** The ways through a reviewed game: its plies, its mistakes, and playing on from them. */

import { editInExploreMode } from "../game/modes.js";
import { goTo, path } from "../game/tree.js";
import { texts } from "../texts/texts.js";
import { isElsewhere } from "../ui/keyboard.js";
import { pathOfLine } from "./run.js";

/** @import { ReviewedPly } from "../types/api.d.ts" */
/** @import { App, GameTree, Player, Players } from "../types/app.d.ts" */
/** @import { RetryBox } from "./retry-box.js" */
/** @import { ReviewRun } from "./run.js" */

/**
 * The review on the page, and the box in which a person looks for a better move.
 *
 * @typedef {{ app: App, run: ReviewRun, retry: RetryBox }} ReviewParts
 */

/** A direction along the plies: 1 is forward. @typedef {1 | -1} Direction */

/** The opponent that replaces a remote player when a person plays on from a ply. */
const REPLACEMENT_OPPONENT = "level:5";

/**
 * The keys that go to a mistake.
 *
 * @type {ReadonlyMap<string, Direction>}
 */
const MISTAKE_KEYS = new Map([
  [".", 1],
  [",", -1],
]);

/**
 * Returns the players with a replacement for a remote player.
 *
 * @param {Players} players
 * @returns {Players}
 */
function localPlayers({ south, north }) {
  /** @type {Player} */
  const replacement =
    south.kind === "person" || north.kind === "person"
      ? { kind: "computer", opponent: REPLACEMENT_OPPONENT }
      : { kind: "person" };
  return {
    south: south.kind === "remote" ? replacement : south,
    north: north.kind === "remote" ? replacement : north,
  };
}

/**
 * Returns the ply of the next graded move in a direction, or `null`.
 *
 * @param {Pick<ReviewedPly, "ply" | "grade">[]} plies
 * @param {number} from the current ply
 * @param {Direction} direction
 * @returns {number | null}
 */
export function nextMistake(plies, from, direction) {
  const ahead = plies.filter(({ ply, grade }) => grade && (ply - from) * direction > 0);
  return ahead.at(direction === 1 ? 0 : -1)?.ply ?? null;
}

/**
 * Returns the path of the reviewed line.
 *
 * @param {Pick<ReviewParts, "run">} parts
 * @param {GameTree} tree
 */
export const linePath = ({ run }, tree) => pathOfLine(tree, run.state().line) ?? tree.line;

/**
 * Returns the ply on the board, counted along the reviewed line, or that of the mistake for which
 * the person looks for a better move.
 *
 * @param {ReviewParts} parts
 * @param {GameTree} tree
 */
export function currentPly(parts, tree) {
  const line = linePath(parts, tree);
  const at = path(tree);
  const branch = at.findIndex((index, place) => index !== line[place]);
  return parts.retry.ply() ?? (branch < 0 ? at.length : branch);
}

/** Shows a ply of the reviewed line. @param {ReviewParts} parts @param {number} ply */
export function showPly(parts, ply) {
  const { app, retry } = parts;
  retry.end();
  if (app.state().tree) {
    editInExploreMode(app, (tree) => {
      const line = linePath(parts, tree);
      // The whole line remains the current one, so that the person can step on.
      return goTo(goTo(tree, line), line.slice(0, ply));
    });
  }
}

/**
 * Shows the next mistake in a direction.
 *
 * @param {ReviewParts} parts
 * @param {Direction} direction
 */
export function goToMistake(parts, direction) {
  const { app, run } = parts;
  const { tree } = app.state();
  const { review } = run.state();
  if (tree && review) {
    const ply = nextMistake(review.plies, currentPly(parts, tree), direction);
    if (ply === null) {
      app.announce(texts.review.noMoreMistakes);
    } else {
      showPly(parts, ply);
    }
  }
}

/**
 * Plays on from the position before a ply.
 *
 * @param {ReviewParts} parts
 * @param {number} ply the ply to play differently
 */
export function playOnFrom(parts, ply) {
  const { app } = parts;
  const { suspendedGame, players } = app.state();
  showPly(parts, ply - 1);
  app.actions.playFromHere(localPlayers((suspendedGame ?? { players }).players));
  app.announce(texts.review.tryAnother);
}

/**
 * Listens for the keys that go to a mistake.
 *
 * @param {ReviewParts} parts
 * @param {() => boolean} areResultsShown
 */
export function listenForMistakeKeys(parts, areResultsShown) {
  document.addEventListener("keydown", (event) => {
    const direction = MISTAKE_KEYS.get(event.key);
    const { panel, settings } = parts.app.state();
    const isFree =
      panel === "review" &&
      settings.keys &&
      !event.defaultPrevented &&
      !event.ctrlKey &&
      !event.altKey &&
      !event.metaKey &&
      !isElsewhere(event.target);
    if (direction && isFree && areResultsShown()) {
      event.preventDefault();
      goToMistake(parts, direction);
    }
  });
}
