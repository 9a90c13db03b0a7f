/**
 * The page's address: opens the game of a link, and shows the link to the game in mode `explore`.
 * The address of a game with a friend belongs to `friends/session/session.js`, that of a room to
 * `rooms/session/session.js`, and that of a puzzle to `puzzles/address.js`.
 */

import { EngineError } from "../engine/errors.js";
import { path } from "../game/tree.js";
import { texts } from "../texts/texts.js";
import { decompress } from "../sharing/compression.js";
import { isEmbedded } from "../sharing/embedded.js";
import { loadShared } from "../sharing/shared-records.js";
import {
  isFriendLink,
  isRoomLink,
  MAX_FRAGMENT_LENGTH,
  parseFragment,
  sharedFragment,
  withFragment,
} from "./link.js";
import {
  annotatedFragment,
  gameFragment,
  isAnnotated,
  loadLinkedGame,
  readRecord,
} from "./records.js";

/** @import { Link } from "./link.js" */
/** @import { Game } from "../types/api.d.ts" */
/** @import { App, GameTree, State } from "../types/app.d.ts" */

/** The last fragment that could be parsed. */
let lastValidFragment = "";

/**
 * The fragment of the game that is being loaded. The page does not change the address until it has
 * loaded.
 */
let loadingFragment = /** @type {string | null} */ (null);

/**
 * The game that was opened by the address of a record on the server, which stays in the address until
 * the game changes.
 *
 * @type {{ id: string, children: GameTree["children"], comments: string[] } | null}
 */
let openedShared = null;

/** The number of changes of the state; a fragment of an earlier state is not shown. */
let changes = 0;

/**
 * Sets the fragment without opening it.
 *
 * @param {string} fragment with its `#`, or empty
 * @param {{ addHistoryEntry?: boolean }} [options] whether the browser's back button returns to the
 *   previous address
 */
export function setFragment(fragment, { addHistoryEntry = false } = {}) {
  const { href, hash } = window.location;
  lastValidFragment = fragment;
  if (hash !== fragment) {
    const address = withFragment(href, fragment);
    if (addHistoryEntry) {
      window.history.pushState(null, "", address);
    } else {
      window.history.replaceState(null, "", address);
    }
  }
}

/**
 * Returns what a person can do about a link to a game that cannot be opened, and the reason.
 *
 * @param {string} reason
 */
const brokenGame = (reason) => texts.links.withReason(texts.links.advice.game, reason);

/**
 * Returns the game of a link and the path of its current node; `null` if the link holds no game.
 *
 * @param {App} app
 * @param {Link} link
 * @returns {Promise<{ game: Game, path: number[] } | null>}
 */
async function linkedGame(app, link) {
  switch (link.kind) {
    case "game":
      return loadLinkedGame(app, link);
    case "record": {
      const text = await decompress(link.compressed).catch(() => {
        throw new Error(brokenGame(texts.links.recordDamaged));
      });
      return { game: await readRecord(app, text), path: link.path };
    }
    case "shared": {
      const { text } = await loadShared(link.id);
      return { game: await readRecord(app, text), path: link.path };
    }
    case "puzzle":
      return isEmbedded ? loadLinkedGame(app, { ...link, plies: [], at: null }) : null;
    default:
      return null;
  }
}

/**
 * Opens a game in mode `explore`.
 *
 * @param {App} app
 * @param {Link} link
 * @param {{ game: Game, path: number[] }} linked
 */
function openLinked({ actions, state }, link, linked) {
  actions.openGame(linked.game, linked.path);
  const { tree } = state();
  openedShared =
    link.kind === "shared" && tree
      ? { id: link.id, children: tree.children, comments: tree.comments }
      : null;
}

/** Returns whether a link holds a game, or for a frame of another site a puzzle. @param {Link} link */
const isGameLink = ({ kind }) =>
  ["game", "record", "shared"].includes(kind) || (isEmbedded && kind === "puzzle");

