/** The table of the moves of an opening: their score, their games and the results of these. */

import { moveLabel, moveName } from "../board/labels.js";
import { texts } from "../texts/texts.js";
import { button, html, keyedChildren, setText } from "../ui/dom.js";
import { gamesOf, statisticsMove } from "./statistics.js";

/** @import { ExploredMove, ExploreResponse, Move } from "../types/api.d.ts" */
/** @import { Settings } from "../types/app.d.ts" */
/** @import { MoveResults, Results } from "./statistics.js" */
/** @import { MoveScore } from "./scores.js" */

/** The mark of the best move. */
const BEST_MARK = " \u2605";

/**
 * The content of the table.
 *
 * @typedef {object} TableContent
 * @property {ExploreResponse} opening
 * @property {Map<Move, MoveScore>} moveScores
 * @property {ReadonlySet<Move>} best the moves that are proven to be the best
 * @property {MoveResults | null} results
 * @property {Settings["labels"]} labels
 * @property {number} houses
 * @property {boolean} canGoBack
 */

/** The row of a move, with the move that its button makes. */
/** @typedef {HTMLTableRowElement & { shownMove?: Move | undefined }} MoveRow */

/** @param {{ onMove: (move: Move) => void, onPoint: (move: Move | null) => void }} events */
function createRow({ onMove, onPoint }) {
  /** @type {MoveRow} */
  const row = html(
    "tr",
    { onpointerenter: () => point(), onpointerleave: () => onPoint(null) },
    html(
      "th",
      { scope: "row" },
      button("", () => row.shownMove && onMove(row.shownMove), {
        class: "small",
        onfocus: () => point(),
        onblur: () => onPoint(null),
      }),
    ),
    html("td", { class: "score" }),
    html("td", { class: "games" }),
    html("td", { class: "results" }, createBar()),
  );
  const point = () => onPoint(row.shownMove ?? null);
  // The whole row is the target of a tap.
  row.addEventListener("click", ({ target }) => {
    if (row.shownMove && target instanceof Element && !target.closest("button")) {
      onMove(row.shownMove);
    }
  });
  return row;
}

/** Creates the bar of wins, draws and losses with its numbers. */
function createBar() {
  return html(
    "div",
    { class: "result-bar", role: "img" },
    ...["won", "drawn", "lost"].map((kind) => html("span", { class: kind })),
  );
}

/**
 * @param {HTMLElement} cell
 * @param {Results | undefined} results
 */
function drawResults(cell, results) {
  const bar = /** @type {HTMLElement} */ (cell.firstElementChild);
  bar.hidden = results === undefined;
  if (!results) {
    return;
  }
  const { wins, ties, losses } = results;
  bar.setAttribute("aria-label", texts.explorer.results(wins, ties, losses));
  [wins, ties, losses].forEach((count, index) => {
    const part = /** @type {HTMLElement} */ (bar.children[index]);
    part.hidden = count === 0;
    part.style.flexGrow = String(count);
    setText(part, String(count));
  });
}

/**
 * @param {MoveRow} row
 * @param {ExploredMove} move
 * @param {TableContent} content
 */
function drawRow(row, { move, bonus_turn: isBonusTurn }, content) {
  const { opening, moveScores, best, results, labels, houses } = content;
  const [head, scoreCell, count, resultCell] = /** @type {HTMLElement[]} */ ([...row.children]);
  const moveButton = head?.querySelector("button");
  const score = moveScores.get(move);
  if (!moveButton || !scoreCell || !count || !resultCell || !score) {
    return;
  }
  row.shownMove = move;
  const known = results?.get(statisticsMove(move));
  setText(moveButton, moveLabel(move, houses, labels));
  const name = moveName(move, opening.to_move, houses, labels);
  const isBest = best.has(move);
  const words = [
    name,
    score.label,
    ...(isBest ? [texts.analysis.best] : []),
    ...(isBonusTurn ? [texts.explorer.bonusTurn] : []),
    known ? texts.explorer.games(gamesOf(known)) : texts.explorer.noGamesOfMove,
  ];
  moveButton.setAttribute("aria-label", words.join(", "));
  setText(scoreCell, score.text + (isBest ? BEST_MARK : ""));
  scoreCell.classList.toggle("estimated", !score.isProven);
  setText(count, known ? texts.explorer.count(gamesOf(known)) : "\u2013");
  drawResults(resultCell, known);
}

/**
 * Creates the table.
 *
 * @param {{ onMove: (move: Move) => void, onBack: () => void,
 *   onPoint: (move: Move | null) => void }} events
 */
export function createTable({ onMove, onBack, onPoint }) {
  const caption = html("caption");
  const body = html("tbody");
  const back = button(texts.explorer.back, onBack, { class: "small" });
  const backRow = html("tr", {}, html("td", { colspan: 4 }, back));
  const { columns } = texts.explorer;
  const element = html(
    "table",
    { class: "openings" },
    caption,
    html(
      "thead",
      {},
      html(
        "tr",
        {},
        ...[columns.move, columns.score, columns.games, columns.results].map((title) =>
          html("th", { scope: "col" }, title),
        ),
      ),
    ),
    body,
    html("tfoot", {}, backRow),
  );
  return {
    element,
    /** @param {TableContent} content */
    draw(content) {
      const { opening, canGoBack } = content;
      setText(caption, texts.explorer.caption(texts.board.sides[opening.to_move]));
      const focused = document.activeElement;
      // A row that gets the focus again points at its new move.
      [...body.children].forEach((row, index) => {
        /** @type {MoveRow} */ (row).shownMove = opening.moves[index]?.move;
      });
      // The rows stay, so that the focus stays in its row after a move.
      const rows = keyedChildren(
        body,
        opening.moves.map((_, index) => String(index)),
        () => createRow({ onMove, onPoint }),
      );
      rows.forEach((row, index) => {
        const move = opening.moves[index];
        if (move) {
          drawRow(/** @type {MoveRow} */ (row), move, content);
        }
      });
      backRow.hidden = !canGoBack;
      if (focused instanceof HTMLElement && focused.tagName === "BUTTON" && !focused.isConnected) {
        (rows.at(-1)?.querySelector("button") ?? back).focus({ preventScroll: true });
      }
    },
  };
}
