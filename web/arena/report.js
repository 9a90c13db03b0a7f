/**
 * The script of the report of a tournament: the list of its games with filters, and a board that
 * shows one of them. `crates/play/arena/src/report/games.rs` writes it into the report with the
 * elements that it fills, and `game_data.rs` beside it describes the data. The script has no rules of
 * the game: the data has the changes of the board by each ply.
 *
 * The fragment of the address has the filters, the page of the list, the open game and the ply that
 * its board shows: `#engine=NAME&result=lost&game=1.10.2&ply=17`.
 *
 * @import { Filters, Frame, Game, Index, Row, Side, Start, View } from "../types/report.d.ts"
 */

/** The games on a page of the list. */
const PAGE_SIZE = 100;

/** The games of the list on paper, some hundred pages of it. */
const PRINTED_SIZE = 5_000;

/** The names of the filters, in the form and in the address. */
const FILTERS = /** @type {const} */ (["engine", "opponent", "result", "ending", "round"]);

/** The values of the filter `result` that need an engine. */
const RESULTS_OF_ENGINE = ["won", "lost"];

/**
 * @template {HTMLElement} T
 * @param {string} id
 * @param {new () => T} type
 * @returns {T}
 */
function byId(id, type) {
  const element = document.getElementById(id);
  if (!(element instanceof type)) {
    throw new Error(`the report has no element #${id}`);
  }
  return element;
}

const list = {
  form: byId("games-filter", HTMLFormElement),
  count: byId("games-count", HTMLElement),
  missing: byId("games-missing", HTMLElement),
  rows: byId("games-rows", HTMLElement),
};

const viewer = {
  dialog: byId("viewer", HTMLDialogElement),
  board: byId("viewer-board", HTMLElement),
  moves: byId("viewer-moves", HTMLElement),
  state: byId("viewer-state", HTMLElement),
  stderr: byId("viewer-stderr", HTMLElement),
  record: byId("viewer-record", HTMLTextAreaElement),
  link: byId("viewer-page", HTMLAnchorElement),
  log: byId("viewer-log", HTMLAnchorElement),
};

/** The open game and its boards. @type {{game: Game, frames: Frame[]} | null} */
let open = null;

/** The key of the drawn list. */
let drawnList = "";

/**
 * Returns a text that was compressed and written in base64.
 *
 * @param {Element | null | undefined} element
 */
function inflate(element) {
  const bytes = Uint8Array.from(atob(element?.textContent ?? ""), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).text();
}

/**
 * Returns the text of the block that has a game, and the place of the game in it.
 *
 * @param {Game} game
 * @param {"plies" | "records"} kind
 */
async function block(game, kind) {
  const number = Math.floor(game.place / index.games_per_block);
  const text = await inflate(document.querySelectorAll(`script.${kind}`)[number]);
  return { text, place: game.place % index.games_per_block };
}

/**
 * @param {Row} row
 * @param {number} place
 * @returns {Game}
 */
function toGame([number, south, north, winner, ending, plies, opening, start, end, stderr], place) {
  return {
    place,
    number,
    round: number.slice(0, number.indexOf(".")),
    names: { s: index.names[south] ?? "", n: index.names[north] ?? "" },
    hasProgram: Boolean(index.programs[south] || index.programs[north]),
    winner,
    ending,
    plies,
    opening,
    start: index.starts[start] ?? { houses: 0, pits: [], link: "" },
    end,
    stderr,
  };
}

/** Reads the fragment of the address. @returns {View} */
function readView() {
  const values = new URLSearchParams(location.hash.slice(1));
  const filters = FILTERS.map((name) => [name, values.get(name) ?? ""]);
  const ply = values.get("ply");
  return {
    filters: Object.fromEntries(filters),
    page: Math.max(Number.parseInt(values.get("page") ?? "1") - 1, 0) || 0,
    game: values.get("game") ?? "",
    ply: ply === null ? null : Number.parseInt(ply) || 0,
  };
}

/** Returns the fragment of a view. @param {View} view */
function fragment({ filters, page, game, ply }) {
  const values = Object.entries({
    ...filters,
    page: page > 0 ? String(page + 1) : "",
    game,
    ply: game && ply !== null ? String(ply) : "",
  });
  return `#${new URLSearchParams(values.filter(([, value]) => value))}`;
}

