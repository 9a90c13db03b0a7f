import assert from "node:assert/strict";
import { test } from "node:test";

import { createAnalysisCache } from "../../../analysis/cache.js";
import { EngineError } from "../../../engine/errors.js";
import { createActions } from "../../../game/actions/actions.js";
import { currentMode, localModes } from "../../../game/modes.js";
import { startOpponent } from "../../../game/opponent.js";
import { DEFAULT_SETTINGS } from "../../../storage/formats.js";
import { createStore, initialState } from "../../../game/store.js";
import { endGame, fromLine, gameResult, movesTo, path, position } from "../../../game/tree.js";
import { emptyDraft } from "../../../board/position-draft.js";
import { makeAnalysis, makeMoveResult, makePosition } from "../../positions.mjs";

/** @import { App, Engine, Players, State } from "../../../types/app.d.ts" */

/** @type {Players} */
const PLAYERS = { south: { kind: "person" }, north: { kind: "computer", opponent: "level:1" } };

/** @type {State} */
const INITIAL = {
  ...initialState(),
  players: PLAYERS,
  settings: { ...DEFAULT_SETTINGS, speed: "off" },
};

/**
 * Creates a page without a board. Its engine accepts every move, and each move passes the turn.
 *
 * @param {Partial<State>} [given]
 * @param {() => Promise<boolean>} [confirmDiscard]
 */
function page(given = {}, confirmDiscard = () => Promise.resolve(true)) {
  const store = createStore({ ...INITIAL, ...given });
  /** The requests to the engine, and how the next one fails. */
  const requests =
    /** @type {{ endpoint: string, body: any, signal: AbortSignal | undefined }[]} */ ([]);
  const failure = { next: /** @type {Error | null} */ (null), hold: false };
  const respond = async (
    /** @type {string} */ endpoint,
    /** @type {any} */ body,
    /** @type {AbortSignal | undefined} */ signal,
  ) => {
    requests.push({ endpoint, body, signal });
    if (failure.hold) {
      await new Promise((_, reject) =>
        signal?.addEventListener("abort", () => reject(signal.reason)),
      );
    }
    if (failure.next) {
      const error = failure.next;
      failure.next = null;
      throw error;
    }
    switch (endpoint) {
      case "position":
        return makePosition({ rules: body.rules });
      case "move":
        return makeMoveResult(body.move);
      case "choose":
        return { move: "b" };
      case "play":
        return {
          start: makePosition(),
          plies: body.moves.map((/** @type {string} */ move) => makeMoveResult(move)),
        };
      default:
        return [];
    }
  };
  /** @type {Engine} */
  const engine = {
    kind: "server",
    request: /** @type {Engine["request"]} */ (respond),
    search: /** @type {Engine["search"]} */ (respond),
    async analyze(/** @type {any} */ body, options) {
      requests.push({ endpoint: "analyze", body, signal: options?.signal });
      return makeAnalysis({ a: { estimate: 1 }, b: { estimate: 3 } }, body);
    },
    program: async () => "kalah/1.2.3",
  };
  const analysisCache = createAnalysisCache(engine);
  const modes = localModes(store.get, () => actions);
  /** @type {string[]} */
  const opened = [];
  const actions = createActions({
    store,
    engine,
    analysisCache,
    modes,
    openDialog: (id) => void opened.push(id),
    confirmDiscard,
    startLocalGame: () => void opened.push("local game"),
  });
  // A board that shows every animation at once.
  store.subscribe(({ animation }) => animation && actions.animationEnded(animation.id));
  /** @type {Pick<App, "engine" | "state" | "actions" | "subscribe">} */
  const app = { engine, state: store.get, actions, subscribe: store.subscribe };
  return { store, actions, requests, failure, modes, app, analysisCache, opened };
}

/** Waits until a condition holds. @param {() => boolean} condition */
async function until(condition) {
  while (!condition()) {
    await settle();
  }
}

/** Waits until all pending promises are settled. */
const settle = () => new Promise((resolve) => setTimeout(resolve, 5));

/** @param {string} line */
const gameAfter = (line) =>
  fromLine(
    makePosition(),
    [...line].map((move) => makeMoveResult(move)),
  );

