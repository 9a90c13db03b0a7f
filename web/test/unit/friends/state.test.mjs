import assert from "node:assert/strict";
import { test } from "node:test";

import { timeLeft } from "../../../friends/clock-times.js";
import {
  applyMessage,
  connectionLimitOf,
  connectionText,
  FINAL_REFUSALS,
  friendName,
  gamePhase,
  helloMessage,
  INITIAL_FRIEND_STATE,
  isFriendConnected,
  isOwnTurn,
  isReplyTo,
  maySeeScores,
  refusalOfClose,
  refusalOfStatus,
  retryDelay,
  statusText,
} from "../../../friends/state.js";

/** @param {Record<string, unknown>} [change] @returns {any} */
const snapshot = (change) => ({
  game: "G",
  plies: [],
  position: { is_over: false },
  to_move: "south",
  you: "south",
  names: { south: null, north: null },
  free_seat: null,
  spectator_scores: false,
  statistics: "none",
  clock: null,
  ending: null,
  takeback: { offered_by: null, declined_by: null, plies_left: null },
  rematch: { offered_by: null, declined_by: null, game: null },
  connected: { south: true, north: false },
  ...change,
});

const times = { initial_ms: 60_000, increment_ms: 2_000 };

const clock = {
  times: { south: times, north: times },
  by_correspondence: false,
  south_ms: 60_000,
  north_ms: 50_000,
  running: "south",
  first_move_ms: null,
};

/**
 * Returns the state after a first snapshot.
 *
 * @param {Record<string, unknown>} [change]
 * @returns {any}
 */
const known = (change) =>
  applyMessage(INITIAL_FRIEND_STATE, { type: "state", state: snapshot(change) }, 100);

/** @param {number} ply @param {string} move @param {string} side @returns {any} */
const moveMessage = (ply, move, side) => ({
  type: "move",
  ply,
  result: { move, after: { to_move: side, is_over: false } },
});

test("a move message adds a ply and confirms the pending move", () => {
  const before = { ...known(), pending: { ply: 1, move: "C" } };
  assert.equal(isOwnTurn(before), false);
  const after = applyMessage(before, moveMessage(1, "C", "south"), 200);
  assert.deepEqual(after.snapshot?.plies, ["C"]);
  assert.equal(after.pending, null);
  assert.equal(isOwnTurn(after), true);
  assert.equal(isOwnTurn(applyMessage(after, moveMessage(2, "A", "north"), 300)), false);
});

test("a move message ends the offer of a takeback", () => {
  const takeback = { offered_by: null, declined_by: "north", plies_left: null };
  const after = applyMessage(known({ takeback }), moveMessage(1, "C", "north"), 200);
  assert.equal(after.snapshot?.takeback.declined_by, null);
});

test("a move message with a known ply or a missing predecessor changes nothing", () => {
  const at = known({ plies: ["C"] });
  assert.equal(applyMessage(at, moveMessage(1, "C", "south"), 200), at);
  assert.equal(applyMessage(at, moveMessage(3, "C", "south"), 200), at);
});

test("a pending move survives a reconnection while it is possible", () => {
  const pending = { ply: 1, move: "C" };
  /** @param {Record<string, unknown>} change */
  const after = (change) =>
    applyMessage({ ...known(), pending }, { type: "state", state: snapshot(change) }, 200).pending;
  assert.deepEqual(after({}), pending);
  assert.equal(after({ plies: ["C"], to_move: "north" }), null);
  assert.equal(after({ plies: ["C", "F"] }), null);
  assert.equal(after({ to_move: "north" }), null);
  assert.equal(after({ ending: { termination: "resign", winner: "north" } }), null);
});

test("a problem is shown and removes the pending move", () => {
  const problem = {
    type: "about:blank",
    title: "Conflict",
    status: 409,
    detail: "ply 1 is out of order: expected ply 2",
  };
  const after = applyMessage(
    { ...known(), pending: { ply: 1, move: "C" } },
    { type: "problem", problem, ply: 1 },
    200,
  );
  assert.equal(after.pending, null);
  assert.match(after.error ?? "", /ply 1 is out of order/);
});

test("a pong sets the clock, unless the page knows another number of plies", () => {
  const at = known({ clock });
  const later = /** @type {const} */ ({ ...clock, south_ms: 41_000, running: "south" });
  const pong = /** @type {const} */ ({ type: "pong", plies: 0, clock: later });
  const after = applyMessage(at, pong, 5_000);
  assert.equal(timeLeft(after, "south", 6_000), 40_000);
  assert.equal(applyMessage(at, { ...pong, plies: 1 }, 5_000), at);
  assert.equal(applyMessage(at, { type: "pong" }, 5_000), at);
  assert.equal(applyMessage(INITIAL_FRIEND_STATE, pong, 5_000), INITIAL_FRIEND_STATE);
});

