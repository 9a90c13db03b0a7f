/**
 * The report of `kalah arena`, opened from a file: its list of games and the viewer of a game.
 *
 * @import { Page } from "playwright"
 */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";

import { checkViews, expect, open, valueOf } from "../harness.mjs";
import { setUpBrowser } from "../stage.mjs";

const stage = setUpBrowser();

/** The names of the engines, two of which would be elements or scripts if they were not text. */
const MARKUP = "<img src=x onerror=alert(1)>";
const BROKEN = "</script><script>alert(2)</script>";

/** An engine that crashes when it is asked for a move. */
const PROGRAM = `while read -r line; do
  case "$line" in
    uki) echo "id name broken"; echo ukiok ;;
    isready) echo readyok ;;
    go*) echo "</script><b>no move</b>" >&2; exit 3 ;;
  esac
done
`;

/** The views in which the report is checked: a phone, and a large window in dark colours. */
const VIEWS = /** @type {const} */ ([
  { viewport: { width: 360, height: 740 }, colorScheme: "light" },
  { viewport: { width: 1280, height: 900 }, colorScheme: "dark" },
]);

/** The games of 18 rounds with three engines. */
const GAMES = 108;

let folder = "";
let url = "";

/** The paths of the pages of feedback. @type {string[]} */
let feedback = [];

/** Runs `kalah arena`. @param {string[]} options */
function arena(options) {
  return promisify(execFile)(process.env["KALAH"] ?? "", ["arena", ...options]);
}

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "kalah-report-"));
  const program = join(folder, "broken.sh");
  await writeFile(program, PROGRAM);
  const out = join(folder, "out");
  const engines = [`random,name=${MARKUP}`, `cmd='sh ${program}',name=${BROKEN}`, "first"];
  await arena([
    ...engines.flatMap((engine) => ["--engine", engine]),
    ...["--board", "4x3", "--rules", "mankalah", "--openings", "start", "--rounds", "18"],
    ...["--seed", "1", "--play-out", "--quiet", "--log", "--out", out],
  ]);
  const file = join(folder, "report.html");
  await arena(["report", out, "--html", file, "--page", "https://kalah.example.org/"]);
  url = pathToFileURL(file).href;
  const { stdout } = await arena([
    ...["feedback", out, "--out", join(folder, "pages"), "--nodes", "200", "--tables", "none"],
  ]);
  feedback = stdout.trim().split("\n");
});

after(() => rm(folder, { recursive: true, force: true }));

/**
 * Opens the report.
 *
 * @param {string} [fragment]
 * @param {string} [address] that of another page with games
 */
async function visitReport(fragment = "", address = url) {
  const context = await stage.browser.newContext();
  const { page, errors } = await open(context);
  page.on("dialog", (dialog) => {
    errors.push(`a script of the data has run: ${dialog.message()}`);
    return dialog.dismiss();
  });
  await page.goto(address + fragment);
  await page.locator("#games-rows tr").first().waitFor();
  return { page, errors, leave: () => context.close() };
}

/** Returns a field of the filter. @param {Page} page @param {string} name */
const field = (page, name) => page.locator(`#games-filter [name="${name}"]`);

/** Waits for a number of games in words. @param {Page} page @param {string} text */
const waitForCount = (page, text) => page.locator("#games-count", { hasText: text }).waitFor();

/** Waits for a ply in words. @param {Page} page @param {string | RegExp} text */
const waitForPly = (page, text) => page.locator("#viewer-state", { hasText: text }).waitFor();

/** Returns the seeds in the stores of South and North. @param {Page} page */
async function stores(page) {
  const texts = ["South", "North"].map((name) => page.locator(`.store.${name} b`).textContent());
  return (await Promise.all(texts)).join("-");
}

