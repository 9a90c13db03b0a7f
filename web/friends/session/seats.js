/** The requests for seats: the free one of a game, and the way of a player to another device. */

import { EngineError } from "../../engine/errors.js";
import { fetchJson } from "../../engine/http.js";
import { texts } from "../../texts/texts.js";
import { forgetAccess, joiningToken, randomToken, rememberAccess } from "./access.js";

/** @import { OwnAccess } from "../../types/friend.d.ts" */

/** The status of a request that comes too late, because another person has taken the seat. */
const CONFLICT = 409;

/** The status of a code that was used or is too old. */
const FORBIDDEN = 403;

/** Returns whether a refusal has the state of a game that is over. @param {EngineError} error */
function isOver({ problem }) {
  const state = /** @type {{ state?: { ending: unknown } }} */ (problem).state;
  return Boolean(state?.ending);
}

/**
 * Takes the free seat of a game. The token is stored before the request, so that a repeated request
 * gets the same seat after a lost response or a reload.
 *
 * @param {string} game
 * @param {string} name the name of the player, or empty
 * @param {boolean} shares whether the player lets the game count in the statistics of the server
 * @returns {Promise<OwnAccess>}
 */
export async function takeFreeSeat(game, name, shares) {
  const token = joiningToken(game) ?? randomToken();
  await rememberAccess({ game, token, isJoining: true, hasSeenEnd: false });
  try {
    await fetchJson(`games/${game}/join`, {
      body: { token, ...(name && { name }), ...(shares && { shares }) },
    });
  } catch (error) {
    if (error instanceof EngineError && !error.isTemporary) {
      await forgetAccess({ game, token });
      if (error.problem.status === CONFLICT && !isOver(error)) {
        throw new Error(texts.friends.seatTaken, { cause: error });
      }
    }
    throw error;
  }
  await rememberAccess({ game, token, isJoining: false, hasSeenEnd: false });
  return { game, token };
}

/**
 * Takes the seat of the player who has created a code on another device.
 *
 * @param {string} game
 * @param {string} code
 * @returns {Promise<OwnAccess>}
 */
export async function takeSeatByCode(game, code) {
  try {
    /** @type {{ token: string }} */
    const { token } = await fetchJson(`games/${game}/seat`, { body: { code } });
    await rememberAccess({ game, token, isJoining: false, hasSeenEnd: false });
    return { game, token };
  } catch (error) {
    if (error instanceof EngineError && error.problem.status === FORBIDDEN) {
      throw new Error(texts.friends.seatCodeUsed, { cause: error });
    }
    throw error;
  }
}

/**
 * Creates a code with which another device of the player takes the seat, once.
 *
 * @param {OwnAccess} access
 * @returns {Promise<{ code: string, expires_in_s: number }>}
 */
export const createSeatCode = ({ game, token }) =>
  fetchJson(`games/${game}/seat-code`, { token, body: {} });
