//! Programs that play: the interface of their protocols, their processes, and the ways in which
//! they fail.

mod engine_process;
mod engine_protocol;
mod failure;
mod limits;
mod process;
mod process_group;
mod program_log;
mod program_player;
mod shell;
mod stderr;

pub use engine_process::EngineProcess;
pub use engine_protocol::{
    EngineProtocol, ParseProgramOption, PlainStart, Program, ProgramOption, ProgramSpec,
};
pub use failure::{FLUSH_HINT, ParticipantFailure};
pub(crate) use limits::without_limits;
pub use limits::{ParseLimitsError, ProgramLimits};
pub use process::{ChildProcess, ProcessExit, ReadLineError, Shutdown};
pub use program_log::{LogClock, LogLine, LogSource, ProgramLog};
pub use program_player::{ProgramPlayer, StderrLines};
pub use shell::{is_simple_command, missing_folder, replacing_shell, run_in_folder, shell_word};
pub(crate) use shell::{split_folder, with_absolute_folder};