test("the list has all games, with filters that are in the address", async () => {
  const { page, errors, leave } = await visitReport();
  await waitForCount(page, "Games 1 to 100 of 108");
  await page.getByRole("button", { name: "Next page" }).click();
  await waitForCount(page, "Games 101 to 108 of 108");
  await field(page, "engine").selectOption(BROKEN);
  await field(page, "result").selectOption("lost");
  await field(page, "ending").selectOption("crash");
  await waitForCount(page, "Games 1 to 72 of 72");
  await field(page, "opponent").selectOption(MARKUP);
  await waitForCount(page, "Games 1 to 36 of 36");
  await field(page, "round").fill("18");
  await field(page, "round").press("Enter");
  await waitForCount(page, "Games 1 to 2 of 2");
  const rows = page.locator("#games-rows tr");
  await expect(rows.locator("td:first-child")).toHaveText(["18.54.1", "18.54.2"]);
  await page.reload();
  await waitForCount(page, "Games 1 to 2 of 2");
  await page.getByRole("button", { name: "Show all" }).click();
  await waitForCount(page, "Games 1 to 100 of 108");
  await page.goBack();
  await waitForCount(page, "Games 1 to 2 of 2");
  assert.deepEqual(errors, []);
  await leave();
});

test("the table of endings links to the games of a fault", async () => {
  const { page, errors, leave } = await visitReport();
  await page.locator("tr", { hasText: "crash" }).getByRole("link", { name: "72" }).click();
  await waitForCount(page, "Games 1 to 72 of 72");
  assert.deepEqual(errors, []);
  await leave();
});

test("the viewer steps through a game to its result", async () => {
  const { page, errors, leave } = await visitReport("#ending=normal");
  const row = page.locator("#games-rows tr").first();
  const number = await row.getByRole("link").textContent();
  const [result = "", plies = ""] = await row
    .locator("td")
    .evaluateAll((cells) => cells.slice(-2).map((cell) => cell.textContent ?? ""));
  await row.getByRole("link").click();
  await waitForPly(page, `Ply ${plies} of ${plies}`);
  await expect.poll(() => stores(page)).toEqual(result);
  await page.keyboard.press("Home");
  await waitForPly(page, "Start");
  await expect.poll(() => stores(page)).toEqual("0-0");
  await expect(page.locator(".house b")).toHaveText(Array(8).fill("3"));
  await page.keyboard.press("ArrowRight");
  await page.getByRole("button", { name: "Next move" }).click();
  await waitForPly(page, `Ply 2 of ${plies}`);
  await page.getByRole("button", { name: /, ply 5$/ }).click();
  await waitForPly(page, `Ply 5 of ${plies}`);
  await expect(page).toHaveURL(new RegExp(`#ending=normal&game=${number}&ply=5$`));
  const link = await page.getByRole("link", { name: "Analyze" }).getAttribute("href");
  await expect(page.getByRole("link", { name: "Log of the programs" })).toHaveCount(0);
  assert.match(
    link ?? "",
    /^https:\/\/kalah\.example\.org\/#rules=mankalah&position=4x3&line=[A-Da-d~]+$/,
  );
  await page.keyboard.press("Escape");
  await page.locator("#viewer").waitFor({ state: "hidden" });
  await page.waitForFunction(() => location.hash === "#ending=normal");
  assert.deepEqual(errors, []);
  await leave();
});

test("a linked game shows its ply, its end and its record", async () => {
  const { page, errors, leave } = await visitReport("#game=1.1.1&ply=0");
  await waitForPly(page, "Start");
  await expect(page.locator("#viewer-end")).toHaveText(
    /lost: crash of (South|North): exit status: 3/,
  );
  const log = page.getByRole("link", { name: "Log of the programs" });
  await expect(log).toHaveAttribute("href", "logs/1.1.1.log.gz");
  await expect(page.locator("#viewer-stderr")).toHaveText("</script><b>no move</b>");
  await page.evaluate(() => Reflect.set(navigator.clipboard, "writeText", () => Promise.reject()));
  await page.getByRole("button", { name: "Copy the record" }).click();
  const record = await valueOf(page.getByRole("textbox", { name: "Record" }));
  const records = await readFile(join(folder, "out", "games.kgn"), "utf8");
  assert.ok(record.includes('[Round "1.1.1"]') && records.includes(record), record);
  // A link in the address replaces the game.
  await page.evaluate(() => {
    location.hash = "#game=1.2.1&ply=0";
  });
  await page.getByRole("heading", { name: "Game 1.2.1" }).waitFor();
  await page.goBack();
  await page.getByRole("heading", { name: "Game 1.1.1" }).waitFor();
  assert.deepEqual(errors, []);
  await leave();
});

