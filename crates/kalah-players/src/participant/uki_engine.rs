//! Programs that speak the engine protocol.

use std::time::{Duration, Instant};

use kalah::{Game, Move};
use kalah_protocols::uki::{EngineMessage, HostMessage};

use super::failure::ParticipantFailure;
use super::program::EngineProcess;
use crate::escape::escape_truncated;
use crate::{MAX_LINE_BYTES, MoveLimits, ProgramSpec, Shutdown};

/// An engine that speaks the engine protocol; it runs from game to game.
pub(super) struct UkiEngine {
    spec: ProgramSpec,
    shutdown: Shutdown,
    program: Option<EngineProcess>,
}

/// The time that an engine has until it is there, or ready again: some load a great deal first.
const STARTUP_TIMEOUT: Duration = Duration::from_secs(30);

impl UkiEngine {
    pub(super) fn new(spec: ProgramSpec, shutdown: Shutdown) -> Self {
        Self {
            spec,
            shutdown,
            program: None,
        }
    }

    /// Starts it, if it does not run, and tells it that a game begins.
    pub(super) fn start_game(&mut self) -> Result<(), ParticipantFailure> {
        let began = Instant::now();
        let mut program = match self.program.take() {
            Some(program) => program,
            None => self.start(began)?,
        };
        program.send(&HostMessage::NewGame);
        program.send(&HostMessage::IsReady);
        wait_for(&mut program, began, &EngineMessage::ReadyOk)?;
        self.program = Some(program);
        Ok(())
    }

    fn start(&self, began: Instant) -> Result<EngineProcess, ParticipantFailure> {
        let mut program = EngineProcess::start(&self.spec.command, &self.shutdown)?;
        program.send(&HostMessage::Uki);
        wait_for(&mut program, began, &EngineMessage::UkiOk)?;
        for (name, value) in &self.spec.options {
            program.send(&HostMessage::SetOption {
                name: name.clone(),
                value: Some(value.clone()),
            });
        }
        Ok(program)
    }

    /// Its choice. Whoever fails is ended, and started anew for the next game.
    pub(super) fn choose_move(
        &mut self,
        game: &Game,
        turn: &MoveLimits,
    ) -> Result<Move, ParticipantFailure> {
        let Some(mut program) = self.program.take() else {
            return Err(ParticipantFailure::ProtocolError(
                "it does not run".to_owned(),
            ));
        };
        let mv = request_move(&mut program, game, turn)?;
        self.program = Some(program);
        Ok(mv)
    }

    /// Ends it.
    pub(super) fn quit(&mut self) {
        if let Some(program) = self.program.take() {
            program.send(&HostMessage::Quit);
            program.terminate();
        }
    }
}

/// Reads up to a message that has to come.
fn wait_for(
    program: &mut EngineProcess,
    began: Instant,
    awaited: &EngineMessage,
) -> Result<(), ParticipantFailure> {
    loop {
        let line = program.read_line(began, STARTUP_TIMEOUT)?;
        match parse_line(&line)? {
            Some(message) if message == *awaited => return Ok(()),
            Some(EngineMessage::BestMove(_)) => return Err(unsolicited(&line)),
            _ => {}
        }
    }
}

/// What a line says, `None` if it is empty.
fn parse_line(line: &str) -> Result<Option<EngineMessage>, ParticipantFailure> {
    if line.trim().is_empty() {
        return Ok(None);
    }
    match line.parse() {
        Ok(EngineMessage::Error(error)) => Err(ParticipantFailure::ProtocolError(format!(
            "it reports an error: {}",
            escape_truncated(error.as_str())
        ))),
        Ok(message) => Ok(Some(message)),
        Err(reason) => Err(ParticipantFailure::ProtocolError(format!(
            "`{}`: {reason}",
            escape_truncated(line)
        ))),
    }
}

fn unsolicited(line: &str) -> ParticipantFailure {
    ParticipantFailure::ProtocolError(format!("`{}` without being asked", escape_truncated(line)))
}

fn request_move(
    program: &mut EngineProcess,
    game: &Game,
    turn: &MoveLimits,
) -> Result<Move, ParticipantFailure> {
    // What it still has to say of the question before is not taken for an answer to this one.
    program.send(&HostMessage::IsReady);
    wait_for(program, Instant::now(), &EngineMessage::ReadyOk)?;
    program.send(&position_command(game));
    let asked = Instant::now();
    program.send(&HostMessage::Go(turn.go));
    loop {
        let line = program.read_line(asked, turn.timeout)?;
        let Some(EngineMessage::BestMove(mv)) = parse_line(&line)? else {
            continue;
        };
        let side = game.position().to_move();
        let named = mv.ok_or_else(|| ParticipantFailure::IllegalMove {
            answer: line.clone(),
            reason: "the game is not over".to_owned(),
        })?;
        return named
            .for_side(side)
            .ok_or_else(|| ParticipantFailure::IllegalMove {
                answer: named.to_string(),
                reason: format!("{side} is to move"),
            });
    }
}

/// The game as an engine is told it: without its plies where these are more than a line may have.
fn position_command(game: &Game) -> String {
    let line = HostMessage::Position(Box::new(game.clone())).to_string();
    if line.len() <= MAX_LINE_BYTES {
        return line;
    }
    let now = Game::new(game.position().clone());
    HostMessage::Position(Box::new(now)).to_string()
}

#[cfg(test)]
mod tests {
    use kalah::{House, Position, Rules};

    use super::*;

    const LARGE_PRIME: usize = 7919;

    #[test]
    fn however_long_a_game_is_a_line_has_room_for_it() {
        let start = Position::start(26, 1200, Rules::CS32).expect("a start");
        let mut game = Game::new(start);
        let mut is_told_whole = true;
        loop {
            // As at random, which makes games long.
            let houses: Vec<House> = game.position().legal_houses().collect();
            let lot = game.plies().len() * LARGE_PRIME;
            let Some(&house) = houses.get(lot % houses.len().max(1)) else {
                break;
            };
            game.play(Move::Sow(house)).expect("it is legal");
            // Each of them takes a while to read.
            if !game.plies().len().is_multiple_of(500) {
                continue;
            }
            let line = position_command(&game);
            assert!(line.len() <= MAX_LINE_BYTES);
            let Ok(HostMessage::Position(told)) = line.parse() else {
                panic!("{line}")
            };
            assert_eq!(told.position(), game.position());
            is_told_whole = *told == game;
        }
        assert!(!is_told_whole, "{} plies are too few", game.plies().len());
    }
}
