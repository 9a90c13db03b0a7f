/** The form for a game with a friend: rules, board, side and clock. */

import { countSeeds } from "../game/descriptions.js";
import { html, radioGroup } from "../ui/dom.js";

/** @import { FriendGameOptions } from "./session.js" */
/** @import { State } from "../types/app.d.ts" */

/** The largest board of the form: houses of a side and seeds in each house. */
const MAX_SIZE = 10;

/** The default board. */
const HOUSES = 6;
const SEEDS = 4;

/** The clocks of the form: initial time and increment per turn. */
const CLOCKS = [
  { label: "No clock", clock: null },
  { label: "3 minutes, 2 seconds a turn", clock: { initial: "3m", increment: "2s" } },
  { label: "10 minutes, 5 seconds a turn", clock: { initial: "10m", increment: "5s" } },
  { label: "30 minutes, 20 seconds a turn", clock: { initial: "30m", increment: "20s" } },
  { label: "A day, an hour a turn", clock: { initial: "24h", increment: "1h" } },
];

/** @param {(options: FriendGameOptions) => Promise<void>} createGame */
export function createFriendForm(createGame) {
  /** @param {number} selected */
  const numbers = (selected) =>
    Array.from({ length: MAX_SIZE }, (_, index) =>
      html("option", { value: index + 1, selected: index + 1 === selected }, String(index + 1)),
    );
  const houses = html("select", { id: "friend-houses" }, ...numbers(HOUSES));
  const each = html("select", { id: "friend-seeds" }, ...numbers(SEEDS));
  const rules = html("select", { id: "friend-rules" });
  const summary = html("p", { class: "note" });
  const total = html("span", { class: "note" });
  const clock = html(
    "select",
    { id: "friend-clock" },
    ...CLOCKS.map(({ label }, index) => html("option", { value: index }, label)),
  );
  const submit = html("button", { type: "submit", class: "main" }, "Create the game");
  const element = html(
    "form",
    { class: "form" },
    html("p", {}, "Create a game and send your friend the link. No account is needed."),
    radioGroup("friend-side", "You play", [
      ["south", "South, first"],
      ["north", "North, second"],
      ["random", "Random"],
    ]),
    html(
      "div",
      { class: "tools" },
      html("label", { for: "friend-houses" }, "Houses a side"),
      houses,
      html("label", { for: "friend-seeds" }, "Seeds in each"),
      each,
      total,
    ),
    html("div", { class: "tools" }, html("label", { for: "friend-rules" }, "Rules"), rules),
    summary,
    html("div", { class: "tools" }, html("label", { for: "friend-clock" }, "Clock"), clock),
    html("div", { class: "tools" }, submit),
  );
  const first = element.querySelector('input[value="random"]');
  if (first instanceof HTMLInputElement) {
    first.checked = true;
  }
  /** @type {State["presets"]} */
  let presets = [];

  function updateOutputs() {
    const preset = presets.find(({ name }) => name === rules.value);
    summary.textContent = preset?.summary ?? "";
    total.textContent = `${countSeeds(2 * Number(houses.value) * Number(each.value))} in total`;
  }
  element.addEventListener("input", updateOutputs);
  element.addEventListener("submit", async (event) => {
    event.preventDefault();
    submit.disabled = true;
    const side = new FormData(element).get("friend-side");
    const clockSetting = CLOCKS[Number(clock.value)]?.clock;
    await createGame({
      rules: rules.value,
      position: `${houses.value}x${each.value}`,
      side: side === "south" || side === "north" ? side : "random",
      ...(clockSetting && { clock: clockSetting }),
    });
    submit.disabled = false;
  });

  return {
    element,
    /** @param {State} state */
    draw(state) {
      if (state.presets !== presets) {
        presets = state.presets;
        rules.replaceChildren(
          ...presets.map(({ name, default: isDefault }) =>
            html("option", { value: name, selected: isDefault }, name),
          ),
        );
      }
      updateOutputs();
    },
  };
}
