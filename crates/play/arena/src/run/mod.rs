//! Running tournaments: configuration, the files of a run, and playing the games.

mod config;
mod engines_file;
mod engines_toml;
mod error;
mod existing_tournament;
mod extension;
mod game_log;
mod opening_lists;
mod options;
mod play;
mod run_dir;
mod verify;

pub use config::{
    ArenaConfig, ContestantConfig, DuplicateId, SkippedContestant, default_rules, default_start,
};
pub use engines_file::{EnginesFileError, EnginesFileProblem, parse_engines_file};
pub use engines_toml::EnginesTomlError;
pub use error::{ConfigError, ConfigFileError, ParseArenaOptionError, RunError, StartFault};
pub use extension::Extension;
pub use game_log::{GameLogError, GameLogFault, StoredGameLog, read_game_log};
pub use options::{AdjudicationOption, ArenaOptions, OpeningsOption, SprtParam};
pub(crate) use play::RunningSprt;
pub use play::{
    Adjudication, DueGame, DuePair, MIN_SLOW_START, NamedProgram, PairError, PairRunner,
    ResignRule, RunnerContext, SlowStart, StartupCheck, TournamentRunner, TournamentState,
    check_contestants,
};
pub use run_dir::{MissingLock, RunDir, StoredTournament};
pub use verify::{Verification, VerificationDifference};
