/**
 * The page's address: a link in it is opened, and while a game is looked at, the address is the link to it. The seats of
 * games with friends stand in it too; `friends/session.js` takes them.
 */

import { EngineError } from "../engine/errors.js";
import { parseFragment, withFragment } from "./link.js";
import { gameFragment, loadLinkedGame } from "./records.js";

/** @import { App, State } from "../types/app.d.ts" */

/** The longest fragment that the address is given by itself, in characters; a copied link may be longer. */
const MAX_FRAGMENT_LENGTH = 2_000;

/** The fragment that the address had last when it could be read. */
let lastValidFragment = "";

/** The fragment of the game that is being opened: until it is there, the board has nothing to say to the address. */
let loadingFragment = /** @type {string | null} */ (null);

/**
 * Sets the fragment, and opens nothing by that.
 *
 * @param {string} fragment with its `#`, or nothing
 * @param {{ addHistoryEntry?: boolean }} [how] whether going back in the browser leads to the address as it was
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
 * Opens what the address holds, if it is for this module.
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
      // Meanwhile the address may say something else.
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
        error instanceof EngineError
          ? new Error(`The game of this link cannot be opened: ${error.message}`)
          : error,
      );
    }
  } else if (link.kind === "none") {
    app.actions.resumeLocalGame();
  } else if (!app.hasFriendGames) {
    setFragment("");
    app.actions.showError(
      new Error("This copy of the page has no server, and no games with friends."),
    );
  }
}

/**
 * The fragment of a state, null if it is none of this module's business.
 *
 * @param {State} state
 * @returns {string | null}
 */
function fragmentFor({ mode, tree, presets }) {
  const { kind } = parseFragment(window.location.hash);
  if (kind === "friend" || kind === "watch") {
    // A seat in a friend's game stays: the page comes back to it.
    return null;
  }
  if (mode === "explore" && tree) {
    const fragment = gameFragment(tree, presets);
    return fragment.length > MAX_FRAGMENT_LENGTH ? "" : fragment;
  }
  return mode === "play" && kind === "game" ? "" : null;
}

/**
 * Has the address say what is on the board.
 *
 * @param {State} state
 */
function updateAddress(state) {
  const fragment = loadingFragment === window.location.hash ? null : fragmentFor(state);
  if (fragment !== null) {
    // No step of its own: going back leads to where the page was come from.
    setFragment(fragment);
  }
}

/** @param {App} app */
export async function startAddress(app) {
  window.addEventListener("hashchange", () => void openAddress(app));
  await openAddress(app);
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
