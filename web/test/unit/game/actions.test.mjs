import assert from "node:assert/strict";
import { test } from "node:test";

import { EngineError } from "../../../engine/errors.js";
import { createActions } from "../../../game/actions.js";
import { currentMode, exploreMode, playMode } from "../../../game/modes.js";
import { startOpponent } from "../../../game/opponent.js";
import { DEFAULTS } from "../../../game/storage.js";
import { createStore } from "../../../game/store.js";
import { choices, end, fromLine, path, position, result } from "../../../game/tree.js";
import { aPosition, aSown } from "../../positions.mjs";

/** @import { App, Engine, Mode, Players, State } from "../../../types/app.d.ts" */

/** @type {Players} */
const PLAYERS = { south: { kind: "person" }, north: { kind: "computer", opponent: "level:1" } };

/** @type {State} */
const INITIAL = {
  tree: null,
  players: PLAYERS,
  mode: "play",
  parked: null,
  home: null,
  closed: null,
  motion: null,
  busy: null,
  hint: null,
  marks: null,
  trouble: null,
  settings: { ...DEFAULTS, speed: "off" },
  presets: [],
  panel: null,
};

/**
 * A page without a board, whose engine says yes to everything: each sowing passes the turn.
 *
 * @param {Partial<State>} [given]
 */
function page(given = {}) {
  const store = createStore({ ...INITIAL, ...given });
  /** What the engine was asked, and what it does instead of answering. */
  const asked = /** @type {{ question: string, body: any, signal: AbortSignal | undefined }[]} */ ([]);
  const trouble = { next: /** @type {Error | null} */ (null), hold: false };
  /** @type {Engine} */
  const engine = {
    kind: "server",
    ask: /** @type {Engine["ask"]} */ (
      async (/** @type {string} */ question, /** @type {any} */ body, /** @type {AbortSignal | undefined} */ signal) => {
        asked.push({ question, body, signal });
        if (trouble.hold) {
          await new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
        }
        if (trouble.next) {
          const error = trouble.next;
          trouble.next = null;
          throw error;
        }
        switch (question) {
          case "position":
            return aPosition({ rules: body.rules });
          case "sow":
            return aSown(body.choice);
          case "choose":
            return { choice: "b", proven: null, best: false };
          case "play":
            return { start: aPosition(), plies: body.choices.map((/** @type {string} */ choice) => aSown(choice)) };
          default:
            return [];
        }
      }
    ),
  };
  /** @type {Map<string, Mode>} */
  const modes = new Map();
  /** @type {string[]} */
  const opened = [];
  const actions = createActions({ store, engine, modes, openDialog: (id) => void opened.push(id) });
  modes.set("explore", exploreMode(store.get, () => actions));
  modes.set("play", playMode(store.get, () => actions));
  // What a board does: it shows a motion, here in no time.
  store.subscribe(({ motion }) => motion && actions.motionEnded(motion.id));
  /** @type {Pick<App, "engine" | "state" | "actions" | "subscribe">} */
  const app = { engine, state: store.get, actions, subscribe: store.subscribe };
  return { store, actions, asked, trouble, modes, app };
}

/** Lets everything that waits for no clock happen. */
const settle = () => new Promise((resolve) => setTimeout(resolve, 5));

/** @param {string} line */
const played = (line) => fromLine(aPosition(), [...line].map((choice) => aSown(choice)));

/** @param {{ get(): State }} store */
const made = (store) => choices(/** @type {NonNullable<State["tree"]>} */ (store.get().tree)).join("");

test("a new game is asked for and stands ready", async () => {
  const { store, actions, asked } = page();
  assert.equal(await actions.newGame({ rules: "standard", position: "2x2", players: PLAYERS }), true);
  assert.deepEqual(asked[0]?.body, { rules: "standard", position: "2x2" });
  assert.equal(store.get().tree?.start.rules, "standard");
  assert.equal(store.get().busy, null);
});

test("a choice is sown once, however often it is pressed", async () => {
  const { store, actions, asked } = page({ tree: played("") });
  actions.choose("A");
  actions.choose("A");
  await settle();
  assert.equal(asked.length, 1);
  assert.equal(made(store), "A");
});

