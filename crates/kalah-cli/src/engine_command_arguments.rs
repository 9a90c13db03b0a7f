use std::num::NonZeroUsize;

use clap::Args;
use kalah_players::{MemorySize, PlayerKind, PlayerSpec};

use crate::TablesArgument;
use crate::arguments::whole_number_parser;
use crate::table_arguments::MAX_THREADS;

/// `kalah engine`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
It reads a line of the engine protocol after the other and ends with the input, or when it reads
`quit`. docs/engine-protocol.md describes the protocol, with an engine of a hundred lines in
Python. What the options above say can be set with `setoption` too.

Examples:
  kalah engine
  kalah engine --player level:4 --seed 7
  kalah engine --threads 4 --memory 2GiB --tables none")]
pub struct EngineCommandArguments {
    /// Who answers: smart, first, random, minimax:DEPTH, or level:1 (weak) to level:10 (smart)
    #[arg(long, value_name = "PLAYER", default_value_t = PlayerSpec::SMART, value_parser = parse_engine_player)]
    pub player: PlayerSpec,
    /// Threads that smart searches with; only with one it always finds the same
    #[arg(long, value_name = "N", default_value_t = NonZeroUsize::MIN, value_parser = whole_number_parser(NonZeroUsize::MIN, MAX_THREADS))]
    pub threads: NonZeroUsize,
    /// Memory that smart searches with, such as 64MiB or 2GiB
    #[arg(long, value_name = "SIZE", default_value = "512MiB")]
    pub memory: MemorySize,
    #[command(flatten)]
    #[expect(missing_docs, reason = "documented at its type")]
    pub tables: TablesArgument,
    /// Makes random and the levels play the same games again
    #[arg(long, value_name = "N", value_parser = whole_number_parser(u64::MIN, u64::MAX))]
    pub seed: Option<u64>,
}

/// A player who needs nobody at a terminal, and whose time is told with every question.
pub(crate) fn parse_engine_player(text: &str) -> Result<PlayerSpec, String> {
    let spec: PlayerSpec =
        (text.parse()).map_err(|reason: kalah_players::ParsePlayerSpecError| reason.to_string())?;
    if spec.kind == PlayerKind::Human {
        Err("a person does not speak the engine protocol".to_owned())
    } else if spec.time_limit.is_some() {
        Err(format!("`{text}`: here the time comes with each `go`"))
    } else {
        Ok(spec)
    }
}
