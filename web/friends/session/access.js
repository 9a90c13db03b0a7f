/** The access to the player's games that the browser stores, so that the player can return to them. */

import { changeStored, load, onOtherTabChange } from "../../storage/values.js";

/** @import { FriendState, GameAccess, StoredAccess } from "../../types/friend.d.ts" */

/** The key of the stored access in the browser's storage. */
const STORAGE_KEY = "game-access";

/** The most games whose access the browser stores: those of which the server sends summaries. */
const MAX_STORED_GAMES = 64;

/** The identifiers of games and the tokens of players, as the server writes them. */
const IDENTIFIER = /^[\w-]{22}$/;

/** The number of random bytes in a token. */
const TOKEN_BYTES = 16;

/**
 * Returns the valid entries of a stored value, the latest game first.
 *
 * @param {unknown} stored
 * @returns {StoredAccess[]}
 */
export function parseStoredAccess(stored) {
  const list = /** @type {any[]} */ (Array.isArray(stored) ? stored : []);
  const isIdentifier = (/** @type {unknown} */ value) =>
    typeof value === "string" && IDENTIFIER.test(value);
  return list
    .filter((access) => isIdentifier(access?.game) && isIdentifier(access.token))
    .map(({ game, token, isJoining, hasSeenEnd }) => ({
      game,
      token,
      isJoining: isJoining === true,
      hasSeenEnd: hasSeenEnd === true,
    }))
    .slice(0, MAX_STORED_GAMES);
}

/**
 * Returns the list with this access, first unless the game is in it. A list that is too long loses
 * the oldest game whose end the player has seen, or that the player has not joined; the oldest of
 * all if there is no such one.
 *
 * @param {readonly StoredAccess[]} list
 * @param {StoredAccess} access
 * @returns {StoredAccess[]}
 */
export function withAccess(list, access) {
  if (list.some(({ game }) => game === access.game)) {
    return list.map((other) => (other.game === access.game ? access : other));
  }
  if (list.length < MAX_STORED_GAMES) {
    return [access, ...list];
  }
  const done = list.findLastIndex(({ hasSeenEnd, isJoining }) => hasSeenEnd || isJoining);
  const dropped = done < 0 ? list.length - 1 : done;
  return [access, ...list.filter((_, index) => index !== dropped)];
}

/**
 * @param {readonly StoredAccess[]} list
 * @param {string} game
 * @returns {StoredAccess[]} the list without the access to that game
 */
export const withoutAccess = (list, game) => list.filter((access) => access.game !== game);

/** Returns the stored access, the latest game first. */
export const storedAccess = () => parseStoredAccess(load(STORAGE_KEY));

/** Returns the stored access to the games in which the player has a seat. */
export const ownAccess = () => storedAccess().filter(({ isJoining }) => !isJoining);

/**
 * Returns the player's token of a game; `null` without a seat in it.
 *
 * @param {string} game
 */
export const ownToken = (game) => ownAccess().find((access) => access.game === game)?.token ?? null;

/**
 * Returns the token for which the page has requested the free seat of a game without getting a
 * response.
 *
 * @param {string} game
 */
export const joiningToken = (game) =>
  storedAccess().find((access) => access.isJoining && access.game === game)?.token ?? null;

/** Returns a random token in base64url, which the server accepts for a free seat. */
export function randomToken() {
  const bytes = crypto.getRandomValues(new Uint8Array(TOKEN_BYTES));
  const text = btoa(String.fromCharCode(...bytes));
  return text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

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
 * Replaces the access to a game by that to its rematch.
 *
 * @param {StoredAccess} access
 * @param {string} rematch
 */
export const followRematch = (access, rematch) =>
  changeAccess((list) =>
    withAccess(withoutAccess(list, access.game), {
      ...access,
      game: rematch,
      hasSeenEnd: false,
    }),
  );

/**
 * Calls a listener after another tab has changed the stored access.
 *
 * @param {() => void} listener
 */
export const onOtherAccess = (listener) => onOtherTabChange(STORAGE_KEY, listener);

/**
 * Stores the access to the game on the board, and whether the player has seen its end.
 *
 * @param {FriendState} state
 */
export async function storeAccess({ access, snapshot }) {
  if (access?.token && snapshot) {
    const { game, token } = access;
    const hasSeenEnd = snapshot.ending !== null;
    await rememberAccess({ game, token, isJoining: false, hasSeenEnd });
  }
}

/**
 * Forgets the access to a game that does not exist or whose token is wrong.
 *
 * @param {GameAccess} access
 */
export function forgetAccess(access) {
  // A refused spectator of a game without a token does not lose the stored one.
  return changeAccess((list) =>
    list.filter(
      ({ game, token }) =>
        game !== access.game || (access.token !== null && token !== access.token),
    ),
  );
}
