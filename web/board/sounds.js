/**
 * The sounds of the board, synthesized: a tick for each seed, and sounds for a capture, a bonus turn
 * and the end of the game.
 */

/** @typedef {"sow" | "capture" | "bonus" | "end"} Sound */

/**
 * A note: a frequency in hertz, a start and a duration in seconds, and a gain of at most 1.
 *
 * @typedef {{ hertz: number, start: number, duration: number, gain: number,
 *   wave: "sine" | "triangle" }} Note
 */

/** @type {Readonly<Record<Sound, readonly Note[]>>} */
export const NOTES = {
  sow: [{ hertz: 620, start: 0, duration: 0.045, gain: 0.16, wave: "triangle" }],
  capture: [
    { hertz: 392, start: 0, duration: 0.1, gain: 0.2, wave: "triangle" },
    { hertz: 262, start: 0.09, duration: 0.16, gain: 0.2, wave: "triangle" },
  ],
  bonus: [
    { hertz: 523, start: 0, duration: 0.11, gain: 0.14, wave: "sine" },
    { hertz: 784, start: 0.1, duration: 0.2, gain: 0.14, wave: "sine" },
  ],
  end: [
    { hertz: 392, start: 0, duration: 0.5, gain: 0.12, wave: "sine" },
    { hertz: 494, start: 0.14, duration: 0.5, gain: 0.12, wave: "sine" },
    { hertz: 587, start: 0.28, duration: 0.7, gain: 0.12, wave: "sine" },
  ],
};

/** The least time between two ticks, in seconds; a faster sowing has fewer ticks. */
const MIN_TICK_INTERVAL_S = 0.07;

/** The duration in which a note reaches its gain, in seconds, so that it does not click. */
const ATTACK_S = 0.004;

/** A gain that cannot be heard; an exponential ramp cannot end at 0. */
const SILENCE = 0.0001;

/**
 * Creates the sounds. They are silent until `unlock` is called in a gesture of the person, which
 * browsers require.
 *
 * @param {() => boolean} isOn whether the settings allow sounds
 * @param {() => AudioContext} [openContext]
 */
export function createSounds(isOn, openContext = () => new AudioContext()) {
  /** @type {AudioContext | null} */
  let context = null;
  let lastTick = -Infinity;

  return {
    /** Prepares the sounds; called at each gesture of the person. */
    unlock() {
      if (!isOn()) {
        return;
      }
      try {
        context ??= openContext();
        if (context.state === "suspended") {
          void context.resume();
        }
      } catch {
        // The browser has no sounds.
      }
    },
    /** Plays a sound if sounds are on. @param {Sound} sound */
    play(sound) {
      if (!context || !isOn()) {
        return;
      }
      const now = context.currentTime;
      if (sound === "sow") {
        if (now - lastTick < MIN_TICK_INTERVAL_S) {
          return;
        }
        lastTick = now;
      }
      for (const note of NOTES[sound]) {
        playNote(context, now, note);
      }
    },
  };
}

/**
 * @param {AudioContext} context
 * @param {number} now
 * @param {Note} note
 */
function playNote(context, now, { hertz, start, duration, gain, wave }) {
  const oscillator = context.createOscillator();
  const volume = context.createGain();
  const from = now + start;
  oscillator.type = wave;
  oscillator.frequency.value = hertz;
  volume.gain.setValueAtTime(SILENCE, from);
  volume.gain.exponentialRampToValueAtTime(gain, from + ATTACK_S);
  volume.gain.exponentialRampToValueAtTime(SILENCE, from + duration);
  oscillator.connect(volume).connect(context.destination);
  oscillator.start(from);
  oscillator.stop(from + duration);
}
