/** The access to rooms that the browser stores: the tokens of a member and of a leader, by code. */

import { changeStored, load, onOtherTabChange } from "../../storage/values.js";
import { parseCode } from "../codes.js";

/** @import { RoomAccess } from "../../types/room.d.ts" */

/** The key of the stored access in the browser's storage. */
const STORAGE_KEY = "room-access";

/** The most rooms whose access the browser stores. */
const MAX_STORED_ROOMS = 32;

/** The tokens, as the server writes them. */
const TOKEN = /^[\w-]{22}$/;

/** The longest name of a room that is stored, in characters. */
const MAX_NAME_LENGTH = 100;

/** @param {unknown} value */
const tokenOf = (value) => (typeof value === "string" && TOKEN.test(value) ? value : null);

/**
 * Returns the valid entries of a stored value, the latest room first.
 *
 * @param {unknown} stored
 * @returns {RoomAccess[]}
 */
export function parseStoredRooms(stored) {
  const list = /** @type {any[]} */ (Array.isArray(stored) ? stored : []);
  return list
    .filter((access) => typeof access?.code === "string" && parseCode(access.code) === access.code)
    .map(({ code, name, token, leader, isEntering }) => ({
      code,
      name: typeof name === "string" ? name.slice(0, MAX_NAME_LENGTH) : "",
      token: tokenOf(token),
      leader: tokenOf(leader),
      isEntering: isEntering === true,
    }))
    .filter(({ token, leader }) => token !== null || leader !== null)
    .slice(0, MAX_STORED_ROOMS);
}

/**
 * Returns the list with this access, first unless the room is in it, whose other tokens stay. A list that
 * is too long loses the oldest room that the person does not lead; the oldest of all if there is no such
 * one.
 *
 * @param {readonly RoomAccess[]} list
 * @param {RoomAccess} access
 * @returns {RoomAccess[]}
 */
export function withRoom(list, access) {
  if (list.some(({ code }) => code === access.code)) {
    return list.map((other) =>
      other.code === access.code
        ? {
            ...access,
            token: access.token ?? other.token,
            leader: access.leader ?? other.leader,
          }
        : other,
    );
  }
  if (list.length < MAX_STORED_ROOMS) {
    return [access, ...list];
  }
  const visited = list.findLastIndex(({ leader }) => leader === null);
  const dropped = visited < 0 ? list.length - 1 : visited;
  return [access, ...list.filter((_, index) => index !== dropped)];
}

/**
 * @param {readonly RoomAccess[]} list
 * @param {string} code
 * @returns {RoomAccess[]} the list without the access to that room
 */
export const withoutRoom = (list, code) => list.filter((access) => access.code !== code);

/**
 * Returns the list without a token that the server refuses.
 *
 * @param {readonly RoomAccess[]} list
 * @param {string} refused
 * @returns {RoomAccess[]}
 */
export const withoutToken = (list, refused) =>
  list
    .map((access) => ({
      ...access,
      token: access.token === refused ? null : access.token,
      leader: access.leader === refused ? null : access.leader,
    }))
    .filter(({ token, leader }) => token !== null || leader !== null);

/** Returns the stored access, the latest room first. */
export const storedRooms = () => parseStoredRooms(load(STORAGE_KEY));

/**
 * Returns the access to a room; without tokens if none is stored.
 *
 * @param {string} code
 * @returns {RoomAccess}
 */
export const accessTo = (code) =>
  storedRooms().find((access) => access.code === code) ?? {
    code,
    name: "",
    token: null,
    leader: null,
    isEntering: false,
  };

/**
 * Calls a listener after another tab has changed the stored access.
 *
 * @param {() => void} listener
 */
export const onOtherRooms = (listener) => onOtherTabChange(STORAGE_KEY, listener);

/**
 * Changes the stored access.
 *
 * @param {(list: RoomAccess[]) => RoomAccess[]} change
 */
const changeRooms = (change) =>
  changeStored(STORAGE_KEY, (stored) => change(parseStoredRooms(stored)));

/** Stores an access that has a token. @param {RoomAccess} access */
export const rememberRoom = (access) => changeRooms((list) => withRoom(list, access));

/** Stores the name of a room whose access is stored. @param {string} code @param {string} name */
export const rememberRoomName = (code, name) =>
  changeRooms((list) =>
    list.map((access) => (access.code === code ? { ...access, name } : access)),
  );

/** @param {string} refused */
export const forgetToken = (refused) => changeRooms((list) => withoutToken(list, refused));

/** @param {string} code */
export const forgetRoom = (code) => changeRooms((list) => withoutRoom(list, code));
