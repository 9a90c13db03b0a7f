-- The times of a clock are those of South and of North, which may differ.
ALTER TABLE games RENAME COLUMN initial_ms TO south_initial_ms;
ALTER TABLE games RENAME COLUMN increment_ms TO south_increment_ms;
ALTER TABLE games ADD COLUMN north_initial_ms INTEGER;
ALTER TABLE games ADD COLUMN north_increment_ms INTEGER;
UPDATE games SET north_initial_ms = south_initial_ms, north_increment_ms = south_increment_ms;
-- Whether the initial times are those for each move.
ALTER TABLE games ADD COLUMN by_correspondence INTEGER NOT NULL DEFAULT 0
    CHECK (by_correspondence IN (0, 1));
-- Whether the running time is that for the first move of its player, which is not on the clock.
ALTER TABLE games ADD COLUMN first_move INTEGER NOT NULL DEFAULT 0 CHECK (first_move IN (0, 1));
-- Whether spectators may see scores during the game.
ALTER TABLE games ADD COLUMN spectator_scores INTEGER NOT NULL DEFAULT 0
    CHECK (spectator_scores IN (0, 1));
