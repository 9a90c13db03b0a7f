-- One row: what the store proves.
CREATE TABLE proof (
    id INTEGER PRIMARY KEY CHECK (id = 0),
    -- The position and the rules as text.
    position TEXT NOT NULL,
    rules TEXT NOT NULL,
    -- Whether the margins of all moves are proven.
    all_moves INTEGER NOT NULL CHECK (all_moves IN (0, 1)),
    -- The estimated margin, with which the choice of goals begins.
    estimate INTEGER NOT NULL,
    -- The version of the library that created the store.
    program TEXT NOT NULL
) STRICT;

-- The goals of the proof tree, numbered from 0 without gaps.
CREATE TABLE goals (
    id INTEGER PRIMARY KEY,
    -- The position, turned to South.
    position TEXT NOT NULL,
    -- The margin that South has to reach.
    target INTEGER NOT NULL,
    -- 1 if the goal is proven, 0 if it is disproven, and NULL while it is open.
    answer INTEGER CHECK (answer IN (0, 1)),
    -- Whether the goals of all legal moves are in the store.
    expanded INTEGER NOT NULL CHECK (expanded IN (0, 1)),
    -- The proof numbers of an open leaf.
    proof REAL,
    disproof REAL,
    -- The nodes that searches of the goal have visited.
    nodes INTEGER NOT NULL CHECK (nodes >= 0),
    UNIQUE (position, target)
) STRICT;

-- The runs of programs that worked on the proof, in the order of their first results.
CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    -- The process and its machine.
    holder TEXT NOT NULL,
    -- The program and its version.
    program TEXT NOT NULL,
    -- The time of the run in seconds, the jobs that it has completed, and their nodes.
    seconds REAL NOT NULL CHECK (seconds >= 0),
    jobs INTEGER NOT NULL CHECK (jobs >= 0),
    nodes INTEGER NOT NULL CHECK (nodes >= 0)
) STRICT;
