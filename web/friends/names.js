/** The names of players: the field for the own name, and the last name, which the browser stores. */

import { changeStored, load } from "../storage/values.js";
import { texts } from "../texts/texts.js";
import { html } from "../ui/dom.js";

/** @import { GameSnapshot } from "../types/friend.d.ts" */
/** @import { BySide, Side } from "../types/api.d.ts" */
/** @import { Player, Players } from "../types/app.d.ts" */

/** The key of the stored name. */
const STORAGE_KEY = "friend-name";

/** The most characters of a name, as the server counts them. */
const MAX_NAME_LENGTH = 24;

/** Returns the last name of the player; empty without one. */
export function rememberedName() {
  const stored = load(STORAGE_KEY);
  return typeof stored === "string" ? stored : "";
}

/** @param {string} name */
export const rememberName = (name) => changeStored(STORAGE_KEY, () => name);

/**
 * Returns why a text is not a name, or an empty text. The server also refuses control characters.
 *
 * @param {string} text
 */
export const nameProblem = (text) =>
  [...text.trim()].length > MAX_NAME_LENGTH ? texts.friends.nameTooLong(MAX_NAME_LENGTH) : "";

/**
 * Creates a field for the own name, which contains the last name.
 *
 * @param {string} id
 */
export function createNameField(id) {
  const field = html("input", {
    id,
    type: "text",
    class: "name-field",
    autocomplete: "nickname",
    value: rememberedName(),
    oninput: () => field.setCustomValidity(nameProblem(field.value)),
  });
  const label = html("label", { for: id }, texts.friends.yourName);
  return { label, field };
}

/**
 * Returns the players at the start of a game with their names.
 *
 * @param {Pick<GameSnapshot, "you" | "names">} snapshot
 * @param {{ isSwapped: boolean }} options whether the players have exchanged their sides since the
 *   start
 * @returns {Players}
 */
export function startingPlayers({ you, names }, { isSwapped }) {
  /** @param {Side} side the side now @returns {Player} */
  const player = (side) => {
    const name = names[side];
    if (side === you) {
      return name === null ? { kind: "person" } : { kind: "person", name };
    }
    const unnamed = you === null ? texts.board.sides[side] : texts.game.friend;
    return { kind: "remote", name: name ?? unnamed, isNamed: name !== null };
  };
  /** @type {BySide<Player>} */
  const now = { south: player("south"), north: player("north") };
  return isSwapped ? { south: now.north, north: now.south } : now;
}
