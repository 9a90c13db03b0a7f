-- The names that the players gave themselves.
ALTER TABLE games ADD COLUMN south_name TEXT;
ALTER TABLE games ADD COLUMN north_name TEXT;
