/** The dialogs: new game, settings, help, and the confirmation of a resignation. */

import { byId, html, icon, radioGroup } from "./dom.js";
import { KEYS } from "./keyboard.js";
import { newGameForm } from "./new-game-form.js";

/** @import { App, DialogId, Settings, State } from "../types/app.d.ts" */

/** @type {{ name: keyof Settings, legend: string, options: [string, string][] }[]} */
const OPTION_GROUPS = [
  {
    name: "speed",
    legend: "Animation",
    options: [
      ["off", "Off"],
      ["slow", "Slow"],
      ["normal", "Normal"],
      ["fast", "Fast"],
    ],
  },
  {
    name: "labels",
    legend: "House names",
    options: [
      ["letters", "Letters"],
      ["columns", "Columns"],
    ],
  },
  {
    name: "theme",
    legend: "Colours",
    options: [
      ["auto", "System"],
      ["light", "Light"],
      ["dark", "Dark"],
    ],
  },
];

/** @type {{ name: "margins" | "keys", label: string }[]} */
const SWITCHES = [
  { name: "margins", label: "Show the margin of each move" },
  { name: "keys", label: "Keyboard shortcuts" },
];

/** The rules that all rule presets share. */
const HOW_TO_PLAY = [
  "South has the lower row and the right store. North has the upper row and the left store.",
  "Sow the seeds of one of your houses counterclockwise, one into each pit. " +
    "Your own store counts as a pit, and the other store is skipped.",
  "If the last seed falls into your store, you sow again.",
  "If the last seed falls into an empty house of yours, it captures: it and the seeds of the " +
    "opposite house go to your store. Most rules require seeds in that house.",
  "At the end each row goes to the store of its owner. The player with more seeds wins.",
];

/**
 * Creates the dialogs and returns the functions that open and draw them.
 *
 * @param {App} app
 */
export function createDialogs(app) {
  const newGame = newGameForm(app, () => close("new-game"));
  buildDialog("new-game", "New game", newGame.element);
  const settings = settingsForm(app);
  buildDialog("settings", "Settings", settings.element);
  const rules = html("div");
  buildDialog("help", "Help", helpText(rules));
  buildDialog("resign-dialog", "Resign this game?", resignForm(app));

  /** @param {DialogId} id */
  function open(id) {
    const dialog = dialogOf(id);
    if (dialog.open) {
      return;
    }
    if (id === "new-game") {
      newGame.fill(app.state());
    }
    dialog.showModal();
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
      newGame.setPresets(state.presets);
      newGame.fill(state);
      rules.replaceChildren(
        html("h3", {}, "Rules"),
        html(
          "dl",
          {},
          ...state.presets.flatMap(({ name, summary, played_by: playedBy }) => [
            html("dt", {}, name),
            html("dd", {}, `${summary} Played by ${playedBy}.`),
          ]),
        ),
      );
    }
  }

  return { open, render };
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
    { type: "button", class: "quiet close", "aria-label": "Close" },
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

/** @param {HTMLElement} rules the parent of the descriptions of the presets */
function helpText(rules) {
  const keys = KEYS.map(([key, description]) =>
    html(
      "tr",
      {},
      html("th", { scope: "row" }, html("kbd", {}, String(key))),
      html("td", {}, String(description)),
    ),
  );
  return html(
    "div",
    { class: "dialog-body" },
    html("h3", {}, "How to play"),
    html("ol", {}, ...HOW_TO_PLAY.map((line) => html("li", {}, line))),
    html("h3", {}, "Keys"),
    html("table", { class: "keys" }, html("tbody", {}, ...keys)),
    rules,
  );
}

/** @param {App} app */
function resignForm(app) {
  const yes = html("button", { type: "button", class: "main" }, "Resign");
  const no = html("button", { type: "button" }, "Play on");
  yes.addEventListener("click", () => {
    close("resign");
    app.actions.resign();
  });
  no.addEventListener("click", () => close("resign"));
  return html("div", { class: "dialog-body" }, html("div", { class: "buttons" }, yes, no));
}
