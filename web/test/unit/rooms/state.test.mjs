import assert from "node:assert/strict";
import { test } from "node:test";

import { situation, gameStateText, roomText, boardText } from "../../../rooms/descriptions.js";
import {
  applyRoomMessage,
  canChallenge,
  INITIAL_ROOM_STATE,
  mayChallenge,
  mayOpenGame,
  memberOn,
  ownGame,
  ownMember,
  pairingsOf,
  pointsIn,
  refusalOfStatus,
  ROOM_MODE,
  ROOM_PROTOCOL,
  seedsOf,
} from "../../../rooms/state.js";
import { challengeText, visibleChallenges } from "../../../rooms/views/challenges.js";
import { listedGames } from "../../../rooms/views/games.js";
import { canStartRound } from "../../../rooms/views/lead.js";
import { listedMembers, presenceText } from "../../../rooms/views/people.js";
import { game, member, room, SOUTH_WINS } from "./rooms.mjs";

/** @import { FromRoom, RoomSnapshot, RoomUpdate } from "../../../types/room.d.ts" */

/** The page of the leader. */
const LIVE = { isLive: true };

/** @param {RoomSnapshot} snapshot @param {Omit<RoomUpdate, "type" | "revision">} update */
function updated(snapshot, update) {
  const state = applyRoomMessage(INITIAL_ROOM_STATE, { type: "state", state: snapshot });
  const message = /** @type {FromRoom} */ ({ type: "update", revision: 9, ...update });
  const { room: after } = applyRoomMessage(state, message);
  assert.ok(after);
  return after;
}

test("an update replaces the entries with the same number or game, and adds new ones", () => {
  const before = room();
  const after = updated(before, {
    members: [member(2, { connected: false }), member(5)],
    games: [game("B", { pairing: 2, south: 3, north: 4, plies: 4 })],
    challenges: [{ from: 1, to: null }],
    standings_revision: 3,
  });
  assert.equal(after.revision, 9);
  assert.equal(after.standings_revision, 3);
  assert.deepEqual(
    after.members.map(({ number, connected }) => [number, connected]),
    [
      [1, true],
      [2, false],
      [3, true],
      [4, true],
      [5, true],
    ],
  );
  assert.deepEqual(
    after.games.map(({ game: id, plies }) => [id, plies]),
    [
      ["A", 0],
      ["B", 4],
    ],
  );
  assert.deepEqual(after.challenges, [{ from: 1, to: null }]);
  assert.equal(after.name, before.name);
});

test("an update without some lists leaves them, and its head replaces that of the room", () => {
  const before = room();
  const after = updated(before, { room: { ...before, paused: true, name: "Other" } });
  assert.deepEqual(after, { ...before, paused: true, name: "Other", revision: 9 });
});

test("an update before the first state, a pong and a problem change nothing", () => {
  const update = /** @type {FromRoom} */ ({ type: "update", revision: 9 });
  assert.equal(applyRoomMessage(INITIAL_ROOM_STATE, update), INITIAL_ROOM_STATE);
  assert.equal(applyRoomMessage(INITIAL_ROOM_STATE, { type: "pong" }), INITIAL_ROOM_STATE);
});

test("a room with rounds shows the games of its round", () => {
  const before = room();
  const after = updated(before, {
    room: { ...before, round: 2 },
    games: [game("C", { round: 2 })],
  });
  assert.deepEqual(
    after.games.map(({ game: id }) => id),
    ["C"],
  );
});

test("a room without rounds shows its running games and the thirty that ended last", () => {
  const ended = Array.from({ length: 30 }, (_, index) =>
    game(`old ${index}`, { round: 0, ending: SOUTH_WINS }),
  );
  const before = room({
    format: "free",
    games: [game("A", { round: 0 }), game("B", { round: 0 }), ...ended],
  });
  const after = updated(before, { games: [game("A", { round: 0, ending: SOUTH_WINS })] });
  const ids = after.games.map(({ game: id }) => id);
  assert.equal(ids.length, 31);
  assert.ok(!ids.includes("old 0"));
  assert.equal(ids.at(-1), "A");
  const listed = listedGames(after).map(({ game: id }) => id);
  assert.deepEqual(listed.slice(0, 3), ["B", "A", "old 29"]);
});

