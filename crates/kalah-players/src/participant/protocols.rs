//! Programs that play: one player for each protocol.

use super::engine_process::{EngineProcess, ParticipantFailure};
use crate::untrusted_text::escape_truncated;
use crate::{MAX_LINE_BYTES, MoveLimits, ProgramSpec, Shutdown};
use kalah_protocols::kgp::{ChildMove, KgpBoard, format_child_state};
use kalah_protocols::uki::{EngineMessage, HostMessage};
use std::time::{Duration, Instant};

use kalah::{Game, Move, Position, Side};
use kalah_protocols::mankalah::{AgentMessage, MankalahBoard, MankalahEngineMessage, NextTurn};

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

/// A program that is started for each state, as clients of the Kalah Game Protocol do it: it answers any number of
/// times until it ends or is ended, and the last answer counts.
pub(super) struct KgpChild {
    spec: ProgramSpec,
    shutdown: Shutdown,
}

impl KgpChild {
    pub(super) fn new(spec: ProgramSpec, shutdown: Shutdown) -> Self {
        Self { spec, shutdown }
    }

    /// Starts it, for it to look at a position.
    pub(super) fn start(&self, position: &Position) -> Result<EngineProcess, ParticipantFailure> {
        let mut program = EngineProcess::start(&self.spec.command, &self.shutdown)?;
        program.send(&format_child_state(&KgpBoard::from(position)).trim_end());
        program.close_input();
        Ok(program)
    }

    /// Its choice and the time that this took: who answers in time is ended when the time is over, and not late.
    pub(super) fn choose_move(
        &self,
        position: &Position,
        turn: &MoveLimits,
    ) -> Result<(Move, Duration), ParticipantFailure> {
        let asked = Instant::now();
        let mut program = self.start(position)?;
        let limit = turn.time_for_move(position).unwrap_or(turn.timeout);
        let mut last: Option<(Move, Duration)> = None;
        loop {
            let is_over = asked.elapsed() >= limit;
            let (line, mv) = match (last, is_over) {
                (Some((mv, at)), true) => return Ok((mv, at.max(limit))),
                (Some((mv, _)), false) => (program.read_line(asked, limit), Some(mv)),
                (None, _) => (program.read_line(asked, turn.timeout), None),
            };
            let line = match (line, mv) {
                (
                    Err(ParticipantFailure::Crash { .. } | ParticipantFailure::Stall { .. }),
                    Some(mv),
                ) => {
                    return Ok((mv, asked.elapsed().min(limit)));
                }
                (line, _) => line?,
            };
            if !line.trim().is_empty() {
                let answer: Result<ChildMove, _> = line.parse();
                let ChildMove(house) = answer.map_err(|reason| {
                    ParticipantFailure::invalid_house(&line, line.trim())
                        .unwrap_or_else(|| ParticipantFailure::ProtocolError(reason.to_string()))
                })?;
                last = Some((Move::Sow(house), asked.elapsed()));
            }
        }
    }
}

/// An agent of Manchester's protocol, which runs for a game.
pub(super) struct MankalahAgent {
    spec: ProgramSpec,
    shutdown: Shutdown,
    program: Option<EngineProcess>,
}

/// What an agent's answer begins with that names a house.
const MOVE_PREFIX: &str = "MOVE;";

impl MankalahAgent {
    pub(super) fn new(spec: ProgramSpec, shutdown: Shutdown) -> Self {
        Self {
            spec,
            shutdown,
            program: None,
        }
    }

    /// Starts it.
    pub(super) fn start(&self, began: Side) -> Result<EngineProcess, ParticipantFailure> {
        let program = EngineProcess::start(&self.spec.command, &self.shutdown)?;
        program.send(&MankalahEngineMessage::Start(began));
        Ok(program)
    }

    /// Starts it for a game, which is known to begin as games do.
    pub(super) fn start_game(&mut self, began: Side) -> Result<(), ParticipantFailure> {
        self.program = Some(self.start(began)?);
        Ok(())
    }

    pub(super) fn choose_move(&mut self, turn: &MoveLimits) -> Result<Move, ParticipantFailure> {
        let Some(program) = &mut self.program else {
            return Err(ParticipantFailure::ProtocolError(
                "it does not run".to_owned(),
            ));
        };
        let line = program.read_line(Instant::now(), turn.timeout)?;
        let message: Result<AgentMessage, _> = line.parse();
        let AgentMessage(mv) = message.map_err(|reason| {
            let number = line.trim().strip_prefix(MOVE_PREFIX).unwrap_or_default();
            ParticipantFailure::invalid_house(&line, number)
                .unwrap_or_else(|| ParticipantFailure::ProtocolError(reason.to_string()))
        })?;
        Ok(mv)
    }

    /// Tells it of the last ply of a game; who swaps is told nothing of it.
    pub(super) fn notify_ply(&self, game: &Game, began: Side, is_its_own: bool) {
        if let (Some(program), Some(ply)) = (&self.program, game.plies().last())
            && !(is_its_own && ply.mv == Move::Swap)
        {
            program.send(&MankalahEngineMessage::Change {
                mv: ply.mv,
                board: MankalahBoard::from(&ply.after),
                next: next_to_move(game, began),
            });
        }
    }

    /// Ends it.
    pub(super) fn end_game(&mut self) {
        if let Some(program) = self.program.take() {
            program.send(&MankalahEngineMessage::End);
            program.terminate();
        }
    }
}

/// What follows for the agent that began on that side.
fn next_to_move(game: &Game, began: Side) -> NextTurn {
    let position = game.position();
    let sits = if game.is_swapped() {
        began.opponent()
    } else {
        began
    };
    if position.is_over() {
        NextTurn::End
    } else if position.to_move() == sits {
        NextTurn::You
    } else {
        NextTurn::Opponent
    }
}

#[cfg(test)]
mod tests {
    use kalah::{House, Rules};

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