/**
 * Shows a view and makes it the next entry of the history, or replaces the last one.
 *
 * @param {View} view
 * @param {"pushState" | "replaceState"} change
 */
function navigate(view, change = "pushState") {
  history[change](null, "", fragment(view));
  return show();
}

/** Shows the state in the address. */
async function show() {
  const view = readView();
  drawList(view);
  const game = games.find(({ number }) => number === view.game);
  list.missing.textContent = view.game && !game ? `There is no game ${view.game}.` : "";
  if (!game) {
    open = null;
    viewer.dialog.close();
    return;
  }
  if (open?.game !== game) {
    await openGame(game);
  }
  drawPly(view.ply);
}

/**
 * Returns whether the list has a game. The results of an engine need the engine.
 *
 * @param {Game} game
 * @param {Filters} filters
 */
function matches({ round, names, winner, ending }, { engine, opponent, result, ...filters }) {
  /** @type {Side[]} */
  const sides = ["s", "n"];
  const side = sides.find((own) => !engine || names[own] === engine);
  const other = side === "s" ? "n" : "s";
  const byResult = {
    won: winner === side,
    lost: winner !== "" && winner !== side,
    tied: winner === "",
    south: winner === "s",
    north: winner === "n",
  }[result];
  return (
    side !== undefined &&
    (!opponent || names[other] === opponent || (!engine && names.s === opponent)) &&
    (byResult ?? true) &&
    (!filters.ending || ending === filters.ending) &&
    (!filters.round || round === filters.round)
  );
}

/** Returns the games of a view. @param {View} view */
function chosenGames({ filters }) {
  const needsEngine = RESULTS_OF_ENGINE.includes(filters.result) && !filters.engine;
  const used = needsEngine ? { ...filters, result: "" } : filters;
  return games.filter((game) => matches(game, used));
}

/**
 * Draws the filters and a page of the games that match them.
 *
 * @param {View} view
 * @param {number} [pageSize]
 */
function drawList(view, pageSize = PAGE_SIZE) {
  const key = `${pageSize} ${fragment({ ...view, game: "" })}`;
  if (key === drawnList) {
    return;
  }
  drawnList = key;
  drawFilters(view);
  const chosen = chosenGames(view);
  const last = Math.max(Math.ceil(chosen.length / pageSize) - 1, 0);
  const page = Math.min(view.page, last);
  const first = page * pageSize;
  const shown = chosen.slice(first, first + pageSize);
  list.rows.replaceChildren(...shown.map((game) => row(game, view)));
  list.count.textContent =
    shown.length === 0
      ? "No game matches."
      : `Games ${first + 1} to ${first + shown.length} of ${chosen.length.toLocaleString("en")}`;
  setPages(view, page, last);
}

/** Shows the values of the filters. @param {View} view */
function drawFilters({ filters }) {
  for (const name of FILTERS) {
    const field = list.form.elements.namedItem(name);
    if (field instanceof HTMLSelectElement || field instanceof HTMLInputElement) {
      field.value = filters[name];
    }
  }
  for (const value of RESULTS_OF_ENGINE) {
    const option = list.form.querySelector(`[name="result"] [value="${value}"]`);
    option?.toggleAttribute("disabled", !filters.engine);
  }
}

/**
 * Sets the buttons that turn the pages of the list.
 *
 * @param {View} view
 * @param {number} page
 * @param {number} last
 */
function setPages(view, page, last) {
  const targets = { first: 0, previous: page - 1, next: page + 1, last };
  for (const [name, target] of Object.entries(targets)) {
    const button = byId(`${name}-page`, HTMLButtonElement);
    button.disabled = target < 0 || target > last || target === page;
    button.onclick = () => navigate({ ...view, page: target });
  }
}

/**
 * Creates an element with a text.
 *
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} name
 * @param {string} text
 * @param {string} [className]
 * @returns {HTMLElementTagNameMap[K]}
 */
function create(name, text, className = "") {
  const element = document.createElement(name);
  element.textContent = text;
  element.className = className;
  return element;
}

