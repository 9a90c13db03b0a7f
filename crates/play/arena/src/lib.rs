//! Kalah tournaments: schedules, results and statistics as plain values, and with the feature `run`
//! the runner and its reports.
//!
//! Without this feature the crate starts no processes or threads, opens no sockets or files, reads
//! no clock and prints nothing. Its caller plays the games and passes in their results.
//!
//! # Statistics
//!
//! Games are played in pairs from the same opening with sides exchanged. [`Pentanomial`] counts the
//! pairs of a match by score. From these counts, [`Estimate`] computes the strength difference of
//! two players, and [`Sprt`] decides when a match may stop. For any number of contestants,
//! [`CrossTable`] holds the results against each other, and [`RatingList`] the strengths on one
//! scale.
//!
//! # Tournaments
//!
//! A [`Tournament`] computes the pairs of games that are due from the [`Results`] so far. Each
//! finished game is a [`FinishedGame`] with its [`GameEnd`] and a line of the [`Journal`], from
//! which an interrupted tournament resumes. [`Openings`] are the ways in which games begin, and
//! [`ShuffledOpenings`] the order in which they are played.
//!
//! # Running a tournament
//!
//! With the feature `run`, an `ArenaConfig` is made from `ArenaOptions`. A `TournamentRunner` plays
//! its games with the participants of `kalah-players` on several threads, and appends them to the
//! journal in a `RunDir`. An `ArenaSummary` of the games becomes text, JSON or an HTML report. The
//! runner prints nothing: its caller passes in the clock, an observer of the games and the request
//! that interrupts it.
//!
//! A `TournamentState` is the same without threads. It hands out pairs of games, which a
//! `PairRunner` in another process can play. Another `PairRunner` checks the games that come back.

#![forbid(unsafe_code)]

mod compact_game;
mod finished_game;
mod game_end;
mod journal;
mod openings;
#[cfg(feature = "run")]
mod report;
#[cfg(feature = "run")]
mod run;
mod schedule;
mod seal;
mod stats;

pub use compact_game::CompactGame;
pub use finished_game::{FinishedGame, FinishedGameError, ThinkTime};
pub use game_end::{GameEnd, Stores};
pub use journal::{Journal, JournalError, JournalProblem, JournalTail};
pub use openings::{
    Opening, Openings, OpeningsError, OpeningsProblem, PliesError, ShuffledOpenings,
};
#[cfg(feature = "run")]
pub use report::{
    ArenaSummary, CsvTables, Feedback, Mistake, SkippedFeedback, html_report, results_json,
    standings_text, summary_text,
};
#[cfg(feature = "run")]
pub use run::{
    Adjudication, AdjudicationOption, ArenaConfig, ArenaOptions, ConfigError, ConfigFileError,
    ContestantConfig, DueGame, DuePair, DuplicateId, EnginesFileError, EnginesFileProblem,
    EnginesTomlError, Extension, GameLogError, GameLogFault, MIN_SLOW_START, MissingLock,
    NamedProgram, OpeningsOption, PairError, PairRunner, ParseArenaOptionError, ResignRule, RunDir,
    RunError, RunnerContext, SkippedContestant, SlowStart, SprtParam, StartFault, StartupCheck,
    StoredGameLog, StoredTournament, TournamentRunner, TournamentState, Verification,
    VerificationDifference, check_contestants, default_rules, default_start, parse_engines_file,
    read_game_log,
};
pub use schedule::{
    Encounter, Leg, Results, Round, Tournament, TournamentFormat, TournamentSize,
    UnknownEncounterError,
};
pub use seal::{ParseSealError, Seal};
pub use stats::{
    Anchor, Contestant, CrossTable, Elo, Estimate, GameScore, HeadToHead, Interval, NormalizedElo,
    PairScore, Pentanomial, Rating, RatingEntry, RatingList, ScoreFraction, Sprt, SprtError,
    SprtState, Standing, Superiority, Tally, Verdict,
};

// Compiles and runs the code of the document.
#[cfg(doctest)]
#[doc = include_str!("../../../../docs/arena-statistics.md")]
struct ArenaDocuments;
