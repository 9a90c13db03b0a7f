/**
 * The fields of the position editor: rules, side to move, the position as text and as numbers.
 * `drawFields` draws them from the state of the page.
 */

import { houseLetter, parseHouse, pitName, shortLabel } from "../../board/labels.js";
import {
  emptyDraft,
  MAX_HOUSES,
  MAX_SEEDS,
  seedsIn,
  totalSeeds,
  withHouses,
  withSeeds,
} from "../../board/position-draft.js";
import { sideName, SIDES } from "../../game/players.js";
import { rulesTitle } from "../../texts/from-server.js";
import { texts } from "../../texts/texts.js";
import { button, detailsSection, html, setText } from "../../ui/dom.js";
import { hasTouch } from "../../ui/touch.js";

/** @import { Pit } from "../../types/api.d.ts" */
/** @import { App, PositionEditor, Settings, State } from "../../types/app.d.ts" */

/** The seeds of each house of the start position. */
const START_SEEDS = 4;

/**
 * The functions that the fields call.
 *
 * @typedef {object} EditorEvents
 * @property {() => void} onText called when the person has changed the position as text
 * @property {() => void} onUse
 * @property {() => void} onCancel
 */

/** @typedef {PositionEditor["draft"]} Draft */

/**
 * Changes what is edited.
 *
 * @param {App} app
 * @param {Partial<PositionEditor>} change
 */
export function edit({ state, actions }, change) {
  const { editor } = state();
  if (editor) {
    actions.setEditor({ ...editor, ...change });
  }
}

/** @param {App} app @param {(draft: Draft) => Draft} change */
function editDraft(app, change) {
  const { editor } = app.state();
  if (editor) {
    edit(app, { draft: change(editor.draft) });
  }
}

/**
 * Returns the start position of a board.
 *
 * @param {Draft} draft a position on the board
 * @returns {Draft}
 */
function startDraft({ rows }) {
  const full = rows.south.map(() => START_SEEDS);
  return { ...emptyDraft(full.length), rows: { south: full, north: [...full] } };
}

/** Returns the instructions for the pointer of the device. */
export const instructions = () =>
  hasTouch() ? texts.position.touchInstructions : texts.position.instructions;

/** @param {App} app */
function createSettings(app) {
  const takesAway = html("input", {
    type: "checkbox",
    role: "switch",
    onchange: () => edit(app, { takesAway: takesAway.checked }),
  });
  const mover = html(
    "select",
    {
      "aria-label": texts.position.toMove,
      onchange() {
        const side = mover.value === "north" ? "north" : "south";
        editDraft(app, (draft) => ({ ...draft, side }));
      },
    },
    ...SIDES.map((side) => html("option", { value: side }, sideName(side))),
  );
  const rules = html("select", {
    "aria-label": texts.common.rules,
    onchange: () => edit(app, { rules: rules.value }),
  });
  const houses = html("input", {
    type: "number",
    min: 1,
    max: MAX_HOUSES,
    "aria-label": texts.common.housesPerSide,
    class: "count",
    onchange: () => editDraft(app, (draft) => withHouses(draft, Number(houses.value))),
  });
  return { takesAway, mover, rules, houses };
}

/** @param {EditorEvents} events */
function createText({ onText, onUse }) {
  const text = html("input", {
    type: "text",
    class: "full-width",
    spellcheck: "false",
    autocomplete: "off",
    "aria-label": texts.position.textLabel,
    oninput: onText,
    onkeydown(/** @type {KeyboardEvent} */ event) {
      if (event.key === "Enter") {
        onUse();
      }
    },
  });
  return text;
}

/** @param {EditorEvents} events */
function createUseButton({ onUse }) {
  const use = button(
    texts.position.use,
    () => {
      if (use.ariaDisabled !== "true") {
        onUse();
      }
    },
    { class: "main" },
  );
  return use;
}

/** @param {App} app @param {EditorEvents} events */
const createParts = (app, events) => ({
  ...createSettings(app),
  text: createText(events),
  total: html("p", { class: "summary" }),
  message: html("p", { class: "note", role: "status" }),
  use: createUseButton(events),
  rows: { south: html("div", { class: "pits" }), north: html("div", { class: "pits" }) },
  inputs: /** @type {Map<Pit, HTMLInputElement>} */ (new Map()),
});

/** @typedef {ReturnType<typeof createParts>} EditorParts */
/** @typedef {EditorParts & { element: HTMLElement }} EditorFields */