/**
 * Returns a row of the list.
 *
 * @param {Game} game
 * @param {View} view
 */
function row(game, view) {
  const link = create("a", game.number);
  link.href = fragment({ ...view, game: game.number });
  const number = create("td", "");
  number.append(link);
  const names = Object.entries(game.names).map(([side, name]) => {
    const cell = create("td", "", "name");
    cell.append(create(side === game.winner ? "b" : "span", name));
    return cell;
  });
  const end = create("td", game.end, "name ending");
  end.title = game.end;
  const element = document.createElement("tr");
  element.append(number, ...names, end, create("td", String(game.plies)));
  return element;
}

/**
 * Returns the pits after a ply: `.` stands for an unchanged one, `+` for one seed more, and a sign
 * and a number for more.
 *
 * @param {number[]} pits
 * @param {string} changes
 */
function changePits(pits, changes) {
  const steps = [...changes.matchAll(/\.|([+-])(\d*)/g)];
  return pits.map((count, pit) => {
    const [, sign, number] = steps[pit] ?? [];
    return sign ? count + Number(sign + (number || "1")) : count;
  });
}

/**
 * Returns the boards of a game from the line with its plies.
 *
 * @param {Start} start
 * @param {string} line
 */
function readFrames(start, line) {
  const [plies = "", last = ""] = line.split("=");
  /** @type {Frame[]} */
  const frames = [{ move: "", mover: "", next: "", swapped: false, pits: start.pits }];
  for (const [, move = "", swapper, changes = ""] of plies.matchAll(
    /([A-Za-z]|~([sn]))([^A-Za-z~]*)/g,
  )) {
    const before = /** @type {Frame} */ (frames.at(-1));
    const mover = /** @type {Side} */ (swapper ?? (move < "a" ? "s" : "n"));
    before.next = mover;
    frames.push({
      move: swapper ? "~" : move,
      mover,
      next: "",
      swapped: swapper ? !before.swapped : before.swapped,
      pits: changePits(before.pits, changes),
    });
  }
  const end = /** @type {Frame} */ (frames.at(-1));
  end.next = /** @type {"" | Side} */ (last);
  return frames;
}

/** Opens the viewer with a game. @param {Game} game */
async function openGame(game) {
  const { text, place } = await block(game, "plies");
  const frames = readFrames(game.start, text.split("\n")[place] ?? "");
  open = { game, frames };
  byId("viewer-title", HTMLElement).textContent = `Game ${game.number}`;
  byId("viewer-end", HTMLElement).textContent = describeEnd(game);
  viewer.stderr.textContent = game.stderr;
  viewer.stderr.hidden = !game.stderr;
  viewer.record.hidden = true;
  viewer.link.hidden = index.page === null;
  if (index.page !== null) {
    const moves = frames.map(({ move }) => move).join("");
    viewer.link.href = index.page + game.start.link + moves;
  }
  viewer.log.hidden = index.logs === null || !game.hasProgram;
  viewer.log.href = `${index.logs}${game.number}.log.gz`;
  viewer.moves.replaceChildren(...turns(open));
  if (!viewer.dialog.open) {
    viewer.dialog.showModal();
  }
}

/** Returns the end of a game in words. @param {Game} game */
function describeEnd({ names, winner, end }) {
  if (!winner) {
    return `Tied: ${end}`;
  }
  const south = `${names.s} (South)`;
  const north = `${names.n} (North)`;
  return winner === "s"
    ? `${south} won, ${north} lost: ${end}`
    : `${north} won, ${south} lost: ${end}`;
}

/** Returns the name of a move for people. @param {string} move */
const moveName = (move) => (move === "~" ? "swap" : move);

/**
 * Returns the elements of the list of moves, one for each turn, numbered as in a record.
 *
 * @param {{game: Game, frames: Frame[]}} shown
 */