test("every message but a refusal of a move is a reply to a ping", () => {
  const ping = /** @type {const} */ ({ type: "ping" });
  const state = /** @type {const} */ ({ type: "state", state: snapshot() });
  const problem = { type: "about:blank", title: "Late", status: 409, detail: "" };
  assert.equal(isReplyTo(ping, { type: "pong" }), true);
  assert.equal(isReplyTo(ping, state), true);
  assert.equal(isReplyTo(ping, moveMessage(1, "C", "south")), true);
  assert.equal(isReplyTo(ping, { type: "problem", problem }), true);
  assert.equal(isReplyTo(ping, { type: "problem", problem, ply: 1 }), false);
  assert.equal(isReplyTo({ type: "resign" }, { type: "pong" }), false);
});

test("isReplyTo matches messages and replies", () => {
  const state = /** @type {any} */ ({ type: "state", state: snapshot({ plies: ["C"] }) });
  const problem = { type: "about:blank", title: "No", status: 422, detail: "" };
  const first = /** @type {const} */ ({ type: "move", ply: 1, move: "C" });
  const second = /** @type {const} */ ({ type: "move", ply: 2, move: "F" });
  assert.equal(isReplyTo({ type: "hello" }, state), true);
  assert.equal(isReplyTo({ type: "hello" }, moveMessage(1, "C", "south")), false);
  assert.equal(isReplyTo({ type: "resign" }, moveMessage(1, "C", "south")), false);
  assert.equal(isReplyTo({ type: "resign" }, { type: "problem", problem, ply: 1 }), false);
  assert.equal(isReplyTo({ type: "rematch", action: "offer" }, { type: "problem", problem }), true);
  assert.equal(isReplyTo(first, state), true);
  assert.equal(isReplyTo(second, state), false);
  assert.equal(isReplyTo(second, moveMessage(1, "C", "south")), false);
  assert.equal(isReplyTo(second, moveMessage(2, "F", "south")), true);
  assert.equal(isReplyTo(second, { type: "problem", problem, ply: 2 }), true);
  assert.equal(isReplyTo(second, { type: "problem", problem, ply: 1 }), false);
});

test("a spectator has no turn, no token and no friend", () => {
  const watching = known({ you: null });
  assert.equal(isOwnTurn(watching), false);
  assert.equal(isFriendConnected(watching), null);
  assert.equal(isFriendConnected(known()), false);
  assert.deepEqual(helloMessage({ game: "G", token: null }, 3), { type: "hello", since: 3 });
  assert.deepEqual(helloMessage({ game: "G", token: "T" }, 0), {
    type: "hello",
    token: "T",
    since: 0,
  });
});

test("each close code and status has its reason", () => {
  for (const [code, refusal] of /** @type {const} */ ([
    [1006, "unreachable"],
    [1008, "tooManyMessages"],
    [1011, "serverFailed"],
    [1012, "restarting"],
    [1013, "gameFull"],
    [4403, "noAccess"],
    [4404, "noSuchGame"],
    [4409, "replaced"],
    [4429, "addressFull"],
    [1000, "unreachable"],
  ])) {
    assert.equal(refusalOfClose(code), refusal, String(code));
  }
  for (const [status, refusal] of /** @type {const} */ ([
    [0, "unreachable"],
    [400, "noLiveConnection"],
    [403, "noAccess"],
    [404, "noSuchGame"],
    [429, "tooManyMessages"],
    [500, "serverFailed"],
    [502, "serverFailed"],
    [503, "restarting"],
  ])) {
    assert.equal(refusalOfStatus(status), refusal, String(status));
  }
});

