//! Players by name: text such as `level:3` or `cmd=./bot` becomes something that can be asked for a
//! move.
//!
//! [`PlayerSpec`] names a built-in player, [`ContestantSpec`] a built-in player or a program with the
//! protocol that it speaks. [`PlayerSpec::build_player`] makes a [`kalah::Player`] of the first;
//! `Participant` asks either of them for moves under [`MoveLimits`] and reports every failure by its
//! name. Nothing here prints.

#![forbid(unsafe_code)]

mod contestant_spec;
mod engine_factory;
mod move_limits;
#[cfg(feature = "process")]
mod participant;
mod player_spec;
#[cfg(feature = "process")]
mod process;
mod time_control;
mod untrusted_text;

pub use contestant_spec::{
    ContestantKind, ContestantSpec, EngineProtocol, ParseContestantSpecError, ProgramSpec,
    parse_player_name,
};
pub use engine_factory::{EngineFactory, MemorySize, ParseMemorySizeError};
#[cfg(feature = "process")]
pub use engine_factory::{SystemMemory, available_threads, system_memory};
pub use move_limits::{MoveLimits, time_for_move};
#[cfg(feature = "process")]
pub use participant::{Participant, ParticipantFailure};
pub use player_spec::{ParsePlayerSpecError, PlayerKind, PlayerSpec};
#[cfg(feature = "process")]
pub use process::{ChildProcess, ProcessExit, ReadLineError, Shutdown};
pub use time_control::{ParseTimeControlError, ParseTimeLimitError, TimeControl, TimeLimit};
pub use untrusted_text::{
    InputLine, MAX_LINE_BYTES, display_path, escape_control, escape_truncated, is_terminal_control,
};