/** @param {{ get(): State }} store */
const movesIn = (store) =>
  movesTo(/** @type {NonNullable<State["tree"]>} */ (store.get().tree)).join("");

test("newGame requests the start and shows it", async () => {
  const { store, actions, requests } = page();
  assert.equal(
    await actions.newGame({ rules: "standard", position: "2x2", players: PLAYERS }),
    true,
  );
  assert.deepEqual(requests[0]?.body, { rules: "standard", position: "2x2" });
  assert.equal(store.get().tree?.start.rules, "standard");
  assert.equal(store.get().busy, null);
});

test("two clicks make one move", async () => {
  const { store, actions, requests } = page({ tree: gameAfter("") });
  actions.requestMove("A");
  actions.requestMove("A");
  await settle();
  assert.equal(requests.length, 1);
  assert.equal(movesIn(store), "A");
});

test("a failure sets an error, and retry repeats the action", async () => {
  const { store, actions, failure } = page({ tree: gameAfter("") });
  failure.next = EngineError.unreachable("gone");
  assert.equal(await actions.makeMove("A"), false);
  assert.match(store.get().error?.message ?? "", /gone/);
  assert.equal(store.get().busy, null);
  store.get().error?.retry?.();
  await settle();
  assert.equal(movesIn(store), "A");
  assert.equal(store.get().error, null);
});

test("a response after a change of the position is ignored", async () => {
  const { store, actions, failure } = page({ tree: gameAfter("Ab") });
  failure.hold = true;
  const sowing = actions.makeMove("B");
  actions.goTo([]);
  assert.equal(await sowing, false);
  assert.equal(movesIn(store), "");
  assert.equal(store.get().error, null);
});

test("the computer moves when it is to move", async () => {
  const { store, actions, requests, app } = page({ tree: gameAfter("") });
  startOpponent(app, store);
  actions.requestMove("A");
  await until(() => movesIn(store) === "Ab");
  assert.equal(movesIn(store), "Ab");
  const choose = requests.find(({ endpoint }) => endpoint === "choose");
  assert.equal(choose?.body.opponent, "level:1");
  assert.equal(choose?.body.position, "after A");
});

test("undo aborts the computer's search and goes to the person's turn", async () => {
  const { store, actions, requests, failure, app } = page({ tree: gameAfter("Ab") });
  startOpponent(app, store);
  await actions.makeMove("B");
  failure.hold = true;
  await settle();
  const thought = requests.find(({ endpoint }) => endpoint === "choose");
  assert.equal(store.get().busy?.kind, "opponent");
  actions.undo();
  await settle();
  assert.equal(thought?.signal?.aborted, true);
  assert.equal(movesIn(store), "Ab");
  assert.equal(store.get().busy, null);
  actions.undo();
  assert.equal(movesIn(store), "");
  actions.redo();
  assert.equal(movesIn(store), "Ab");
});

test("the computer waits while a position is edited", async () => {
  const editor = { draft: emptyDraft(2), rules: "cs32", takesAway: false };
  const { store, actions, app } = page({ tree: gameAfter("A"), editor });
  startOpponent(app, store);
  actions.refresh();
  await settle();
  assert.equal(store.get().busy, null);
  actions.setEditor(null);
  await until(() => movesIn(store) === "Ab");
  assert.equal(movesIn(store), "Ab");
});

test("the computer searches again after a retry", async () => {
  const { store, failure, app } = page({ tree: gameAfter("A") });
  failure.next = EngineError.unreachable("gone");
  startOpponent(app, store);
  store.update({ panel: "x" });
  await until(() => store.get().error !== null);
  assert.match(store.get().error?.message ?? "", /gone/);
  store.get().error?.retry?.();
  await until(() => movesIn(store) === "Ab");
  assert.equal(movesIn(store), "Ab");
});

test("undo takes a resignation back", () => {
  const { store, actions } = page({ tree: gameAfter("Ab") });
  actions.resign();
  const { tree } = store.get();
  assert.ok(tree);
  assert.deepEqual(gameResult(tree), {
    winner: "north",
    stores: { south: 0, north: 0 },
    termination: "resign",
  });
  actions.undo();
  actions.redo();
  assert.equal(gameResult(/** @type {NonNullable<State["tree"]>} */ (store.get().tree)), null);
});

