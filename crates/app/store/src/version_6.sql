-- Records of games that people share under short addresses.
CREATE TABLE shared_records (
    id TEXT NOT NULL PRIMARY KEY,
    text TEXT NOT NULL,
    -- The time at which the record was stored, or later opened; exact to a day.
    opened_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX shared_records_opened ON shared_records (opened_ms);