/**
 * Creates the fields.
 *
 * @param {App} app
 * @param {EditorEvents} events
 * @returns {EditorFields}
 */
export function createFields(app, events) {
  const parts = createParts(app, events);
  return { ...parts, element: createElement(app, events, parts) };
}

/** @param {App} app @param {EditorEvents} events @param {EditorParts} parts */
function createElement(app, { onCancel }, parts) {
  const { takesAway, mover, rules, houses, text, total, message, use, rows } = parts;
  const numbers = detailsSection(
    texts.position.numbers,
    html("fieldset", {}, html("legend", {}, sideName("north")), rows.north),
    html("fieldset", {}, html("legend", {}, sideName("south")), rows.south),
  );
  const clear = button(texts.position.clear, () =>
    editDraft(app, (draft) => emptyDraft(draft.rows.south.length)),
  );
  const start = button(texts.position.start, () => editDraft(app, startDraft));
  const cancel = button(texts.position.cancel, onCancel);
  return html(
    "section",
    { class: "panel position-editor", "aria-label": texts.position.title, hidden: true },
    html("p", { class: "note" }, instructions()),
    html(
      "div",
      { class: "tools" },
      html("label", {}, takesAway, ` ${texts.position.takeAway}`),
      html("label", {}, `${texts.position.toMove} `, mover),
      html("label", {}, `${texts.common.rules} `, rules),
      html("label", {}, `${texts.position.houses} `, houses),
    ),
    html("label", { class: "field" }, texts.position.text, text),
    total,
    message,
    html("div", { class: "tools" }, use, clear, start, cancel),
    numbers,
  );
}

/**
 * Draws the fields.
 *
 * @param {App} app
 * @param {EditorFields} fields
 * @param {State} state
 * @param {PositionEditor} editor
 */
export function drawFields(app, fields, { presets, settings }, editor) {
  const { takesAway, mover, houses, total } = fields;
  drawRules(fields, presets, editor.rules);
  drawInputs(app, fields, editor.draft, settings.labels);
  takesAway.checked = editor.takesAway;
  mover.value = editor.draft.side;
  if (document.activeElement !== houses) {
    houses.value = String(editor.draft.rows.south.length);
  }
  setText(total, `${texts.board.seedsInTotal(totalSeeds(editor.draft))}.`);
}

/** @param {EditorFields} fields @param {State["presets"]} presets @param {string} selected */
function drawRules({ rules }, presets, selected) {
  const isPreset = presets.some(({ name }) => name === selected);
  const names = [...presets.map(({ name }) => name), ...(isPreset ? [] : [selected])];
  if (names.join() !== [...rules.options].map(({ value }) => value).join()) {
    rules.replaceChildren(
      ...names.map((name) => html("option", { value: name }, rulesTitle(name))),
    );
  }
  rules.value = selected;
}

/**
 * @param {App} app
 * @param {EditorFields} fields
 * @param {Draft} draft
 * @param {Settings["labels"]} labels
 */
function drawInputs(app, { rows, inputs }, draft, labels) {
  const count = draft.rows.south.length;
  const key = `${labels} ${count}`;
  if (rows.south.dataset.key !== key) {
    rows.south.dataset.key = key;
    inputs.clear();
    for (const side of SIDES) {
      const houses = draft.rows[side].map((_, index) => houseLetter(side, index + 1));
      const pits = [...houses, side].map((pit) => createPit(app, pit, count, labels));
      pits.forEach(({ pit, input }) => inputs.set(pit, input));
      rows[side].replaceChildren(...pits.map(({ element }) => element));
    }
  }
  for (const [pit, input] of inputs) {
    const seeds = seedsIn(draft, pit);
    // A field that a person is typing in stays as it is unless it is another number.
    if (document.activeElement !== input || Number(input.value) !== seeds) {
      input.value = String(seeds);
    }
  }
}

/** @param {App} app @param {Pit} pit @param {number} count @param {Settings["labels"]} labels */
function createPit(app, pit, count, labels) {
  const input = html("input", {
    type: "number",
    min: 0,
    max: MAX_SEEDS,
    inputmode: "numeric",
    class: "count",
    "aria-label": texts.position.seedsIn(pitName(pit, count, labels)),
    oninput: () => editDraft(app, (draft) => withSeeds(draft, pit, Number(input.value))),
  });
  const name = parseHouse(pit) ? shortLabel(pit, count, labels) : texts.position.store;
  const label = html("span", { "aria-hidden": "true", class: "pit-name" }, name);
  return { pit, input, element: html("div", { class: "pit-editor" }, label, input) };
}
