/** The position form: seeds of each pit, side to move, rules, and the position as text. */

import { houseLetter, houseName, parseHouse, shortLabel } from "../board/labels.js";
import { isAbort } from "../engine/errors.js";
import { countSeeds } from "../game/descriptions.js";
import { sideName, SIDES } from "../game/players.js";
import { position, UNFINISHED } from "../game/tree.js";
import { button, copyToClipboard, html, setText } from "../ui/dom.js";
import {
  draftFromPosition,
  draftText,
  emptyDraft,
  MAX_HOUSES,
  MAX_SEEDS,
  seedsIn,
  totalSeeds,
  withSeeds,
} from "./position-draft.js";

/** @import { Draft } from "./position-draft.js" */
/** @import { Pit, Position } from "../types/api.d.ts" */
/** @import { App, Settings, State } from "../types/app.d.ts" */

/** The delay between typing and parsing, in milliseconds. */
const DEBOUNCE_MS = 250;

/**
 * Returns a pit's name in a sentence.
 *
 * @param {Pit} pit
 * @param {number} houses
 * @param {Settings["labels"]} labels
 */
function pitName(pit, houses, labels) {
  const house = parseHouse(pit);
  if (house) {
    // Screen readers pronounce upper and lower case letters alike.
    return `${sideName(house.side)}'s ${houseName(pit, houses, labels)}`;
  }
  return pit === "south" ? "South's store" : "North's store";
}