test("a rematch exchanges the players on the same board", async () => {
  const { store, actions } = page({ tree: endGame(gameAfter("Ab"), "resign", "north") });
  actions.rematch();
  await settle();
  assert.deepEqual(store.get().players, { south: PLAYERS.north, north: PLAYERS.south });
  assert.equal(movesIn(store), "");
});

test("a new move becomes the main line and the old one a variation", async () => {
  const { store, actions } = page({ tree: gameAfter("Ab") });
  actions.undo();
  await actions.makeMove("B");
  const { tree } = store.get();
  assert.ok(tree);
  assert.deepEqual(path(tree), [0]);
  assert.deepEqual(
    tree.children.map(({ moveResult }) => moveResult.move),
    ["B", "A"],
  );
});

test("openGame suspends the game in play, and resume returns to it", () => {
  const { store, actions } = page({ tree: gameAfter("Ab") });
  const { tags, start, comments, termination, winner } = gameAfter("");
  const other = { tags, start, comments, termination, winner };
  actions.openGame(
    { ...other, plies: [{ parent: null, result: makeMoveResult("B"), comments: [] }] },
    [0],
  );
  assert.equal(store.get().mode, "explore");
  assert.equal(movesIn(store), "B");
  actions.undo();
  assert.equal(movesIn(store), "");
  actions.resume();
  assert.equal(store.get().mode, "play");
  assert.equal(movesIn(store), "Ab");
  assert.equal(store.get().suspendedGame, null);
});

test("continueGame goes on at the end of a game, and undo brings back the game that it replaces", () => {
  const { store, actions } = page({ tree: gameAfter("Ab"), mode: "play" });
  const { tags, start, comments, termination, winner } = gameAfter("");
  const plies = ["B", "a"].map((move, index) => ({
    parent: index === 0 ? null : 0,
    result: makeMoveResult(move),
    comments: [],
  }));
  const players = { ...PLAYERS, north: /** @type {const} */ ({ kind: "person" }) };
  const record = { tags, start, comments, termination, winner, plies };
  assert.equal(actions.continueGame(record, players), store.get().tree);
  assert.equal(store.get().mode, "play");
  assert.equal(movesIn(store), "Ba");
  assert.deepEqual(store.get().players, players);
  actions.restoreDiscarded();
  assert.equal(movesIn(store), "Ab");
});

/** Returns another game. */
function otherGame() {
  const { tags, start, comments, termination, winner } = gameAfter("");
  return { tags, start, comments, termination, winner, plies: [] };
}

test("a game without moves is not suspended but stays the local game", () => {
  const { store, actions } = page({ tree: gameAfter("") });
  actions.openGame(otherGame());
  assert.equal(store.get().suspendedGame, null);
  actions.resumeLocalGame();
  assert.equal(store.get().mode, "play");
  assert.deepEqual(store.get().players, PLAYERS);
  assert.equal(store.get().localGame, null);
});

test("explore lets the person move for both sides, and resume restores the players", () => {
  const { store, actions } = page({ tree: gameAfter("Ab") });
  actions.explore();
  assert.deepEqual(store.get().players, { south: { kind: "person" }, north: { kind: "person" } });
  actions.goTo([]);
  actions.resume();
  assert.deepEqual(store.get().players, PLAYERS);
  assert.equal(movesIn(store), "Ab");
});

test("resumeLocalGame returns from a game with a friend", () => {
  const { store, actions } = page({ tree: gameAfter("Ab") });
  /** @type {Players} */
  const players = { south: { kind: "person" }, north: { kind: "remote", name: "Friend" } };
  actions.enterMode("friend", gameAfter("B"), players);
  actions.enterMode("friend", gameAfter("Ba"), players);
  actions.openGame(otherGame());
  assert.equal(store.get().suspendedGame?.mode, "friend");
  actions.resume();
  assert.equal(store.get().mode, "friend");
  assert.equal(movesIn(store), "Ba");
  actions.resumeLocalGame();
  assert.equal(movesIn(store), "Ab");
  assert.deepEqual(store.get().players, PLAYERS);
});

