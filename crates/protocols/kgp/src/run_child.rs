//! The loop of a child process: it reads states and writes a move for each.

use std::io::{self, BufRead, Write};

use kalah::{Move, Position};
use kalah_players::{InputLine, LineReader};
use thiserror::Error;

use crate::child::{ChildMove, ChildStateParser, ParseChildError};
use crate::message::KgpBoard;

/// The player behind a child process.
pub trait ChildPlayer {
    /// The reason why the player cannot move.
    type Error;

    /// Returns the move in a position; `None` if the game is over.
    ///
    /// # Errors
    /// Returns the reason why the player cannot move, which ends the child process.
    fn choose_move(&mut self, position: &Position) -> Result<Option<Move>, Self::Error>;

    /// Receives the reason why a line or a state has no answer.
    fn warn(&mut self, reason: &str);
}

/// The reason why a child process ended early.
#[derive(Debug, Error)]
pub enum RunChildError<E> {
    /// The input cannot be read.
    #[error("cannot read the input: {0}")]
    Input(io::Error),
    /// The input ends within a state.
    #[error("{0}")]
    IncompleteState(ParseChildError),
    /// The output cannot be written.
    #[error("cannot write the output: {0}")]
    Output(io::Error),
    /// The player cannot move.
    #[error("{0}")]
    Player(E),
}

/// Answers the states of the input until it ends.
///
/// # Errors
/// Returns the error of the input, of the output or of the player.
///
/// ```
/// use kalah::{Move, Position};
/// use kalah_kgp::{ChildPlayer, run_child};
///
/// struct FirstMove(Vec<String>);
///
/// impl ChildPlayer for FirstMove {
///     type Error = std::convert::Infallible;
///
///     fn choose_move(&mut self, position: &Position) -> Result<Option<Move>, Self::Error> {
///         Ok(position.legal_moves().next())
///     }
///
///     fn warn(&mut self, reason: &str) {
///         self.0.push(reason.to_owned());
///     }
/// }
///
/// let input = "3 0 0 0 2 2 2 2 2\nnonsense\n1 0 0 1 1\n";
/// let (mut player, mut output) = (FirstMove(Vec::new()), Vec::new());
/// run_child(&mut player, &mut input.as_bytes(), &mut output)?;
/// assert_eq!(output, b"1\n0\n");
/// assert_eq!(player.0, ["`nonsense` is not a whole number"]);
/// # Ok::<(), kalah_kgp::RunChildError<std::convert::Infallible>>(())
/// ```
pub fn run_child<P: ChildPlayer>(
    player: &mut P,
    input: &mut impl BufRead,
    output: &mut dyn Write,
) -> Result<(), RunChildError<P::Error>> {
    let mut states = ChildStateParser::default();
    let mut lines = LineReader::new(input);
    loop {
        match lines.read().map_err(RunChildError::Input)? {
            InputLine::Text(line) | InputLine::NotUtf8(line) => match states.push_line(&line) {
                Ok(boards) => {
                    for board in boards {
                        answer(player, &board, output)?;
                    }
                }
                Err(error) => player.warn(&error.to_string()),
            },
            InputLine::TooLong(_) => player.warn("a line is too long and was skipped"),
            InputLine::End => return states.finish().map_err(RunChildError::IncompleteState),
        }
    }
}

/// Writes a move for a board, or warns if the board has no move.
fn answer<P: ChildPlayer>(
    player: &mut P,
    board: &KgpBoard,
    output: &mut dyn Write,
) -> Result<(), RunChildError<P::Error>> {
    let position = match board.position() {
        Ok(position) => position,
        Err(error) => {
            player.warn(&format!("{board} cannot be played: {error}"));
            return Ok(());
        }
    };
    match player
        .choose_move(&position)
        .map_err(RunChildError::Player)?
    {
        Some(Move::Sow(house)) => writeln!(output, "{}", ChildMove(house))
            .and_then(|()| output.flush())
            .map_err(RunChildError::Output),
        // The rules of the protocol have no swap.
        Some(Move::Swap) | None => {
            player.warn(&format!("{board} has no legal move"));
            Ok(())
        }
    }
}
