/** The form for a game with a friend: rules, board, side and clock. */

import { rulesSummary, rulesTitle } from "../texts/from-server.js";
import { texts } from "../texts/texts.js";
import { html, radioGroup } from "../ui/dom.js";
import { createClockFields } from "./clocks.js";
import { createNameField, rememberName } from "./names.js";

/** @import { FriendGameOptions } from "./session.js" */
/** @import { State } from "../types/app.d.ts" */

/** The largest board of the form: houses of a side and seeds in each house. */
const MAX_SIZE = 10;

/** The default board. */
const HOUSES = 6;
const SEEDS = 4;

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
  const clock = createClockFields();
  const nameInput = createNameField("friend-name");
  const submit = html("button", { type: "submit", class: "main" }, texts.friends.create);
  const element = html(
    "form",
    { class: "form" },
    html("p", {}, texts.friends.intro),
    html("div", { class: "tools" }, nameInput.label, nameInput.field),
    radioGroup("friend-side", texts.common.youPlay, [
      ["south", texts.common.southFirst],
      ["north", texts.common.northSecond],
      ["random", texts.common.random],
    ]),
    html(
      "div",
      { class: "tools" },
      html("label", { for: "friend-houses" }, texts.common.housesPerSide),
      houses,
      html("label", { for: "friend-seeds" }, texts.common.seedsPerHouse),
      each,
      total,
    ),
    html(
      "div",
      { class: "tools" },
      html("label", { for: "friend-rules" }, texts.common.rules),
      rules,
    ),
    summary,
    clock.element,
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
    summary.textContent = preset ? rulesSummary(preset) : "";
    total.textContent = texts.board.seedsInTotal(2 * Number(houses.value) * Number(each.value));
  }
  element.addEventListener("input", updateOutputs);
  element.addEventListener("submit", async (event) => {
    event.preventDefault();
    submit.disabled = true;
    const side = new FormData(element).get("friend-side");
    const ownName = nameInput.field.value.trim();
    rememberName(ownName);
    const clockSetting = clock.value();
    await createGame({
      rules: rules.value,
      position: `${houses.value}x${each.value}`,
      side: side === "south" || side === "north" ? side : "random",
      ...(ownName && { name: ownName }),
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
            html("option", { value: name, selected: isDefault }, rulesTitle(name)),
          ),
        );
      }
      updateOutputs();
    },
  };
}
