/** The form for a new game: opponent, side, board and rules. */

import { currentLocalGame } from "../game/modes.js";
import { newTree } from "../game/tree.js";
import { goToPanel } from "../panels/panels.js";
import { chosenRules, FIRST_RULES } from "../storage/chosen-rules.js";
import { rulesDetails, rulesSummary, rulesTitle } from "../texts/from-server.js";
import { texts } from "../texts/texts.js";
import { button, html, radioGroup } from "./dom.js";

/** @import { Preset } from "../types/api.d.ts" */
/** @import { App, NewGame, Player, State } from "../types/app.d.ts" */

/** The largest board of the form: houses of a side and seeds in each house. */
const MAX_HOUSES = 26;
const MAX_SEEDS = 20;

/** A line about each level, the weakest first. */
const LEVELS = texts.newGame.levels;

/** The level that plays at full strength, the opponent `smart`. */
const FULL_STRENGTH = LEVELS.length;

/** The level of the form if the game has no computer player. */
const DEFAULT_LEVEL = 2;

/** The board and the rules of the form without a game. */
const DEFAULT_HOUSES = 6;
const DEFAULT_SEEDS = 4;

/**
 * The values of the form.
 *
 * @typedef {object} GameOptions
 * @property {"computer" | "person"} opponent
 * @property {number} level
 * @property {"south" | "north" | "random"} side
 * @property {number} houses
 * @property {number} seeds
 * @property {string} rules
 */

/**
 * Returns the game for the values of the form.
 *
 * @param {GameOptions} options
 * @param {() => number} random returns a number from 0 to 1
 * @returns {NewGame}
 */
export function newGameFromOptions(options, random) {
  const side = options.side === "random" ? (random() < 1 / 2 ? "south" : "north") : options.side;
  /** @type {Player} */
  const person = { kind: "person" };
  /** @type {Player} */
  const other =
    options.opponent === "person"
      ? person
      : {
          kind: "computer",
          opponent: options.level === FULL_STRENGTH ? "smart" : `level:${options.level}`,
        };
  return {
    rules: options.rules,
    position: `${options.houses}x${options.seeds}`,
    players: side === "south" ? { south: person, north: other } : { south: other, north: person },
  };
}

/** Returns the name of the default preset. @param {readonly Preset[]} presets */
const defaultRules = (presets) => presets.find((preset) => preset.default)?.name ?? FIRST_RULES;

/**
 * Returns the values of the form for the game of a state, as far as the form has them.
 *
 * @param {State} state
 * @returns {GameOptions}
 */
export function optionsFromState(state) {
  // If the board shows another game, the form shows the local game.
  const { tree, players } = currentLocalGame(state) ?? state;
  const side = players.south.kind === "person" ? "south" : "north";
  const other = players[side === "south" ? "north" : "south"];
  const computer = other.kind === "computer" ? other.opponent : null;
  const level = computer === "smart" ? FULL_STRENGTH : Number(computer?.replace("level:", ""));
  const start = tree?.start;
  return {
    opponent: computer ? "computer" : "person",
    level: level >= 1 && level <= FULL_STRENGTH ? level : DEFAULT_LEVEL,
    side,
    houses: Math.min(start?.houses ?? DEFAULT_HOUSES, MAX_HOUSES),
    seeds: Math.min(Math.max(start?.rows.south[0] ?? DEFAULT_SEEDS, 1), MAX_SEEDS),
    rules: start?.rules ?? defaultRules(state.presets),
  };
}

/** Creates the list of levels, with a line about each. */
function levelList() {
  const lines = LEVELS.map((description, index) =>
    html(
      "label",
      { class: "level" },
      html("input", { type: "radio", name: "level", value: index + 1 }),
      html("b", {}, String(index + 1)),
      html("span", {}, description),
    ),
  );
  return html(
    "fieldset",
    { class: "levels" },
    html("legend", {}, texts.newGame.level),
    html("div", {}, ...lines),
  );
}

/**
 * Creates the entry of a rule preset: its name, a sentence, and details on demand.
 *
 * @param {Preset} preset
 */
function ruleEntry(preset) {
  const details = html(
    "details",
    { class: "rule-details" },
    html("summary", {}, texts.rules.details),
    html("ul", {}, ...rulesDetails(preset).map((line) => html("li", {}, line))),
  );
  return html(
    "div",
    {},
    html(
      "label",
      { class: "rule" },
      html("input", { type: "radio", name: "rules", value: preset.name, checked: preset.default }),
      html("span", {}, html("b", {}, rulesTitle(preset.name)), ` ${rulesSummary(preset)}`),
    ),
    details,
  );
}

/** @param {string} id @param {number} most */
const sizeSelect = (id, most) =>
  html(
    "select",
    { name: id, id },
    ...Array.from({ length: most }, (_, index) =>
      html("option", { value: index + 1 }, String(index + 1)),
    ),
  );

/** Creates the fields of the form. */
const createFields = () => ({
  opponent: radioGroup("opponent", texts.newGame.against, [
    ["computer", texts.newGame.computer],
    ["person", texts.newGame.twoPlayers],
  ]),
  levels: levelList(),
  side: radioGroup("side", texts.common.youPlay, [
    ["south", texts.common.southFirst],
    ["north", texts.common.northSecond],
    ["random", texts.common.random],
  ]),
  houses: sizeSelect("houses", MAX_HOUSES),
  seeds: sizeSelect("seeds", MAX_SEEDS),
  total: html("output", { for: "houses seeds", class: "total" }),
  rules: html("div", { class: "rules" }),
});

