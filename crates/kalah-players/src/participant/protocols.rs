//! External programs that play, one type for each protocol.

use std::time::{Duration, Instant};

use kalah::{Game, Move, Position, Quoted, Side};
use kalah_protocols::kgp::{ChildMove, KgpBoard, format_child_state};
use kalah_protocols::mankalah::{AgentMessage, MankalahBoard, MankalahEngineMessage, NextTurn};
use kalah_protocols::uki::{EngineMessage, HostMessage};

use super::engine_process::{EngineProcess, ParticipantFailure};
use crate::contestant_spec::ProgramSpec;
use crate::move_limits::MoveLimits;
use crate::process::Shutdown;
use crate::untrusted_text::MAX_LINE_BYTES;

/// A program that speaks the engine protocol and keeps running from game to game.
pub(super) struct UkiEngine {
    spec: ProgramSpec,
    shutdown: Shutdown,
    /// `None` before the first game and after a failure.
    process: Option<EngineProcess>,
}

/// The time for an engine to start or to become ready. Some engines load large tables first.
const STARTUP_TIMEOUT: Duration = Duration::from_secs(30);

impl UkiEngine {
    pub(super) fn new(spec: ProgramSpec, shutdown: Shutdown) -> Self {
        Self {
            spec,
            shutdown,
            process: None,
        }
    }

    /// Starts the program if it does not run, and announces a new game.
    pub(super) fn start_game(&mut self) -> Result<(), ParticipantFailure> {
        let start = Instant::now();
        let mut process = match self.process.take() {
            Some(process) => process,
            None => self.start(start)?,
        };
        process.send(&HostMessage::NewGame);
        process.send(&HostMessage::IsReady);
        wait_for(&mut process, start, &EngineMessage::ReadyOk)?;
        self.process = Some(process);
        Ok(())
    }

    fn start(&self, start: Instant) -> Result<EngineProcess, ParticipantFailure> {
        let mut process = EngineProcess::start(&self.spec.command, &self.shutdown)?;
        process.send(&HostMessage::Uki);
        wait_for(&mut process, start, &EngineMessage::UkiOk)?;
        for (name, value) in &self.spec.options {
            process.send(&HostMessage::SetOption {
                name: name.clone(),
                value: Some(value.clone()),
            });
        }
        Ok(process)
    }

    /// Returns the move of the engine. After a failure the program is killed, and the next game
    /// starts it again.
    pub(super) fn choose_move(
        &mut self,
        game: &Game,
        limits: &MoveLimits,
    ) -> Result<Move, ParticipantFailure> {
        let mut process = self.process.take().ok_or_else(not_running)?;
        let mv = request_move(&mut process, game, limits)?;
        self.process = Some(process);
        Ok(mv)
    }

    /// Ends the program.
    pub(super) fn quit(&mut self) {
        if let Some(process) = self.process.take() {
            process.send(&HostMessage::Quit);
            process.terminate();
        }
    }
}

fn not_running() -> ParticipantFailure {
    ParticipantFailure::ProtocolError("it is not running".to_owned())
}

/// Reads messages until `awaited` comes, at most [`STARTUP_TIMEOUT`] after `start`.
fn wait_for(
    process: &mut EngineProcess,
    start: Instant,
    awaited: &EngineMessage,
) -> Result<(), ParticipantFailure> {
    loop {
        let line = process.read_line(start, STARTUP_TIMEOUT)?;
        match parse_line(&line)? {
            Some(message) if message == *awaited => return Ok(()),
            Some(EngineMessage::BestMove(_)) => return Err(unsolicited(&line)),
            _ => {}
        }
    }
}

/// Parses a message of an engine; `None` for an empty line.
fn parse_line(line: &str) -> Result<Option<EngineMessage>, ParticipantFailure> {
    if line.trim().is_empty() {
        return Ok(None);
    }
    match line.parse() {
        Ok(EngineMessage::Error(error)) => Err(ParticipantFailure::ProtocolError(format!(
            "it reports an error: {}",
            Quoted::new(error.as_str()).as_str()
        ))),
        Ok(message) => Ok(Some(message)),
        Err(reason) => Err(ParticipantFailure::ProtocolError(format!(
            "{}: {reason}",
            Quoted::new(line)
        ))),
    }
}

