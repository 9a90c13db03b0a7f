-- People are named by the side on which they began. Times are milliseconds since 1970, or of them.
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
    -- What changes as the game is played.
    changed_ms INTEGER NOT NULL,
    south_came INTEGER NOT NULL CHECK (south_came IN (0, 1)),
    north_came INTEGER NOT NULL CHECK (north_came IN (0, 1)),
    termination TEXT,
    -- By where the people sat at the end.
    winner TEXT CHECK (winner IN ('south', 'north')),
    south_again INTEGER NOT NULL CHECK (south_again IN (0, 1)),
    north_again INTEGER NOT NULL CHECK (north_again IN (0, 1)),
    rematch BLOB REFERENCES games (id) ON DELETE SET NULL,
    CHECK ((initial_ms IS NULL) = (increment_ms IS NULL)),
    CHECK ((initial_ms IS NULL) = (south_left_ms IS NULL)),
    CHECK ((initial_ms IS NULL) = (north_left_ms IS NULL)),
    CHECK ((running IS NULL) = (running_since_ms IS NULL)),
    CHECK (winner IS NULL OR termination IS NOT NULL)
) STRICT, WITHOUT ROWID;

-- A game that is deleted is looked for here.
CREATE INDEX games_rematch ON games (rematch) WHERE rematch IS NOT NULL;

CREATE TABLE plies (
    game BLOB NOT NULL REFERENCES games (id) ON DELETE CASCADE,
    ply INTEGER NOT NULL CHECK (ply >= 1),
    choice TEXT NOT NULL,
    PRIMARY KEY (game, ply)
) STRICT, WITHOUT ROWID;

-- When the server that had the games last was known to run: while it does not, no clock runs.
CREATE TABLE alive (
    only INTEGER NOT NULL PRIMARY KEY CHECK (only = 1),
    at_ms INTEGER NOT NULL
) STRICT;
