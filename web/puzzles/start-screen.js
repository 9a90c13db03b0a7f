/** The start screen of puzzles: the ways to practise, and the person's results in each. */

import { texts } from "../texts/texts.js";
import { button, html, setText } from "../ui/dom.js";
import { dailyPuzzle, nextPuzzles, ownMistakes, puzzleStorm, puzzleStreak } from "./activities.js";
import { dayOf, rowOn, storedDaily } from "./daily.js";
import { storedMistakes } from "./mistakes.js";
import { storedBest } from "./runs.js";

/** @import { Choices } from "./choices.js" */
/** @import { PuzzleSession } from "./session.js" */

/** Returns the time in milliseconds since 1970-01-01. */
const now = () => Date.now();

/** Describes the puzzle of the day. */
function dailyText() {
  const record = storedDaily();
  const today = dayOf(now());
  const row = rowOn(record, today);
  const state =
    record.day < today
      ? texts.puzzleKinds.dailyOpen
      : record.isSolved
        ? texts.puzzleKinds.dailySolved
        : texts.puzzleKinds.dailyShown;
  return row > 0 ? `${state} ${texts.puzzleKinds.daysInARow(row)}` : state;
}

/**
 * @param {PuzzleSession} session
 * @param {Choices} choices
 * @param {() => void} onBegin called when a way to practise begins
 */
export function createStartScreen(session, choices, onBegin) {
  const { source } = session;
  /** The storm that has begun last, whose clock the panel shows. */
  let storm = /** @type {ReturnType<typeof puzzleStorm> | null} */ (null);

  /** @param {Parameters<PuzzleSession["begin"]>[0]} activity */
  const begin = (activity) => {
    // The parts above the panel change with the puzzle.
    void session.begin(activity).then(onBegin);
    onBegin();
  };
  const beginNext = () => begin(nextPuzzles(source, choices.wish));
  const beginStorm = () => {
    storm = puzzleStorm({ session, source, board: choices.boardOf() });
    begin(storm);
  };
  const ways = [
    { name: texts.puzzleKinds.daily, text: dailyText, on: () => begin(dailyPuzzle(source, now)) },
    { name: texts.puzzles.next, text: () => texts.puzzleKinds.nextText, on: beginNext },
    {
      name: texts.puzzleKinds.streak,
      text: () => texts.puzzleKinds.streakText(storedBest().streak),
      on: () => begin(puzzleStreak({ source, board: choices.boardOf() })),
    },
    {
      name: texts.puzzleKinds.storm,
      text: () => texts.puzzleKinds.stormText(storedBest().storm),
      on: beginStorm,
    },
    {
      name: texts.puzzleKinds.mistakes,
      text: () => texts.puzzleKinds.mistakesText(storedMistakes().length),
      on: () => begin(ownMistakes(source)),
    },
  ];
  const items = ways.map(({ name, on, text }, index) => {
    const note = html("span", { class: "note", id: `puzzle-way-${index}` });
    const way = button(name, on, { "aria-describedby": note.id });
    return { element: html("li", {}, way, note), note, text };
  });
  return {
    element: html(
      "ul",
      { class: "puzzle-ways", "aria-label": texts.puzzleKinds.ways },
      ...items.map(({ element }) => element),
    ),
    beginNext,
    /** Returns the time that is left of the last storm, in milliseconds. */
    stormLeft: () => storm?.left() ?? 0,
    draw() {
      for (const { note, text } of items) {
        setText(note, text());
      }
    },
  };
}
