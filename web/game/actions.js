/** Everything that changes the state. Views call these and nothing else; see `Actions` in app.d.ts. */

import { isAbort } from "../engine/errors.js";
import { currentMode } from "./modes.js";
import { personsOf } from "./players.js";
import { savedGameFrom } from "./storage.js";
import * as game from "./tree.js";

/** @import { createStore } from "./store.js" */
/** @import { Actions, DialogId, Engine, GameTree, Mode, Parked, Player, State } from "../types/app.d.ts" */

/** @type {Player} */
const PERSON = { kind: "person" };

/**
 * The game that is played at this device, on the board or waiting while there is something else on it.
 *
 * @param {State} state
 * @returns {Parked | null}
 */
export function ordinary({ mode, tree, players, home }) {
  return mode === "play" && tree ? { mode, tree, players } : home;
}

/** How long a hint may think. */
const HINT_TIME = "2s";

/**
 * Whether two trees stand at the same ply of the same game, whatever was written or branched elsewhere.
 *
 * @param {GameTree | null} one
 * @param {GameTree | null} other
 */
export function samePlace(one, other) {
  return (
    one !== null &&
    other !== null &&
    one.start === other.start &&
    one.termination === other.termination &&
    game.current(one)?.sown === game.current(other)?.sown
  );
}

/**
 * @param {object} parts
 * @param {ReturnType<typeof createStore<State>>} parts.store
 * @param {Engine} parts.engine
 * @param {ReadonlyMap<string, Mode>} parts.modes
 * @param {(id: DialogId) => void} parts.openDialog
 * @returns {Actions & { restore(stored: unknown): Promise<boolean>, loadPresets(): Promise<void> }}
 */