test("a link to a game that is absent has an answer", async () => {
  const { page, errors, leave } = await visitReport("#game=9.9.9");
  await page.getByText("There is no game 9.9.9.").waitFor();
  await page.evaluate(() => {
    location.hash = "#game=1.1.1";
  });
  await page.getByRole("heading", { name: "Game 1.1.1" }).waitFor();
  await expect(page.locator("#games-missing")).toHaveText("");
  assert.deepEqual(errors, []);
  await leave();
});

test("long names of the list wrap on a phone", async () => {
  const { page, leave } = await visitReport();
  await page.setViewportSize({ width: 360, height: 740 });
  const cells = page.locator("#games-rows td.name");
  const cut = await cells.evaluateAll((all) =>
    all.filter((cell) => cell.scrollWidth > cell.clientWidth).map((cell) => cell.textContent),
  );
  assert.deepEqual(cut, []);
  await leave();
});

test("the report is accessible and fits a phone, also with a game", async () => {
  const { page, errors, leave } = await visitReport();
  await checkViews(page, "report", VIEWS);
  await page.getByRole("link", { name: "1.1.1" }).click();
  await waitForPly(page, /Ply|Start/);
  await checkViews(page, "report-game", VIEWS);
  assert.deepEqual(errors, []);
  await leave();
});

test("feedback shows the games of its faults and mistakes", async () => {
  for (const [path, section] of [
    [feedback[0], "Biggest mistakes"],
    [feedback[1], "Faults"],
  ]) {
    const { page, errors, leave } = await visitReport("", pathToFileURL(path ?? "").href);
    await waitForCount(page, "Games 1 to 72 of 72");
    await checkViews(page, `feedback-${section}`, VIEWS);
    const moments = page.locator("section", { hasText: section ?? "" }).locator("article");
    const link = moments.first().getByRole("link");
    const ply = /&ply=(\d+)$/.exec((await link.getAttribute("href")) ?? "")?.[1];
    const board = await moments.first().locator(".board b").allTextContents();
    await link.click();
    await waitForPly(page, ply === "0" ? "Start" : `Ply ${ply} of`);
    await expect(page.locator("#viewer-board b")).toHaveText(board);
    assert.deepEqual(errors, []);
    await leave();
  }
});

test("a printed report has all games and no controls, and one without scripts has its tables", async () => {
  const { page, leave } = await visitReport();
  const rows = page.locator("#games-rows tr");
  const closed = page.locator("details:not([open])");
  await expect(rows).not.toHaveCount(0);
  const [shown, closedDetails] = [await rows.count(), await closed.count()];
  assert.ok(shown < GAMES && closedDetails > 0);
  await page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
  await page.emulateMedia({ media: "print" });
  await expect(rows).toHaveCount(GAMES);
  await expect(closed).toHaveCount(0);
  await expect(page.locator("#games-filter")).toBeHidden();
  await page.evaluate(() => window.dispatchEvent(new Event("afterprint")));
  await expect(rows).toHaveCount(shown);
  await expect(closed).toHaveCount(closedDetails);
  await expect(page.getByRole("heading", { name: "Cross table" })).toBeVisible();
  await leave();
  const context = await stage.browser.newContext({ javaScriptEnabled: false });
  const plain = await context.newPage();
  await plain.goto(url);
  await expect(plain.getByText("need JavaScript")).toBeVisible();
  await expect(plain.getByRole("heading", { name: "Cross table" })).toBeVisible();
  await expect(plain.locator("#games-filter")).toBeHidden();
  await context.close();
});
