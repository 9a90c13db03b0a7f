/** A clock that counts down and can be stopped, for the puzzles of a storm. */

/** The time between two calls of `onTick`, in milliseconds. */
const TICK_MS = 250;

/**
 * Creates a clock that stands still.
 *
 * @param {number} totalMs
 * @param {(leftMs: number) => void} onTick called while the clock runs, the last time with 0
 * @param {() => number} [now] returns the time in milliseconds
 */
export function createCountdown(totalMs, onTick, now = () => performance.now()) {
  let leftMs = totalMs;
  let startedAt = /** @type {number | null} */ (null);
  let timer = /** @type {ReturnType<typeof setTimeout> | undefined} */ (undefined);

  const left = () => Math.max(0, leftMs - (startedAt === null ? 0 : now() - startedAt));

  function stop() {
    leftMs = left();
    startedAt = null;
    clearTimeout(timer);
  }

  function tick() {
    if (left() === 0) {
      stop();
    }
    onTick(left());
  }

  function run() {
    timer = setTimeout(() => {
      tick();
      if (startedAt !== null) {
        run();
      }
    }, TICK_MS);
  }

  return {
    /** Returns the time that is left, in milliseconds. */
    left,
    /** Runs on until `stop`. */
    start() {
      if (startedAt === null && leftMs > 0) {
        startedAt = now();
        run();
      }
    },
    stop,
    /** Takes time away. @param {number} ms */
    subtract(ms) {
      leftMs -= ms;
      tick();
    },
  };
}

/** @typedef {ReturnType<typeof createCountdown>} Countdown */
