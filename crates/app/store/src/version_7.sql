-- Whether each player lets the game count in the opening statistics of the server.
ALTER TABLE games ADD COLUMN south_shares INTEGER NOT NULL DEFAULT 0 CHECK (south_shares IN (0, 1));
ALTER TABLE games ADD COLUMN north_shares INTEGER NOT NULL DEFAULT 0 CHECK (north_shares IN (0, 1));
-- Whether the table openings contains the game.
ALTER TABLE games ADD COLUMN counted INTEGER NOT NULL DEFAULT 0 CHECK (counted IN (0, 1));

-- How often each move was played in the first plies of the finished games that are stored, with the
-- results for its player.
CREATE TABLE openings (
    -- The code of the room to which the games belong; empty for those of the server whose players
    -- both share them.
    scope TEXT NOT NULL,
    rules TEXT NOT NULL,
    -- The position before the move, turned so that South is to move.
    position TEXT NOT NULL,
    move TEXT NOT NULL,
    wins INTEGER NOT NULL CHECK (wins >= 0),
    ties INTEGER NOT NULL CHECK (ties >= 0),
    losses INTEGER NOT NULL CHECK (losses >= 0),
    PRIMARY KEY (scope, rules, position, move)
) STRICT, WITHOUT ROWID;
