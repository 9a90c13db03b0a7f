/** The panel that looks back on a game: the margin after each ply, mistakes, and how accurate each player was. */

import { isProven } from "../analysis/analyzer.js";
import { ahead } from "../analysis/margins.js";
import { ACCURACY_IN_WORDS, mistakes, review, unproven } from "../analysis/review.js";
import { choiceLabel } from "../board/labels.js";
import { isAbort } from "../engine/errors.js";
import { seeds } from "../game/descriptions.js";
import { look } from "../game/modes.js";
import { seatAt, SIDES, whoPlays } from "../game/players.js";
import { goTo, plies } from "../game/tree.js";
import { button, html, say } from "../ui/dom.js";
import { createGraph } from "./margin-graph.js";

/** @import { Analyst } from "../analysis/analyzer.js" */
/** @import { Accuracy, Review, ReviewedPly } from "../analysis/review.js" */
/** @import { GraphPoint } from "./margin-graph.js" */
/** @import { Analysis, Position, Side } from "../types/api.d.ts" */
/** @import { App, GameTree, Panel, Player, Players, Settings, State } from "../types/app.d.ts" */

/** How long each position is looked into, in seconds: all of them shortly, then what is not proven for longer. */
const ROUNDS = [0.25, 3];

/** Who sits in for a friend when a game is tried again. */
const STAND_IN = "level:5";

/**
 * The line of the game that is looked back on: the one last walked, to its end.
 *
 * @param {GameTree} tree
 */
const lineOf = (tree) => plies(tree, tree.line);

/**
 * What the players are called who began as South and as North.
 *
 * @param {State} state
 * @param {GameTree} tree
 * @returns {{ south: string, north: string }}
 */
function namesOf(state, tree) {
  const said = new Map(tree.tags);
  const start = { ...tree, depth: 0 };
  const players = whoPlays(state, tree);
  return {
    south: said.get("South") || seatAt(players, start, "south").name,
    north: said.get("North") || seatAt(players, start, "north").name,
  };
}

/**
 * The players as they can play at this device: the computer sits in for who is elsewhere.
 *
 * @param {Players} players
 * @returns {Players}
 */
function hereAndNow({ south, north }) {
  /** @type {Player} */
  const stand = south.kind === "person" || north.kind === "person" ? { kind: "computer", opponent: STAND_IN } : { kind: "person" };
  return { south: south.kind === "remote" ? stand : south, north: north.kind === "remote" ? stand : north };
}

/**
 * A ply in a sentence.
 *
 * @param {ReviewedPly} ply
 * @param {{ south: string, north: string }} names
 * @param {Settings["labels"]} labels
 */
function plyInWords({ ply, sown, player }, names, labels) {
  return `ply ${ply}, ${names[player]}: ${choiceLabel(sown.choice, sown.after.houses, labels)}`;
}

/**
 * The points of the curve.
 *
 * @param {Review} of
 * @param {{ south: string, north: string }} names
 * @param {Settings["labels"]} labels
 * @returns {GraphPoint[]}
 */
export function pointsOf({ start, plies: reviewed }, names, labels) {
  const worth = (/** @type {Review["start"]} */ margin) =>
    margin ? `${ahead(margin.expected, names)}, ${margin.exact ? "proven" : "not proven"}` : "not looked into yet";
  return [
    { margin: start?.expected ?? null, proven: start?.exact ?? false, lost: 0, label: `start: ${worth(start)}` },
    ...reviewed.map((ply) => {
      const lost = ply.cost?.lower ?? 0;
      return {
        margin: ply.margin?.expected ?? null,
        proven: ply.margin?.exact ?? false,
        lost,
        label: `${plyInWords(ply, names, labels)}: ${worth(ply.margin)}${lost > 0 ? `, a mistake that cost ${seeds(lost)}` : ""}`,
      };
    }),
  ];
}