fn unsolicited(line: &str) -> ParticipantFailure {
    ParticipantFailure::ProtocolError(format!("{} without being asked", Quoted::new(line)))
}

fn request_move(
    process: &mut EngineProcess,
    game: &Game,
    limits: &MoveLimits,
) -> Result<Move, ParticipantFailure> {
    // Late messages about the previous position are read here, so that none of them counts as the
    // answer for this position.
    process.send(&HostMessage::IsReady);
    wait_for(process, Instant::now(), &EngineMessage::ReadyOk)?;
    process.send(&position_command(game));
    let start = Instant::now();
    process.send(&HostMessage::Go(limits.go));
    loop {
        let line = process.read_line(start, limits.timeout)?;
        let Some(EngineMessage::BestMove(best_move)) = parse_line(&line)? else {
            continue;
        };
        let side = game.position().to_move();
        let best_move = best_move.ok_or_else(|| ParticipantFailure::IllegalMove {
            answer: line.clone(),
            reason: "the game is not over".to_owned(),
        })?;
        return best_move
            .for_side(side)
            .ok_or_else(|| ParticipantFailure::IllegalMove {
                answer: best_move.to_string(),
                reason: format!("{side} is to move"),
            });
    }
}

/// Returns the command that sends `game` to an engine. It leaves out the plies of a game that does
/// not fit into a line of [`MAX_LINE_BYTES`].
fn position_command(game: &Game) -> String {
    let line = HostMessage::Position(Box::new(game.clone())).to_string();
    if line.len() <= MAX_LINE_BYTES {
        return line;
    }
    let without_plies = Game::new(game.position().clone());
    HostMessage::Position(Box::new(without_plies)).to_string()
}

/// A program that reads a board of the Kalah Game Protocol and prints house numbers.
///
/// It is started for each state, as clients of the Kalah Game Protocol do it. It prints any number
/// of answers until it exits or is killed, and the last answer counts.
pub(super) struct KgpChild {
    spec: ProgramSpec,
    shutdown: Shutdown,
}

impl KgpChild {
    pub(super) fn new(spec: ProgramSpec, shutdown: Shutdown) -> Self {
        Self { spec, shutdown }
    }

    /// Starts the program for `position`.
    pub(super) fn start(&self, position: &Position) -> Result<EngineProcess, ParticipantFailure> {
        let mut process = EngineProcess::start(&self.spec.command, &self.shutdown)?;
        process.send(&format_child_state(&KgpBoard::from(position)).trim_end());
        process.close_input();
        Ok(process)
    }

    /// Returns the move of the program and the time that it counts for.
    ///
    /// A program with an answer before the time limit is killed at the limit, and is not late. A
    /// program without one can still answer until the timeout.
    pub(super) fn choose_move(
        &self,
        position: &Position,
        limits: &MoveLimits,
    ) -> Result<(Move, Duration), ParticipantFailure> {
        let start = Instant::now();
        let mut process = self.start(position)?;
        let time = limits.time_for_move(position).unwrap_or(limits.timeout);
        let mut last: Option<(Move, Duration)> = None;
        loop {
            let is_over = start.elapsed() >= time;
            let (line, mv) = match (last, is_over) {
                (Some((mv, answered)), true) => return Ok((mv, answered.max(time))),
                (Some((mv, _)), false) => (process.read_line(start, time), Some(mv)),
                (None, _) => (process.read_line(start, limits.timeout), None),
            };
            let line = match (line, mv) {
                (
                    Err(ParticipantFailure::Crash { .. } | ParticipantFailure::Stall { .. }),
                    Some(mv),
                ) => {
                    return Ok((mv, start.elapsed().min(time)));
                }
                (line, _) => line?,
            };
            if !line.trim().is_empty() {
                let answer: Result<ChildMove, _> = line.parse();
                let ChildMove(house) = answer.map_err(|reason| {
                    ParticipantFailure::invalid_house(&line, line.trim())
                        .unwrap_or_else(|| ParticipantFailure::ProtocolError(reason.to_string()))
                })?;
                last = Some((Move::Sow(house), start.elapsed()));
            }
        }
    }
}

