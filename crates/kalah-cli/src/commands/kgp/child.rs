use std::io::{self, Write};
use std::time::Duration;

use kalah::Move;
use kalah_protocols::kgp::{Board, ChildAnswer, ChildStates};

use super::super::answerer::Answerer;
use super::super::warn;
use crate::line::Line;
use crate::{Failure, KgpChildArguments};

pub(super) fn run(arguments: &KgpChildArguments, output: &mut dyn Write) -> Result<(), Failure> {
    let mut answerer = Answerer::new(&arguments.program);
    let mut states = ChildStates::default();
    let mut input = io::stdin().lock();
    loop {
        match Line::read(&mut input).map_err(Failure::Input)? {
            Line::Text(line) => match states.hear(&line) {
                Ok(boards) => {
                    for board in boards {
                        answer(&mut answerer, &board, arguments.time.get(), output)?;
                    }
                }
                Err(reason) => warn(&reason.to_string()),
            },
            Line::TooLong => warn("a line is too long, and passed over"),
            Line::NotText => warn("a line is no text, and passed over"),
            Line::End => return Ok(()),
        }
    }
}

fn answer(
    answerer: &mut Answerer,
    board: &Board,
    limit: Duration,
    output: &mut dyn Write,
) -> Result<(), Failure> {
    let position = match board.position() {
        Ok(position) => position,
        Err(reason) => {
            warn(&format!("{board} cannot be played: {reason}"));
            return Ok(());
        }
    };
    match answerer.choose(&position, limit)? {
        Some(Move::Sow(house)) => {
            writeln!(output, "{}", ChildAnswer(house))?;
            output.flush()?;
        }
        // There is no swap in these rules.
        Some(Move::Swap) | None => warn(&format!("{board} is over: there is nothing to sow")),
    }
    Ok(())
}