function turns({ game, frames }) {
  /** @type {HTMLLIElement[]} */
  const items = [];
  let number = 1;
  for (const [ply, { move, mover }] of frames.entries()) {
    const before = frames[ply - 1]?.mover;
    if (ply > 0 && mover !== before) {
      number += mover === "s" && before === "n" ? 1 : 0;
      const item = document.createElement("li");
      item.append(create("span", `${number}${mover === "s" ? "." : "…"}`, "soft"));
      items.push(item);
    }
    if (ply > 0) {
      const button = create("button", moveName(move), ply <= game.opening ? "opening" : "");
      button.type = "button";
      button.title = ply <= game.opening ? "Move of the opening" : "";
      button.setAttribute("aria-label", `${moveName(move)}, ply ${ply}`);
      button.dataset["ply"] = String(ply);
      items.at(-1)?.append(" ", button);
    }
  }
  return items;
}

/**
 * Returns the player on a side, who began on the other side after a swap.
 *
 * @param {Game} game
 * @param {Frame} frame
 * @param {Side} side
 */
function playerOn({ names }, { swapped }, side) {
  return names[swapped === (side === "s") ? "n" : "s"];
}

/** Shows the board after a ply, by default the last one. @param {number | null} wanted */
function drawPly(wanted) {
  if (!open) {
    return;
  }
  const { game, frames } = open;
  const last = frames.length - 1;
  const ply = Math.min(Math.max(wanted ?? last, 0), last);
  const frame = /** @type {Frame} */ (frames[ply]);
  drawBoard(game, frame, frames[ply - 1]?.pits ?? frame.pits);
  viewer.state.textContent = describeFrame(game, frame, ply, last);
  for (const button of viewer.moves.querySelectorAll("button")) {
    if (button.dataset["ply"] === String(ply)) {
      button.setAttribute("aria-current", "step");
      viewer.moves.scrollTop = button.offsetTop - viewer.moves.clientHeight / 2;
    } else {
      button.removeAttribute("aria-current");
    }
  }
  setSteps(ply, last);
}

/**
 * Returns the ply, its move and the player to move in words.
 *
 * @param {Game} game
 * @param {Frame} frame
 * @param {number} ply
 * @param {number} last
 */
function describeFrame(game, frame, ply, last) {
  const { move, mover, next } = frame;
  const moved = mover && move !== "~" ? ` by ${playerOn(game, frame, mover)}` : "";
  const words = [
    mover ? `Ply ${ply} of ${last}: ${moveName(move)}${moved}` : `Start, ${last} plies`,
  ];
  words.push(next ? `${playerOn(game, frame, next)} to move` : "the board at the end");
  return words.join("; ");
}

/**
 * Draws the houses and stores: North's row above, from right to left.
 *
 * @param {Game} game
 * @param {Frame} frame
 * @param {number[]} before the pits before the ply
 */
function drawBoard(game, frame, before) {
  const { houses } = game.start;
  const letters = (/** @type {string} */ first) =>
    Array.from({ length: houses }, (_, house) => String.fromCharCode(first.charCodeAt(0) + house));
  const labels = [...letters("A"), "South", ...letters("a"), "North"];
  const pits = labels.map((label, pit) => {
    const count = frame.pits[pit] ?? 0;
    const element = create("div", "", pit % (houses + 1) === houses ? `store ${label}` : "house");
    element.append(create("b", String(count)), create("small", label));
    element.classList.toggle("moved", label === frame.move);
    element.classList.toggle("changed", count !== before[pit]);
    return element;
  });
  const south = pits.slice(0, houses);
  const north = pits.slice(houses + 1, -1).reverse();
  const stores = [pits.at(-1), pits[houses]].filter((pit) => pit !== undefined);
  const names = /** @type {Side[]} */ (["n", "s"]).map((side) => {
    const name = create("div", playerOn(game, frame, side), `player ${side}`);
    name.classList.toggle("to-move", frame.next === side);
    return name;
  });
  viewer.board.style.setProperty("--houses", String(houses));
  viewer.board.replaceChildren(...names, ...stores, ...north, ...south);
  viewer.board.setAttribute("aria-label", describeBoard(houses, frame.pits));
}

/**
 * Returns the seeds of all pits in words.
 *
 * @param {number} houses
 * @param {number[]} pits
 */
function describeBoard(houses, pits) {
  const seeds = (/** @type {number} */ first) => pits.slice(first, first + houses).join(" ");
  const south = `South: houses ${seeds(0)}, store ${pits[houses]}`;
  return `${south}; North: houses ${seeds(houses + 1)}, store ${pits.at(-1)}`;
}

