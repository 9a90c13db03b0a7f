/** The access to games that the browser stores, so that the player can return to them. */

import { EngineError } from "../../engine/errors.js";
import { fetchJson } from "../../engine/http.js";
import { changeStored, load, onOtherTabChange } from "../../storage/values.js";
import { friendFragment, watchFragment } from "../../records/link.js";
import { gamePhase } from "../state.js";

/** @import { FriendState, GameAccess, GamePhase, GameSnapshot } from "../../types/friend.d.ts" */
/** @import { StoredAccess } from "../../types/friend.d.ts" */

/** The key of the stored access in the browser's storage. */
const STORAGE_KEY = "game-access";

/** The most games whose access the browser stores. */
const MAX_STORED_GAMES = 8;

/** HTTP statuses of a game that does not exist and of a wrong token. */
const ACCESS_DENIED_STATUSES = new Set([403, 404]);

/**
 * The phases of a game to which the player does not return.
 *
 * @type {readonly GamePhase[]}
 */
const ENDED_PHASES = ["over", "rematch-declined", "rematch-started"];

/**
 * Returns the valid entries of a stored value, the latest game first.
 *
 * @param {unknown} stored
 * @returns {StoredAccess[]}
 */
export function parseStoredAccess(stored) {
  const list = /** @type {any[]} */ (Array.isArray(stored) ? stored : []);
  const isText = (/** @type {unknown} */ value) => typeof value === "string";
  return list
    .filter((access) => isText(access?.game) && isText(access.token))
    .map(({ game, token, friendToken }) => ({
      game,
      token,
      friendToken: isText(friendToken) ? friendToken : null,
    }))
    .slice(0, MAX_STORED_GAMES);
}

/**
 * @param {readonly StoredAccess[]} list
 * @param {StoredAccess} access
 * @returns {StoredAccess[]} the list with this access first
 */
export const withAccess = (list, access) =>
  [access, ...withoutAccess(list, access.game)].slice(0, MAX_STORED_GAMES);

/**
 * @param {readonly StoredAccess[]} list
 * @param {string} game
 * @returns {StoredAccess[]} the list without the access to that game
 */
export const withoutAccess = (list, game) => list.filter((access) => access.game !== game);

/**
 * Returns the fragment of the link to a game.
 *
 * @param {GameAccess} access
 */
export const accessFragment = ({ game, token }) =>
  token ? friendFragment(game, token) : watchFragment(game);

/** Returns the stored access, the latest game first. */
export const storedAccess = () => parseStoredAccess(load(STORAGE_KEY));

/**
 * Changes the stored access.
 *
 * @param {(list: StoredAccess[]) => StoredAccess[]} change
 */
const changeAccess = (change) =>
  changeStored(STORAGE_KEY, (stored) => change(parseStoredAccess(stored)));

/** @param {StoredAccess} access */
export const rememberAccess = (access) => changeAccess((list) => withAccess(list, access));

/**
 * Calls a listener after another tab has changed the stored access.
 *
 * @param {() => void} listener
 */
export const onOtherAccess = (listener) => onOtherTabChange(STORAGE_KEY, listener);

/** Stores the access to a game while the player may return to it. @param {FriendState} state */
export async function storeAccess({ access, snapshot, friendToken }) {
  if (access?.token && snapshot) {
    const { game, token } = access;
    if (ENDED_PHASES.includes(gamePhase(snapshot))) {
      await changeAccess((list) => withoutAccess(list, game));
    } else {
      await rememberAccess({ game, token, friendToken });
    }
  }
}

/**
 * Forgets the access to a game that does not exist or whose token is wrong.
 *
 * @param {GameAccess} access
 */
export function forgetAccess(access) {
  // A link with a wrong token does not invalidate the stored token of the same game.
  return changeAccess((list) =>
    list.filter(
      ({ game, token }) =>
        game !== access.game || (access.token !== null && token !== access.token),
    ),
  );
}

/**
 * Returns the phase of a game, or of the rematch that followed it.
 *
 * @param {{ game: string, token: string }} access
 * @returns {Promise<{ game: string, phase: GamePhase }>}
 */
async function fetchPhase({ game, token }) {
  try {
    /** @type {GameSnapshot} */
    const snapshot = await fetchJson(`games/${game}`, { token });
    const { game: next } = snapshot.rematch;
    return next ? await fetchPhase({ game: next, token }) : { game, phase: gamePhase(snapshot) };
  } catch (error) {
    // Without a response the game may still be open.
    const gone = error instanceof EngineError && ACCESS_DENIED_STATUSES.has(error.problem.status);
    return { game, phase: gone ? "over" : "open" };
  }
}

/**
 * Finds the last game to which the player can return, and forgets the games that are over.
 *
 * @returns {Promise<FriendState["leftGame"]>}
 */
export async function findLeftGame() {
  for (const access of storedAccess()) {
    const { token } = access;
    const { game, phase } = await fetchPhase(access);
    if (phase === "over" || phase === "rematch-declined") {
      await changeAccess((list) => withoutAccess(list, access.game));
    } else if (game !== access.game) {
      const next = { game, token, friendToken: null };
      await changeAccess((list) => withAccess(withoutAccess(list, access.game), next));
    }
    if (phase === "open" || phase === "rematch-offered") {
      return { game, token, phase };
    }
  }
  return null;
}
