import assert from "node:assert/strict";
import { test } from "node:test";

import { COURSE } from "../../../lesson/exercises.js";
import { solutions } from "../../../lesson/judge.js";
import { LESSON_RULES } from "../../../lesson/steps.js";
import { checkViews, setView, visit } from "../harness.mjs";
import { setUp } from "../stage.mjs";

/** @import { Page } from "playwright" */
/** @import { Endpoints, MoveResult } from "../../../types/api.d.ts" */
/** @import { LessonName } from "../../../lesson/exercises.js" */

const stage = setUp();

/** A desktop in light colours, a phone in dark colours, and a small phone. */
const VIEWS = /** @type {const} */ ([
  { viewport: { width: 1280, height: 900 }, colorScheme: "light" },
  { viewport: { width: 390, height: 844 }, colorScheme: "dark" },
  { viewport: { width: 320, height: 568 }, colorScheme: "light" },
]);

/** A phone on its side. */
const LANDSCAPE = /** @type {const} */ ({
  viewport: { width: 844, height: 390 },
  colorScheme: "dark",
});

/** The margins are proven, however busy the machine is. */
const PROOF = /** @type {const} */ ({ timeLimits: "proof" });

/** The most nodes in which an exercise is proven; a phone searches as many in a fraction of a second. */
const MAX_NODES = 20_000;

/**
 * Sends a request to the server.
 *
 * @template {"analyze" | "play"} Q
 * @param {Q} endpoint
 * @param {Endpoints[Q]["request"]} body
 * @returns {Promise<Endpoints[Q]["response"]>}
 */