/// An agent of Manchester's protocol, which runs for one game.
pub(super) struct MankalahAgent {
    spec: ProgramSpec,
    shutdown: Shutdown,
    /// `None` between games.
    process: Option<EngineProcess>,
}

/// The prefix of an agent's answer that names a house.
const MOVE_PREFIX: &str = "MOVE;";

impl MankalahAgent {
    pub(super) fn new(spec: ProgramSpec, shutdown: Shutdown) -> Self {
        Self {
            spec,
            shutdown,
            process: None,
        }
    }

    /// Starts the program on the side `started_as`.
    pub(super) fn start(&self, started_as: Side) -> Result<EngineProcess, ParticipantFailure> {
        let process = EngineProcess::start(&self.spec.command, &self.shutdown)?;
        process.send(&MankalahEngineMessage::Start(started_as));
        Ok(process)
    }

    /// Starts the program for a game. The protocol has no message for a position, so the game has
    /// to begin at the start position that the agent expects.
    pub(super) fn start_game(&mut self, started_as: Side) -> Result<(), ParticipantFailure> {
        self.process = Some(self.start(started_as)?);
        Ok(())
    }

    pub(super) fn choose_move(&mut self, limits: &MoveLimits) -> Result<Move, ParticipantFailure> {
        let process = self.process.as_mut().ok_or_else(not_running)?;
        let line = process.read_line(Instant::now(), limits.timeout)?;
        let message: Result<AgentMessage, _> = line.parse();
        let AgentMessage(mv) = message.map_err(|reason| {
            let number = line.trim().strip_prefix(MOVE_PREFIX).unwrap_or_default();
            ParticipantFailure::invalid_house(&line, number)
                .unwrap_or_else(|| ParticipantFailure::ProtocolError(reason.to_string()))
        })?;
        Ok(mv)
    }

    /// Informs the agent of the last ply of a game, except of its own swap, which the protocol does
    /// not confirm.
    pub(super) fn notify_ply(&self, game: &Game, started_as: Side, is_own_ply: bool) {
        if let (Some(process), Some(ply)) = (&self.process, game.plies().last())
            && !(is_own_ply && ply.mv == Move::Swap)
        {
            process.send(&MankalahEngineMessage::Change {
                mv: ply.mv,
                board: MankalahBoard::from(&ply.after),
                next: next_turn(game, started_as),
            });
        }
    }

    /// Ends the program.
    pub(super) fn end_game(&mut self) {
        if let Some(process) = self.process.take() {
            process.send(&MankalahEngineMessage::End);
            process.terminate();
        }
    }
}

/// Returns whose turn is next, for the agent that began on the side `started_as`.
fn next_turn(game: &Game, started_as: Side) -> NextTurn {
    let position = game.position();
    let side = if game.is_swapped() {
        started_as.opponent()
    } else {
        started_as
    };
    if position.is_over() {
        NextTurn::End
    } else if position.to_move() == side {
        NextTurn::You
    } else {
        NextTurn::Opponent
    }
}

#[cfg(test)]
mod tests {
    use kalah::{House, Rules};

    use super::*;

    /// A multiplier that spreads the plies over the legal houses, which makes the game long.
    const LARGE_PRIME: usize = 7919;

    /// The number of plies between two checks. Parsing a long game takes a while.
    const CHECK_INTERVAL: usize = 500;

    #[test]
    fn position_command_leaves_out_the_plies_of_a_game_that_exceeds_a_line() {
        let start = Position::start(26, 1200, Rules::CS32).expect("a valid start");
        let mut game = Game::new(start);
        let mut is_complete = true;
        loop {
            let houses: Vec<House> = game.position().legal_houses().collect();
            let lot = game.plies().len() * LARGE_PRIME;
            let Some(&house) = houses.get(lot % houses.len().max(1)) else {
                break;
            };
            game.play(Move::Sow(house)).expect("a legal move");
            if !game.plies().len().is_multiple_of(CHECK_INTERVAL) {
                continue;
            }
            let line = position_command(&game);
            assert!(line.len() <= MAX_LINE_BYTES);
            let Ok(HostMessage::Position(parsed)) = line.parse() else {
                panic!("{line}")
            };
            assert_eq!(parsed.position(), game.position());
            is_complete = *parsed == game;
        }
        assert!(!is_complete, "{} plies are too few", game.plies().len());
    }
}
