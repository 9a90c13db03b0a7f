//! `kalah kgp child`: chooses a move for each state on standard input.

use std::io::{self, Write};
use std::time::Duration;

use kalah::Move;
use kalah_players::InputLine;
use kalah_protocols::kgp::{ChildMove, ChildStateParser, KgpBoard};

use crate::args::kgp::KgpChildArgs;
use crate::error::CliError;
use crate::output::messages::print_warning;
use crate::player_cache::PlayerCache;

pub(super) fn run(arguments: &KgpChildArgs, output: &mut dyn Write) -> Result<(), CliError> {
    let mut players = PlayerCache::new(&arguments.program);
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
            InputLine::End => return Ok(()),
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
