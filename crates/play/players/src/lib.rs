//! Players by name: text such as `level:3` or `cmd=./bot` becomes a player that can be asked for a
//! move.
//!
//! [`PlayerSpec`] names a built-in player; [`ContestantSpec`] names a built-in player or a program
//! and its protocol. [`PlayerSpec::build_player`] builds a [`kalah::Player`]. `Participant`, behind
//! the feature `process`, asks players and programs for moves under [`MoveLimits`] and reports each
//! kind of failure. This crate never prints.

#![forbid(unsafe_code)]

mod contestant_spec;
mod engine_factory;
mod move_limits;
#[cfg(feature = "process")]
mod participant;
mod player_spec;
#[cfg(feature = "process")]
mod process;
#[cfg(feature = "process")]
mod process_group;
#[cfg(feature = "process")]
mod programs;
#[cfg(feature = "process")]
mod system;
mod time_control;
mod untrusted_text;

pub use contestant_spec::{
    ContestantKind, ContestantSpec, EngineProtocol, ParseContestantSpecError, ProgramSpec,
    parse_player_name,
};
pub use engine_factory::{EngineFactory, MemorySize, ParseMemorySizeError};
pub use move_limits::{MoveLimits, time_for_move};
#[cfg(feature = "process")]
pub use participant::Participant;
pub use player_spec::{ParsePlayerSpecError, PlayerKind, PlayerSpec};
#[cfg(feature = "process")]
pub use process::{ChildProcess, ProcessExit, ReadLineError, Shutdown};
#[cfg(feature = "process")]
pub use programs::ParticipantFailure;
#[cfg(feature = "process")]
pub use system::{SystemMemory, available_threads, clamp_to_free_memory, system_memory};
pub use time_control::{ParseTimeControlError, TimeControl};
pub use untrusted_text::{
    InputLine, MAX_LINE_BYTES, display_path, escape_control, escape_truncated, is_terminal_control,
};
