-- Offers of a rematch and of a takeback: the player who made the offer, and whether the other player
-- has declined it.
ALTER TABLE games ADD COLUMN rematch_offered_by TEXT CHECK (rematch_offered_by IN ('south', 'north'));
ALTER TABLE games ADD COLUMN rematch_declined INTEGER NOT NULL DEFAULT 0
    CHECK (rematch_declined IN (0, 1));
UPDATE games SET rematch_offered_by = CASE
    WHEN south_rematch_requested THEN 'south' WHEN north_rematch_requested THEN 'north' END;
ALTER TABLE games DROP COLUMN south_rematch_requested;
ALTER TABLE games DROP COLUMN north_rematch_requested;
ALTER TABLE games ADD COLUMN takeback_offered_by TEXT
    CHECK (takeback_offered_by IN ('south', 'north'));
ALTER TABLE games ADD COLUMN takeback_declined INTEGER NOT NULL DEFAULT 0
    CHECK (takeback_declined IN (0, 1));
-- The number of takebacks of the game.
ALTER TABLE games ADD COLUMN takebacks INTEGER NOT NULL DEFAULT 0;

-- The takebacks that were accepted. The plies that they removed are not in the table plies.
CREATE TABLE takebacks (
    game BLOB NOT NULL REFERENCES games (id) ON DELETE CASCADE,
    -- The number of the takeback in the game.
    number INTEGER NOT NULL CHECK (number >= 1),
    at_ms INTEGER NOT NULL,
    -- The player who made the offer.
    player TEXT NOT NULL CHECK (player IN ('south', 'north')),
    -- The plies that are left.
    plies_left INTEGER NOT NULL CHECK (plies_left >= 0),
    -- The moves that were taken back, separated by spaces.
    moves TEXT NOT NULL,
    PRIMARY KEY (game, number)
) STRICT, WITHOUT ROWID;
