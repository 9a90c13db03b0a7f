/** The page's address: a link in it is opened, and while a game is looked at, the address is the link to it. */

import { readFragment } from "./link.js";
import { fragmentOf, openLinked } from "./records.js";

/** @import { App, State } from "./app.d.ts" */

/** The longest fragment that the address is given by itself, in characters; a copied link may be longer. */
const LONGEST = 2_000;

/**
 * Opens the game that the address holds, if it holds one.
 *
 * @param {App} app
 */
async function follow(app) {
  const link = readFragment(window.location.hash);
  if (link.kind === "broken") {
    app.actions.fail(new Error(link.message));
  } else if (link.kind === "game") {
    try {
      await openLinked(app, link);
    } catch (error) {
      app.actions.fail(error);
    }
  }
}

/** @param {string} fragment with its `#`, or nothing */
function show(fragment) {
  const { pathname, search, hash } = window.location;
  if (hash !== fragment) {
    // No step of its own in the browser's history: going back leads to where the page was come from.
    window.history.replaceState(null, "", pathname + search + fragment);
  }
}

/**
 * The fragment of a state, null if it is none of this module's business.
 *
 * @param {State} state
 * @returns {string | null}
 */
function fragmentFor({ mode, tree }) {
  const { kind } = readFragment(window.location.hash);
  if (kind === "friend" || kind === "watch") {
    // A seat in a friend's game stays: the page comes back to it.
    return null;
  }
  if (mode === "explore" && tree) {
    const fragment = fragmentOf(tree);
    return fragment.length > LONGEST ? "" : fragment;
  }
  return mode === "play" && kind === "game" ? "" : null;
}

/** @param {App} app */
export async function startAddress(app) {
  window.addEventListener("hashchange", () => void follow(app));
  await follow(app);
  app.subscribe((state, previous) => {
    if (state.tree !== previous.tree || state.mode !== previous.mode) {
      const fragment = fragmentFor(state);
      if (fragment !== null) {
        show(fragment);
      }
    }
  });
}
