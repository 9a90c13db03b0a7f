/** The clock of a new game with a friend: presets, and own times. */

import { texts } from "../texts/texts.js";
import { html } from "../ui/dom.js";
import { durationText } from "./state.js";

/**
 * A clock in a request: the time at the start, and the time that each turn adds.
 *
 * @typedef {{ initial: string, increment: string }} ClockRequest
 */

const SECOND_MS = 1_000;
const MINUTE_S = 60;
const HOUR_S = 60 * MINUTE_S;

/** The presets, in seconds: the time at the start, and the time that each turn adds. */
const PRESETS = [
  [3 * MINUTE_S, 2],
  [10 * MINUTE_S, 5],
  [30 * MINUTE_S, 20],
  [24 * HOUR_S, HOUR_S],
];

/** The value of the option for own times. */
const CUSTOM = "custom";

/** The ranges of own times, in seconds, which are those of the server. */
const MIN_INITIAL_S = 1;
const MAX_INITIAL_S = 24 * HOUR_S;
const MAX_INCREMENT_S = HOUR_S;

/** The own times that the form suggests. */
const SUGGESTED = { minutes: 15, seconds: 0, increment: 10 };

/**
 * Returns whether own times are valid.
 *
 * @param {number} initial in seconds
 * @param {number} increment in seconds
 */
export const isClock = (initial, increment) =>
  Number.isInteger(initial) &&
  Number.isInteger(increment) &&
  initial >= MIN_INITIAL_S &&
  initial <= MAX_INITIAL_S &&
  increment >= 0 &&
  increment <= MAX_INCREMENT_S;

/** @param {number} initial @param {number} increment @returns {ClockRequest} */
const request = (initial, increment) => ({ initial: `${initial}s`, increment: `${increment}s` });

/** Creates the selection of a preset, of no clock, or of own times. */
const createSelect = () =>
  html(
    "select",
    { id: "friend-clock" },
    html("option", { value: "" }, texts.friends.noClock),
    ...PRESETS.map(([initial = 0, increment = 0], index) =>
      html(
        "option",
        { value: index },
        texts.friends.clockOption(
          durationText(initial * SECOND_MS),
          durationText(increment * SECOND_MS),
        ),
      ),
    ),
    html("option", { value: CUSTOM }, texts.friends.customClock),
  );

/** @param {string} id @param {number} value @param {number} max */
const numberField = (id, value, max) =>
  html("input", {
    id,
    type: "number",
    class: "clock-field",
    min: 0,
    max,
    step: 1,
    required: true,
    value,
  });

/** Creates the fields of own times. */
function createTimeFields() {
  const minutes = numberField("friend-clock-minutes", SUGGESTED.minutes, MAX_INITIAL_S / MINUTE_S);
  const seconds = numberField("friend-clock-seconds", SUGGESTED.seconds, MINUTE_S - 1);
  const increment = numberField("friend-clock-increment", SUGGESTED.increment, MAX_INCREMENT_S);
  const element = html(
    "fieldset",
    { class: "tools" },
    html("legend", {}, texts.friends.customClockTimes),
    html("label", { for: minutes.id }, texts.friends.minutes),
    minutes,
    html("label", { for: seconds.id }, texts.friends.seconds),
    seconds,
    html("label", { for: increment.id }, texts.friends.secondsPerTurn),
    increment,
  );
  return { element, minutes, seconds, increment };
}

/** Creates the fields of the clock. */
export function createClockFields() {
  const select = createSelect();
  const times = createTimeFields();
  const { minutes, seconds, increment } = times;
  const label = html("label", { for: select.id }, texts.friends.clock);
  const element = html("div", {}, html("div", { class: "tools" }, label, select), times.element);
  const initialTime = () => Number(minutes.value) * MINUTE_S + Number(seconds.value);

  function update() {
    const isCustom = select.value === CUSTOM;
    times.element.hidden = !isCustom;
    // The browser checks no fields of a disabled group.
    times.element.disabled = !isCustom;
    const isValid = isClock(initialTime(), Number(increment.value));
    minutes.setCustomValidity(isValid ? "" : texts.friends.clockRange);
  }
  element.addEventListener("input", update);
  update();

  return {
    element,
    /** Returns the clock that is selected; `null` without one. @returns {ClockRequest | null} */
    value() {
      if (select.value === CUSTOM) {
        return request(initialTime(), Number(increment.value));
      }
      const [initial, added] = (select.value !== "" && PRESETS[Number(select.value)]) || [];
      return initial !== undefined && added !== undefined ? request(initial, added) : null;
    },
  };
}
