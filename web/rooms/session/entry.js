/** The request with which a person becomes a member of a room. */

import { EngineError } from "../../engine/errors.js";
import { fetchJson } from "../../engine/http.js";
import { randomToken } from "../../friends/session/access.js";
import { texts } from "../../texts/texts.js";
import { accessTo, rememberRoom } from "./access.js";

/** @import { RoomAccess } from "../../types/room.d.ts" */

/** The texts of the problems with which the server refuses a member, by their types. */
const REFUSALS = new Map([
  ["/problems/member-removed", texts.rooms.refusals.removed],
  ["/problems/name-taken", texts.rooms.nameTaken],
]);

/**
 * Returns the reason of a refusal in the page's language; the error itself for any other failure.
 *
 * @param {unknown} error
 */
function reasonOf(error) {
  const text = error instanceof EngineError ? REFUSALS.get(error.problem.type) : undefined;
  return text === undefined ? error : new Error(text, { cause: error });
}

/**
 * Enters a room. The token is stored before the request, so that a repeated request gives the same
 * member after a lost response or a reload.
 *
 * @param {RoomAccess} access
 * @param {string} name
 * @returns {Promise<RoomAccess>}
 */
export async function enterRoom(access, name) {
  // Another tab may have stored a token by now.
  const token = access.token ?? accessTo(access.code).token ?? randomToken();
  await rememberRoom({ ...access, token, isEntering: true });
  try {
    await fetchJson(`rooms/${access.code}/enter`, { body: { token, name } });
  } catch (error) {
    throw reasonOf(error);
  }
  const entered = { ...access, token, isEntering: false };
  await rememberRoom(entered);
  return entered;
}