/**
 * What a mistake cost, and what was better.
 *
 * @param {ReviewedPly} ply
 * @param {Settings["labels"]} labels
 */
export function mistakeInWords({ cost, better, turned, sown }, labels) {
  const price = cost?.exact ? `cost ${seeds(cost.lower)}` : `cost at least ${seeds(cost?.lower ?? 0)}`;
  const result = turned ? `, and turned a ${turned.from} into a ${turned.to}` : "";
  const instead = better.map((choice) => choiceLabel(choice, sown.after.houses, labels));
  return `${price}${result}. Better: ${instead.join(" or ")}.`;
}

/**
 * A player's accuracy in words.
 *
 * @param {Accuracy} accuracy
 * @param {string} name
 * @param {boolean} [running] whether more is being found out
 */
export function accuracyInWords(accuracy, name, running = false) {
  if (accuracy.percent !== null) {
    const { percent, plies: counted, lost, stake } = accuracy;
    const over = counted === 1 ? "1 ply" : `${counted} plies`;
    return `${name}: ${Math.floor(percent)} % (lost ${lost} of ${seeds(stake)} at stake in ${over})`;
  }
  if (running) {
    return `${name}: not known yet`;
  }
  return accuracy.why === "nothing-at-stake"
    ? `${name}: no accuracy, since nothing was at stake`
    : `${name}: no accuracy, since no ply is proven`;
}

/**
 * @param {(app: App) => Analyst} analystOf what looks into positions
 * @returns {Panel}
 */
export function reviewPanel(analystOf) {
  return { id: "review", title: "Review", create: (element, app) => createReview(element, app, analystOf(app)) };
}

/**
 * @param {HTMLElement} element
 * @param {App} app
 * @param {Analyst} analyst
 */
