/** The form for a game with a friend: rules, board, side and clock. */

import { texts } from "../../texts/texts.js";
import { html, radioGroup } from "../../ui/dom.js";
import { createBoardFields } from "./board.js";
import { createClockFields } from "./clocks.js";
import { createHandicapFields } from "./handicap.js";
import { createNameField, rememberName } from "../names.js";

/** @import { FriendGameOptions } from "../session/session.js" */
/** @import { State } from "../../types/app.d.ts" */

/** The value of the side that the server draws. */
const RANDOM_SIDE = "random";

/** Creates the fields of the form. */
function createFields() {
  return {
    name: createNameField("friend-name"),
    side: radioGroup("friend-side", texts.common.youPlay, [
      ["south", texts.common.southFirst],
      ["north", texts.common.northSecond],
      [RANDOM_SIDE, texts.common.random],
    ]),
    board: createBoardFields("friend"),
    clock: createClockFields(),
    handicap: createHandicapFields(),
    spectatorScores: html("input", { type: "checkbox", id: "friend-spectator-scores" }),
    shares: html("input", { type: "checkbox", id: "friend-shares" }),
    submit: html("button", { type: "submit", class: "main" }, texts.friends.create),
  };
}

/** @typedef {ReturnType<typeof createFields>} FriendFormFields */

/** @param {FriendFormFields} fields */
function createElement(fields) {
  const { name, side, board, clock, submit } = fields;
  const element = html(
    "form",
    { class: "form" },
    html("p", {}, texts.friends.intro),
    html("div", { class: "tools" }, name.label, name.field),
    side,
    board.element,
    clock.element,
    html(
      "details",
      {},
      html("summary", {}, texts.friends.more),
      fields.handicap.element,
      html("label", {}, fields.spectatorScores, ` ${texts.friends.allowSpectatorScores}`),
      html("label", {}, fields.shares, ` ${texts.friends.shareOpenings}`),
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
function optionsOf({ name, board, clock, handicap, spectatorScores, shares }, form) {
  const side = new FormData(form).get("friend-side");
  const ownName = name.field.value.trim();
  return {
    ...board.value(),
    side: side === "south" || side === "north" ? side : RANDOM_SIDE,
    ...(ownName && { name: ownName }),
    ...clock.value(),
    ...handicap.value(),
    spectator_scores: spectatorScores.checked,
    shares: shares.checked,
  };
}

/** @param {(options: FriendGameOptions) => Promise<void>} createGame */
export function createFriendForm(createGame) {
  const fields = createFields();
  const { board, submit } = fields;
  const element = createElement(fields);
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
    draw: (state) => board.draw(state),
  };
}
