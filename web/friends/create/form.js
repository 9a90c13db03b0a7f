/** The form for a game with a friend: rules, board, side and clock. */

import { rulesSummary, rulesTitle } from "../../texts/from-server.js";
import { texts } from "../../texts/texts.js";
import { html, radioGroup } from "../../ui/dom.js";
import { createClockFields } from "./clocks.js";
import { createHandicapFields } from "./handicap.js";
import { createNameField, rememberName } from "../names.js";

/** @import { FriendGameOptions } from "../session/session.js" */
/** @import { State } from "../../types/app.d.ts" */

/** The largest board of the form: houses of a side and seeds in each house. */
const MAX_SIZE = 10;

/** The default board. */
const HOUSES = 6;
const SEEDS = 4;

/** The value of the side that the server draws. */
const RANDOM_SIDE = "random";

/** @param {string} id @param {number} selected */
const sizeSelect = (id, selected) =>
  html(
    "select",
    { id },
    ...Array.from({ length: MAX_SIZE }, (_, index) =>
      html("option", { value: index + 1, selected: index + 1 === selected }, String(index + 1)),
    ),
  );

/** Creates the fields of the form. */
function createFields() {
  return {
    name: createNameField("friend-name"),
    side: radioGroup("friend-side", texts.common.youPlay, [
      ["south", texts.common.southFirst],
      ["north", texts.common.northSecond],
      [RANDOM_SIDE, texts.common.random],
    ]),
    houses: sizeSelect("friend-houses", HOUSES),
    seeds: sizeSelect("friend-seeds", SEEDS),
    total: html("span", { class: "note" }),
    rules: html("select", { id: "friend-rules" }),
    summary: html("p", { class: "note" }),
    clock: createClockFields(),
    handicap: createHandicapFields(),
    spectatorScores: html("input", { type: "checkbox", id: "friend-spectator-scores" }),
    submit: html("button", { type: "submit", class: "main" }, texts.friends.create),
  };
}

/** @typedef {ReturnType<typeof createFields>} FriendFormFields */

/** @param {FriendFormFields} fields */
function createElement(fields) {
  const { name, side, houses, seeds, total, rules, summary, clock, submit } = fields;
  const label = (/** @type {HTMLElement} */ field, /** @type {string} */ text) =>
    html("label", { for: field.id }, text);
  const element = html(
    "form",
    { class: "form" },
    html("p", {}, texts.friends.intro),
    html("div", { class: "tools" }, name.label, name.field),
    side,
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
    clock.element,
    html(
      "details",
      {},
      html("summary", {}, texts.friends.more),
      fields.handicap.element,
      html("label", {}, fields.spectatorScores, ` ${texts.friends.allowSpectatorScores}`),
    ),
    html("div", { class: "tools" }, submit),
  );
  const random = side.querySelector(`input[value="${RANDOM_SIDE}"]`);
  if (random instanceof HTMLInputElement) {
    random.checked = true;
  }
  return element;
}

/**
 * Returns the options of the game that the form describes.
 *
 * @param {FriendFormFields} fields
 * @param {HTMLFormElement} form
 * @returns {FriendGameOptions}
 */
function optionsOf({ name, houses, seeds, rules, clock, handicap, spectatorScores }, form) {
  const side = new FormData(form).get("friend-side");
  const ownName = name.field.value.trim();
  return {
    rules: rules.value,
    position: `${houses.value}x${seeds.value}`,
    side: side === "south" || side === "north" ? side : RANDOM_SIDE,
    ...(ownName && { name: ownName }),
    ...clock.value(),
    ...handicap.value(),
    spectator_scores: spectatorScores.checked,
  };
}

/** @param {(options: FriendGameOptions) => Promise<void>} createGame */
export function createFriendForm(createGame) {
  const fields = createFields();
  const { houses, seeds, total, rules, summary, submit } = fields;
  const element = createElement(fields);
  /** @type {State["presets"]} */
  let presets = [];

  function updateOutputs() {
    const preset = presets.find(({ name }) => name === rules.value);
    summary.textContent = preset ? rulesSummary(preset) : "";
    total.textContent = texts.board.seedsInTotal(2 * Number(houses.value) * Number(seeds.value));
  }
  element.addEventListener("input", updateOutputs);
  element.addEventListener(
    "invalid",
    ({ target }) => {
      // The browser shows no message beside a field that is not visible.
      const section = target instanceof HTMLElement ? target.closest("details") : null;
      section?.setAttribute("open", "");
    },
    { capture: true },
  );
  element.addEventListener("submit", async (event) => {
    event.preventDefault();
    submit.disabled = true;
    const options = optionsOf(fields, element);
    void rememberName(options.name ?? "");
    await createGame(options);
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