/** @typedef {ReturnType<typeof createFields>} NewGameFields */

/** @param {NewGameFields} fields @param {HTMLElement[]} others the buttons for other games */
function createElement({ opponent, levels, side, houses, seeds, total, rules }, others) {
  const start = html("button", { type: "submit", class: "main" }, texts.newGame.start);
  return html(
    "form",
    { class: "dialog-body" },
    opponent,
    levels,
    side,
    html(
      "fieldset",
      { class: "size" },
      html("legend", {}, texts.common.board),
      html("label", { for: "houses" }, texts.common.housesPerSide),
      houses,
      html("label", { for: "seeds" }, texts.common.seedsPerHouse),
      seeds,
      total,
    ),
    html("fieldset", {}, html("legend", {}, texts.common.rules), rules),
    html("div", { class: "dialog-foot buttons" }, start, ...others),
  );
}

/**
 * Returns the options that the form shows.
 *
 * @param {NewGameFields} fields
 * @param {HTMLFormElement} form
 * @returns {GameOptions}
 */
function optionsFromForm({ houses, seeds }, form) {
  const data = new FormData(form);
  return {
    opponent: /** @type {GameOptions["opponent"]} */ (data.get("opponent")),
    level: Number(data.get("level") ?? DEFAULT_LEVEL),
    side: /** @type {GameOptions["side"]} */ (data.get("side")),
    houses: Number(houses.value),
    seeds: Number(seeds.value),
    // The presets may not have arrived yet.
    rules: String(data.get("rules") ?? chosenRules()),
  };
}

/** Selects a radio button. @param {HTMLElement} form @param {string} name @param {string} value */
function check(form, name, value) {
  for (const input of form.querySelectorAll(`input[name="${name}"]`)) {
    const radio = /** @type {HTMLInputElement} */ (input);
    radio.checked = radio.value === value;
  }
}

/** Draws what depends on other fields. @param {NewGameFields} fields @param {HTMLFormElement} form */
function drawDependents(fields, form) {
  const options = optionsFromForm(fields, form);
  fields.levels.hidden = options.opponent !== "computer";
  for (const input of form.querySelectorAll('input[name="side"]')) {
    /** @type {HTMLInputElement} */ (input).disabled = options.opponent === "person";
  }
  fields.total.textContent = texts.board.seedsInTotal(2 * options.houses * options.seeds);
}

/** Starts the game that the form shows. @param {App} app @param {GameOptions} options */
async function startGame({ actions }, options) {
  if (await actions.newGame(newGameFromOptions(options, Math.random))) {
    actions.chooseRules(options.rules);
  }
}

/**
 * Shows the board of the form in mode `explore`, where the person moves for both sides, with the
 * analysis. The game on the board waits.
 *
 * @param {App} app
 * @param {GameOptions} options
 */
async function openAnalysisBoard(app, { rules, houses, seeds }) {
  try {
    const position = `${houses}x${seeds}`;
    const start = await app.engine.request("position", { rules, position });
    const { tags, comments, termination, winner } = newTree(start);
    app.actions.openGame({ tags, start, comments, plies: [], termination, winner });
    app.actions.chooseRules(rules);
    goToPanel(app, "analysis");
  } catch (error) {
    app.actions.showError(error);
  }
}

/**
 * @param {App} app
 * @param {() => void} close
 */
export function newGameForm(app, close) {
  const fields = createFields();
  const onFriend = () => {
    close();
    goToPanel(app, "friend");
  };
  const others = [
    ...(app.hasFriendGames ? [button(texts.common.playFriend, onFriend)] : []),
    button(texts.newGame.analysisBoard, () => {
      close();
      void openAnalysisBoard(app, optionsFromForm(fields, element));
    }),
  ];
  const element = createElement(fields, others);
  element.addEventListener("input", () => drawDependents(fields, element));
  element.addEventListener("submit", (event) => {
    event.preventDefault();
    close();
    void startGame(app, optionsFromForm(fields, element));
  });
  /** @param {readonly Preset[]} presets @param {string} rules */
  const checkRules = (presets, rules) => {
    const isPreset = presets.some(({ name }) => name === rules);
    check(element, "rules", isPreset ? rules : defaultRules(presets));
  };
  return {
    element,
    /** Shows the current game's values. @param {State} state */
    fill(state) {
      const options = optionsFromState(state);
      check(element, "opponent", options.opponent);
      check(element, "side", options.side);
      checkRules(state.presets, options.rules);
      check(element, "level", String(options.level));
      fields.houses.value = String(options.houses);
      fields.seeds.value = String(options.seeds);
      drawDependents(fields, element);
    },
    /** Shows the rules of a state. All other values stay. @param {State} state */
    setPresets(state) {
      const selected = new FormData(element).get("rules") ?? optionsFromState(state).rules;
      fields.rules.replaceChildren(...state.presets.map(ruleEntry));
      checkRules(state.presets, String(selected));
    },
  };
}
