/** The panel for those who want to know: margins, the best line, variations, positions by hand, files and links. */

import { ahead, forSouth, marksOf } from "../analysis/margins.js";
import { choiceLabel, houseName, houseOf } from "../board/labels.js";
import { look } from "../game/modes.js";
import { goTo, path, position, sow } from "../game/tree.js";
import { startAddress } from "../records/address.js";
import { button, html, say, section } from "../ui/dom.js";
import { createFiles } from "./game-files.js";
import { createMoves } from "./move-list.js";
import { createPositionForm } from "./position-form.js";

/** @import { Watched, Watcher } from "../analysis/live-analysis.js" */
/** @import { Analysis, Choice, Position } from "../types/api.d.ts" */
/** @import { App, Panel, Settings, State } from "../types/app.d.ts" */

/**
 * @param {(app: App) => Watcher} watcherOf what looks into positions, the same one each time
 * @returns {Panel}
 */
export function analysisPanel(watcherOf) {
  return {
    id: "analysis",
    title: "Analysis",
    start(app) {
      watcherOf(app);
      void startAddress(app);
    },
    create(element, app) {
      const evaluation = createEvaluation(app, watcherOf(app));
      const moves = createMoves(app);
      const form = createPositionForm(app);
      const files = createFiles(app);
      const list = section("Moves", moves.element);
      list.open = true;
      element.append(
        evaluation.element,
        list,
        section("Set up a position", form.element),
        section("Links and files", files.element),
      );
      return (/** @type {State} */ state) => {
        evaluation.draw(state);
        moves.draw(state);
        form.draw(state);
      };
    },
  };
}

/**
 * The share of all seeds that South ends with, from 0 to 1: what the bar shows.
 *
 * @param {number} margin South's
 * @param {Position} at
 */
export function shareOfSouth(margin, { stores, rows }) {
  const seeds = [stores.south, stores.north, ...rows.south, ...rows.north].reduce((sum, one) => sum + one, 0);
  return seeds === 0 ? 1 / 2 : (seeds + margin) / 2 / seeds;
}

/**
 * What an analysis comes to, in a sentence.
 *
 * @param {Analysis} analysis
 */
export function verdict({ margin, side, exact, moves }) {
  const worth = ahead(forSouth(margin, side));
  if (moves.length === 0) {
    return `The game is over: ${worth}.`;
  }
  return exact ? `With best play ${worth}: proven.` : `Probably ${worth}: not proven yet.`;
}

/**
 * What is being done about it, in a sentence.
 *
 * @param {Watched} watched
 */
export function progress({ analysis, running, trouble }) {
  if (trouble !== null) {
    return trouble;
  }
  const proven = analysis?.moves.filter((move) => move.exact).length ?? 0;
  const of = analysis ? `${proven} of ${analysis.moves.length} choices proven` : "";
  if (running) {
    return analysis ? `Looking further: ${of}.` : "Looking into it.";
  }
  return analysis && analysis.moves.length > 0 ? `${of[0]?.toUpperCase()}${of.slice(1)}.` : "";
}

/**
 * @param {App} app
 * @param {Watcher} watcher
 */
export function createEvaluation(app, watcher) {
  const south = html("div", { class: "scale-south" });
  const bar = html("div", { class: "scale", role: "img" }, south);
  const sentence = html("p", { class: "verdict", "aria-live": "polite" });
  const doing = html("p", { class: "note" });
  const longer = button("Look longer", () => watcher.goOn(), { class: "small" });
  const line = html("div", { class: "best-line", role: "group", "aria-label": "Best line" });
  const choices = html("ul", { class: "worths" });
  /** @type {Analysis | null} */
  let drawn = null;
  /** @type {Settings["labels"]} */
  let labels = "letters";

  /**
   * Goes along the best line, which becomes a variation where it is new.
   *
   * @param {Analysis} analysis
   * @param {number} count plies
   */
  const stepTo = async ({ rules, position: from, line: expected }, count) => {
    const { tree } = app.state();
    if (!tree || position(tree).position !== from) {
      return;
    }
    try {
      const { plies } = await app.engine.ask("play", { rules, position: from, choices: expected.slice(0, count) });
      if (app.state().tree === tree) {
        look(app, (grown) => plies.reduce(sow, goTo(grown, path(tree))));
      }
    } catch (error) {
      app.actions.fail(error);
    }
  };

  /** @param {Analysis} analysis @param {number} houses */
  const drawLine = (analysis, houses) => {
    const label = (/** @type {Choice} */ choice) => choiceLabel(choice, houses, labels);
    const name = (/** @type {Choice} */ choice) =>
      labels === "columns" && houseOf(choice) ? houseName(choice, houses, labels) : choice;
    line.replaceChildren(
      html("span", { class: "note" }, analysis.line.length > 0 ? "Best line" : ""),
      ...analysis.line.map((choice, index) =>
        button(label(choice), () => void stepTo(analysis, index + 1), {
          class: "ply",
          "aria-label": `${name(choice)}, ply ${index + 1} of the best line`,
        })),
    );
    choices.replaceChildren(
      ...marksOf(analysis).map((mark) =>
        html(
          "li",
          { class: mark.best ? "worth worth-best" : "worth" },
          button(label(mark.choice), () => app.actions.choose(mark.choice), { class: "ply", "aria-label": `${name(mark.choice)}, ${mark.label}` }),
          html("span", { class: "figure", "aria-hidden": "true" }, `${mark.text}${mark.proven ? " \u2713" : ""}${mark.best ? " \u2605" : ""}`),
        )),
    );
  };

  const draw = () => {
    const { analysis, position: at } = watcher.watched();
    say(sentence, analysis ? verdict(analysis) : "");
    say(doing, progress(watcher.watched()));
    longer.hidden = !watcher.canGoOn();
    if (analysis && at) {
      const share = shareOfSouth(forSouth(analysis.margin, analysis.side), at);
      south.style.inlineSize = `${100 * share}%`;
      bar.setAttribute("aria-label", `Evaluation: ${verdict(analysis)}`);
    }
    bar.classList.toggle("scale-unproven", !analysis?.exact);
    bar.hidden = !analysis && !drawn;
    const { settings } = app.state();
    if (analysis && at && (analysis !== drawn || settings.labels !== labels)) {
      labels = settings.labels;
      drawLine(analysis, at.houses);
    }
    // What was found before stays, out of reach, until there is more: nothing below jumps about meanwhile.
    line.inert = choices.inert = !analysis;
    drawn = analysis ?? drawn;
  };
  watcher.subscribe(draw);
  draw();

  const margins = html("input", {
    type: "checkbox",
    onchange: () => app.actions.setSettings({ margins: margins.checked }),
  });
  const wish = html("label", { class: "check" }, margins, " Margins on the houses");
  const closed = html("p", { class: "note" });
  const known = html("div", {}, bar, sentence, html("div", { class: "tools" }, doing, longer), line, choices);
  const element = html(
    "div",
    { class: "evaluation" },
    closed,
    wish,
    known,
  );
  return {
    element,
    /** @param {State} state */
    draw(state) {
      if (state.settings.labels !== labels) {
        draw();
      }
      margins.checked = state.settings.margins && !state.closed;
      margins.disabled = known.hidden = state.closed !== null;
      wish.title = state.closed ?? "";
      closed.hidden = state.closed === null;
      say(closed, state.closed ?? "");
    },
  };
}
