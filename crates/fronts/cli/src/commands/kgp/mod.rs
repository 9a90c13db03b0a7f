//! `kalah kgp`, and its subcommand `child`, which chooses a move for each state on standard input.

mod connect;
mod serve;

use std::io::{self, Write};
use std::time::Duration;

use clap::{Args, Subcommand};
use kalah::{Move, TimeLimit};
use kalah_kgp::{ChildMove, ChildStateParser, KgpBoard};
use kalah_players::InputLine;

use self::connect::KgpConnectArgs;
use self::serve::KgpServeArgs;
use crate::args::search::{PlayerCache, ProgramOptions};
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
    #[arg(long, value_name = "DURATION", default_value = "4500ms")]
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
    let mut players = PlayerCache::new(&arguments.program)?;
    let mut states = ChildStateParser::default();
    let mut input = io::stdin().lock();
    loop {
        match InputLine::read(&mut input).map_err(CliError::Input)? {
            InputLine::Text(line) => match states.push_line(&line) {
                Ok(boards) => {
                    for board in boards {
                        send_move(&mut players, &board, arguments.time.get(), output)?;
                    }
                }
                Err(error) => print_warning(&error.to_string()),
            },
            InputLine::TooLong => print_warning("a line is too long and was skipped"),
            InputLine::NotUtf8 => print_warning("a line is not UTF-8 and was skipped"),
            InputLine::End => {
                let result = states.finish();
                return result.map_err(|error| CliError::Runtime(error.to_string()));
            }
        }
    }
}

/// Prints a move for a board, or warns if the board has no move.
fn send_move(
    players: &mut PlayerCache,
    board: &KgpBoard,
    limit: Duration,
    output: &mut dyn Write,
) -> Result<(), CliError> {
    let position = match board.position() {
        Ok(position) => position,
        Err(error) => {
            print_warning(&format!("{board} cannot be played: {error}"));
            return Ok(());
        }
    };
    match players.choose_move(&position, limit)? {
        Some(Move::Sow(house)) => {
            writeln!(output, "{}", ChildMove(house))?;
            output.flush()?;
        }
        // The rules of the protocol have no swap.
        Some(Move::Swap) | None => {
            print_warning(&format!("{board} has no legal move"));
        }
    }
    Ok(())
}
