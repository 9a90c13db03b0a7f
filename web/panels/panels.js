/** The panels beside the board: their list, their tabs, and the open panel. */

import { createLiveAnalysis } from "../analysis/live-analysis.js";
import { analysisPanel } from "../analysis/panel.js";
import { openingsPanel } from "../explorer/panel.js";
import { FRIEND_PANEL } from "../friends/panel.js";
import { coursePanel } from "../lesson/panel.js";
import { puzzlePanel } from "../puzzles/panel.js";
import { reviewPanel } from "../review/panel.js";
import { openRoom, ROOM_PANEL } from "../rooms/panel.js";
import { createHistory } from "../storage/history.js";
import { texts } from "../texts/texts.js";
import { bringIntoView, byId } from "../ui/dom.js";
import { gamesPanel } from "./games-panel.js";

/** @import { App, Panel, State } from "../types/app.d.ts" */

/**
 * Returns a function that creates a value for the first call and returns the same value to later
 * calls.
 *
 * @template T
 * @param {(app: App) => T} create
 * @returns {(app: App) => T}
 */
function once(create) {
  /** @type {{ value: T } | null} */
  let cached = null;
  return (app) => (cached ??= { value: create(app) }).value;
}

const liveAnalysisFor = once((app) => createLiveAnalysis(app));

/** The games played on this device. */
const history = createHistory();

/**
 * The panels in the order of their tabs.
 *
 * @type {readonly Panel[]}
 */
const PANELS = [
  FRIEND_PANEL,
  ROOM_PANEL,
  analysisPanel(liveAnalysisFor),
  reviewPanel(),
  openingsPanel({ liveAnalysisFor, history, openRoom }),
  puzzlePanel(),
  coursePanel(),
  gamesPanel(history),
];

/**
 * Shows tabs and panels in an element and draws the open panel with each new state.
 *
 * @param {HTMLElement} element
 * @param {App} app
 * @param {readonly Panel[]} [panels]
 */
export function showPanels(element, app, panels = PANELS) {
  const available = panels.filter((panel) => !panel.needsServer || app.hasFriendGames);
  const tabs = document.createElement("div");
  tabs.className = "tabs";
  tabs.setAttribute("role", "tablist");
  tabs.setAttribute("aria-label", texts.page.panels);
  const entries = available.map((panel) => ({
    panel,
    ...createTab(panel, app),
    draw: /** @type {null | ((state: State, previous: State) => void)} */ (null),
    created: false,
  }));
  tabs.append(...entries.map(({ tab }) => tab));
  tabs.addEventListener("click", () => {
    if (app.state().panel !== null) {
      bringIntoView(element);
    }
  });
  // This heading precedes the headings of the panels for screen readers.
  const heading = document.createElement("h2");
  heading.className = "visually-hidden";
  heading.textContent = texts.page.panels;
  element.append(heading, tabs, ...entries.map(({ body }) => body));
  element.hidden = entries.length === 0;

  tabs.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const place = entries.findIndex(({ tab }) => tab === document.activeElement);
    if (step !== undefined && place >= 0) {
      event.preventDefault();
      event.stopPropagation();
      const next = entries[(place + step + entries.length) % entries.length];
      next?.tab.focus({ preventScroll: true });
      app.actions.openPanel(next?.panel.id ?? null);
      bringIntoView(element);
    }
  });

  /** @param {State} state @param {State} previous */
  function draw(state, previous) {
    entries.forEach((entry, index) => {
      const open = entry.panel.id === state.panel;
      entry.tab.setAttribute("aria-selected", String(open));
      entry.tab.tabIndex = open || (state.panel === null && index === 0) ? 0 : -1;
      entry.body.hidden = !open;
      if (open && !entry.created) {
        entry.created = true;
        entry.draw = entry.panel.create(entry.body, app) ?? null;
      }
      if (open) {
        entry.draw?.(state, previous);
      }
    });
  }
  app.subscribe(draw);
  draw(app.state(), app.state());
}

/**
 * Opens a panel and moves the focus to its tab.
 *
 * @param {App} app
 * @param {string} id
 */
export function goToPanel(app, id) {
  app.actions.openPanel(id);
  // The tab can have the focus only after the panel is visible.
  requestAnimationFrame(() => {
    document.getElementById(`tab-${id}`)?.focus({ preventScroll: true });
  });
  bringIntoView(byId("panels"));
}

/**
 * Starts all panels, open or not.
 *
 * @param {App} app
 * @param {readonly Panel[]} [panels]
 */
export function startPanels(app, panels = PANELS) {
  for (const panel of panels) {
    if (!panel.needsServer || app.hasFriendGames) {
      panel.start?.(app);
    }
  }
}

/**
 * @param {Panel} panel
 * @param {App} app
 */
function createTab(panel, app) {
  const tab = document.createElement("button");
  tab.type = "button";
  tab.id = `tab-${panel.id}`;
  tab.className = "tab";
  tab.textContent = panel.title;
  tab.setAttribute("role", "tab");
  tab.setAttribute("aria-controls", `panel-${panel.id}`);
  tab.addEventListener("click", () =>
    app.actions.openPanel(app.state().panel === panel.id ? null : panel.id),
  );
  const body = document.createElement("section");
  body.id = `panel-${panel.id}`;
  body.className = "panel";
  body.setAttribute("role", "tabpanel");
  body.setAttribute("aria-labelledby", tab.id);
  body.hidden = true;
  return { tab, body };
}
