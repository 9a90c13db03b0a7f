-- Players are named by the side on which they started. Points in time are milliseconds since 1970,
-- and durations are in milliseconds.
CREATE TABLE games (
    id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    created_ms INTEGER NOT NULL,
    rules TEXT NOT NULL,
    start TEXT NOT NULL,
    -- SHA-256 of the tokens.
    south_token BLOB NOT NULL CHECK (length(south_token) = 32),
    north_token BLOB NOT NULL CHECK (length(north_token) = 32),
    -- The clock, if there is one.
    initial_ms INTEGER,
    increment_ms INTEGER,
    south_left_ms INTEGER,
    north_left_ms INTEGER,
    running TEXT CHECK (running IN ('south', 'north')),
    running_since_ms INTEGER,
    -- The state, which changes during the game.
    changed_ms INTEGER NOT NULL,
    south_joined INTEGER NOT NULL CHECK (south_joined IN (0, 1)),
    north_joined INTEGER NOT NULL CHECK (north_joined IN (0, 1)),
    termination TEXT,
    -- The side at the end of the game.
    winner TEXT CHECK (winner IN ('south', 'north')),
    south_rematch_requested INTEGER NOT NULL CHECK (south_rematch_requested IN (0, 1)),
    north_rematch_requested INTEGER NOT NULL CHECK (north_rematch_requested IN (0, 1)),
    rematch BLOB REFERENCES games (id) ON DELETE SET NULL,
    CHECK ((initial_ms IS NULL) = (increment_ms IS NULL)),
    CHECK ((initial_ms IS NULL) = (south_left_ms IS NULL)),
    CHECK ((initial_ms IS NULL) = (north_left_ms IS NULL)),
    CHECK ((running IS NULL) = (running_since_ms IS NULL)),
    CHECK (winner IS NULL OR termination IS NOT NULL)
) STRICT, WITHOUT ROWID;

-- The deletion of a game looks up the references to it.
CREATE INDEX games_rematch ON games (rematch) WHERE rematch IS NOT NULL;

CREATE TABLE plies (
    game BLOB NOT NULL REFERENCES games (id) ON DELETE CASCADE,
    ply INTEGER NOT NULL CHECK (ply >= 1),
    move TEXT NOT NULL,
    PRIMARY KEY (game, ply)
) STRICT, WITHOUT ROWID;

-- The last time at which a server with this database ran. Clocks stop while no server runs.
CREATE TABLE heartbeat (
    id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    at_ms INTEGER NOT NULL
) STRICT;