test("replies are those to the message, and close codes have their reasons", () => {
  const { isReplyTo, refusalOfClose, finalRefusals } = ROOM_PROTOCOL;
  /** @type {FromRoom} */
  const state = { type: "state", state: room() };
  assert.ok(isReplyTo({ type: "hello" }, state));
  assert.ok(!isReplyTo({ type: "hello" }, { type: "pong" }));
  assert.ok(isReplyTo({ type: "ping" }, { type: "pong" }));
  assert.ok(isReplyTo({ type: "ping" }, { type: "update", revision: 1 }));
  assert.equal(refusalOfClose(4410), "removed");
  assert.equal(refusalOfClose(4404), "noSuchRoom");
  assert.equal(refusalOfClose(4999), "unreachable");
  assert.ok(finalRefusals.has("removed"));
  assert.ok(!finalRefusals.has("restarting"));
  assert.equal(refusalOfStatus(404), "noSuchRoom");
  assert.equal(refusalOfStatus(500), "serverFailed");
  assert.equal(refusalOfStatus(200), "noLiveConnection");
});

test("results belong to the members by the sides on which they began", () => {
  const won = game("A", { ending: SOUTH_WINS });
  assert.deepEqual([pointsIn(won, 1), pointsIn(won, 2)], [1, 0]);
  const tied = game("A", { ending: { ...SOUTH_WINS, winner: "tie" } });
  assert.deepEqual([pointsIn(tied, 1), pointsIn(tied, 2)], [1 / 2, 1 / 2]);
  const voided = game("A", { ending: { ...SOUTH_WINS, winner: null } });
  assert.deepEqual([pointsIn(voided, 1), pointsIn(game("A"), 1)], [null, null]);
  assert.equal(gameStateText(won, LIVE), "1 : 0");
  assert.equal(gameStateText(tied, LIVE), "0.5 : 0.5");
  assert.equal(gameStateText(voided, LIVE), "without result");
  assert.equal(gameStateText(game("A"), LIVE), "running, 5:7");
  assert.equal(gameStateText(game("A"), { isLive: false }), "running");
});

test("after a swap the members have the other sides of the board", () => {
  const swapped = game("A", { swapped: true });
  assert.equal(memberOn(swapped, "south"), 2);
  assert.equal(memberOn(swapped, "north"), 1);
  assert.deepEqual(seedsOf(swapped), { south: 7, north: 5 });
  assert.equal(memberOn(game("A"), "south"), 1);
  assert.equal(
    boardText(room(), swapped),
    "Member 2: store 5, houses 1 2. Member 1: store 7, houses 3 4. 0 moves, Member 2 to move",
  );
});

test("pairings have their games in order", () => {
  const second = game("A2", { leg: 2, south: 2, north: 1 });
  const pairings = pairingsOf({
    games: [game("B", { pairing: 2, south: 3, north: 4 }), second, game("A")],
  });
  assert.deepEqual(
    pairings.map(({ pairing, first, second: other, games }) => [
      pairing,
      first,
      other,
      games.map(({ game: id }) => id),
    ]),
    [
      [1, 1, 2, ["A", "A2"]],
      [2, 3, 4, ["B"]],
    ],
  );
});

test("the own game is the running one, also the second of a pairing", () => {
  assert.equal(ownGame(room())?.game, "A");
  const games = [game("A", { ending: SOUTH_WINS }), game("A2", { leg: 2, south: 2, north: 1 })];
  assert.equal(ownGame(room({ games }))?.game, "A2");
  assert.equal(ownGame(room({ you: { member: null, leader: true } })), null);
  assert.equal(ownMember(room({ members: [member(1, { status: "left" })] })), null);
});