test("what fails is told, and can be tried again", async () => {
  const { store, actions, trouble } = page({ tree: played("") });
  trouble.next = EngineError.unreachable("gone");
  assert.equal(await actions.sow("A"), false);
  assert.match(store.get().trouble?.message ?? "", /gone/);
  assert.equal(store.get().busy, null);
  store.get().trouble?.retry?.();
  await settle();
  assert.equal(made(store), "A");
  assert.equal(store.get().trouble, null);
});

test("an answer that comes too late changes nothing", async () => {
  const { store, actions, trouble } = page({ tree: played("Ab") });
  trouble.hold = true;
  const sowing = actions.sow("B");
  actions.goTo([]);
  assert.equal(await sowing, false);
  assert.equal(made(store), "");
  assert.equal(store.get().trouble, null);
});

test("the computer answers when it is its turn", async () => {
  const { store, actions, asked, app } = page({ tree: played("") });
  startOpponent(app, store);
  actions.choose("A");
  await new Promise((resolve) => setTimeout(resolve, 300));
  assert.equal(made(store), "Ab");
  const choose = asked.find(({ question }) => question === "choose");
  assert.equal(choose?.body.opponent, "level:1");
  assert.equal(choose?.body.position, "after A");
});

test("undo stops the computer's thought and goes back to the person's turn", async () => {
  const { store, actions, asked, trouble, app } = page({ tree: played("Ab") });
  startOpponent(app, store);
  await actions.sow("B");
  trouble.hold = true;
  await settle();
  const thought = asked.find(({ question }) => question === "choose");
  assert.equal(store.get().busy?.kind, "opponent");
  actions.undo();
  await settle();
  assert.equal(thought?.signal?.aborted, true);
  assert.equal(made(store), "Ab");
  assert.equal(store.get().busy, null);
  actions.undo();
  assert.equal(made(store), "");
  actions.redo();
  assert.equal(made(store), "Ab");
});

test("the computer that cannot be reached thinks again when asked to", async () => {
  const { store, trouble, app } = page({ tree: played("A") });
  trouble.next = EngineError.unreachable("gone");
  startOpponent(app, store);
  store.update({ panel: "x" });
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.match(store.get().trouble?.message ?? "", /gone/);
  store.get().trouble?.retry?.();
  await new Promise((resolve) => setTimeout(resolve, 300));
  assert.equal(made(store), "Ab");
});

test("who resigns has lost, and may take it back", () => {
  const { store, actions } = page({ tree: played("Ab") });
  actions.resign();
  const { tree } = store.get();
  assert.ok(tree);
  assert.deepEqual(result(tree), { winner: "north", stores: { south: 0, north: 0 }, termination: "resign" });
  actions.undo();
  actions.redo();
  assert.equal(result(/** @type {NonNullable<State["tree"]>} */ (store.get().tree)), null);
});

test("a rematch exchanges sides on the same board", async () => {
  const { store, actions } = page({ tree: end(played("Ab"), "resign", "north") });
  actions.rematch();
  await settle();
  assert.deepEqual(store.get().players, { south: PLAYERS.north, north: PLAYERS.south });
  assert.equal(made(store), "");
});

test("what is played anew is the main line, what was taken back a variation", async () => {
  const { store, actions } = page({ tree: played("Ab") });
  actions.undo();
  await actions.sow("B");
  const { tree } = store.get();
  assert.ok(tree);
  assert.deepEqual(path(tree), [0]);
  assert.deepEqual(
    tree.children.map(({ sown }) => sown.choice),
    ["B", "A"],
  );
});

test("looking at another game parks the one in play, and back again", () => {
  const { store, actions } = page({ tree: played("Ab") });
  const { tags, start, comments, termination, winner } = played("");
  const other = { tags, start, comments, termination, winner };
  actions.openGame({ ...other, plies: [{ parent: null, sown: aSown("B"), comments: [] }] }, [0]);
  assert.equal(store.get().mode, "explore");
  assert.equal(made(store), "B");
  actions.undo();
  assert.equal(made(store), "");
  actions.resume();
  assert.equal(store.get().mode, "play");
  assert.equal(made(store), "Ab");
  assert.equal(store.get().parked, null);
});

