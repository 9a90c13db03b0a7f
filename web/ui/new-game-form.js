/** The form for a new game: opponent, side, board and rules. */

import { currentLocalGame } from "../game/modes.js";
import { goToPanel } from "../panels/panels.js";
import { rulesDetails, rulesSummary, rulesTitle } from "../texts/from-server.js";
import { texts } from "../texts/texts.js";
import { html, radioGroup } from "./dom.js";

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
  const side = options.side === "random" ? (random() < 0.5 ? "south" : "north") : options.side;
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
    houses: Math.min(start?.houses ?? 6, MAX_HOUSES),
    seeds: Math.min(Math.max(start?.rows.south[0] ?? 4, 1), MAX_SEEDS),
    rules: start?.rules ?? "cs32",
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

/**
 * @param {App} app
 * @param {() => void} close
 */
export function newGameForm(app, close) {
  const numbers = (/** @type {number} */ most) =>
    Array.from({ length: most }, (_, index) =>
      html("option", { value: index + 1 }, String(index + 1)),
    );
  const levels = levelList();
  const houses = html("select", { name: "houses", id: "houses" }, ...numbers(MAX_HOUSES));
  const seeds = html("select", { name: "seeds", id: "seeds" }, ...numbers(MAX_SEEDS));
  const total = html("output", { for: "houses seeds", class: "total" });
  const rules = html("div", { class: "rules" });
  const element = html(
    "form",
    { class: "dialog-body" },
    radioGroup("opponent", texts.newGame.against, [
      ["computer", texts.newGame.computer],
      ["person", texts.newGame.twoPlayers],
    ]),
    levels,
    radioGroup("side", texts.common.youPlay, [
      ["south", texts.common.southFirst],
      ["north", texts.common.northSecond],
      ["random", texts.common.random],
    ]),
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
    html(
      "div",
      { class: "dialog-foot buttons" },
      html("button", { type: "submit", class: "main" }, texts.newGame.start),
    ),
  );
  if (app.hasFriendGames) {
    const friend = html("button", { type: "button" }, texts.common.playFriend);
    friend.addEventListener("click", () => {
      close();
      goToPanel(app, "friend");
    });
    element.lastElementChild?.append(friend);
  }

  /** @param {string} name */
  const field = (name) => new FormData(element).get(name);

  /** @returns {GameOptions} */
  const currentOptions = () => ({
    opponent: /** @type {GameOptions["opponent"]} */ (field("opponent")),
    level: Number(field("level") ?? DEFAULT_LEVEL),
    side: /** @type {GameOptions["side"]} */ (field("side")),
    houses: Number(houses.value),
    seeds: Number(seeds.value),
    rules: String(field("rules") ?? "cs32"),
  });

  function updateOutputs() {
    const options = currentOptions();
    levels.hidden = options.opponent !== "computer";
    for (const input of element.querySelectorAll('input[name="side"]')) {
      /** @type {HTMLInputElement} */ (input).disabled = options.opponent === "person";
    }
    total.textContent = texts.board.seedsInTotal(2 * options.houses * options.seeds);
  }
  element.addEventListener("input", updateOutputs);
  element.addEventListener("submit", (event) => {
    event.preventDefault();
    close();
    void app.actions.newGame(newGameFromOptions(currentOptions(), Math.random));
  });

  /** @param {string} name @param {string} value */
  function check(name, value) {
    for (const input of element.querySelectorAll(`input[name="${name}"]`)) {
      const radio = /** @type {HTMLInputElement} */ (input);
      radio.checked = radio.value === value;
    }
  }

  return {
    element,
    /** Shows the current game's values. @param {State} state */
    fill(state) {
      const options = optionsFromState(state);
      check("opponent", options.opponent);
      check("side", options.side);
      check(
        "rules",
        state.presets.some(({ name }) => name === options.rules) ? options.rules : "cs32",
      );
      check("level", String(options.level));
      houses.value = String(options.houses);
      seeds.value = String(options.seeds);
      updateOutputs();
    },
    /** @param {readonly Preset[]} presets */
    setPresets(presets) {
      rules.replaceChildren(...presets.map(ruleEntry));
    },
  };
}
