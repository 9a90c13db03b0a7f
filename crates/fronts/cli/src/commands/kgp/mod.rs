//! `kalah kgp`, and its subcommand `child`, which chooses a move for each state on standard input.

mod connect;
mod serve;

use std::io::{self, Write};
use std::time::Duration;

use clap::{Args, Subcommand};
use kalah::{Move, Position, TimeLimit};
use kalah_kgp::{ChildPlayer, RunChildError};

use self::connect::KgpConnectArgs;
use self::serve::KgpServeArgs;
use crate::args::search::{PlayerCache, ProgramOptions};
use crate::args::values::parse_positive_time;
use crate::error::CliError;
use crate::output::messages::print_warning;

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  kalah kgp connect kalah.example.org --name Lisa
  kalah kgp serve --out games
  kalah kgp child --time 1s --tables none")]
pub(crate) struct KgpArgs {
    #[command(subcommand)]
    command: KgpCommand,
}

#[derive(Clone, Debug, Subcommand)]
enum KgpCommand {
    /// Play all games that a server starts
    Connect(Box<KgpConnectArgs>),
    /// Run a server on which clients play each other and built-in players
    Serve(Box<KgpServeArgs>),
    /// Choose moves on standard input and output, as the child process of a client such as kgpc
    Child(KgpChildArgs),
}

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
A state is a sequence of whole numbers, separated by blanks or line ends: houses per side, South's
store, North's store, South's houses, North's houses, both rows in sowing order. South is to move.
The reply is a line with the number of the house to sow, from 0. The command ends with its input.

Examples:
  kalah kgp child
  kalah kgp child --player level:3 --seed 7
  kalah kgp child --time 1s --tables none")]
struct KgpChildArgs {
    #[command(flatten)]
    program: ProgramOptions,
    /// The time of smart and level:10 for each move; most servers wait 5s
    #[arg(long, value_name = "DURATION", default_value = "4500ms", value_parser = parse_positive_time)]
    time: TimeLimit,
}

pub(super) fn run(arguments: &KgpArgs, output: &mut dyn Write) -> Result<(), CliError> {
    match &arguments.command {
        KgpCommand::Child(arguments) => run_child(arguments, output),
        KgpCommand::Connect(arguments) => connect::run(arguments, output),
        KgpCommand::Serve(arguments) => serve::run(arguments, output),
    }
}

/// Runs `kalah kgp child`.
fn run_child(arguments: &KgpChildArgs, output: &mut dyn Write) -> Result<(), CliError> {
    let mut player = ChildCommandPlayer {
        players: PlayerCache::new(&arguments.program)?,
        time: arguments.time.get(),
    };
    kalah_kgp::run_child(&mut player, &mut io::stdin().lock(), output).map_err(
        |error| match error {
            RunChildError::Input(error) => CliError::Input(error),
            RunChildError::Output(error) => CliError::Output(error),
            RunChildError::IncompleteState(error) => CliError::Runtime(error.to_string()),
            RunChildError::Player(error) => error,
        },
    )
}

/// The player of the command line, whose warnings are printed.
struct ChildCommandPlayer {
    players: PlayerCache,
    time: Duration,
}

impl ChildPlayer for ChildCommandPlayer {
    type Error = CliError;

    fn choose_move(&mut self, position: &Position) -> Result<Option<Move>, CliError> {
        self.players.choose_move(position, self.time)
    }

    fn warn(&mut self, reason: &str) {
        print_warning(reason);
    }
}
