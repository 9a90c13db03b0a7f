-- Rooms, in which people meet under a code and play games that belong to the room.
CREATE TABLE rooms (
    code TEXT NOT NULL PRIMARY KEY,
    created_ms INTEGER NOT NULL,
    name TEXT NOT NULL,
    rules TEXT NOT NULL,
    start TEXT NOT NULL,
    -- The clock of both players, if the games have one.
    initial_ms INTEGER,
    increment_ms INTEGER,
    format TEXT NOT NULL,
    games_per_pairing INTEGER NOT NULL CHECK (games_per_pairing IN (1, 2)),
    opening_plies INTEGER NOT NULL CHECK (opening_plies >= 0),
    -- Whether players may use hints, scores and analyses during their games.
    engine_help INTEGER NOT NULL CHECK (engine_help IN (0, 1)),
    -- The seed of the random choices of pairings and openings.
    seed INTEGER NOT NULL,
    -- SHA-256 of the leader's token.
    leader_token BLOB NOT NULL CHECK (length(leader_token) = 32),
    -- The state, which changes.
    changed_ms INTEGER NOT NULL,
    round INTEGER NOT NULL CHECK (round >= 0),
    paused INTEGER NOT NULL CHECK (paused IN (0, 1)),
    closed INTEGER NOT NULL CHECK (closed IN (0, 1)),
    CHECK ((initial_ms IS NULL) = (increment_ms IS NULL))
) STRICT, WITHOUT ROWID;

-- The people of a room, numbered from 1 in the order in which they entered.
CREATE TABLE room_members (
    room TEXT NOT NULL REFERENCES rooms (code) ON DELETE CASCADE,
    number INTEGER NOT NULL CHECK (number >= 1),
    name TEXT NOT NULL,
    -- SHA-256 of the member's token, which is also that of the member's games.
    token BLOB NOT NULL CHECK (length(token) = 32),
    entered_ms INTEGER NOT NULL,
    -- Whether the member is a program.
    bot INTEGER NOT NULL CHECK (bot IN (0, 1)),
    status TEXT NOT NULL CHECK (status IN ('active', 'left', 'removed')),
    PRIMARY KEY (room, number)
) STRICT, WITHOUT ROWID;

-- The games of a room. Members are named by the sides on which they began.
CREATE TABLE room_games (
    game BLOB NOT NULL PRIMARY KEY REFERENCES games (id) ON DELETE CASCADE,
    room TEXT NOT NULL REFERENCES rooms (code) ON DELETE CASCADE,
    -- The round from 1, or 0 in a room without rounds.
    round INTEGER NOT NULL CHECK (round >= 0),
    -- The pairing in the round, or in the room without rounds, from 1.
    pairing INTEGER NOT NULL CHECK (pairing >= 1),
    -- The first or the second game of the pairing.
    leg INTEGER NOT NULL CHECK (leg IN (1, 2)),
    south_member INTEGER NOT NULL,
    north_member INTEGER NOT NULL,
    UNIQUE (room, round, pairing, leg)
) STRICT, WITHOUT ROWID;

CREATE TABLE room_byes (
    room TEXT NOT NULL REFERENCES rooms (code) ON DELETE CASCADE,
    round INTEGER NOT NULL CHECK (round >= 1),
    member INTEGER NOT NULL,
    PRIMARY KEY (room, round, member)
) STRICT, WITHOUT ROWID;

-- The room of a game.
ALTER TABLE games ADD COLUMN room TEXT REFERENCES rooms (code) ON DELETE SET NULL;
CREATE INDEX games_room ON games (room) WHERE room IS NOT NULL;
-- Whether the leader of the room has paused the game.
ALTER TABLE games ADD COLUMN paused INTEGER NOT NULL DEFAULT 0 CHECK (paused IN (0, 1));
