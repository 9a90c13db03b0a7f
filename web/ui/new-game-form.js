/** The form for a new game: opponent, side, board and rules. */

import { currentLocalGame } from "../game/actions.js";
import { countSeeds } from "../game/descriptions.js";
import { goToPanel } from "../panels/panels.js";
import { html, radioGroup } from "./dom.js";

/** @import { Preset } from "../types/api.d.ts" */
/** @import { App, NewGame, Player, State } from "../types/app.d.ts" */

/** The largest board of the form: houses of a side and seeds in each house. */
const MAX_SIZE = 10;

/** The number of levels. */
const LEVELS = 10;

/** Descriptions of levels, each from a level on. @type {readonly [number, string][]} */
const LEVEL_DESCRIPTIONS = [
  [9, "very strong"],
  [7, "strong"],
  [5, "fair"],
  [3, "easy"],
  [1, "gentle"],
];

/**
 * The values of the form.
 *
 * @typedef {object} GameOptions
 * @property {"computer" | "smart" | "person"} opponent
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
          opponent: options.opponent === "smart" ? "smart" : `level:${options.level}`,
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
  const level = Number(computer?.replace("level:", ""));
  const start = tree?.start;
  return {
    opponent: computer ? (computer === "smart" ? "smart" : "computer") : "person",
    level: level >= 1 && level <= LEVELS ? level : 2,
    side,
    houses: Math.min(start?.houses ?? 6, MAX_SIZE),
    seeds: Math.min(Math.max(start?.rows.south[0] ?? 4, 1), MAX_SIZE),
    rules: start?.rules ?? "cs32",
  };
}

/** @param {number} level */
function levelDescription(level) {
  return LEVEL_DESCRIPTIONS.find(([from]) => level >= from)?.[1] ?? "";
}

/**
 * @param {App} app
 * @param {() => void} close
 */
export function newGameForm(app, close) {
  const numbers = () =>
    Array.from({ length: MAX_SIZE }, (_, index) =>
      html("option", { value: index + 1 }, String(index + 1)),
    );
  const level = html("input", {
    type: "range",
    name: "level",
    id: "level",
    min: 1,
    max: LEVELS,
    step: 1,
  });
  const levelText = html("output", { for: "level" });
  const levelRow = html(
    "p",
    { class: "slider" },
    html("label", { for: "level" }, "Level"),
    level,
    levelText,
  );
  const houses = html("select", { name: "houses", id: "houses" }, ...numbers());
  const seeds = html("select", { name: "seeds", id: "seeds" }, ...numbers());
  const total = html("output", { for: "houses seeds", class: "total" });
  const rules = html("div", { class: "rules" });
  const element = html(
    "form",
    { class: "dialog-body" },
    radioGroup("opponent", "Against", [
      ["computer", "Computer"],
      ["smart", "Full strength"],
      ["person", "Another person"],
    ]),
    levelRow,
    radioGroup("side", "You play", [
      ["south", "South, first"],
      ["north", "North, second"],
      ["random", "Random"],
    ]),
    html(
      "fieldset",
      { class: "size" },
      html("legend", {}, "Board"),
      html("label", { for: "houses" }, "Houses a side"),
      houses,
      html("label", { for: "seeds" }, "Seeds in each"),
      seeds,
      total,
    ),
    html("fieldset", {}, html("legend", {}, "Rules"), rules),
    html(
      "div",
      { class: "dialog-foot buttons" },
      html("button", { type: "submit", class: "main" }, "Start"),
    ),
  );
  if (app.hasFriendGames) {
    const friend = html("button", { type: "button" }, "Play a friend");
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
    level: Number(level.value),
    side: /** @type {GameOptions["side"]} */ (field("side")),
    houses: Number(houses.value),
    seeds: Number(seeds.value),
    rules: String(field("rules") ?? "cs32"),
  });

  function updateOutputs() {
    const options = currentOptions();
    levelText.textContent = `${options.level}, ${levelDescription(options.level)}`;
    levelRow.hidden = options.opponent !== "computer";
    for (const input of element.querySelectorAll('input[name="side"]')) {
      /** @type {HTMLInputElement} */ (input).disabled = options.opponent === "person";
    }
    total.textContent = `${countSeeds(2 * options.houses * options.seeds)} in total`;
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
      level.value = String(options.level);
      houses.value = String(options.houses);
      seeds.value = String(options.seeds);
      updateOutputs();
    },
    /** @param {readonly Preset[]} presets */
    setPresets(presets) {
      rules.replaceChildren(
        ...presets.map(({ name, summary, played_by: playedBy, default: isDefault }) =>
          html(
            "label",
            { class: "rule" },
            html("input", { type: "radio", name: "rules", value: name, checked: isDefault }),
            html(
              "span",
              {},
              html("b", {}, name),
              ` ${summary} `,
              html("small", {}, `Played by ${playedBy}.`),
            ),
          ),
        ),
      );
    },
  };
}
