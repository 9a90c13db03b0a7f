/**
 * The page's address: opens the game of a link, and shows the link to the game in mode `explore`.
 * The address of a game with a friend belongs to `friends/session/session.js`, and that of a room to
 * `rooms/session/session.js`.
 */

import { EngineError } from "../engine/errors.js";
import { texts } from "../texts/texts.js";
import { isFriendLink, isRoomLink, parseFragment, withFragment } from "./link.js";
import { gameFragment, loadLinkedGame } from "./records.js";

/** @import { App, State } from "../types/app.d.ts" */

/**
 * The longest fragment that the page writes into its address, in characters. Links that a person
 * copies may be longer.
 */
const MAX_FRAGMENT_LENGTH = 2_000;

/** The last fragment that could be parsed. */
let lastValidFragment = "";

/**
 * The fragment of the game that is being loaded. The page does not change the address until it has
 * loaded.
 */
let loadingFragment = /** @type {string | null} */ (null);

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
 * Opens the game of the address unless it is a game with a friend or a room.
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
  if (link.kind === "game") {
    const finishLoading = () => {
      loadingFragment = loadingFragment === hash ? null : loadingFragment;
    };
    loadingFragment = hash;
    try {
      const linked = await loadLinkedGame(app, link);
      finishLoading();
      // The address may have changed during the request.
      if (linked && window.location.hash === hash) {
        app.actions.openGame(linked.game, linked.path);
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
      updateAddress(app.state());
      app.actions.showError(
        error instanceof EngineError ? new Error(texts.links.cannotOpen(error.message)) : error,
      );
    }
  } else if (link.kind === "none") {
    app.actions.resumeLocalGame();
  } else if (!app.hasFriendGames) {
    setFragment("");
    app.actions.showError(new Error(texts.links.noServer));
  }
}

/**
 * Returns the fragment for a state, or `null` if the address must not change.
 *
 * @param {State} state
 * @returns {string | null}
 */
function fragmentFor({ mode, tree, presets }) {
  const link = parseFragment(window.location.hash);
  if (isFriendLink(link) || isRoomLink(link)) {
    // The address of a game with a friend or of a room stays, so that the page can return to it.
    return null;
  }
  if (mode === "explore" && tree) {
    const fragment = gameFragment(tree, presets);
    return fragment.length > MAX_FRAGMENT_LENGTH ? "" : fragment;
  }
  return mode === "play" && link.kind === "game" ? "" : null;
}

/**
 * Updates the address to show the game on the board.
 *
 * @param {State} state
 */
function updateAddress(state) {
  const fragment = loadingFragment === window.location.hash ? null : fragmentFor(state);
  if (fragment !== null) {
    // The update adds no history entry, so that the back button leaves the page's game.
    setFragment(fragment);
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
      state.presets !== previous.presets
    ) {
      updateAddress(state);
    }
  });
}
