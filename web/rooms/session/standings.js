/** The requests for the standings of the open room, while the page shows them. */

import { EngineError } from "../../engine/errors.js";
import { fetchJson } from "../../engine/http.js";
import { ROOM_MODE, ROOM_PANEL_ID } from "../state.js";

/** @import { Standings } from "../../types/room.d.ts" */
/** @import { RoomSessionData } from "./session.js" */

/** The least time between two requests, in milliseconds. */
const INTERVAL_MS = 5_000;

/**
 * Returns whether the page shows standings that have changed on the server.
 *
 * @param {RoomSessionData} session
 */
function isDue({ app, store }) {
  const { room, standings, connectionStatus } = store.get();
  const { mode, panel } = app.state();
  const isVisible = !document.hidden && (mode === ROOM_MODE || panel === ROOM_PANEL_ID);
  const isShown = isVisible && connectionStatus !== "denied";
  return isShown && room !== null && room.standings_revision !== standings?.revision;
}

/**
 * Requests the standings whenever they have changed and the page shows them.
 *
 * @param {RoomSessionData} session
 */
export function startStandings(session) {
  const { app, store } = session;
  let isWaiting = false;
  /** The room of the last request, whose standings are known. */
  let code = "";

  async function request() {
    const { room, access } = store.get();
    if (!room) {
      return;
    }
    code = room.code;
    // With a token the room answers also while others at this address guess codes.
    const token = access?.token ?? access?.leader;
    try {
      /** @type {Standings} */
      const standings = await fetchJson(`rooms/${code}/standings`, { ...(token && { token }) });
      if (store.get().room?.code === code) {
        store.update({ standings });
      }
    } catch (error) {
      // The next change, or the next interval, repeats the request.
      if (!(error instanceof EngineError)) {
        throw error;
      }
    }
  }

  function update() {
    const isOther = store.get().room?.code !== code;
    if (!isDue(session) || (isWaiting && !isOther)) {
      return;
    }
    isWaiting = true;
    void request();
    setTimeout(() => {
      isWaiting = false;
      update();
    }, INTERVAL_MS);
  }
  store.subscribe(update);
  app.subscribe(update);
  document.addEventListener("visibilitychange", update);
}