/**
 * Sets the buttons that step through the moves.
 *
 * @param {number} ply
 * @param {number} last
 */
function setSteps(ply, last) {
  const targets = { first: 0, previous: ply - 1, next: ply + 1, last };
  for (const [name, target] of Object.entries(targets)) {
    const button = byId(`${name}-ply`, HTMLButtonElement);
    // A disabled button would lose the focus.
    button.ariaDisabled = String(target < 0 || target > last || target === ply);
    button.onclick = () => goToPly(target);
  }
}

/** Shows the board after a ply. @param {number} ply */
function goToPly(ply) {
  const last = (open?.frames.length ?? 1) - 1;
  return navigate({ ...readView(), ply: Math.min(Math.max(ply, 0), last) }, "replaceState");
}

/** The buttons that keys press. @type {Record<string, string>} */
const KEYS = {
  ArrowLeft: "previous-ply",
  ArrowRight: "next-ply",
  Home: "first-ply",
  End: "last-ply",
};

/** @param {KeyboardEvent} event */
function onKey(event) {
  const button = KEYS[event.key];
  const hasModifier = event.altKey || event.ctrlKey || event.metaKey || event.shiftKey;
  if (button && !hasModifier && event.target !== viewer.record) {
    event.preventDefault();
    byId(button, HTMLButtonElement).click();
  }
}

/** Copies the record of the open game, or shows it where the browser does not allow that. */
async function copyRecord() {
  if (!open) {
    return;
  }
  const { text, place } = await block(open.game, "records");
  const record = JSON.parse(text)[place];
  try {
    await navigator.clipboard.writeText(record);
    viewer.state.textContent = "The record is copied.";
  } catch {
    viewer.record.value = record;
    viewer.record.hidden = false;
    viewer.record.select();
  }
}

/** Shows the list with the values of the form. */
function onFilter() {
  const values = new FormData(list.form);
  const filters = FILTERS.map((name) => [name, String(values.get(name) ?? "")]);
  return navigate({ filters: Object.fromEntries(filters), page: 0, game: "", ply: null });
}

/** Follows a link, the history, or an address that was typed. */
async function onAddress() {
  await show();
  if (!open && location.hash.length > 1) {
    byId("games", HTMLElement).scrollIntoView();
  }
}

/** The details that are open on paper alone. @type {HTMLDetailsElement[]} */
let openOnPaper = [];

/** Prepares the page for paper, which has no buttons: all games that match, and all details. */
function onBeforePrint() {
  openOnPaper = [...document.querySelectorAll("details")].filter((details) => !details.open);
  openOnPaper.forEach((details) => (details.open = true));
  drawList({ ...readView(), page: 0 }, PRINTED_SIZE);
}

function onAfterPrint() {
  openOnPaper.forEach((details) => (details.open = false));
  drawList(readView());
}

function addListeners() {
  list.form.addEventListener("change", onFilter);
  list.form.addEventListener("submit", (event) => event.preventDefault());
  list.form.addEventListener("reset", () => {
    navigate({ ...readView(), filters: NO_FILTERS, page: 0 });
  });
  viewer.dialog.addEventListener("keydown", onKey);
  viewer.dialog.addEventListener("close", () => {
    if (open) {
      navigate({ ...readView(), game: "", ply: null });
    }
  });
  viewer.moves.addEventListener("click", ({ target }) => {
    if (target instanceof HTMLButtonElement) {
      goToPly(Number(target.dataset["ply"]));
    }
  });
  byId("viewer-close", HTMLButtonElement).onclick = () => viewer.dialog.close();
  byId("viewer-copy", HTMLButtonElement).onclick = copyRecord;
  window.addEventListener("hashchange", onAddress);
  window.addEventListener("beforeprint", onBeforePrint);
  window.addEventListener("afterprint", onAfterPrint);
}

const NO_FILTERS = { engine: "", opponent: "", result: "", ending: "", round: "" };

/** @type {Index} */
const index = JSON.parse(await inflate(document.getElementById("games-index")));
const games = index.games.map(toGame);
byId("games-need-script", HTMLElement).hidden = true;
byId("games-list", HTMLElement).hidden = false;
addListeners();
await onAddress();
