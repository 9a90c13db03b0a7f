/** Members of a room without a page: they use the API, and keep a record of what they play. */

import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

/** @import { RoomSnapshot } from "../../../types/room.d.ts" */

/** The delay between two looks at a game, in milliseconds. */
const DELAY_MS = 20;

/** The moves that were sent, by game and by the number of the ply from 1. */
export class MoveRecord {
  /** @type {Map<string, Map<number, string>>} */
  #games = new Map();

  /** @param {string} game @param {number} ply @param {string} move */
  add(game, ply, move) {
    const moves = this.#games.get(game) ?? new Map();
    this.#games.set(game, moves.set(ply, move));
  }

  /** Returns the numbers and the moves of the plies of a game in order. @param {string} game */
  plies(game) {
    return [...(this.#games.get(game) ?? [])].sort(([one], [other]) => one - other);
  }

  /** Returns the moves of a game in order. @param {string} game */
  moves(game) {
    return this.plies(game).map(([, move]) => move);
  }

  /** Returns the number of games. */
  get size() {
    return this.#games.size;
  }
}

/** A member of a room who plays the first legal move. */
export class Bot {
  token = randomBytes(16).toString("base64url");

  /**
   * @param {{ readonly url: string }} server
   * @param {string} code
   * @param {string} name
   * @param {MoveRecord} record
   */
  constructor(server, code, name, record) {
    this.server = server;
    this.code = code;
    this.name = name;
    this.record = record;
    this.number = 0;
    this.hasStopped = false;
  }

  /**
   * Sends a request, and returns `null` if the server does not answer or refuses it.
   *
   * @param {string} path
   * @param {unknown} [body]
   * @returns {Promise<any>}
   */
  async request(path, body) {
    const headers = {
      authorization: `Bearer ${this.token}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    };
    try {
      const response = await fetch(`${this.server.url}api/v1/${path}`, {
        headers,
        ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
      });
      return response.ok ? await response.json() : null;
    } catch {
      return null;
    }
  }

  /** Enters the room. */
  async enter() {
    const body = { token: this.token, name: this.name };
    const entered = await this.request(`rooms/${this.code}/enter`, body);
    this.number = entered.member;
  }

  /** Leaves the room. */
  leave() {
    return this.request(`rooms/${this.code}/commands`, { command: "leave" });
  }

  /** Returns the room as this member sees it. @returns {Promise<RoomSnapshot | null>} */
  room() {
    return this.request(`rooms/${this.code}`);
  }

  /**
   * Plays in a round until there is no own game that runs, or until `hasStopped` is set.
   *
   * @param {number} round
   * @param {() => boolean} [mayMove] whether the bot goes on
   */
  async play(round, mayMove = () => true) {
    while (!this.hasStopped) {
      const room = await this.room();
      if (room && room.round >= round) {
        const game = room.games.find(
          ({ south, north, ending }) =>
            ending === null && [south, north].includes(this.number ?? 0),
        );
        if (!game) {
          return;
        }
        if (mayMove()) {
          await this.move(game.game);
        }
      }
      await sleep(DELAY_MS);
    }
  }

  /** Makes a move if it is the own turn. @param {string} game */
  async move(game) {
    const state = await this.request(`games/${game}`);
    if (!state || state.ending || state.you !== state.to_move) {
      return;
    }
    const ply = state.plies.length + 1;
    const [move] = state.position.legal_moves;
    this.record.add(game, ply, move);
    await this.request(`games/${game}/plies`, { ply, move });
  }
}
