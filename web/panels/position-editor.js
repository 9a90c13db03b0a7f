/**
 * The tools below the board for a position that is edited there: rules, side to move, the position
 * as text and as numbers.
 */

import { delay } from "../engine/retries.js";
import { houseLetter, pitName, shortLabel } from "../board/labels.js";
import {
  draftFromPosition,
  draftText,
  emptyDraft,
  MAX_HOUSES,
  MAX_SEEDS,
  seedsIn,
  totalSeeds,
  withHouses,
  withSeeds,
} from "../board/position-draft.js";
import { isAbort } from "../engine/errors.js";
import { sideName, SIDES } from "../game/players.js";
import { position, UNFINISHED } from "../game/tree.js";
import { rulesTitle } from "../texts/from-server.js";
import { texts } from "../texts/texts.js";
import { button, byId, copyToClipboard, detailsSection, html, setText } from "../ui/dom.js";

/** @import { Pit, Position } from "../types/api.d.ts" */
/** @import { App, PositionEditor, State } from "../types/app.d.ts" */

/** The delay between a change and the check whether the position is legal, in milliseconds. */
const CHECK_DELAY_MS = 150;

/** The seeds of each house of the start position. */
const START_SEEDS = 4;

/** Returns the instructions for the pointer of the device. */
const instructions = () =>
  matchMedia("(pointer: coarse)").matches
    ? texts.position.touchInstructions
    : texts.position.instructions;

/**
 * Starts the editing of the position on the board, or returns to it.
 *
 * @param {App} app
 */
export function startEditing(app) {
  const { tree, editor } = app.state();
  if (!tree) {
    return;
  }
  if (!editor) {
    const at = position(tree);
    app.actions.setEditor({ draft: draftFromPosition(at), rules: at.rules, takesAway: false });
    app.announce(instructions());
  }
  // The board has buttons for the stores after it is drawn again.
  requestAnimationFrame(() => {
    const house = byId("board").querySelector("[data-pit][tabindex='0']");
    if (house instanceof HTMLElement) {
      house.focus();
    }
  });
}

/**
 * Creates the element of the panel that starts the editing.
 *
 * @param {App} app
 */
export function createPositionTools(app) {
  const copy = button(
    texts.position.copy,
    () => {
      const { tree } = app.state();
      if (tree) {
        void copyToClipboard(copy, position(tree).position, (error) =>
          app.actions.showError(error),
        );
      }
    },
    { class: "small" },
  );
  return html(
    "div",
    { class: "tools" },
    button(texts.position.edit, () => startEditing(app)),
    copy,
  );
}

/**
 * Adds the tools of the position editor before an element.
 *
 * @param {HTMLElement} before
 * @param {App} app
 */