/** Another game to look at. */
function another() {
  const { tags, start, comments, termination, winner } = played("");
  return { tags, start, comments, termination, winner, plies: [] };
}

test("a game in which nobody has sown is nothing to go back to from another, but stays at home", () => {
  const { store, actions } = page({ tree: played("") });
  actions.openGame(another());
  assert.equal(store.get().parked, null);
  actions.goHome();
  assert.equal(store.get().mode, "play");
  assert.deepEqual(store.get().players, PLAYERS);
  assert.equal(store.get().home, null);
});

test("who looks about in a game sows for South and North, and has it back as it was", () => {
  const { store, actions } = page({ tree: played("Ab") });
  actions.explore();
  assert.deepEqual(store.get().players, { south: { kind: "person" }, north: { kind: "person" } });
  actions.goTo([]);
  actions.resume();
  assert.deepEqual(store.get().players, PLAYERS);
  assert.equal(made(store), "Ab");
});

test("a game elsewhere, entered again and looked about in, leaves the one at home", () => {
  const { store, actions } = page({ tree: played("Ab") });
  /** @type {Players} */
  const players = { south: { kind: "person" }, north: { kind: "remote", name: "Friend" } };
  actions.enter("friend", played("B"), players);
  actions.enter("friend", played("Ba"), players);
  actions.openGame(another());
  assert.equal(store.get().parked?.mode, "friend");
  actions.resume();
  assert.equal(store.get().mode, "friend");
  assert.equal(made(store), "Ba");
  actions.goHome();
  assert.equal(made(store), "Ab");
  assert.deepEqual(store.get().players, PLAYERS);
});

test("what is closed gives no hint", async () => {
  const { store, actions, asked } = page({ tree: played("") });
  actions.setClosed("not now");
  actions.hint();
  await settle();
  assert.equal(asked.length, 0);
  actions.setClosed(null);
  actions.hint();
  await settle();
  assert.equal(store.get().hint?.choice, "b");
});

test("exploring leaves the parked game as it was, and play goes on from where one is", () => {
  const { store, actions } = page({ tree: played("AbB") });
  actions.explore();
  actions.goTo([0]);
  actions.playFromHere();
  assert.equal(store.get().mode, "play");
  assert.equal(made(store), "A");
  assert.deepEqual(store.get().tree?.line, [0]);
});

test("a stored game comes back with what was taken back; a broken one does not", async () => {
  const { store, actions, trouble } = page();
  const saved = {
    rules: "cs32",
    position: "2x2",
    choices: ["A", "b"],
    made: 1,
    players: PLAYERS,
    termination: "unfinished",
    winner: null,
  };
  assert.equal(await actions.restore(saved), true);
  assert.equal(made(store), "A");
  actions.redo();
  assert.equal(made(store), "Ab");
  assert.equal(await actions.restore({ ...saved, made: 9 }), false);
  trouble.next = new EngineError({ type: "about:blank", title: "No", status: 422, detail: "such ply" });
  assert.equal(await actions.restore(saved), false);
  trouble.next = EngineError.unreachable("gone");
  await assert.rejects(actions.restore(saved), /gone/);
});

test("a mode of a panel's own decides, and what it leaves out is as in explore", () => {
  const { store, actions, modes } = page({ tree: played(""), mode: "friend" });
  /** @type {string[]} */
  const chosen = [];
  modes.set("friend", { choose: (choice) => void chosen.push(choice), mayChoose: () => false });
  actions.choose("A");
  assert.deepEqual(chosen, ["A"]);
  const mode = currentMode(modes, store.get());
  assert.equal(mode.mayChoose(store.get()), false);
  assert.equal(mode.can("undo", store.get()), false);
  assert.equal(position(/** @type {NonNullable<State["tree"]>} */ (store.get().tree)).side, "south");
});

test("a hint is for the position it was asked in", async () => {
  const { store, actions } = page({ tree: played("") });
  actions.hint();
  await settle();
  assert.equal(store.get().hint?.choice, "b");
  actions.choose("A");
  await settle();
  assert.equal(store.get().hint, null);
});