test("the situation of a member is said in sentences", () => {
  /** @param {Partial<RoomSnapshot>} values */
  const text = (values) => situation(room(values)).join(" ");
  assert.equal(text({}), "You play Member 2");
  assert.equal(text({ round: 0, games: [] }), "Wait for the first round. The leader starts it.");
  const others = [game("B", { pairing: 2, south: 3, north: 4 })];
  assert.equal(
    text({ games: others, byes: [{ round: 1, member: 1 }] }),
    "You have a bye in round 1: there is no game for you this time, and it counts as a win. The round goes on: 1 game is running.",
  );
  assert.equal(
    text({ games: [game("A", { ending: SOUTH_WINS }), ...others] }),
    "Your game of this round is over. The round goes on: 1 game is running.",
  );
  assert.equal(
    text({ games: others }),
    "You play from the next round on. The round goes on: 1 game is running.",
  );
  const over = [game("A", { ending: SOUTH_WINS })];
  assert.match(text({ games: over, next_round: "ready" }), /The leader starts the next one\.$/);
  assert.match(text({ games: over, next_round: "all-met" }), /There is no further round\.$/);
  assert.match(text({ paused: true }), /^The leader has paused all games\. .* You play Member 2$/);
  assert.match(text({ closed: true }), /^This room is closed/);
  assert.equal(
    text({ format: "free", round: 0, games: [] }),
    "Challenge another member, or accept a challenge.",
  );
  // A visitor learns how far the round is.
  assert.equal(
    text({ you: { member: null, leader: false } }),
    "The round goes on: 2 games are running.",
  );
});

test("a room is described by its pairings, board, clock and help", () => {
  assert.equal(
    roomText(room({ games_per_pairing: 2, clock: { initial_ms: 600_000, increment_ms: 5_000 } })),
    "Swiss. Two games of each pairing. 2 houses a side, rules: Standard. " +
      "10 minutes plus 5 seconds per turn. Without help of the engine",
  );
});

test("challenges are those of the person and those that the person can accept", () => {
  const free = room({ format: "free", round: 0, games: [] });
  const challenges = [
    { from: 2, to: null },
    { from: 3, to: 4 },
    { from: 4, to: 1 },
  ];
  assert.deepEqual(visibleChallenges({ ...free, challenges }), [challenges[0], challenges[2]]);
  assert.equal(challengeText(free, { from: 2, to: null }), "Member 2 plays anyone");
  assert.equal(challengeText(free, { from: 4, to: 1 }), "Member 4 challenges you");
  assert.equal(challengeText(free, { from: 1, to: 3 }), "You challenge Member 3.");
  assert.ok(mayChallenge({ ...free, challenges }));
  assert.ok(canChallenge(free, member(2)));
  assert.ok(!canChallenge(free, member(1)));
  assert.ok(!canChallenge(free, member(2, { status: "left" })));
  assert.ok(!mayChallenge({ ...free, challenges: [{ from: 1, to: null }] }));
  assert.ok(!mayChallenge({ ...free, games: [game("A", { round: 0 })] }));
  assert.ok(!mayChallenge({ ...free, closed: true }));
  assert.ok(!mayChallenge(room({ games: [] })));
  assert.ok(!mayChallenge({ ...free, you: { member: null, leader: true } }));
});

test("the list of people has those who left behind the others, and hides removed ones", () => {
  const members = [
    member(1, { status: "removed" }),
    member(2, { status: "left" }),
    member(3, { connected: false }),
  ];
  const numbers = (/** @type {boolean} */ leader) =>
    listedMembers(room({ members, you: { member: null, leader } })).map(({ number }) => number);
  assert.deepEqual(numbers(false), [3, 2]);
  assert.deepEqual(numbers(true), [3, 2, 1]);
  assert.deepEqual(members.map(presenceText), ["removed", "has left", "not connected"]);
  assert.equal(presenceText(member(4)), "here");
});

test("a round can start when it is ready, or when its games may be voided", () => {
  assert.ok(canStartRound({ next_round: "ready" }));
  assert.ok(canStartRound({ next_round: "running-games" }));
  for (const next_round of /** @type {const} */ (["too-few-members", "all-met", null])) {
    assert.ok(!canStartRound({ next_round }), String(next_round));
  }
});

test("a game that begins never takes the place of one that goes on", () => {
  const page = {
    mode: "friend",
    friendMode: "friend",
    roomOfBoard: "ABCDEF",
    isOver: false,
    code: "ABCDEF",
  };
  assert.ok(!mayOpenGame(page));
  assert.ok(mayOpenGame({ ...page, isOver: true }));
  assert.ok(!mayOpenGame({ ...page, isOver: true, roomOfBoard: null }));
  assert.ok(!mayOpenGame({ ...page, mode: "play" }));
  assert.ok(!mayOpenGame({ ...page, mode: "explore", isOver: true }));
  assert.ok(mayOpenGame({ ...page, mode: ROOM_MODE }));
});
