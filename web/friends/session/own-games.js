/** The player's games on the server: which ones go on, and which ones wait for the player. */

import { EngineError } from "../../engine/errors.js";
import { fetchJson } from "../../engine/http.js";
import { followRematch, forgetAccess, ownAccess } from "./access.js";
import { gamePhase } from "../state.js";

/** @import { FriendState, GameSummary, OwnGame, StoredAccess } from "../../types/friend.d.ts" */

/** The most rematches that the page follows at once; more follow with the next search. */
const MAX_REMATCHES = 8;

/**
 * Returns whether the list of the own games has a game.
 *
 * @param {StoredAccess} access
 * @param {GameSummary} summary
 */
function isListed({ hasSeenEnd }, summary) {
  const phase = gamePhase(summary);
  return phase === "open" || phase === "rematch-offered" || !hasSeenEnd;
}

/**
 * Returns the games to which the player can return, the latest first, and forgets those that the
 * server does not know; `null` if the server does not answer.
 *
 * @returns {Promise<OwnGame[] | null>}
 */
export async function findOwnGames() {
  for (let round = 0; round < MAX_REMATCHES; round += 1) {
    const list = ownAccess();
    const summaries = await fetchSummaries(list);
    if (!summaries) {
      return null;
    }
    /** @type {OwnGame[]} */
    const games = [];
    let hasRematch = false;
    for (const [index, access] of list.entries()) {
      const summary = summaries[index];
      if (summary?.rematch.game) {
        await followRematch(access, summary.rematch.game);
        hasRematch = true;
      } else if (!summary) {
        await forgetAccess(access);
      } else if (isListed(access, summary)) {
        games.push({ access: { game: access.game, token: access.token }, summary });
      }
    }
    if (!hasRematch) {
      return games;
    }
  }
  return null;
}

/**
 * @param {readonly { game: string, token: string }[]} list
 * @returns {Promise<(GameSummary | null)[] | null>}
 */
async function fetchSummaries(list) {
  if (list.length === 0) {
    return [];
  }
  const games = list.map(({ game, token }) => ({ game, token }));
  try {
    /** @type {{ games: (GameSummary | null)[] }} */
    const response = await fetchJson("games/summaries", { body: { games } });
    return response.games;
  } catch (error) {
    if (error instanceof EngineError) {
      return null;
    }
    throw error;
  }
}

/**
 * Returns whether a game waits for the player: for a move, or for the answer to an offer.
 *
 * @param {Pick<GameSummary, "you" | "to_move" | "ending" | "takeback" | "rematch" | "free_seat">} game
 */
export function isWaiting({ you, to_move: mover, ending, takeback, rematch, free_seat: free }) {
  const hasOffer = (/** @type {GameSummary["takeback"] | GameSummary["rematch"]} */ offer) =>
    offer.offered_by !== null && offer.offered_by !== you;
  if (ending) {
    return hasOffer(rematch);
  }
  return free === null && (mover === you || hasOffer(takeback));
}

/**
 * Returns the number of games that wait for the player. The game on the board is as its last message
 * says.
 *
 * @param {Pick<FriendState, "ownGames" | "snapshot">} state
 */
export function waitingCount({ ownGames, snapshot }) {
  const others = ownGames.filter(({ access }) => access.game !== snapshot?.game);
  const isHere = Boolean(snapshot?.you) && snapshot !== null && isWaiting(snapshot);
  return others.filter(({ summary }) => isWaiting(summary)).length + Number(isHere);
}
