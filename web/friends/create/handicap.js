/** The handicap of a new game with a friend: seeds that a player has ahead in the store. */

import { texts } from "../../texts/texts.js";
import { html } from "../../ui/dom.js";

/** @import { FriendGameHandicap } from "../session/session.js" */

/** The most seeds ahead that the form offers. */
const MAX_SEEDS_AHEAD = 20;

/** @param {string} id @param {string} text */
function seedsField(id, text) {
  const field = html("input", {
    id,
    type: "number",
    class: "clock-field",
    min: 0,
    max: MAX_SEEDS_AHEAD,
    step: 1,
    required: true,
    value: 0,
  });
  return { field, label: html("label", { for: id }, text) };
}

/** Creates the fields of the handicap. */
export function createHandicapFields() {
  const own = seedsField("friend-seeds-own", texts.friends.seedsAheadYou);
  const friend = seedsField("friend-seeds-friend", texts.friends.seedsAheadFriend);
  const element = html(
    "fieldset",
    { class: "tools" },
    html("legend", {}, texts.friends.seedsAhead),
    own.label,
    own.field,
    friend.label,
    friend.field,
  );
  return {
    element,
    /** @returns {FriendGameHandicap} */
    value() {
      const seeds = { you: Number(own.field.value), friend: Number(friend.field.value) };
      return seeds.you > 0 || seeds.friend > 0 ? { seeds_ahead: seeds } : {};
    },
  };
}