export function createActions({ store, engine, modes, openDialog }) {
  /** What a hint or a new game is being asked for with. */
  let asking = new AbortController();
  let motions = 0;

  const mode = () => currentMode(modes, store.get());

  /**
   * The tree, once there is one.
   *
   * @param {(tree: GameTree) => void} then
   */
  function withTree(then) {
    const { tree } = store.get();
    if (tree) {
      then(tree);
    }
  }

  /** Calls off what was asked for a state that is about to change. */
  function callOff() {
    asking.abort();
    asking = new AbortController();
    return asking.signal;
  }

  /**
   * Shows another place or tree at once, without motion.
   *
   * @param {Partial<State>} change
   */
  function jump(change) {
    callOff();
    store.update({ motion: null, hint: null, busy: null, trouble: null, ...change });
  }

  /** @type {Actions["fail"]} */
  function fail(error, retry) {
    if (!isAbort(error)) {
      const message = error instanceof Error ? error.message : String(error);
      store.update({ trouble: { message, retry: retry ?? null } });
    }
  }

  /** @type {Actions["follow"]} */
  function follow(sown) {
    withTree((tree) => {
      const before = game.position(tree);
      let after = game.sow(tree, sown);
      if (store.get().mode !== "explore") {
        // What is played is the main line; what was taken back becomes a variation.
        after = game.promote(after, game.path(after));
      }
      motions += 1;
      jump({ tree: after, motion: { id: motions, before, sown } });
    });
  }

  /** @type {Actions["sow"]} */
  async function sow(choice, onlyIfAt) {
    const { tree, busy } = store.get();
    if (!tree || busy?.kind === "sow" || (onlyIfAt && !samePlace(tree, onlyIfAt))) {
      return false;
    }
    const known = game.childrenAt(tree, game.path(tree)).find((node) => node.sown.choice === choice);
    if (known) {
      follow(known.sown);
      return true;
    }
    const { rules, position } = game.position(tree);
    const signal = callOff();
    store.update({ busy: { kind: "sow", phrase: "Sowing" }, trouble: null });
    try {
      const sown = await engine.ask("sow", { rules, position, choice }, signal);
      if (!samePlace(store.get().tree, tree)) {
        return false;
      }
      follow(sown);
      return true;
    } catch (error) {
      if (!isAbort(error)) {
        store.update({ busy: null });
        fail(error, () => void sow(choice, tree));
      }
      return false;
    }
  }

  /** @type {Actions["newGame"]} */
  async function newGame({ rules, position, players }) {
    const signal = callOff();
    store.update({ busy: { kind: "start", phrase: "Setting up the board" }, trouble: null });
    try {
      const start = await engine.ask("position", { rules, position }, signal);
      jump({ tree: game.newTree(start), players, mode: "play", parked: null, home: null, marks: null });
      return true;
    } catch (error) {
      if (!isAbort(error)) {
        store.update({ busy: null });
        fail(error, () => void newGame({ rules, position, players }));
      }
      return false;
    }
  }

  /** Brings back the game that was stored; false where there is none that can be played. */
  async function restore(/** @type {unknown} */ stored) {
    const saved = savedGameFrom(stored);
    if (!saved) {
      return false;
    }
    const { rules, position, choices, made, players, termination, winner } = saved;
    const signal = callOff();
    store.update({ busy: { kind: "start", phrase: "Setting up the board" } });
    try {
      const { start, plies } = await engine.ask("play", { rules, position, choices }, signal);
      const line = game.fromLine(start, plies);
      const tree = game.end(game.goTo(line, line.line.slice(0, made)), termination, winner);
      jump({ tree, players, mode: "play" });
      return true;
    } catch (error) {
      store.update({ busy: null });
      const refused = !isAbort(error) && !(/** @type {any} */ (error).passing);
      if (refused) {
        return false;
      }
      throw error;
    }
  }

  async function loadPresets() {
    try {
      store.update({ presets: await engine.ask("rules", {}) });
    } catch (error) {
      fail(error, () => {
        store.update({ trouble: null });
        void loadPresets();
      });
    }
  }

  /** @type {Actions["hint"]} */
  async function hint() {
    const state = store.get();
    const { tree } = state;
    if (!tree || state.busy || state.closed || !mode().can("hint", state)) {
      return;
    }
    const { rules, position } = game.position(tree);
    const signal = callOff();
    store.update({ busy: { kind: "hint", phrase: "Looking for a good choice" }, trouble: null, hint: null });
    try {
      const { choice, best } = await engine.ask(
        "choose",
        { rules, position, opponent: "perfect", time: HINT_TIME },
        signal,
      );
      if (samePlace(store.get().tree, tree)) {
        store.update({ busy: null, hint: { position, choice, best } });
      }
    } catch (error) {
      if (!isAbort(error)) {
        store.update({ busy: null });
        fail(error, () => void hint());
      }
    }
  }

  /** @type {Actions["openGame"]} */
  function openGame(read, at = []) {
    const state = store.get();
    const { mode: name, tree, players } = state;
    // A game in which nobody has sown is nothing to go back to.
    const untouched = !tree || (name === "play" && tree.children.length === 0);
    const parked = name === "explore" ? state.parked : untouched ? null : { mode: name, tree, players };
    const opened = game.goTo(game.fromGame(read), at);
    jump({ tree: opened, players: personsOf(read.tags), mode: "explore", parked, home: ordinary(state), marks: null });
  }

  /** @type {Actions["enter"]} */
  function enter(name, tree, players) {
    jump({ mode: name, tree, players, parked: null, home: ordinary(store.get()), marks: null });
  }

  /** Both sides sown by hand, whoever plays the game. @type {Actions["explore"]} */
  function explore() {
    withTree((tree) => {
      const state = store.get();
      const { mode: name, players } = state;
      if (name !== "explore") {
        const byHand = (/** @type {Player} */ player) => (player.kind === "person" ? player : PERSON);
        jump({
          mode: "explore",
          players: { south: byHand(players.south), north: byHand(players.north) },
          parked: { mode: name, tree, players },
          home: ordinary(state),
        });
      }
    });
  }

  /** @param {Parked} waiting */
  const goBackTo = (waiting) => {
    const { home } = store.get();
    jump({ ...waiting, parked: null, home: waiting.mode === "play" ? null : home, marks: null });
  };

  return {
    choose: (choice) => mode().choose(choice),
    sow,
    follow,
    undo: () => mode().undo(),
    redo: () => mode().redo(),
    goTo: (path) => withTree((tree) => jump({ tree: game.goTo(tree, path) })),
    newGame,
    rematch: () => mode().rematch(),
    resign: () => mode().resign(),
    hint: () => void hint(),
    openGame,
    editTree: (change) =>
      withTree((tree) => {
        const edited = change(tree);
        if (samePlace(tree, edited)) {
          store.update({ tree: edited });
        } else {
          jump({ tree: edited });
        }
      }),
    explore,
    resume() {
      const { parked } = store.get();
      if (parked) {
        goBackTo(parked);
      }
    },
    goHome() {
      const { mode: name, home } = store.get();
      if (name !== "play" && home) {
        goBackTo(home);
      }
    },
    playFromHere(players) {
      withTree((tree) => {
        const state = store.get();
        const wanted = players ?? state.parked?.players ?? state.players;
        const here = game.result(tree) ? tree : game.cutHere(tree);
        jump({ tree: here, mode: "play", players: wanted, parked: null, home: null });
      });
    },
    enter,
    refresh: () => store.update({}),
    setMarks: (marks) => store.update({ marks }),
    setClosed(closed) {
      if (closed !== store.get().closed) {
        store.update({ closed });
      }
    },
    setSettings: (change) => store.update({ settings: { ...store.get().settings, ...change } }),
    openPanel: (panel) => store.update({ panel }),
    openDialog(id) {
      if (store.get().presets.length === 0) {
        void loadPresets();
      }
      openDialog(id);
    },
    fail,
    dismiss: () => store.update({ trouble: null }),
    motionEnded(id) {
      if (store.get().motion?.id === id) {
        store.update({ motion: null });
      }
    },
    restore,
    loadPresets,
  };
}