function createReview(element, app, analyst) {
  /** The plies that are looked back on. @type {ReturnType<typeof lineOf>} */
  let line = [];
  /** @type {Position[]} */
  let positions = [];
  let control = new AbortController();
  let running = false;
  /** Whether somebody has asked for this line's review. */
  let begun = false;
  let trouble = "";

  const intro = html("p", { class: "note" });
  const progress = html("progress", { max: 1, value: 0, "aria-label": "Review" });
  const stop = button("Stop", () => end(), { class: "small" });
  const begin = button("Review this game", () => void run(), { class: "main" });
  const doing = html("p", { class: "note", role: "status" });
  const graph = createGraph({ name: "Margin after each ply", onSelect: (ply) => show(ply) });
  const legend = html(
    "p", { class: "note" },
    "\u25cf proven, \u25cb and dashed: not proven, \u25bc mistake. Above the middle, ahead: ",
  );
  const up = html("span");
  legend.append(up, ".");
  const here = html("p", { class: "verdict" });
  const accuracies = html("ul", { class: "accuracies" });
  const formula = html("details", {}, html("summary", {}, "How accuracy is counted"), html("p", { class: "note" }, ACCURACY_IN_WORDS));
  const list = html("ol", { class: "mistakes", "aria-label": "Mistakes" });
  const found = html("div", {}, graph.element, legend, here, accuracies, formula, html("h2", {}, "Mistakes"), list);
  element.append(intro, html("div", { class: "tools" }, begin, progress, stop), doing, found);

  function end() {
    control.abort();
    control = new AbortController();
    running = false;
    draw(app.state());
  }

  /** @returns {(Analysis | null)[]} */
  const analyses = () => positions.map((at) => analyst.known(at));

  /** Looks into every position, from the last to the first: what is found late in the game helps before. */
  async function run() {
    end();
    const { signal } = control;
    running = begun = true;
    trouble = "";
    progress.value = 0;
    try {
      for (const [round, seconds] of ROUNDS.entries()) {
        for (let index = positions.length - 1; index >= 0; index -= 1) {
          const at = /** @type {Position} */ (positions[index]);
          const known = analyst.known(at);
          if (!known || !isProven(known)) {
            await analyst.analyse(at, [seconds], signal, () => {});
          }
          progress.value = (round + (positions.length - index) / positions.length) / ROUNDS.length;
          draw(app.state());
        }
      }
      app.announce("The review is ready.");
    } catch (error) {
      if (signal.aborted || isAbort(error)) {
        return;
      }
      trouble = error instanceof Error ? error.message : String(error);
    }
    running = false;
    draw(app.state());
  }

  /** @param {number} ply */
  function show(ply) {
    const { tree } = app.state();
    if (tree) {
      look(app, (now) => goTo(now, now.line.slice(0, ply)));
    }
  }

  /** @param {number} ply whose position before it is to be played from */
  function tryAgain(ply) {
    const { parked, players } = app.state();
    show(ply - 1);
    app.actions.playFromHere(hereAndNow((parked ?? { players }).players));
    app.announce("Try again: another choice.");
  }

  /** @param {ReviewedPly} mistake @param {{ south: string, north: string }} names @param {Settings["labels"]} labels */
  function mistakeElement(mistake, names, labels) {
    return html(
      "li", {},
      button(plyInWords(mistake, names, labels), () => show(mistake.ply), { class: "quiet" }),
      ` ${mistakeInWords(mistake, labels)} `,
      button("Try again from here", () => tryAgain(mistake.ply), {
        class: "small", "aria-label": `Try again from before ply ${mistake.ply}`,
      }),
    );
  }

  /** @param {State} state */
  function draw(state) {
    const { tree } = state;
    if (!tree) {
      return;
    }
    const walked = lineOf(tree);
    if (walked.length !== line.length || walked.some((sown, index) => sown !== line[index]) || positions[0] !== tree.start) {
      // Another line: what was being found out is about the old one.
      begun = false;
      trouble = "";
      line = walked;
      positions = [tree.start, ...line.map(({ after }) => after)];
      if (running) {
        end();
        return;
      }
    }
    drawReview(state, tree);
  }

  /** @param {State} state @param {GameTree} tree */
  function drawReview(state, tree) {
    const looked = review(line, analyses());
    const names = namesOf(state, tree);
    const { labels } = state.settings;
    const none = line.length === 0 ? "There is no ply yet to look back on. Play a game first, or open one." : "";
    say(intro, state.closed ?? none);
    begin.hidden = running || line.length === 0 || state.closed !== null || (begun && unproven(looked) === 0);
    say(begin, begun ? "Look further" : "Review this game");
    progress.hidden = stop.hidden = !running;
    found.hidden = !begun || state.closed !== null;
    say(doing, state.closed ? "" : trouble || status(looked));
    if (found.hidden) {
      return;
    }
    const shown = Math.min(tree.depth, line.length);
    const points = pointsOf(looked, names, labels);
    graph.show(points, shown);
    say(up, names.south);
    say(here, points[shown]?.label ?? "");
    accuracies.replaceChildren(...SIDES.map((/** @type {Side} */ side) => html("li", {}, accuracyInWords(looked.accuracy[side], names[side], running))));
    const wrong = mistakes(looked);
    list.replaceChildren(...wrong.map((mistake) => mistakeElement(mistake, names, labels)));
    if (wrong.length === 0) {
      list.append(html("li", { class: "none" }, unproven(looked) > 0 ? (running ? "None yet." : "None is proven.") : "None: every choice was as good as any."));
    }
  }

  /** @param {Review} looked */
  function status(looked) {
    const open = unproven(looked);
    if (running) {
      return `Looking at ${line.length} plies, from the last to the first.`;
    }
    if (!begun || open === 0) {
      return "";
    }
    return `Of ${open === 1 ? "1 ply" : `${open} plies`} it is not proven what ${open === 1 ? "it" : "they"} cost.`;
  }

  app.subscribe((state) => {
    if (running && (state.panel !== "review" || state.closed)) {
      end();
    }
  });
  return draw;
}