test("the connection text has the reason until there is a game", () => {
  /** @param {any} change */
  const text = (change) => connectionText({ ...INITIAL_FRIEND_STATE, ...change });
  assert.equal(text({}), "");
  assert.match(text({ connectionStatus: "connecting" }), /^Connecting to your friend's game/);
  for (const refusal of [
    "gameFull",
    "addressFull",
    "tooManyMessages",
    "restarting",
    "serverFailed",
    "noLiveConnection",
    "unreachable",
  ]) {
    assert.match(text({ connectionStatus: "retrying", refusal }), /\. The page keeps trying\.$/);
    assert.equal(
      text({ connectionStatus: "connecting", refusal }),
      text({ connectionStatus: "retrying", refusal }),
    );
    const before = text({ connectionStatus: "retrying", refusal, snapshot: snapshot() });
    assert.match(before, /^Reconnecting/);
  }
  for (const refusal of FINAL_REFUSALS) {
    assert.doesNotMatch(text({ connectionStatus: "denied", refusal }), /keeps trying/);
  }
  assert.equal(text({ connectionStatus: "connected", snapshot: snapshot() }), "Connected.");
});

test("the reason of too many connections has their number if the server tells it", () => {
  const { addressFull, gameFull } = {
    addressFull: "this address has 2 live connections of spectators, the maximum",
    gameFull: "this game has 256 live connections of spectators, the maximum",
  };
  assert.equal(connectionLimitOf(addressFull), 2);
  assert.equal(connectionLimitOf(gameFull), 256);
  assert.equal(connectionLimitOf(""), null);
  assert.equal(connectionLimitOf("no such game"), null);
  /** @param {"gameFull" | "addressFull"} refusal @param {number | null} connectionLimit */
  const text = (refusal, connectionLimit) =>
    connectionText({ connectionStatus: "retrying", refusal, connectionLimit, snapshot: null });
  assert.match(
    text("gameFull", 256),
    /^This game has 256 live connections, as many as the server allows for one game\./,
  );
  assert.match(
    text("addressFull", 1),
    /^Your network address has 1 live connection, as many as the server allows\./,
  );
  assert.match(text("gameFull", null), /^This game has as many live connections as the server/);
});

test("a problem before the first state leaves the reason to the close code", () => {
  /** @type {any} */
  const problem = { type: "problem", problem: { title: "Too many requests", detail: "full" } };
  assert.equal(applyMessage(INITIAL_FRIEND_STATE, problem, 0).error, null);
  assert.match(applyMessage(known(), problem, 0).error ?? "", /full/);
});

test("retry delays grow up to a limit", () => {
  const pauses = [1, 2, 3, 10, 50].map((tries) => retryDelay(tries, 1));
  assert.deepEqual(pauses, [500, 1_000, 2_000, 15_000, 15_000]);
  assert.equal(retryDelay(1, 0), 250);
});

test("the phase of a game depends on its end and on rematch offers", () => {
  const ending = { termination: "resign", winner: /** @type {const} */ ("south") };
  /**
   * @param {"south" | "north" | null} you
   * @param {"south" | "north" | null} by
   * @param {string | null} [game]
   */
  const ended = (you, by, game = null) =>
    gamePhase({ ending, you, rematch: { offered_by: by, declined_by: null, game } });
  assert.equal(
    gamePhase({
      ending: null,
      you: "south",
      rematch: { offered_by: null, declined_by: null, game: null },
    }),
    "open",
  );
  assert.equal(ended("south", null), "over");
  assert.equal(ended("south", "south"), "rematch-requested");
  assert.equal(ended("south", "north"), "rematch-offered");
  assert.equal(ended("south", "south", "B"), "rematch-started");
  assert.equal(ended(null, "south"), "over", "a spectator has no rematch");
  assert.equal(ended(null, "south", "B"), "rematch-started");
});

test("a phrase is another object each time", () => {
  const message = /** @type {const} */ ({ type: "phrase", side: "north", phrase: "oops" });
  const once = applyMessage(known(), message, 0);
  assert.deepEqual(once.said, { side: "north", phrase: "oops" });
  assert.notEqual(applyMessage(once, message, 0).said, once.said);
  assert.equal(isReplyTo({ type: "phrase", phrase: "oops" }, message), true);
  assert.equal(isReplyTo({ type: "phrase", phrase: "hello" }, message), false);
  assert.equal(isReplyTo({ type: "resign" }, message), false);
});

test("the status says who is missing, and that the first move starts the clock", () => {
  /** @param {Record<string, unknown>} change */
  const status = (change) => statusText({ ...known(change), connectionStatus: "connected" });
  assert.equal(status({}), null);
  assert.match(status({ free_seat: "north" }) ?? "", /has not joined yet/);
  assert.match(status({ free_seat: "north", you: null }) ?? "", /You are watching/);
  const waiting = { ...clock, first_move_ms: 600_000 };
  assert.match(
    status({ clock: waiting }) ?? "",
    /^Your turn: your clock starts after .* in 10 minutes\.$/,
  );
  assert.match(
    status({ clock: waiting, to_move: "north" }) ?? "",
    /^Your friend is to move. Without a first move the game ends in 10 minutes\.$/,
  );
  assert.equal(status({ clock: waiting, you: null }), null);
});

test("spectators see scores if the players allow it, and players do not", () => {
  assert.equal(maySeeScores(snapshot({ you: null, spectator_scores: true })), true);
  assert.equal(maySeeScores(snapshot({ you: null })), false);
  assert.equal(maySeeScores(snapshot({ spectator_scores: true })), false);
});

test("messages have the friend's name if it is known", () => {
  const names = { south: "Ann", north: "Bob" };
  assert.equal(friendName(snapshot({ names })), "Bob");
  assert.equal(friendName(snapshot({ names, you: "north" })), "Ann");
  assert.equal(friendName(snapshot()), "Your friend");
});
