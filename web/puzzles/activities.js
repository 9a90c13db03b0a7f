/** The ways to practise puzzles: where their puzzles come from, and what their results mean. */

import { createCountdown } from "./countdown.js";
import { puzzleFragment } from "../records/link.js";
import { dayOf, isDailyAddress, storeDaily, storeDailyAddress, storedDaily } from "./daily.js";
import { settleMistake, storedMistakes } from "./mistakes.js";
import { createPuzzleQueue } from "./queue.js";
import { newRun, runAfter, runLimits, STORM_MS, STORM_PENALTY_MS, storeRun } from "./runs.js";

/** @import { LinkedPuzzle } from "../records/link.js" */
/** @import { ChangeOptions } from "../storage/values.js" */
/** @import { Progress } from "./rating.js" */
/** @import { RunKind } from "./runs.js" */
/** @import { Activity, PuzzleSession } from "./session.js" */
/** @import { PuzzleSource, PuzzleWish } from "./source.js" */

/**
 * Puzzles of a choice, one after another.
 *
 * @param {PuzzleSource} source
 * @param {(progress: Progress) => PuzzleWish} wish
 * @returns {Activity}
 */
export const nextPuzzles = (source, wish) => ({
  kind: "next",
  async load(progress) {
    const loaded = await source.next(wish(progress));
    source.prefetch(wish(progress));
    return loaded;
  },
  isRated: true,
});

/**
 * The puzzle of the day.
 *
 * @param {PuzzleSource} source
 * @param {() => number} now returns the time in milliseconds since 1970-01-01
 * @param {ChangeOptions} [storageOptions]
 * @returns {Activity}
 */
export function dailyPuzzle(source, now, storageOptions) {
  const day = dayOf(now());
  return {
    kind: "daily",
    async load() {
      const loaded = await source.daily(day);
      void storeDailyAddress(day, puzzleFragment(loaded.puzzle), storageOptions);
      return loaded;
    },
    onEnd: (result) => void storeDaily(day, result, storageOptions),
    isRated: storedDaily(storageOptions).day < day,
  };
}

/**
 * The puzzle of a link; that of the day if it is this one, so that a reload does not end its day.
 *
 * @param {PuzzleSource} source
 * @param {LinkedPuzzle} position
 * @param {() => number} now returns the time in milliseconds since 1970-01-01
 * @param {ChangeOptions} [storageOptions]
 * @returns {Activity}
 */
export function linkedPuzzle(source, position, now, storageOptions) {
  const load = () => source.check(position);
  return isDailyAddress(dayOf(now()), puzzleFragment(position), storageOptions)
    ? { ...dailyPuzzle(source, now, storageOptions), load, position }
    : { kind: "link", load, isRated: false, position };
}

/**
 * The mistakes of the own games, the oldest first. A position that is no puzzle, or whose puzzle is
 * solved, is removed.
 *
 * @param {PuzzleSource} source
 * @param {ChangeOptions} [storageOptions]
 * @returns {Activity}
 */
export function ownMistakes(source, storageOptions) {
  let shown = /** @type {LinkedPuzzle | undefined} */ (undefined);
  return {
    kind: "mistakes",
    async load() {
      for (;;) {
        const [position] = storedMistakes(storageOptions);
        if (!position) {
          return null;
        }
        const loaded = await source.check(position);
        if (typeof loaded !== "string") {
          shown = position;
          return loaded;
        }
        await settleMistake(position, { isKept: false }, storageOptions);
      }
    },
    onEnd({ isSolved }) {
      if (shown) {
        void settleMistake(shown, { isKept: !isSolved }, storageOptions);
      }
    },
    isRated: false,
  };
}

/**
 * The number of requests for a puzzle of a run before a puzzle may come again: small boards have few
 * puzzles.
 */
const MAX_REPEATS = 10;

/**
 * The parts of a run.
 *
 * @typedef {object} RunOptions
 * @property {PuzzleSource} source
 * @property {{ rules: string, board: string }} board
 * @property {ChangeOptions} [storageOptions]
 */

/**
 * A run whose puzzles are requested ahead.
 *
 * @param {RunKind} kind
 * @param {RunOptions} options
 */
function createRun(kind, { source, board, storageOptions }) {
  /** @type {Set<string>} */
  const positions = new Set();
  const queue = createPuzzleQueue(async (number, signal) => {
    for (let tries = 1; ; tries += 1) {
      const loaded = await source.request({ ...board, ...runLimits(kind, number) }, signal);
      const { position } = loaded.puzzle;
      if (!positions.has(position) || tries === MAX_REPEATS) {
        positions.add(position);
        return loaded;
      }
    }
  });
  let run = newRun(kind, storageOptions);
  return {
    load: () => queue.next(),
    run: () => run,
    /** @param {{ isSolved: boolean }} result */
    add(result) {
      run = runAfter(run, result);
      if (run.isOver) {
        this.finish();
      } else {
        // A reload ends the run, and its result counts.
        void storeRun(run, storageOptions);
      }
    },
    /** Ends the run and stores its result. */
    finish() {
      run = { ...run, isOver: true };
      queue.close();
      void storeRun(run, storageOptions);
    },
  };
}

/**
 * A streak: puzzles that get harder until the first mistake.
 *
 * @param {RunOptions} options
 * @returns {Activity}
 */
export function puzzleStreak(options) {
  const run = createRun("streak", options);
  return {
    kind: "streak",
    load: run.load,
    onEnd: (result) => run.add(result),
    close: () => run.finish(),
    run: run.run,
    isRated: false,
  };
}

/**
 * A storm: as many puzzles as possible in three minutes. The clock runs only while a puzzle is on
 * the board, so that no wait for a puzzle counts.
 *
 * @param {RunOptions & { session: PuzzleSession }} options
 * @returns {Activity & { left: () => number }}
 */
export function puzzleStorm({ session, ...options }) {
  const run = createRun("storm", options);
  const clock = createCountdown(STORM_MS, (leftMs) => {
    if (leftMs === 0 && !run.run().isOver) {
      run.finish();
      session.stopRun();
    } else {
      session.refresh();
    }
  });
  return {
    kind: "storm",
    load: run.load,
    onBoard: (isOnBoard) => (isOnBoard ? clock.start() : clock.stop()),
    onEnd(result) {
      run.add(result);
      if (!result.isSolved) {
        clock.subtract(STORM_PENALTY_MS);
      }
    },
    close() {
      clock.stop();
      if (!run.run().isOver) {
        run.finish();
      }
    },
    run: run.run,
    isRated: false,
    left: clock.left,
  };
}
