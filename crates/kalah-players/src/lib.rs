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
mod escape;
mod line_reader;
mod memory_size;
mod move_limits;
#[cfg(feature = "process")]
mod participant;
mod player_spec;
#[cfg(feature = "process")]
mod process;
mod shutdown;
#[cfg(feature = "process")]
mod system;
mod time_control;
mod time_limit;
mod time_management;

pub use contestant_spec::{
    ContestantKind, ContestantSpec, EngineProtocol, ParseContestantSpecError, ProgramSpec,
    parse_player_name,
};
pub use engine_factory::EngineFactory;
pub use escape::{display_path, escape_control, escape_truncated, is_terminal_control};
pub use line_reader::{InputLine, MAX_LINE_BYTES};
pub use memory_size::{MemorySize, ParseMemorySizeError};
pub use move_limits::MoveLimits;
#[cfg(feature = "process")]
pub use participant::{Participant, ParticipantFailure};
pub use player_spec::{ParsePlayerSpecError, PlayerKind, PlayerSpec};
#[cfg(feature = "process")]
pub use process::{ChildProcess, ProcessExit, ReadLineError};
pub use shutdown::Shutdown;
#[cfg(feature = "process")]
pub use system::{SystemMemory, available_threads, system_memory};
pub use time_control::{ParseTimeControlError, TimeControl};
pub use time_limit::{ParseTimeLimitError, TimeLimit};
pub use time_management::time_for_move;