/**
 * Opens the game of the address unless it is a game with a friend, a room or a puzzle.
 *
 * @param {App} app
 */
async function openAddress(app) {
  const { hash } = window.location;
  const link = parseFragment(hash);
  if (link.kind === "broken") {
    setFragment(lastValidFragment);
    app.actions.showError(new Error(link.message));
    return;
  }
  lastValidFragment = hash;
  if (isGameLink(link)) {
    const finishLoading = () => {
      loadingFragment = loadingFragment === hash ? null : loadingFragment;
    };
    loadingFragment = hash;
    try {
      const linked = await linkedGame(app, link);
      finishLoading();
      // The address may have changed during the request.
      if (linked && window.location.hash === hash) {
        openLinked(app, link, linked);
      }
    } catch (error) {
      finishLoading();
      if (error instanceof EngineError && error.isTemporary) {
        app.actions.showError(error, () => {
          app.actions.dismissError();
          void openAddress(app);
        });
        return;
      }
      setFragment("");
      void updateAddress(app, app.state());
      app.actions.showError(
        error instanceof EngineError ? new Error(brokenGame(error.message)) : error,
      );
    }
  } else if (link.kind === "none") {
    app.actions.resumeLocalGame();
  } else if (link.kind !== "puzzle" && !app.hasFriendGames) {
    setFragment("");
    app.actions.showError(new Error(isEmbedded ? texts.links.notInFrame : texts.links.noServer));
  }
}

/**
 * Returns the fragment for the game on the board in mode `explore`.
 *
 * @param {App} app
 * @param {State} state
 * @param {GameTree} tree
 */
function exploredFragment(app, state, tree) {
  const { id, children, comments } = openedShared ?? {};
  if (id && tree.children === children && tree.comments === comments) {
    return sharedFragment(id, path(tree));
  }
  return isAnnotated(state, tree)
    ? annotatedFragment(app, state, tree)
    : gameFragment(tree, state.presets);
}

/**
 * Returns the fragment for a state, or `null` if the address must not change. It is a promise if the
 * engine has to write the record.
 *
 * @param {App} app
 * @param {State} state
 * @returns {Promise<string> | string | null}
 */
function fragmentFor(app, state) {
  const { mode, tree } = state;
  const link = parseFragment(window.location.hash);
  if (isFriendLink(link) || isRoomLink(link)) {
    // The address of a game with a friend or of a room stays, so that the page can return to it.
    return null;
  }
  if (mode === "explore" && tree) {
    return exploredFragment(app, state, tree);
  }
  return mode === "play" && (isGameLink(link) || link.kind === "puzzle") ? "" : null;
}

/**
 * Updates the address to show the game on the board.
 *
 * @param {App} app
 * @param {State} state
 */
async function updateAddress(app, state) {
  changes += 1;
  const change = changes;
  const pending = loadingFragment === window.location.hash ? null : fragmentFor(app, state);
  try {
    // A fragment that is known at once is shown before the next event.
    const fragment = pending instanceof Promise ? await pending : pending;
    if (fragment !== null && change === changes) {
      // The update adds no history entry, so that the back button leaves the page's game.
      setFragment(fragment.length > MAX_FRAGMENT_LENGTH ? "" : fragment);
    }
  } catch {
    // Without the engine the address keeps the last game; the next change tries again.
  }
}

/** @param {App} app */
export async function startAddress(app) {
  window.addEventListener("hashchange", () => void openAddress(app));
  if (app.state().mode === "explore") {
    // After a reload the board shows the game of the address already, with its comments.
    lastValidFragment = window.location.hash;
  } else {
    await openAddress(app);
  }
  app.subscribe((state, previous) => {
    if (
      state.tree !== previous.tree ||
      state.mode !== previous.mode ||
      state.grades !== previous.grades ||
      state.presets !== previous.presets
    ) {
      void updateAddress(app, state);
    }
  });
}
