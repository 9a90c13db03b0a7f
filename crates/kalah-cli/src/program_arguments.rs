use clap::Args;
use kalah_players::{PlayerKind, PlayerSpec};

use crate::EngineArguments;
use crate::arguments::whole_number_parser;

/// Which program plays where no person does, and what it may take of the machine.
#[derive(Clone, Debug, Args)]
pub struct ProgramArguments {
    /// Who plays: first, random, minimax:DEPTH, level:1 (weak) to level:10 (smart), or smart, also with
    /// its own time, such as smart:100ms
    #[arg(long, value_name = "PLAYER", default_value_t = PlayerSpec::SMART, value_parser = parse_program_player)]
    pub player: PlayerSpec,
    /// Makes random players and levels play the same games again
    #[arg(long, value_name = "N", value_parser = whole_number_parser(u64::MIN, u64::MAX))]
    pub seed: Option<u64>,
    #[command(flatten)]
    #[expect(missing_docs, reason = "documented at its type")]
    pub engine: EngineArguments,
}

/// A player that is no person.
pub(crate) fn parse_program_player(text: &str) -> Result<PlayerSpec, String> {
    let spec: PlayerSpec = text
        .parse()
        .map_err(|reason: kalah_players::ParsePlayerSpecError| reason.to_string())?;
    if spec.kind == PlayerKind::Human {
        Err("nobody is there to be asked: name a program, such as smart or level:3".to_owned())
    } else {
        Ok(spec)
    }
}
