/** The requests with which the leader of a room goes on with another device. */

import { EngineError } from "../../engine/errors.js";
import { fetchJson } from "../../engine/http.js";
import { texts } from "../../texts/texts.js";
import { accessTo, rememberRoom } from "./access.js";

/** The status of a code that was used or is too old. */
const FORBIDDEN = 403;

/**
 * Creates a code with which another device leads the room, once.
 *
 * @param {string} code
 * @param {string} leader
 * @returns {Promise<{ code: string, expires_in_s: number }>}
 */
export const createLeaderCode = (code, leader) =>
  fetchJson(`rooms/${code}/leader-code`, { token: leader, body: {} });

/**
 * Stores the access of the leader who has created a code on another device.
 *
 * @param {{ code: string, deviceCode: string }} link
 */
export async function takeLeaderToken({ code, deviceCode }) {
  try {
    /** @type {{ leader_token: string }} */
    const { leader_token: leader } = await fetchJson(`rooms/${code}/leader`, {
      body: { code: deviceCode },
    });
    await rememberRoom({ ...accessTo(code), leader });
  } catch (error) {
    if (error instanceof EngineError && error.problem.status === FORBIDDEN) {
      throw new Error(texts.rooms.leaderCodeUsed, { cause: error });
    }
    throw error;
  }
}
