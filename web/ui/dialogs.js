/** The dialogs: new game, settings, help, sharing, and the confirmation of a resignation. */

import { COURSE_PANEL_ID } from "../lesson/panel.js";
import { goToPanel } from "../panels/panels.js";
import { createShareForm } from "../sharing/form.js";
import { rulesSummary, rulesTitle } from "../texts/from-server.js";
import { LANGUAGE_NAMES, texts } from "../texts/texts.js";
import { byId, html, icon, radioGroup } from "./dom.js";
import { KEYS } from "./keyboard.js";
import { newGameForm } from "./new-game-form.js";
import { hasTouch } from "./touch.js";

/** @import { App, DialogId, Settings, State } from "../types/app.d.ts" */

/** @type {{ name: keyof Settings, legend: string, options: readonly (readonly [string, string])[] }[]} */
const OPTION_GROUPS = [
  {
    name: "speed",
    legend: texts.settings.animation,
    options: [
      ["off", texts.settings.off],
      ["slow", texts.settings.slow],
      ["normal", texts.settings.normal],
      ["fast", texts.settings.fast],
    ],
  },
  {
    name: "labels",
    legend: texts.settings.houseLabels,
    options: [
      ["letters", texts.settings.letters],
      ["columns", texts.settings.columns],
    ],
  },
  {
    name: "look",
    legend: texts.settings.look,
    options: [
      ["wood", texts.settings.wood],
      ["clear", texts.settings.clear],
      ["numbers", texts.settings.numbers],
    ],
  },
  {
    name: "theme",
    legend: texts.settings.colours,
    options: [
      ["auto", texts.settings.system],
      ["light", texts.settings.light],
      ["dark", texts.settings.dark],
    ],
  },
  {
    name: "language",
    legend: texts.settings.language,
    options: [["auto", texts.settings.system], ...LANGUAGE_NAMES],
  },
];

/** @type {{ name: "margins" | "keys" | "sound", label: string }[]} */
const SWITCHES = [
  { name: "margins", label: texts.settings.scores },
  { name: "keys", label: texts.settings.keys },
  { name: "sound", label: texts.settings.sound },
];

/** The rules that all rule presets share. */
const HOW_TO_PLAY = [
  texts.help.rows,
  texts.help.sow,
  texts.help.bonusTurn,
  texts.help.capture,
  texts.help.end,
  texts.help.result,
];

/**
 * Creates the dialogs and returns the functions that open and draw them.
 *
 * @param {App} app
 * @param {() => void} startLesson
 */
export function createDialogs(app, startLesson) {
  const newGame = newGameForm(app, () => close("new-game"));
  buildDialog("new-game", texts.newGame.title, newGame.element);
  const settings = settingsForm(app);
  buildDialog("settings", texts.settings.title, settings.element);
  const rules = html("div");
  buildDialog("help", texts.help.title, helpText(rules, startLesson, app));
  const share = createShareForm(app);
  buildDialog("share", texts.sharing.title, share.element);
  buildDialog("resign-dialog", texts.resign.title, resignForm(app));
  const confirmDiscard = discardDialog();

  /** @param {DialogId} id */
  function open(id) {
    const dialog = dialogOf(id);
    if (dialog.open) {
      return;
    }
    if (id === "new-game") {
      newGame.fill(app.state());
    } else if (id === "share") {
      share.show();
    }
    dialog.showModal();
    dialog.querySelector(".levels :checked")?.scrollIntoView({ block: "nearest" });
    // The focus goes to the selected option instead of the close button.
    const checked = dialog.querySelector("input:checked");
    if (checked instanceof HTMLElement) {
      checked.focus();
    }
  }

  /** @param {State} state @param {State} previous */
  function render(state, previous) {
    settings.fill(state.settings);
    if (state.presets !== previous.presets) {
      newGame.setPresets(state);
      rules.replaceChildren(
        html("h3", {}, texts.common.rules),
        html(
          "dl",
          {},
          ...state.presets.flatMap((preset) => [
            html("dt", {}, rulesTitle(preset.name)),
            html("dd", {}, `${rulesSummary(preset)} ${texts.rules.playedBy(preset.played_by)}`),
          ]),
        ),
      );
    }
  }

  return { open, render, confirmDiscard };
}

/**
 * @param {DialogId} id
 * @returns {HTMLDialogElement}
 */
function dialogOf(id) {
  return /** @type {HTMLDialogElement} */ (byId(id === "resign" ? "resign-dialog" : id));
}

/** @param {DialogId} id */
function close(id) {
  dialogOf(id).close();
}

