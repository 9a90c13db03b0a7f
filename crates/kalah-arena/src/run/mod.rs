//! Running tournaments: configuration, games between participants, and the files of a run.

mod adjudicate;
mod config;
mod error;
mod match_game;
mod opening_lists;
mod options;
mod participants;
mod run_dir;
mod runner;
mod running_sprt;

pub use adjudicate::Adjudication;
pub use config::{ArenaConfig, ContestantConfig, default_rules, default_start};
pub use error::{ConfigError, ConfigFileError, ParseArenaOptionError, RunError};
pub use options::{AdjudicationOption, ArenaOptions, OpeningsOption, SprtParam};
pub use participants::check_contestants;
pub use run_dir::RunDir;
pub use runner::{RunnerContext, TournamentRunner};
pub(crate) use running_sprt::RunningSprt;