async function request(endpoint, body) {
  const response = await fetch(new URL(`api/v1/${endpoint}`, stage.server.url), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  assert.equal(response.status, 200, endpoint);
  return response.json();
}

/** Returns the moves of South before North's first one. @param {MoveResult[]} plies */
const ownTurn = (plies) => {
  const end = plies.findIndex(({ side }) => side === "north");
  return end < 0 ? plies : plies.slice(0, end);
};

/**
 * Whether the best line of an exercise shows the idea of its lesson.
 *
 * @type {Record<LessonName, (plies: MoveResult[]) => boolean>}
 */
const SHOWS_IDEA = {
  chains: (plies) => ownTurn(plies).filter(({ effect }) => effect === "bonus-turn").length >= 2,
  counting: ([first]) =>
    first !== undefined && (first.seeds ?? 0) > 6 && first.effect !== "turn-passes",
  captures: ([first]) => first?.effect === "capture",
  // The opponent ends the game, and South has kept seeds.
  hoarding: (plies) => {
    const last = plies.at(-1);
    return last?.side === "north" && (last.swept?.south ?? 0) >= 5 && last.swept?.north === 0;
  },
  // South ends the game, and the opponent has no seeds.
  starving: (plies) => {
    const last = plies.at(-1);
    return last?.side === "south" && (last.swept?.south ?? 0) >= 3 && last.swept?.north === 0;
  },
  endgame: (plies) => plies.length >= 3,
};

test("the solver proves of each exercise that some moves solve it by the idea of its lesson", async () => {
  const all = COURSE.flatMap((lesson) =>
    lesson.positions.map((position) => ({ ...lesson, position })),
  );
  assert.equal(new Set(all.map(({ position }) => position)).size, all.length);
  for (const { name, goal, position } of all) {
    const at = { rules: LESSON_RULES, position };
    const proof = await request("analyze", { ...at, prove: "all", time: "30s" });
    const context = `${name} ${position}`;
    assert.ok(proof.nodes <= MAX_NODES, `${context} ${proof.nodes}`);
    assert.ok(
      proof.moves.every(({ exact }) => exact),
      context,
    );
    const solving = solutions(goal, proof);
    assert.ok(solving.length > 0, context);
    assert.ok(solving.length < proof.moves.length, context);
    assert.ok(solving.includes(proof.best ?? ""), context);
    const { plies } = await request("play", { ...at, moves: proof.line });
    assert.ok(SHOWS_IDEA[name](plies), `${context} ${proof.line.join(" ")}`);
  }
});

/** @param {Page} page @param {string | RegExp} text */
const status = (page, text) =>
  page.locator("#panel-lessons [role=status]").filter({ hasText: text }).waitFor();

test("the exercises of a lesson are solved with the keyboard alone, and stay solved", async () => {
  const { page, errors, leave } = await visit(stage, {}, "", PROOF);
  await page.getByRole("tab", { name: "Lessons" }).press("Enter");
  await page.getByText("Six short lessons").first().waitFor();
  await checkViews(page, "course-list", VIEWS);
  const list = page.getByRole("list", { name: "Lessons" });
  await list.getByRole("button", { name: "Captures" }).press("Enter");
  await page.getByRole("heading", { name: "Captures: exercise 1 of 4" }).waitFor();
  await status(page, "Find the best move");
  await page.locator("#hint").waitFor({ state: "hidden" });
  await checkViews(page, "course-task", [...VIEWS, LANDSCAPE]);

  // A wrong move is judged and taken back.
  await page.keyboard.press("c");
  await status(page, "C is not the best move: it costs 14 seeds (proven). Try another one.");
  await status(page, /Why: It/);
  await page.getByRole("button", { name: "house C, ", disabled: false }).waitFor();
  await checkViews(page, "course-wrong", VIEWS);
  await page.keyboard.press("d");
  await status(page, "Right: D is the best move (proven).");
  await status(page, "It captured 5 seeds.");
  await list.getByText("1 of 4 solved").waitFor();
  await checkViews(page, "course-solved", VIEWS);

  await page.getByRole("button", { name: "Next exercise" }).press("Enter");
  await page.getByRole("heading", { name: "Captures: exercise 2 of 4" }).waitFor();
  await page.getByRole("button", { name: "Show the solution" }).press("Enter");
  await status(page, "The solution: B.");
  await page.getByRole("button", { name: "Try again" }).press("Enter");
  await status(page, "Find the best move");
  await page.keyboard.press("b");
  await status(page, "Right: B is the best move (proven).");
  await list.getByText("2 of 4 solved").waitFor();
  // The game before the exercise comes back.
  await page.locator("#panel-lessons").getByRole("button", { name: "Back to the game" }).click();
  await page.locator("#turn", { hasText: /^Your turn/ }).waitFor();
  await page.reload();
  await page.locator(".house.playable").first().waitFor();
  await page.getByRole("tab", { name: "Lessons" }).click();
  await list.getByText("2 of 4 solved").waitFor();
  await list.getByRole("button", { name: "Captures" }).click();
  await page.getByRole("heading", { name: "Captures: exercise 3 of 4" }).waitFor();
  assert.deepEqual(errors, []);
  await leave();
});

test("the course is reached from the help, and in German", async () => {
  const { page, errors, leave } = await visit(stage, { locale: "de-DE" }, "", PROOF);
  await page.locator("#open-help").press("Enter");
  await page.getByRole("dialog").getByRole("button", { name: "Lektionen" }).press("Enter");
  await page.getByRole("tab", { name: "Lektionen", selected: true }).waitFor();
  for (const view of VIEWS.slice(1)) {
    await setView(page, view);
    const tops = await page
      .getByRole("tab")
      .evaluateAll((tabs) => tabs.map((tab) => tab.getBoundingClientRect().top));
    assert.ok(new Set(tops).size <= 2, `tabs have two rows, not ${tops.join(" ")}`);
  }
  await page.getByRole("button", { name: "Endspiel" }).click();
  await status(page, "Finde den Zug, der gewinnt.");
  await page.keyboard.press("a");
  await status(page, "A gewinnt nicht (bewiesen). Versuche einen anderen.");
  await page.locator("[data-pit=D].playable").waitFor();
  await page.keyboard.press("d");
  await status(page, "Richtig: D gewinnt (bewiesen).");
  await checkViews(page, "course-german", VIEWS);
  assert.deepEqual(errors, []);
  await leave();
});
