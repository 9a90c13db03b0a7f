//! Players by name: text such as `level:3` or `cmd=./bot` becomes a player that can be asked for a
//! move.
//!
//! [`PlayerSpec`] names a built-in player, and [`PlayerSpec::build_player`] builds a
//! [`kalah::Player`].
//!
//! With the feature `process`, a `ContestantSpec` names a built-in player or a program and its
//! protocol, and a `Participant` asks either for moves under [`MoveLimits`] and reports each kind
//! of failure. Each protocol is an `EngineProtocol`, which tells what it supports and creates a
//! `Program`. This crate contains none: callers pass in a list of protocols. It never prints.

#![forbid(unsafe_code)]

#[cfg(feature = "process")]
mod contestant_spec;
mod engine_factory;
#[cfg(feature = "process")]
mod game_player;
mod move_limits;
#[cfg(feature = "process")]
mod participant;
#[cfg(feature = "process")]
mod pause_monitor;
mod player_spec;
#[cfg(feature = "process")]
mod program;
#[cfg(feature = "process")]
mod system;
mod time_control;
mod untrusted_text;

#[cfg(feature = "process")]
pub use contestant_spec::{ContestantKind, ContestantSpec, ParseContestantSpecError};
pub use engine_factory::{EngineFactory, MemorySize, ParseMemorySizeError};
#[cfg(feature = "process")]
pub use game_player::{
    GamePlayerSpec, GameProgramSpec, ParseGamePlayerError, UnsupportedGameError,
};
pub use move_limits::{MoveLimits, SideClocks, ThinkLimits, clock_time, time_for_move};
#[cfg(feature = "process")]
pub use participant::Participant;
#[cfg(feature = "process")]
pub use pause_monitor::PauseMonitor;
pub use player_spec::{
    ParsePlayerSpecError, PlayerKind, PlayerSpec, parse_and_shorten_player_name, parse_player_name,
};
#[cfg(feature = "process")]
pub use program::{
    ChildProcess, EngineProcess, EngineProtocol, FLUSH_HINT, LogClock, LogLine, LogSource,
    ParseLimitsError, ParseProgramOption, ParticipantFailure, PlainStart, ProcessExit, Program,
    ProgramLimits, ProgramLog, ProgramOption, ProgramPlayer, ProgramSpec, ReadLineError, Shutdown,
    StderrLines, is_simple_command, missing_folder, replacing_shell, run_in_folder, shell_word,
};
#[cfg(feature = "process")]
pub use system::{SystemMemory, available_threads, clamp_to_free_memory, system_memory};
pub use time_control::{ParseTimeControlError, TimeControl};
pub use untrusted_text::{
    InputLine, LineReader, MAX_LINE_BYTES, describe_too_long, display_path, escape_control,
    escape_truncated, is_terminal_control, quoted_path,
};
