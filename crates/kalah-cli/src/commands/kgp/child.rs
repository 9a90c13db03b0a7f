use std::io::{self, Write};
use std::time::Duration;

use kalah::Move;
use kalah_players::InputLine;
use kalah_protocols::kgp::{ChildMove, ChildStateParser, KgpBoard};

use super::super::answerer::PlayerCache;
use super::super::print_warning;
use crate::{CliError, KgpChildArguments};

pub(super) fn run(arguments: &KgpChildArguments, output: &mut dyn Write) -> Result<(), CliError> {
    let mut answerer = PlayerCache::new(&arguments.program);
    let mut states = ChildStateParser::default();
    let mut input = io::stdin().lock();
    loop {
        match InputLine::read(&mut input).map_err(CliError::Input)? {
            InputLine::Text(line) => match states.push_line(&line) {
                Ok(boards) => {
                    for board in boards {
                        send_move(&mut answerer, &board, arguments.time.get(), output)?;
                    }
                }
                Err(reason) => print_warning(&reason.to_string()),
            },
            InputLine::TooLong => print_warning("a line is too long, and passed over"),
            InputLine::NotUtf8 => print_warning("a line is no text, and passed over"),
            InputLine::End => return Ok(()),
        }
    }
}

fn send_move(
    answerer: &mut PlayerCache,
    board: &KgpBoard,
    limit: Duration,
    output: &mut dyn Write,
) -> Result<(), CliError> {
    let position = match board.position() {
        Ok(position) => position,
        Err(reason) => {
            print_warning(&format!("{board} cannot be played: {reason}"));
            return Ok(());
        }
    };
    match answerer.choose_move(&position, limit)? {
        Some(Move::Sow(house)) => {
            writeln!(output, "{}", ChildMove(house))?;
            output.flush()?;
        }
        // There is no swap in these rules.
        Some(Move::Swap) | None => {
            print_warning(&format!("{board} is over: there is nothing to sow"));
        }
    }
    Ok(())
}
