/** The clock of a new game with a friend, or of the games of a room: presets, own times for one or both players, or days. */

import { texts } from "../../texts/texts.js";
import { html } from "../../ui/dom.js";
import { durationText } from "../clock-times.js";

/** @import { ClockRequest, FriendGameTimes } from "../session/session.js" */

const SECOND_MS = 1_000;
const MINUTE_S = 60;
const HOUR_S = 60 * MINUTE_S;
const DAY_MS = 24 * HOUR_S * SECOND_MS;

/** The presets, in seconds: the time at the start, and the time that each turn adds. */
const PRESETS = [
  [3 * MINUTE_S, 2],
  [10 * MINUTE_S, 5],
  [30 * MINUTE_S, 20],
];

/** The preset with which the form of a room begins: ten minutes, so that rounds end in a lesson. */
const ROOM_PRESET = 1;

/** The days for each move in games by correspondence. */
const DAYS_PER_MOVE = [1, 2, 3, 5, 7, 14];

/** The value of the option for own times, and the start of those for days. */
const CUSTOM = "custom";
const DAYS = "days-";

/** The ranges of own times, in seconds, which are those of the server. */
const MIN_INITIAL_S = 1;
const MAX_INITIAL_S = 24 * HOUR_S;
const MAX_INCREMENT_S = HOUR_S;

/**
 * The form that the fields belong to. The games of a room have equal clocks, and none by correspondence.
 *
 * @typedef {{ id: string, isRoom: boolean }} ClockForm
 */

/** The form for a game with a friend. */
const FRIEND_FORM = { id: "friend-clock", isRoom: false };

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

/**
 * Creates the selection of a preset, of no clock, or of own times.
 *
 * @param {ClockForm} form
 */
const createSelect = ({ id, isRoom }) =>
  html(
    "select",
    { id },
    html("option", { value: "" }, texts.friends.noClock),
    ...PRESETS.map(([initial = 0, increment = 0], index) =>
      html(
        "option",
        { value: index, selected: isRoom && index === ROOM_PRESET },
        texts.friends.clockOption(
          durationText(initial * SECOND_MS),
          durationText(increment * SECOND_MS),
        ),
      ),
    ),
    ...(isRoom ? [] : DAYS_PER_MOVE).map((days) =>
      html(
        "option",
        { value: `${DAYS}${days}` },
        texts.friends.timePerMove(durationText(days * DAY_MS)),
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

/**
 * Creates the fields of the own times of a player, or of both.
 *
 * @param {string} id the start of the ids
 * @param {string} title
 */
function createTimeFields(id, title) {
  const minutes = numberField(`${id}-minutes`, SUGGESTED.minutes, MAX_INITIAL_S / MINUTE_S);
  const seconds = numberField(`${id}-seconds`, SUGGESTED.seconds, MINUTE_S - 1);
  const increment = numberField(`${id}-increment`, SUGGESTED.increment, MAX_INCREMENT_S);
  const element = html(
    "fieldset",
    { class: "tools" },
    html("legend", {}, title),
    html("label", { for: minutes.id }, texts.friends.minutes),
    minutes,
    html("label", { for: seconds.id }, texts.friends.seconds),
    seconds,
    html("label", { for: increment.id }, texts.friends.secondsPerTurn),
    increment,
  );
  const initialTime = () => Number(minutes.value) * MINUTE_S + Number(seconds.value);
  return {
    element,
    /** Shows the fields if they count. @param {boolean} isUsed */
    update(isUsed) {
      element.hidden = !isUsed;
      // The browser checks no fields of a disabled group.
      element.disabled = !isUsed;
      const isValid = isClock(initialTime(), Number(increment.value));
      minutes.setCustomValidity(isValid ? "" : texts.friends.clockRange);
    },
    value: () => request(initialTime(), Number(increment.value)),
  };
}

/**
 * Creates the fields of the clock.
 *
 * @param {ClockForm} [form]
 */
export function createClockFields(form = FRIEND_FORM) {
  const { id, isRoom } = form;
  const select = createSelect(form);
  const times = createTimeFields(id, texts.friends.customClockTimes);
  const friendTimes = createTimeFields(`${id}-other`, texts.friends.friendClockTimes);
  const isUnequal = html("input", { type: "checkbox", id: `${id}-unequal` });
  const unequal = html("label", {}, isUnequal, ` ${texts.friends.unequalTimes}`);
  const label = html("label", { for: select.id }, texts.friends.clock);
  const element = html(
    "div",
    {},
    html("div", { class: "tools" }, label, select),
    times.element,
    unequal,
    friendTimes.element,
  );

  function update() {
    const isCustom = select.value === CUSTOM;
    times.update(isCustom);
    unequal.hidden = !isCustom || isRoom;
    friendTimes.update(isCustom && isUnequal.checked);
  }
  element.addEventListener("input", update);
  update();

  return {
    element,
    /** Returns the clock that is selected. @returns {FriendGameTimes} */
    value() {
      if (select.value === CUSTOM) {
        const friendClock = isUnequal.checked ? { friend_clock: friendTimes.value() } : {};
        return { clock: times.value(), ...friendClock };
      }
      if (select.value.startsWith(DAYS)) {
        return { days_per_move: Number(select.value.slice(DAYS.length)) };
      }
      const [initial, added] = (select.value !== "" && PRESETS[Number(select.value)]) || [];
      return initial !== undefined && added !== undefined ? { clock: request(initial, added) } : {};
    },
  };
}
