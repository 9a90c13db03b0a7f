import assert from "node:assert/strict";
import { test } from "node:test";

import {
  applyMessage,
  clockSettingText,
  clockText,
  connectionLimitOf,
  connectionText,
  durationText,
  FINAL_REFUSALS,
  gamePhase,
  hasFriendJoined,
  helloMessage,
  INITIAL_FRIEND_STATE,
  isFriendConnected,
  isOwnTurn,
  isReplyTo,
  refusalOfClose,
  refusalOfStatus,
  retryDelay,
  timeLeft,
} from "../../../friends/state.js";

/** @param {Record<string, unknown>} [change] @returns {any} */
const snapshot = (change) => ({
  game: "G",
  plies: [],
  position: { is_over: false },
  to_move: "south",
  you: "south",
  names: { south: null, north: null },
  clock: null,
  ending: null,
  takeback: { offered_by: null, declined_by: null, plies_left: null },
  rematch: { offered_by: null, declined_by: null, game: null },
  connected: { south: true, north: false },
  ...change,
});

const clock = {
  initial_ms: 60_000,
  increment_ms: 2_000,
  south_ms: 60_000,
  north_ms: 50_000,
  running: "south",
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

test("only the running clock advances", () => {
  const at = known({ clock });
  assert.equal(timeLeft(at, "south", 1_100), 59_000);
  assert.equal(timeLeft(at, "north", 1_100), 50_000);
  assert.equal(timeLeft(at, "south", 900_000), 0);
  assert.equal(timeLeft(at, "south", -900_000), 60_000, "a clock never has more time than it had");
  assert.equal(timeLeft(known(), "south", 1_100), null);
});

const [SECOND, MINUTE, HOUR, DAY] = [1_000, 60_000, 3_600_000, 86_400_000];

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

test("clockText formats times from milliseconds to days", () => {
  /** @type {[number, string][]} */
  const shown = [
    [0, "0:00.0"],
    [9_999, "0:09.9"],
    [10 * SECOND, "0:10"],
    [61_999, "1:01"],
    [10 * MINUTE, "10:00"],
    [HOUR - 1, "59:59"],
    [HOUR, "1:00:00"],
    [23 * HOUR + 59 * MINUTE + 12 * SECOND, "23:59:12"],
    [DAY, "1 d 0 h"],
    [3 * DAY + 23 * HOUR + 59 * MINUTE, "3 d 23 h"],
  ];
  for (const [left, text] of shown) {
    assert.equal(clockText(left), text);
  }
});

test("durationText describes durations in words", () => {
  /** @type {[number, string][]} */
  const said = [
    [0, "0 seconds"],
    [SECOND, "1 second"],
    [90 * SECOND, "1 minute 30 seconds"],
    [HOUR, "1 hour"],
    [DAY, "1 day"],
    [2 * DAY + 5 * MINUTE, "2 days 5 minutes"],
  ];
  for (const [time, text] of said) {
    assert.equal(durationText(time), text);
  }
  assert.equal(
    clockSettingText({ initial_ms: DAY, increment_ms: HOUR }),
    "1 day each, plus 1 hour per turn",
  );
  assert.equal(clockSettingText({ initial_ms: 3 * MINUTE, increment_ms: 0 }), "3 minutes each");
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

/** @param {string[]} plies @param {"south" | "north" | null} [you] @param {boolean} [there] */
const hasJoined = (plies, you = "south", there = false) =>
  hasFriendJoined({
    you,
    plies,
    connected: { south: you === "north" && there, north: you === "south" && there },
  });

test("a friend who is connected or has moved has joined", () => {
  assert.equal(hasJoined([]), false);
  assert.equal(hasJoined([], "south", true), true);
  assert.equal(hasJoined([], "north", true), true);
  assert.equal(hasJoined(["C", "A"]), false, "all plies are those of the player");
  assert.equal(hasJoined(["C", "A", "b"]), true);
  assert.equal(hasJoined(["C"], "north"), true);
  assert.equal(hasJoined(["C", "swap"], "north"), true);
  assert.equal(hasJoined(["C"], null), false, "a spectator has no friend");
});

test("the friend's token is removed when the friend has joined", () => {
  const snapshot = /** @type {any} */ ({
    plies: [],
    position: {},
    to_move: "south",
    you: "south",
    ending: null,
    rematch: {},
    connected: { south: true, north: false },
  });
  const before = applyMessage(
    { ...INITIAL_FRIEND_STATE, friendToken: "T" },
    { type: "state", state: snapshot },
    0,
  );
  assert.equal(before.friendToken, "T");
  const there = { ...snapshot, connected: { south: true, north: true } };
  assert.equal(applyMessage(before, { type: "state", state: there }, 0).friendToken, null);
});