export function addPositionEditor(before, app) {
  let requests = new AbortController();
  /** The reason why the position is not legal, or a note; empty if there is none. */
  let problem = "";
  let isLegal = false;
  /** The text and the rules that were checked last. */
  let checked = "";
  /** @type {Map<Pit, HTMLInputElement>} */
  const inputs = new Map();
  /** The labels and the number of houses of the inputs. */
  let inputsKey = "";

  /** @param {Partial<PositionEditor>} change */
  const edit = (change) => {
    const { editor } = app.state();
    if (editor) {
      app.actions.setEditor({ ...editor, ...change });
    }
  };

  /** @param {(draft: PositionEditor["draft"]) => PositionEditor["draft"]} change */
  const editDraft = (change) => {
    const { editor } = app.state();
    if (editor) {
      edit({ draft: change(editor.draft) });
    }
  };

  const text = html("input", {
    type: "text",
    class: "full-width",
    spellcheck: "false",
    autocomplete: "off",
    "aria-label": texts.position.textLabel,
    oninput: () => void readText(),
    onkeydown: (/** @type {KeyboardEvent} */ event) => {
      if (event.key === "Enter") {
        void use();
      }
    },
  });
  const rules = html("select", {
    "aria-label": texts.common.rules,
    onchange: () => edit({ rules: rules.value }),
  });
  const houses = html("input", {
    type: "number",
    min: 1,
    max: MAX_HOUSES,
    "aria-label": texts.common.housesPerSide,
    class: "count",
    onchange: () => editDraft((draft) => withHouses(draft, Number(houses.value))),
  });
  const mover = html(
    "select",
    {
      "aria-label": texts.position.toMove,
      onchange: () =>
        editDraft((draft) => ({ ...draft, side: mover.value === "north" ? "north" : "south" })),
    },
    ...SIDES.map((side) => html("option", { value: side }, sideName(side))),
  );
  const takesAway = html("input", {
    type: "checkbox",
    role: "switch",
    onchange: () => edit({ takesAway: takesAway.checked }),
  });
  const rows = { south: html("div", { class: "pits" }), north: html("div", { class: "pits" }) };
  const total = html("p", { class: "summary" });
  const message = html("p", { class: "note", role: "status" });
  const useButton = button(
    texts.position.use,
    () => {
      if (useButton.ariaDisabled !== "true") {
        void use();
      }
    },
    { class: "main" },
  );

  /**
   * Requests the position of a text after a delay.
   *
   * @param {string} positionText
   * @param {number} delayMs
   * @returns {Promise<Position | null>} `null` if the text is not a legal position, or if another
   *   request was sent since
   */
  async function parse(positionText, delayMs) {
    requests.abort();
    requests = new AbortController();
    const { signal } = requests;
    try {
      await delay(delayMs, signal);
      const body = { rules: rules.value, position: positionText };
      const parsed = await app.engine.request("position", body, signal);
      showProblem(parsed.is_over ? texts.position.gameOver : "", true);
      return parsed;
    } catch (error) {
      if (!isAbort(error) && !signal.aborted) {
        showProblem(error instanceof Error ? error.message : String(error), false);
      }
      return null;
    }
  }

  /** @param {string} newProblem @param {boolean} newIsLegal */
  function showProblem(newProblem, newIsLegal) {
    problem = newProblem;
    isLegal = newIsLegal;
    drawProblem();
  }

  function drawProblem() {
    setText(message, problem);
    message.classList.toggle("wrong", !isLegal);
    useButton.ariaDisabled = String(!isLegal);
  }

  async function readText() {
    const parsed = await parse(text.value, CHECK_DELAY_MS);
    if (parsed) {
      const draft = draftFromPosition(parsed);
      checked = `${rules.value} ${draftText(draft)}`;
      edit({ draft });
    }
  }

  async function use() {
    const start = await parse(text.value, 0);
    if (start) {
      app.actions.openGame({
        tags: [],
        start,
        comments: [],
        plies: [],
        termination: UNFINISHED,
        winner: null,
      });
      app.announce(texts.position.isOnBoard);
      byId("board").focus({ preventScroll: true });
    }
  }

  function cancel() {
    app.actions.setEditor(null);
    byId("board").focus({ preventScroll: true });
  }

  /** @param {PositionEditor} editor @param {State["settings"]["labels"]} labels */
  function drawInputs({ draft }, labels) {
    const count = draft.rows.south.length;
    const key = `${labels} ${count}`;
    if (key !== inputsKey) {
      inputsKey = key;
      inputs.clear();
      for (const side of SIDES) {
        const pits = draft.rows[side].map((_, index) => houseLetter(side, index + 1));
        rows[side].replaceChildren(...[...pits, side].map((pit) => pitElement(pit, count, labels)));
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

  /** @param {Pit} pit @param {number} count @param {State["settings"]["labels"]} labels */
  function pitElement(pit, count, labels) {
    const input = html("input", {
      type: "number",
      min: 0,
      max: MAX_SEEDS,
      inputmode: "numeric",
      class: "count",
      "aria-label": texts.position.seedsIn(pitName(pit, count, labels)),
      oninput: () => editDraft((draft) => withSeeds(draft, pit, Number(input.value))),
    });
    inputs.set(pit, input);
    const isStore = pit === "south" || pit === "north";
    return html(
      "div",
      { class: "pit-editor" },
      html(
        "span",
        { "aria-hidden": "true", class: "pit-name" },
        isStore ? texts.position.store : shortLabel(pit, count, labels),
      ),
      input,
    );
  }

  /** @param {State} state @param {PositionEditor} editor */
  function drawRules({ presets }, editor) {
    const isPreset = presets.some(({ name }) => name === editor.rules);
    const names = [...presets.map(({ name }) => name), ...(isPreset ? [] : [editor.rules])];
    if (names.join() !== [...rules.options].map(({ value }) => value).join()) {
      rules.replaceChildren(
        ...names.map((name) => html("option", { value: name }, rulesTitle(name))),
      );
    }
    rules.value = editor.rules;
  }

  const numbers = detailsSection(
    texts.position.numbers,
    html("fieldset", {}, html("legend", {}, sideName("north")), rows.north),
    html("fieldset", {}, html("legend", {}, sideName("south")), rows.south),
  );
  const element = html(
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
    html(
      "div",
      { class: "tools" },
      useButton,
      button(texts.position.clear, () => editDraft((draft) => emptyDraft(draft.rows.south.length))),
      button(texts.position.start, () =>
        editDraft((draft) => {
          const full = draft.rows.south.map(() => START_SEEDS);
          const empty = emptyDraft(full.length);
          return { ...empty, rows: { south: full, north: [...full] } };
        }),
      ),
      button(texts.position.cancel, cancel),
    ),
    numbers,
  );
  before.before(element);
  const game = element.closest(".game");

  app.subscribe((state) => {
    const { editor, settings } = state;
    element.hidden = !editor;
    game?.toggleAttribute("data-editing", editor !== null);
    if (!editor) {
      requests.abort();
      checked = "";
      return;
    }
    drawRules(state, editor);
    drawInputs(editor, settings.labels);
    takesAway.checked = editor.takesAway;
    mover.value = editor.draft.side;
    if (document.activeElement !== houses) {
      houses.value = String(editor.draft.rows.south.length);
    }
    setText(total, `${texts.board.seedsInTotal(totalSeeds(editor.draft))}.`);
    const now = draftText(editor.draft);
    if (checked !== `${editor.rules} ${now}`) {
      checked = `${editor.rules} ${now}`;
      text.value = now;
      void parse(now, CHECK_DELAY_MS);
    }
  });
}
