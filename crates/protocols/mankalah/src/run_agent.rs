//! The loop of an agent: it reads the messages of the engine and writes its moves.

use std::io::{self, BufRead, Write};
use std::time::Duration;

use kalah::{Move, Position};
use kalah_players::{InputLine, LineReader, escape_truncated};
use thiserror::Error;

use crate::agent::{Agent, AgentAction};
use crate::message::MankalahEngineMessage;

/// The time of an agent.
#[derive(Clone, Copy, Debug)]
pub struct AgentTime {
    /// The time for each move.
    pub per_move: Duration,
    /// The time for a whole game. A move takes at most a small part of the time that is left.
    pub per_game: Duration,
}

/// The player behind an agent.
pub trait AgentPlayer {
    /// The reason why the player cannot move.
    type Error;

    /// Returns the move within `limit`; `None` if the game is over.
    ///
    /// # Errors
    /// Returns the reason why the player cannot move, which ends the agent.
    fn choose_move(
        &mut self,
        position: &Position,
        limit: Duration,
    ) -> Result<Option<Move>, Self::Error>;

    /// Receives the reason why a line of the engine was ignored.
    fn line_ignored(&mut self, reason: &str);
}

/// The reason why an agent ended early.
#[derive(Debug, Error)]
pub enum RunAgentError<E> {
    /// The input cannot be read.
    #[error("cannot read the input: {0}")]
    Input(io::Error),
    /// The output cannot be written.
    #[error("cannot write the output: {0}")]
    Output(io::Error),
    /// The player cannot move.
    #[error("{0}")]
    Player(E),
}

/// The part of the time left for the game that one move of an agent may take, as a divisor: a
/// player makes some thirty moves in a game on 7x7.
const GAME_TIME_DIVISOR: u32 = 20;

/// Runs an agent for games that begin with `start`, until the input or a game has ended. `clock`
/// returns the time since any fixed moment.
///
/// # Errors
/// Returns the error of the input, of the output or of the player.
pub fn run_agent<P: AgentPlayer>(
    start: Position,
    time: AgentTime,
    player: &mut P,
    clock: &dyn Fn() -> Duration,
    input: &mut impl BufRead,
    output: &mut dyn Write,
) -> Result<(), RunAgentError<P::Error>> {
    let mut agent = Agent::new(start);
    let mut lines = LineReader::new(input);
    let mut time_used = Duration::ZERO;
    loop {
        let line = match lines.read().map_err(RunAgentError::Input)? {
            InputLine::Text(line) | InputLine::NotUtf8(line) => line,
            InputLine::TooLong(_) => {
                player.line_ignored("a line was ignored: it is too long");
                continue;
            }
            InputLine::End => return Ok(()),
        };
        let received_at = clock();
        let message = match line.parse::<MankalahEngineMessage>() {
            Ok(message) => message,
            Err(reason) => {
                player.line_ignored(&reason.to_string());
                continue;
            }
        };
        if matches!(message, MankalahEngineMessage::Start(_)) {
            time_used = Duration::ZERO;
        }
        match agent.handle_message(&message) {
            Ok(AgentAction::ChooseMove(position)) => {
                let left = time.per_game.saturating_sub(time_used);
                let limit = time.per_move.min(left / GAME_TIME_DIVISOR);
                let mv = player.choose_move(&position, limit);
                if let Some(mv) = mv.map_err(RunAgentError::Player)? {
                    writeln!(output, "{}", agent.play(mv))
                        .and_then(|()| output.flush())
                        .map_err(RunAgentError::Output)?;
                }
                time_used += clock().saturating_sub(received_at);
            }
            Ok(AgentAction::Wait) => {}
            Ok(AgentAction::Exit) => return Ok(()),
            Err(reason) => {
                player.line_ignored(&format!("`{}`: {reason}", escape_truncated(&line)));
            }
        }
    }
}
