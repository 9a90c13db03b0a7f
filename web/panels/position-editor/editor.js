/**
 * The position editor: its beginning, the check whether the position is legal, and its use. The
 * board shows the position, and the fields below the board are in `fields.js`.
 */

import { draftFromPosition, draftText } from "../../board/position-draft.js";
import { errorText, isAbort } from "../../engine/errors.js";
import { delay } from "../../engine/retries.js";
import { position, UNFINISHED } from "../../game/tree.js";
import { texts } from "../../texts/texts.js";
import { bringIntoView, button, byId, copyToClipboard, html, setText } from "../../ui/dom.js";
import { createFields, drawFields, edit, instructions } from "./fields.js";

/** @import { EditorFields } from "./fields.js" */
/** @import { Position } from "../../types/api.d.ts" */
/** @import { App, PositionEditor, State } from "../../types/app.d.ts" */

/** The delay between a change and the check whether the position is legal, in milliseconds. */
const CHECK_DELAY_MS = 150;

/**
 * The editor. `checked` has the rules and the text that were checked last.
 *
 * @typedef {object} Editor
 * @property {App} app
 * @property {EditorFields} fields
 * @property {AbortController} requests
 * @property {string} checked
 */

/**
 * Starts the editing of the position on the board, or returns to it.
 *
 * @param {App} app
 */
function startEditing(app) {
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
  const fields = createFields(app, {
    onText: () => void readText(editor),
    onUse: () => void use(editor),
    onCancel: () => close(app),
  });
  /** @type {Editor} */
  const editor = { app, fields, requests: new AbortController(), checked: "" };
  before.before(fields.element);
  app.subscribe((state) => draw(editor, state));
}

/** @param {Editor} editor @param {State} state */
function draw(editor, state) {
  const { app, fields } = editor;
  const edited = state.editor;
  if (edited && fields.element.hidden) {
    bringIntoView(fields.element);
  }
  fields.element.hidden = !edited;
  fields.element.closest(".game")?.toggleAttribute("data-editing", edited !== null);
  if (edited) {
    drawFields(app, fields, state, edited);
    check(editor, edited);
  } else {
    editor.requests.abort();
    editor.checked = "";
  }
}

/** Checks a position that has changed. @param {Editor} editor @param {PositionEditor} edited */
function check(editor, { rules, draft }) {
  const text = draftText(draft);
  const key = `${rules} ${text}`;
  if (editor.checked !== key) {
    editor.checked = key;
    editor.fields.text.value = text;
    void parse(editor, CHECK_DELAY_MS);
  }
}

/**
 * Requests the position of the text after a delay.
 *
 * @param {Editor} editor
 * @param {number} delayMs
 * @returns {Promise<Position | null>} `null` if the text is not a legal position, or if another
 *   request was sent since
 */
async function parse(editor, delayMs) {
  const { app, fields } = editor;
  editor.requests.abort();
  editor.requests = new AbortController();
  const { signal } = editor.requests;
  const text = fields.text.value;
  try {
    await delay(delayMs, signal);
    const body = { rules: fields.rules.value, position: text };
    const parsed = await app.engine.request("position", body, signal);
    drawVerdict(fields, { isLegal: true, message: parsed.is_over ? texts.position.gameOver : "" });
    return parsed;
  } catch (error) {
    if (!isAbort(error) && !signal.aborted) {
      const message = errorText(error);
      drawVerdict(fields, { isLegal: false, message });
    }
    return null;
  }
}

/** @param {EditorFields} fields @param {{ isLegal: boolean, message: string }} verdict */
function drawVerdict({ message: line, use: useButton }, { isLegal, message }) {
  setText(line, message);
  line.classList.toggle("wrong", !isLegal);
  useButton.ariaDisabled = String(!isLegal);
}

/** Edits the position that the person has written. @param {Editor} editor */
async function readText(editor) {
  const { app, fields } = editor;
  const parsed = await parse(editor, CHECK_DELAY_MS);
  if (parsed) {
    const draft = draftFromPosition(parsed);
    // The text stays as the person has written it.
    editor.checked = `${fields.rules.value} ${draftText(draft)}`;
    edit(app, { draft });
  }
}

/** Opens the position as a game. @param {Editor} editor */
async function use(editor) {
  const { app } = editor;
  const start = await parse(editor, 0);
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

/** Ends the editing without a new position. @param {App} app */
function close(app) {
  app.actions.setEditor(null);
  byId("board").focus({ preventScroll: true });
}
