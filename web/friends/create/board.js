/** The fields for rules and board of a new game with a friend, or of the games of a room. */

import { chosenRules } from "../../storage/chosen-rules.js";
import { rulesSummary, rulesTitle } from "../../texts/from-server.js";
import { texts } from "../../texts/texts.js";
import { html } from "../../ui/dom.js";

/** @import { State } from "../../types/app.d.ts" */

/** The largest board of the form: houses of a side and seeds in each house. */
const MAX_SIZE = 10;

/** The default board. */
const HOUSES = 6;
const SEEDS = 4;

/** @param {string} id @param {number} selected */
const sizeSelect = (id, selected) =>
  html(
    "select",
    { id },
    ...Array.from({ length: MAX_SIZE }, (_, index) =>
      html("option", { value: index + 1, selected: index + 1 === selected }, String(index + 1)),
    ),
  );

/**
 * Creates the fields.
 *
 * @param {string} id the start of their ids
 */
export function createBoardFields(id) {
  const houses = sizeSelect(`${id}-houses`, HOUSES);
  const seeds = sizeSelect(`${id}-seeds`, SEEDS);
  const total = html("span", { class: "note" });
  const rules = html("select", { id: `${id}-rules` });
  const summary = html("p", { class: "note" });
  const label = (/** @type {HTMLElement} */ field, /** @type {string} */ text) =>
    html("label", { for: field.id }, text);
  const element = html(
    "div",
    {},
    html(
      "div",
      { class: "tools" },
      label(houses, texts.common.housesPerSide),
      houses,
      label(seeds, texts.common.seedsPerHouse),
      seeds,
      total,
    ),
    html("div", { class: "tools" }, label(rules, texts.common.rules), rules),
    summary,
  );
  /** @type {State["presets"]} */
  let presets = [];

  function update() {
    const preset = presets.find(({ name }) => name === rules.value);
    summary.textContent = preset ? rulesSummary(preset) : "";
    total.textContent = texts.board.seedsInTotal(2 * Number(houses.value) * Number(seeds.value));
  }
  element.addEventListener("input", update);

  return {
    element,
    /** Shows the presets. @param {Pick<State, "presets">} state */
    draw(state) {
      if (state.presets !== presets) {
        presets = state.presets;
        rules.replaceChildren(
          ...presets.map(({ name, default: isDefault }) =>
            html("option", { value: name, selected: isDefault }, rulesTitle(name)),
          ),
        );
      }
      update();
    },
    /** Returns the rules and the board that are selected. The presets may not have arrived yet. */
    value: () => ({
      rules: rules.value || chosenRules(),
      position: `${houses.value}x${seeds.value}`,
    }),
  };
}