test("hint does nothing while analysis is locked", async () => {
  const { store, actions, requests } = page({ tree: gameAfter("") });
  actions.setAnalysisLock("not now");
  actions.hint();
  await settle();
  assert.equal(requests.length, 0);
  actions.setAnalysisLock(null);
  actions.hint();
  await settle();
  assert.equal(store.get().hint?.move, "b");
});

test("playFromHere starts at the current node of the explored game", () => {
  const { store, actions } = page({ tree: gameAfter("AbB") });
  actions.explore();
  actions.goTo([0]);
  actions.playFromHere();
  assert.equal(store.get().mode, "play");
  assert.equal(movesIn(store), "A");
  assert.deepEqual(store.get().tree?.line, [0]);
});

test("restore brings back moves that were undone and refuses invalid games", async () => {
  const { store, actions, failure } = page();
  const saved = {
    rules: "cs32",
    position: "2x2",
    moves: ["A", "b"],
    depth: 1,
    players: PLAYERS,
    termination: "unfinished",
    winner: null,
  };
  assert.equal(await actions.restore(saved), true);
  assert.equal(movesIn(store), "A");
  actions.redo();
  assert.equal(movesIn(store), "Ab");
  assert.equal(await actions.restore({ ...saved, depth: 9 }), false);
  failure.next = new EngineError({
    type: "about:blank",
    title: "No",
    status: 422,
    detail: "such ply",
  });
  assert.equal(await actions.restore(saved), false);
  failure.next = EngineError.unreachable("gone");
  await assert.rejects(actions.restore(saved), /gone/);
});

test("the local game starts although the game that the person leaves would go on", () => {
  const { store, actions, opened } = page();
  const puzzle = gameAfter("B");
  actions.enterMode("puzzle", puzzle, PLAYERS);
  actions.resumeLocalGame();
  assert.deepEqual(opened, ["local game"]);
  // The page plays the solution of a puzzle, and a friend moves.
  actions.applyMove(makeMoveResult("a"));
  assert.equal(store.get().mode, "play");
  assert.equal(store.get().tree, null);
});

test("moves of the game on the board do not abort the start of another game", async () => {
  const { store, actions, requests, failure } = page({ tree: gameAfter("Ab") });
  /** @type {Players} */
  const players = { south: { kind: "person" }, north: { kind: "remote", name: "Friend" } };
  actions.enterMode("friend", gameAfter("B"), players);
  failure.hold = true;
  void actions.newGame({ rules: "cs32", position: "2x2", players: PLAYERS });
  await until(() => requests.length > 0);
  actions.applyMove(makeMoveResult("a"));
  actions.enterMode("friend", gameAfter("BaA"), players);
  actions.editTree(() => gameAfter("Ba"));
  const [start] = requests;
  assert.equal(start?.signal?.aborted, false);
  assert.equal(store.get().busy?.kind, "start");
  actions.openGame(otherGame());
  assert.equal(start?.signal?.aborted, true);
  assert.equal(store.get().busy, null);
});

test("a restore that another request replaces does not end that request", async () => {
  const { store, actions, failure } = page({ tree: gameAfter("") });
  const saved = {
    rules: "cs32",
    position: "2x2",
    moves: ["A"],
    depth: 1,
    players: PLAYERS,
    termination: "unfinished",
    winner: null,
  };
  failure.next = new DOMException("replaced", "AbortError");
  const restored = actions.restore(saved);
  const busy = { kind: /** @type {const} */ ("hint"), phrase: "Looking for a hint" };
  store.update({ busy });
  await assert.rejects(restored, /replaced/);
  assert.deepEqual(store.get().busy, busy);
});

test("a registered mode overrides the handlers of explore", () => {
  const { store, actions, modes } = page({ tree: gameAfter(""), mode: "friend" });
  /** @type {string[]} */
  const chosen = [];
  modes.set("friend", { requestMove: (move) => void chosen.push(move), canMove: () => false });
  actions.requestMove("A");
  assert.deepEqual(chosen, ["A"]);
  const mode = currentMode(modes, store.get());
  assert.equal(mode.canMove(store.get()), false);
  assert.equal(mode.can("undo", store.get()), false);
  assert.equal(
    position(/** @type {NonNullable<State["tree"]>} */ (store.get().tree)).to_move,
    "south",
  );
});