/** @param {App} app */
export function createPositionForm(app) {
  /** @type {Draft} */
  let draft = emptyDraft(6);
  /** The reason why the draft is not a legal position; empty if it is legal. */
  let problem = "";
  /** The position from which the draft was loaded. @type {Position | null} */
  let source = null;
  let isEdited = false;
  let requests = new AbortController();
  /** @type {Map<Pit, HTMLInputElement>} */
  const inputs = new Map();
  /** The names of houses in the labels of the inputs. @type {Settings["labels"]} */
  let labels = "letters";

  const text = html("input", {
    type: "text",
    class: "full-width",
    spellcheck: "false",
    autocomplete: "off",
    "aria-label": "Position as text",
    oninput: () => void readText(DEBOUNCE_MS),
  });
  const rules = html("select", {
    "aria-label": "Rules",
    onchange: () => {
      isEdited = true;
      void check();
    },
  });
  const houses = html("input", {
    type: "number",
    min: 1,
    max: MAX_HOUSES,
    "aria-label": "Houses a side",
    class: "count",
    onchange: () => resize(Number(houses.value)),
  });
  const mover = html(
    "select",
    {
      "aria-label": "To move",
      onchange: () => edit({ ...draft, side: mover.value === "north" ? "north" : "south" }),
    },
    html("option", { value: "south" }, "South"),
    html("option", { value: "north" }, "North"),
  );
  const rows = { south: html("div", { class: "pits" }), north: html("div", { class: "pits" }) };
  const message = html("p", { class: "note", role: "status" });
  const applyButton = button("Set up on the board", () => void apply(), { class: "main" });
  const copyText = button(
    "Copy position",
    () => {
      const { tree } = app.state();
      if (tree) {
        void copyToClipboard(copyText, position(tree).position, (error) =>
          app.actions.showError(error),
        );
      }
    },
    { class: "small" },
  );

  /** @param {Draft} changed */
  function edit(changed) {
    draft = changed;
    isEdited = true;
    text.value = draftText(draft);
    drawDraft();
    void check();
  }

  /** @param {number} count */
  function resize(count) {
    const newCount = Math.min(Math.max(Math.trunc(count) || 1, 1), MAX_HOUSES);
    const fit = (/** @type {number[]} */ row) =>
      emptyDraft(newCount).rows.south.map((_, index) => row[index] ?? 0);
    edit({ ...draft, rows: { south: fit(draft.rows.south), north: fit(draft.rows.north) } });
  }

  /**
   * Requests the position of a text.
   *
   * @param {string} positionText
   * @returns {Promise<Position | null>} `null` if the text is not a legal position, or if another
   *   request was sent since
   */
  async function parse(positionText) {
    requests.abort();
    requests = new AbortController();
    const { signal } = requests;
    try {
      const parsed = await app.engine.request(
        "position",
        { rules: rules.value, position: positionText },
        signal,
      );
      problem = parsed.is_over
        ? "The game is over in this position: the rows are swept into the stores."
        : "";
      drawProblem(true);
      return parsed;
    } catch (error) {
      if (!isAbort(error) && !signal.aborted) {
        problem = error instanceof Error ? error.message : String(error);
        drawProblem(false);
      }
      return null;
    }
  }

  const check = () => parse(text.value);

  /** @param {number} delayMs */
  async function readText(delayMs) {
    isEdited = true;
    const typed = text.value;
    await new Promise((resolve) => void setTimeout(resolve, delayMs));
    if (typed !== text.value) {
      return;
    }
    const result = await parse(typed);
    if (result) {
      draft = draftFromPosition(result);
      drawDraft();
      drawProblem(true);
    }
  }

  async function apply() {
    const start = await check();
    if (start) {
      isEdited = false;
      source = start;
      app.actions.openGame({
        tags: [],
        start,
        comments: [],
        plies: [],
        termination: UNFINISHED,
        winner: null,
      });
      app.announce("The position is on the board.");
    }
  }

  /** @param {boolean} good */
  function drawProblem(good) {
    setText(message, problem === "" ? `${countSeeds(totalSeeds(draft))} in total.` : problem);
    message.classList.toggle("wrong", !good);
    applyButton.disabled = !good;
  }

  /** @param {Pit} pit */
  function pitElement(pit) {
    const count = draft.rows.south.length;
    const name = pitName(pit, count, labels);
    const input = html("input", {
      type: "number",
      min: 0,
      max: MAX_SEEDS,
      inputmode: "numeric",
      class: "count",
      "aria-label": `Seeds in ${name}`,
      oninput: () => edit(withSeeds(draft, pit, Number(input.value))),
    });
    inputs.set(pit, input);
    const add = (/** @type {number} */ by) => edit(withSeeds(draft, pit, seedsIn(draft, pit) + by));
    return html(
      "div",
      { class: "pit-editor" },
      html(
        "span",
        { "aria-hidden": "true", class: "pit-name" },
        pit === "south" || pit === "north" ? "store" : shortLabel(pit, count, labels),
      ),
      button("\u2212", () => add(-1), {
        class: "seed-step",
        "aria-label": `Remove a seed from ${name}`,
      }),
      input,
      button("+", () => add(1), { class: "seed-step", "aria-label": `Add a seed to ${name}` }),
    );
  }

  function drawDraft() {
    const count = draft.rows.south.length;
    const { labels: newLabels } = app.state().settings;
    if (inputs.size !== 2 * count + 2 || newLabels !== labels) {
      labels = newLabels;
      inputs.clear();
      for (const side of SIDES) {
        const pits = draft.rows[side].map((_, index) => houseLetter(side, index + 1));
        rows[side].replaceChildren(...[...pits, side].map(pitElement));
      }
    }
    for (const [pit, input] of inputs) {
      const now = String(seedsIn(draft, pit));
      // The value that a person is typing stays unless it is another number.
      if (document.activeElement !== input || Number(input.value) !== Number(now)) {
        input.value = now;
      }
    }
    houses.value = String(count);
    mover.value = draft.side;
  }

  /** @param {Position} from */
  function loadPosition(from) {
    source = from;
    isEdited = false;
    draft = draftFromPosition(from);
    text.value = from.position;
    problem = "";
    drawDraft();
    drawProblem(true);
  }

  const element = html(
    "div",
    { class: "form" },
    html("label", { class: "field" }, "Text", text),
    html(
      "div",
      { class: "tools" },
      html("label", {}, "Rules ", rules),
      html("label", {}, "Houses ", houses),
      html("label", {}, "To move ", mover),
    ),
    html("fieldset", {}, html("legend", {}, "North"), rows.north),
    html("fieldset", {}, html("legend", {}, "South"), rows.south),
    message,
    html(
      "div",
      { class: "tools" },
      applyButton,
      button("Empty", () => edit(emptyDraft(draft.rows.south.length)), { class: "small" }),
      button(
        "Start",
        () => {
          text.value = `${draft.rows.south.length}x4`;
          void readText(0);
        },
        { class: "small" },
      ),
      button(
        "From the board",
        () => {
          const { tree } = app.state();
          if (tree) {
            drawRules(app.state());
            rules.value = position(tree).rules;
            loadPosition(position(tree));
          }
        },
        { class: "small" },
      ),
      copyText,
    ),
  );

  /** @param {State} state */
  function drawRules({ presets, tree }) {
    const own =
      tree && !presets.some(({ name }) => name === tree.start.rules) ? [tree.start.rules] : [];
    const names = [...presets.map(({ name }) => name), ...own];
    if (names.join() !== [...rules.options].map(({ value }) => value).join()) {
      const selected = rules.value;
      rules.replaceChildren(...names.map((name) => html("option", { value: name }, name)));
      rules.value = names.includes(selected) ? selected : (names[0] ?? "");
    }
  }

  return {
    element,
    /** @param {State} state */
    draw(state) {
      if (!state.tree) {
        return;
      }
      drawRules(state);
      const boardPosition = position(state.tree);
      if (!isEdited && boardPosition !== source) {
        rules.value = boardPosition.rules;
        loadPosition(boardPosition);
      } else if (state.settings.labels !== labels) {
        drawDraft();
      }
    },
  };
}
