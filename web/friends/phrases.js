/** The phrases that players say to each other, in the language of each. */

import { opposite, sideName } from "../game/players.js";
import { texts } from "../texts/texts.js";
import { button, byId, html, setText } from "../ui/dom.js";
import { FRIEND_MODE } from "./state.js";

/** @import { Session } from "./session/session.js" */
/** @import { Side } from "../types/api.d.ts" */
/** @import { App } from "../types/app.d.ts" */
/** @import { GameSnapshot, Phrase } from "../types/friend.d.ts" */

/** The phrases, in the order of their buttons. @type {readonly Phrase[]} */
export const PHRASES = [
  "hello",
  "good-luck",
  "nice-move",
  "oops",
  "one-moment",
  "thanks",
  "good-game",
  "goodbye",
];

/** The time for which the page shows a phrase, in milliseconds. */
const SHOWN_MS = 12_000;

/**
 * Returns the text of a phrase with the name of the player who says it.
 *
 * @param {{ side: Side, phrase: Phrase }} said
 * @param {Pick<GameSnapshot, "you" | "names">} snapshot
 */
export function saidText({ side, phrase }, { you, names }) {
  const unnamed = you === opposite(side) ? texts.friends.yourFriend : sideName(side);
  const speaker = side === you ? texts.game.you : (names[side] ?? unnamed);
  return texts.friends.says(speaker, texts.friends.phrases[phrase]);
}

/**
 * Shows the phrases of the game on the board, and the buttons with which a player says one.
 *
 * @param {App} app
 * @param {Session} session
 */
export function startPhrases(app, session) {
  const element = byId("friend-phrases");
  const line = html("p", { class: "phrase" });
  const mute = html("input", { type: "checkbox", id: "phrases-muted" });
  const buttons = PHRASES.map((phrase) =>
    button(texts.friends.phrases[phrase], () => say(phrase), { class: "small" }),
  );
  const menu = html(
    "details",
    {},
    html("summary", {}, texts.friends.say),
    html("div", { class: "tools" }, ...buttons),
    html("label", { class: "note" }, mute, ` ${texts.friends.mutePhrases}`),
  );
  element.append(line, menu);
  let timer = 0;

  /** @param {Phrase} phrase */
  function say(phrase) {
    session.say(phrase);
    menu.open = false;
    menu.querySelector("summary")?.focus();
  }

  /** @param {string} text */
  function show(text) {
    setText(line, text);
    line.hidden = text === "";
    clearTimeout(timer);
    if (text) {
      timer = window.setTimeout(() => {
        show("");
        draw();
      }, SHOWN_MS);
    }
  }

  function draw() {
    const { snapshot } = session.state();
    const isShown = app.state().mode === FRIEND_MODE && snapshot !== null;
    element.hidden = !isShown || (!snapshot.you && line.hidden);
    menu.hidden = !snapshot?.you || snapshot.free_seat !== null;
  }

  session.subscribe(({ said, snapshot }, previous) => {
    if (snapshot?.game !== previous.snapshot?.game) {
      show("");
    } else if (said && snapshot && said !== previous.said) {
      const isOwn = said.side === snapshot.you;
      if (isOwn || !mute.checked) {
        const text = saidText(said, snapshot);
        show(text);
        app.announce(text);
      }
    }
    draw();
  });
  app.subscribe(draw);
  show("");
}