/**
 * Adds a title, a close button and the content to a dialog.
 *
 * @param {string} id
 * @param {string} title
 * @param {HTMLElement} content
 */
function buildDialog(id, title, content) {
  const dialog = /** @type {HTMLDialogElement} */ (byId(id));
  const closeButton = html(
    "button",
    { type: "button", class: "quiet close", "aria-label": texts.common.close },
    icon("close"),
  );
  closeButton.addEventListener("click", () => dialog.close());
  const heading = html("h2", { id: `${id.replace("-dialog", "")}-title` }, title);
  dialog.append(html("div", { class: "dialog-head" }, heading, closeButton), content);
  dialog.addEventListener("click", (event) => {
    // The dialog element itself is the target of a click only on the backdrop.
    if (event.target === dialog) {
      dialog.close();
    }
  });
}

/** @param {App} app */
function settingsForm(app) {
  const element = html("form", { class: "dialog-body" });
  for (const { name, legend, options } of OPTION_GROUPS) {
    element.append(radioGroup(`setting-${name}`, legend, options));
  }
  for (const { name, label } of SWITCHES) {
    if (name === "keys" && hasTouch()) {
      continue;
    }
    const box = html("input", { type: "checkbox", name: `setting-${name}` });
    element.append(html("label", { class: "switch" }, box, html("span", {}, label)));
  }
  element.addEventListener("submit", (event) => event.preventDefault());
  element.addEventListener("change", ({ target }) => {
    if (target instanceof HTMLInputElement) {
      const name = target.name.replace("setting-", "");
      app.actions.setSettings({
        [name]: target.type === "checkbox" ? target.checked : target.value,
      });
    }
  });

  /** @param {Settings} settings */
  function fill(settings) {
    for (const input of element.querySelectorAll("input")) {
      const value = settings[/** @type {keyof Settings} */ (input.name.replace("setting-", ""))];
      input.checked = input.type === "checkbox" ? value === true : value === input.value;
    }
  }
  return { element, fill };
}

/** Creates the list of keys with its heading. */
function keyList() {
  const keys = KEYS.map(([key, description]) =>
    html(
      "tr",
      {},
      html("th", { scope: "row" }, html("kbd", {}, String(key))),
      html("td", {}, String(description)),
    ),
  );
  return [
    html("h3", {}, texts.help.keys),
    html("table", { class: "keys" }, html("tbody", {}, ...keys)),
  ];
}

/**
 * @param {HTMLElement} rules the parent of the descriptions of the presets
 * @param {() => void} startLesson
 * @param {App} app
 */
function helpText(rules, startLesson, app) {
  const lesson = html("button", { type: "button", class: "main" }, texts.lesson.learn);
  lesson.addEventListener("click", () => {
    close("help");
    startLesson();
  });
  const course = html("button", { type: "button" }, texts.course.title);
  course.addEventListener("click", () => {
    close("help");
    goToPanel(app, COURSE_PANEL_ID);
  });
  return html(
    "div",
    { class: "dialog-body" },
    html("h3", {}, texts.help.howToPlay),
    html("div", { class: "buttons" }, lesson, course),
    html("ol", {}, ...HOW_TO_PLAY.map((line) => html("li", {}, line))),
    rules,
    ...(hasTouch() ? [] : keyList()),
  );
}

/**
 * Builds the dialog that asks whether an unfinished game may be replaced, and returns the function
 * that asks.
 *
 * @returns {() => Promise<boolean>}
 */
function discardDialog() {
  const yes = html("button", { type: "button", class: "main" }, texts.discard.yes);
  const no = html("button", { type: "button" }, texts.discard.no);
  const buttons = html("div", { class: "buttons" }, yes, no);
  const content = html("div", { class: "dialog-body" }, html("p", {}, texts.discard.text), buttons);
  buildDialog("discard-dialog", texts.discard.title, content);
  const dialog = /** @type {HTMLDialogElement} */ (byId("discard-dialog"));
  yes.addEventListener("click", () => dialog.close("yes"));
  no.addEventListener("click", () => dialog.close());
  return () =>
    new Promise((resolve) => {
      dialog.returnValue = "";
      dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
      dialog.showModal();
      yes.focus();
    });
}

/** @param {App} app */
function resignForm(app) {
  const yes = html("button", { type: "button", class: "main" }, texts.resign.yes);
  const no = html("button", { type: "button" }, texts.resign.no);
  yes.addEventListener("click", () => {
    close("resign");
    app.actions.resign();
  });
  no.addEventListener("click", () => close("resign"));
  return html("div", { class: "dialog-body" }, html("div", { class: "buttons" }, yes, no));
}
