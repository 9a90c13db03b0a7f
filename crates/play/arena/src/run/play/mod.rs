//! Playing: one game, pairs as jobs of workers, and the runner with its threads.

mod adjudicate;
mod due_encounters;
mod match_game;
mod pair_runner;
mod participant_pool;
mod resign;
mod runner;
mod running_sprt;
mod startup_check;
mod tournament_state;

pub use adjudicate::Adjudication;
pub use pair_runner::{PairError, PairRunner};
pub use resign::ResignRule;
pub use runner::{RunnerContext, TournamentRunner};
pub(crate) use running_sprt::RunningSprt;
pub use startup_check::{MIN_SLOW_START, NamedProgram, SlowStart, StartupCheck, check_contestants};
pub use tournament_state::{DueGame, DuePair, TournamentState};