test("a hint is removed after a move", async () => {
  const { store, actions } = page({ tree: gameAfter("") });
  actions.hint();
  await settle();
  assert.equal(store.get().hint?.move, "b");
  actions.requestMove("A");
  await settle();
  assert.equal(store.get().hint, null);
});

test("an unfinished game is replaced only after a question, and an undo returns to it", async () => {
  const answers = [false, true];
  const { store, actions } = page({}, () => Promise.resolve(answers.shift() ?? false));
  await actions.newGame({ rules: "cs32", position: "6x4", players: PLAYERS });
  await actions.makeMove("A");
  await settle();
  const { tree } = store.get();
  const other = { rules: "standard", position: "6x4", players: PLAYERS };
  assert.equal(await actions.newGame(other), false);
  assert.equal(store.get().tree, tree);
  assert.equal(await actions.newGame(other), true);
  assert.equal(store.get().tree?.start.rules, "standard");
  actions.undo();
  assert.equal(store.get().tree, tree);
  assert.equal(store.get().discardedGame, null);
  assert.deepEqual(answers, []);
});

test("a game without moves is replaced at once, and the game before it stays", async () => {
  const { store, actions } = page({}, () => Promise.resolve(true));
  await actions.newGame({ rules: "cs32", position: "6x4", players: PLAYERS });
  await actions.makeMove("A");
  await settle();
  const { tree } = store.get();
  await actions.newGame({ rules: "standard", position: "6x4", players: PLAYERS });
  await actions.newGame({ rules: "mankalah", position: "6x4", players: PLAYERS });
  actions.undo();
  assert.equal(store.get().tree, tree);
});

test("a preview belongs to its position, and a later one replaces it", async () => {
  const { store, actions } = page();
  await actions.newGame({ rules: "cs32", position: "6x4", players: PLAYERS });
  actions.preview("A");
  actions.preview("B");
  await settle();
  assert.equal(store.get().preview?.moveResult.move, "B");
  actions.preview(null);
  assert.equal(store.get().preview, null);
  actions.preview("A");
  await actions.makeMove("B");
  await settle();
  assert.equal(store.get().preview, null);
});

test("the board of another game is not turned", async () => {
  const { store, actions } = page();
  await actions.newGame({ rules: "cs32", position: "6x4", players: PLAYERS });
  actions.flip();
  assert.ok(store.get().flipped);
  await actions.newGame({ rules: "cs32", position: "6x4", players: PLAYERS });
  assert.ok(!store.get().flipped);
});

test("a hint names a move that is not proven to be best, with its depth", async () => {
  const { store, actions, requests } = page({ tree: gameAfter("") });
  actions.hint();
  await settle();
  const { position: at } = makePosition();
  assert.deepEqual(store.get().hint, {
    position: at,
    move: "b",
    isBestProven: false,
    margin: null,
    depth: 4,
  });
  assert.deepEqual(
    requests.map(({ body }) => [body.prove, body.time]),
    [["best", "2000ms"]],
  );
});

test("a hint agrees with the scores that are shown, and follows them", async () => {
  const settings = { ...INITIAL.settings, margins: true };
  const { store, actions, requests, analysisCache } = page({ tree: gameAfter(""), settings });
  const at = makePosition();
  const { signal } = new AbortController();
  await analysisCache.analyze(at, { seconds: 1, signal });
  requests.length = 0;
  actions.hint();
  assert.equal(store.get().hint?.move, "b");
  assert.deepEqual(requests, []);
  actions.updateHint(makeAnalysis({ a: { bounds: [5, 5] }, b: { bounds: [3, 3] } }));
  assert.deepEqual(store.get().hint, {
    position: at.position,
    move: "a",
    isBestProven: true,
    margin: 5,
    depth: 4,
  });
  actions.updateHint(makeAnalysis({ b: { bounds: [9, 9] } }, { position: "another" }));
  assert.equal(store.get().hint?.move, "a");
});

test("leaving the position ends its editing, and a friend's move does not", async () => {
  const editor = { draft: emptyDraft(2), rules: "cs32", takesAway: false };
  const { store, actions } = page({ tree: gameAfter("Ab"), mode: "explore", editor });
  actions.applyMove(makeMoveResult("A"));
  assert.equal(store.get().editor, editor);
  actions.goTo([]);
  assert.equal(store.get().editor, null);
});
