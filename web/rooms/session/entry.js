/** The request with which a person becomes a member of a room. */

import { EngineError } from "../../engine/errors.js";
import { fetchJson } from "../../engine/http.js";
import { randomToken } from "../../friends/session/access.js";
import { texts } from "../../texts/texts.js";
import { rememberRoom } from "./access.js";

/** @import { RoomAccess } from "../../types/room.d.ts" */

/** The statuses of a request of a removed member, and of a name that another member has. */
const FORBIDDEN = 403;
const CONFLICT = 409;

/** The reasons of refusals by their statuses. @type {ReadonlyMap<number, string>} */
const REASONS = new Map([
  [FORBIDDEN, texts.rooms.refusals.removed],
  [CONFLICT, texts.rooms.nameTaken],
]);

/**
 * Enters a room. The token is stored before the request, so that a repeated request gives the same
 * member after a lost response or a reload.
 *
 * @param {RoomAccess} access
 * @param {string} name
 * @returns {Promise<RoomAccess>}
 */
export async function enterRoom(access, name) {
  const token = access.token ?? randomToken();
  await rememberRoom({ ...access, token, isEntering: true });
  try {
    await fetchJson(`rooms/${access.code}/enter`, { body: { token, name } });
  } catch (error) {
    const reason = error instanceof EngineError ? REASONS.get(error.problem.status) : undefined;
    throw reason === undefined ? error : new Error(reason, { cause: error });
  }
  const entered = { ...access, token, isEntering: false };
  await rememberRoom(entered);
  return entered;
}
