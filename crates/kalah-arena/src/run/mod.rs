//! Running tournaments: configuration, games between participants, and the files of a run.

mod adjudicate;
mod config;
mod error;
mod match_game;
mod opening_lists;
mod options;
mod run_dir;
mod runner;
mod startup_check;

pub use adjudicate::Adjudication;
pub use config::{ArenaConfig, ContestantConfig, default_rules, default_start};
pub use error::{ConfigError, ConfigFileError, ParseArenaOptionError, RunError};
pub use options::{AdjudicationOption, ArenaOptions, OpeningsOption, SprtParam};
pub use run_dir::RunDir;
pub(crate) use runner::RunningSprt;
pub use runner::{RunnerContext, TournamentRunner};
pub use startup_check::{SlowStart, check_contestants};
