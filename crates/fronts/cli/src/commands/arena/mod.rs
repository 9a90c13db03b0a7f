//! `kalah arena`: tournaments of programs, which `kalah-arena` runs.

mod play;
mod progress;

use std::io::Write;

use clap::Args;
use kalah_arena::RunError;

use self::play::ArenaPlayArgs;
use crate::error::CliError;

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
A contestant is a built-in player, or a command with its protocol: uki, the engine protocol of
docs/engine-protocol.md; kgp-child, a process for each move as kgpc starts them; or mankalah. Games
are played in pairs from the same opening with sides exchanged. docs/arena.md has the details.

--resume continues a tournament that was interrupted by Ctrl-C or in any other way.

Examples:
  kalah arena --engine smart:100ms --engine level:5
  kalah arena --engine cmd=./mybot --engine level:3 --rounds 50 --out mine
  kalah arena --engine cmd='./new --fast',name=New --engine cmd=./old --sprt
  kalah arena --engine cmd=./kgpbot,proto=kgp-child --engine level:4 --time 2s
  kalah arena --engine level:7 --engine level:8 --engine level:9 --json
  kalah arena --engine smart,time=20ms --engine smart,time=10s+0.1s
  kalah arena --resume mine")]
pub(crate) struct ArenaArgs {
    #[command(flatten)]
    play: ArenaPlayArgs,
}

pub(super) fn run(arguments: &ArenaArgs, output: &mut dyn Write) -> Result<(), CliError> {
    play::run(&arguments.play, output)
}

/// Contradictory options are wrong usage.
impl From<RunError> for CliError {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Config(_) => Self::Usage(error.to_string()),
            RunError::Aborted => Self::Interrupted(error.to_string()),
            RunError::Contestants(faults) => {
                let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
                Self::Runtime(faults.join("\nerror: "))
            }
            _ => Self::Runtime(error.to_string()),
        }
    }
}
