/** The form for a new room: its name, how it pairs its members, and rules, board and clock of its games. */

import { createBoardFields } from "../../friends/create/board.js";
import { createClockFields } from "../../friends/create/clocks.js";
import { texts } from "../../texts/texts.js";
import { html, radioGroup } from "../../ui/dom.js";

/** @import { State } from "../../types/app.d.ts" */
/** @import { RoomFormat, RoomOptions } from "../../types/room.d.ts" */

/** The formats in the order of the form. @type {readonly RoomFormat[]} */
const FORMATS = ["swiss", "round-robin", "free", "ladder"];

/** The most plies of a drawn opening. */
const MAX_OPENING_PLIES = 6;

/** The longest name of a room, in characters. */
const MAX_NAME_LENGTH = 24;

/** Creates the fields of the form. */
function createFields() {
  return {
    name: html("input", {
      id: "room-title",
      type: "text",
      class: "name-field",
      autocomplete: "off",
      required: true,
      maxlength: MAX_NAME_LENGTH,
    }),
    format: radioGroup(
      "room-format",
      texts.rooms.format,
      FORMATS.map((format) => /** @type {const} */ ([format, texts.rooms.formats[format]])),
    ),
    formatText: html("p", { class: "note", role: "status" }),
    games: radioGroup("room-games", texts.rooms.gamesPerPairing, [
      ["1", texts.rooms.oneGame],
      ["2", texts.rooms.twoGames],
    ]),
    opening: html(
      "select",
      { id: "room-opening" },
      ...Array.from({ length: MAX_OPENING_PLIES + 1 }, (_, plies) =>
        html("option", { value: plies }, String(plies)),
      ),
    ),
    board: createBoardFields("room"),
    clock: createClockFields({ id: "room-clock", isRoom: true }),
    engineHelp: html("input", { type: "checkbox", id: "room-engine-help" }),
    submit: html("button", { type: "submit", class: "main" }, texts.rooms.create),
  };
}

/** @typedef {ReturnType<typeof createFields>} RoomFormFields */

/** @param {RoomFormFields} fields */
function createElement({ name, format, games, opening, board, clock, engineHelp, ...fields }) {
  const openings = html(
    "div",
    { class: "openings" },
    html(
      "div",
      { class: "tools" },
      html("label", { for: opening.id }, texts.rooms.openingPlies),
      opening,
    ),
    html("p", { class: "note" }, texts.rooms.openingPliesText),
  );
  const element = html(
    "form",
    { class: "form" },
    html("h3", {}, texts.rooms.createTitle),
    html("div", { class: "tools" }, html("label", { for: name.id }, texts.rooms.name), name),
    format,
    fields.formatText,
    games,
    openings,
    board.element,
    clock.element,
    html("label", { class: "checkbox" }, engineHelp, ` ${texts.rooms.engineHelp}`),
    html("p", { class: "note" }, texts.rooms.engineHelpText),
    html("div", { class: "tools" }, fields.submit),
  );
  for (const input of element.querySelectorAll('input[value="swiss"], input[value="1"]')) {
    /** @type {HTMLInputElement} */ (input).checked = true;
  }
  return { element, openings };
}

/**
 * Returns the options of the room that the form describes.
 *
 * @param {RoomFormFields} fields
 * @param {HTMLFormElement} form
 * @returns {RoomOptions}
 */
function optionsOf({ name, opening, board, clock, engineHelp }, form) {
  const data = new FormData(form);
  const games = Number(data.get("room-games"));
  const { clock: times } = clock.value();
  return {
    name: name.value.trim(),
    ...board.value(),
    ...(times && { clock: times }),
    format: /** @type {RoomFormat} */ (data.get("room-format")),
    games_per_pairing: games,
    opening_plies: games > 1 ? Number(opening.value) : 0,
    engine_help: engineHelp.checked,
  };
}

/** @param {(options: RoomOptions) => Promise<void>} createRoom */
export function createRoomForm(createRoom) {
  const fields = createFields();
  const { element, openings } = createElement(fields);

  function update() {
    const { format, games_per_pairing: games } = optionsOf(fields, element);
    fields.formatText.textContent = texts.rooms.formatTexts[format];
    openings.hidden = games === 1;
  }
  element.addEventListener("input", update);
  element.addEventListener("submit", async (event) => {
    event.preventDefault();
    fields.submit.disabled = true;
    await createRoom(optionsOf(fields, element));
    fields.submit.disabled = false;
  });
  update();

  return {
    element,
    /** @param {State} state */
    draw: (state) => fields.board.draw(state),
  };
}
