//! External programs that play: one type for each protocol, their process, and the ways in which a
//! contestant fails.

use std::time::{Duration, Instant};

use kalah::{Game, IllegalMove, Move, Position, Quoted, Side};
use kalah_protocols::kgp::{ChildMove, KgpBoard, format_child_state};
use kalah_protocols::mankalah::{AgentMessage, MankalahBoard, MankalahEngineMessage, NextTurn};
use kalah_protocols::uki::{EngineMessage, HostMessage};

use crate::contestant_spec::ProgramSpec;
use crate::move_limits::MoveLimits;
use crate::process::{ChildProcess, ProcessExit, ReadLineError, Shutdown};
use crate::untrusted_text::{MAX_LINE_BYTES, trim_carriage_returns};

/// The reason why a contestant has given no legal move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParticipantFailure {
    /// The game was aborted by a [`Shutdown`].
    Aborted,
    /// The move is against the rules.
    IllegalMove {
        /// The answer, as the contestant gave it.
        answer: String,
        /// The rule that it breaks.
        reason: String,
    },
    /// The process exited.
    Crash {
        /// Its exit status or signal.
        status: String,
        /// The end of its standard error.
        stderr_tail: String,
    },
    /// No answer came within the time limit and the grace period.
    Stall {
        /// The time waited.
        waited: Duration,
    },
    /// The answer is not a message of the protocol; the text is the error.
    ProtocolError(String),
}

impl ParticipantFailure {
    /// Returns the failure of a contestant whose move `answer` is against the rules.
    pub fn illegal_move(answer: impl Into<String>, reason: IllegalMove) -> Self {
        Self::IllegalMove {
            answer: answer.into(),
            reason: reason.to_string(),
        }
    }

    /// Returns the failure of an `answer` whose `number` is a decimal number, but not that of a
    /// house; `None` if it is not a number.
    pub fn invalid_house(answer: &str, number: &str) -> Option<Self> {
        let digits = number.strip_prefix(['+', '-']).unwrap_or(number);
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| Self::IllegalMove {
            answer: Quoted::new(answer.trim()).as_str().to_owned(),
            reason: "there is no such house".to_owned(),
        })
    }

    /// Describes the failure outside of a game.
    pub fn description(&self) -> String {
        match self {
            Self::Aborted => "it was aborted".to_owned(),
            Self::IllegalMove { answer, reason } => format!("illegal move `{answer}`: {reason}"),
            Self::Crash {
                status,
                stderr_tail,
            } if stderr_tail.is_empty() => status.clone(),
            Self::Crash {
                status,
                stderr_tail,
            } => format!("{status}; the end of its standard error: {stderr_tail}"),
            Self::Stall { waited } => format!("no answer for {} s", waited.as_secs()),
            Self::ProtocolError(message) => message.clone(),
        }
    }
}

/// A program that speaks the engine protocol and keeps running from game to game.
pub(crate) struct UkiEngine {
    spec: ProgramSpec,
    shutdown: Shutdown,
    /// `None` before the first game and after a failure.
    process: Option<EngineProcess>,
}

/// The time for an engine to start or to become ready. Some engines load large tables first.
const STARTUP_TIMEOUT: Duration = Duration::from_secs(30);

impl UkiEngine {
    pub(crate) fn new(spec: ProgramSpec, shutdown: Shutdown) -> Self {
        Self {
            spec,
            shutdown,
            process: None,
        }
    }

    /// Starts the program if it does not run, and announces a new game.
    pub(crate) fn start_game(&mut self) -> Result<(), ParticipantFailure> {
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
        let greeting = wait_for(&mut process, start, &EngineMessage::UkiOk);
        greeting.map_err(|failure| match failure {
            ParticipantFailure::ProtocolError(message) => ParticipantFailure::ProtocolError(
                format!("its answer to the handshake is not valid: {message}"),
            ),
            failure => failure,
        })?;
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
    pub(crate) fn choose_move(
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
    pub(crate) fn quit(&mut self) {
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
        Err(reason) => {
            let (line, reason) = (Quoted::new(line.trim()).to_string(), reason.to_string());
            // The reason quotes a word of the line, which can be the whole line.
            let message = if reason.starts_with(&line) {
                reason
            } else {
                format!("{line}: {reason}")
            };
            Err(ParticipantFailure::ProtocolError(message))
        }
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
pub(crate) struct KgpChild {
    spec: ProgramSpec,
    shutdown: Shutdown,
}

impl KgpChild {
    pub(crate) fn new(spec: ProgramSpec, shutdown: Shutdown) -> Self {
        Self { spec, shutdown }
    }

    /// Starts the program for `position`.
    pub(crate) fn start(&self, position: &Position) -> Result<EngineProcess, ParticipantFailure> {
        let mut process = EngineProcess::start(&self.spec.command, &self.shutdown)?;
        process.send(&format_child_state(&KgpBoard::from(position)).trim_end());
        process.close_input();
        Ok(process)
    }

    /// Returns the move of the program and the time that it counts for.
    ///
    /// A program with an answer before the time limit is killed at the limit, and is not late. A
    /// program without one can still answer until the timeout.
    pub(crate) fn choose_move(
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
pub(crate) struct MankalahAgent {
    spec: ProgramSpec,
    shutdown: Shutdown,
    /// `None` between games.
    process: Option<EngineProcess>,
}

/// The prefix of an agent's answer that names a house.
const MOVE_PREFIX: &str = "MOVE;";

impl MankalahAgent {
    pub(crate) fn new(spec: ProgramSpec, shutdown: Shutdown) -> Self {
        Self {
            spec,
            shutdown,
            process: None,
        }
    }

    /// Starts the program on the side `started_as`.
    pub(crate) fn start(&self, started_as: Side) -> Result<EngineProcess, ParticipantFailure> {
        let process = EngineProcess::start(&self.spec.command, &self.shutdown)?;
        process.send(&MankalahEngineMessage::Start(started_as));
        Ok(process)
    }

    /// Starts the program for a game. The protocol has no message for a position, so the game has
    /// to begin at the start position that the agent expects.
    pub(crate) fn start_game(&mut self, started_as: Side) -> Result<(), ParticipantFailure> {
        self.process = Some(self.start(started_as)?);
        Ok(())
    }

    pub(crate) fn choose_move(&mut self, limits: &MoveLimits) -> Result<Move, ParticipantFailure> {
        let process = self.process.as_mut().ok_or_else(not_running)?;
        let line = process.read_raw_line(Instant::now(), limits.timeout)?;
        let message: Result<AgentMessage, _> = line.parse();
        let AgentMessage(mv) = message.map_err(|reason| {
            let number = line.strip_prefix(MOVE_PREFIX).unwrap_or_default();
            ParticipantFailure::invalid_house(&line, number)
                .unwrap_or_else(|| ParticipantFailure::ProtocolError(reason.to_string()))
        })?;
        Ok(mv)
    }

    /// Informs the agent of the last ply of a game, except of its own swap, which the protocol does
    /// not confirm.
    pub(crate) fn notify_ply(&self, game: &Game, started_as: Side, is_own_ply: bool) {
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
    pub(crate) fn end_game(&mut self) {
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

/// The running program of a contestant.
pub(crate) struct EngineProcess {
    process: ChildProcess,
}

/// The time for a program to exit after a request to quit or the end of its output.
const EXIT_TIMEOUT: Duration = Duration::from_millis(500);

impl EngineProcess {
    pub(crate) fn start(command: &str, shutdown: &Shutdown) -> Result<Self, ParticipantFailure> {
        let process =
            ChildProcess::start(command, shutdown).map_err(|error| ParticipantFailure::Crash {
                status: format!("it cannot be started: {error}"),
                stderr_tail: String::new(),
            })?;
        Ok(Self { process })
    }

    /// Sends `message` as one line.
    pub(crate) fn send(&self, message: &impl ToString) {
        self.process.send_line(&message.to_string());
    }

    pub(crate) fn close_input(&mut self) {
        self.process.close_input();
    }

    /// Returns the next line of the program, whose end is LF or CR LF.
    ///
    /// # Errors
    /// Returns the failure of a program that writes no line within `timeout` after `start`.
    pub(crate) fn read_line(
        &mut self,
        start: Instant,
        timeout: Duration,
    ) -> Result<String, ParticipantFailure> {
        let line = self.read_raw_line(start, timeout);
        line.map(trim_carriage_returns)
    }

    /// Returns the next line of the program. Its end is LF, and a CR before that is part of the
    /// line.
    ///
    /// # Errors
    /// Returns the failure of a program that writes no line within `timeout` after `start`.
    pub(crate) fn read_raw_line(
        &mut self,
        start: Instant,
        timeout: Duration,
    ) -> Result<String, ParticipantFailure> {
        let left = timeout.saturating_sub(start.elapsed());
        match self.process.receive_raw_line(left) {
            Ok(line) => Ok(line),
            Err(ReadLineError::Interrupted) => Err(ParticipantFailure::Aborted),
            Err(ReadLineError::Timeout) => Err(ParticipantFailure::Stall {
                waited: start.elapsed(),
            }),
            Err(ReadLineError::Closed) => Err(self.crash_failure()),
            Err(ReadLineError::TooLong) => Err(ParticipantFailure::ProtocolError(
                "a line that is too long".to_owned(),
            )),
            Err(ReadLineError::NotUtf8) => Err(ParticipantFailure::ProtocolError(
                "a line that is not UTF-8".to_owned(),
            )),
        }
    }

    /// Ends the process, and returns its exit status and the end of its standard error.
    fn crash_failure(&mut self) -> ParticipantFailure {
        let status = match self.process.wait_or_kill(EXIT_TIMEOUT) {
            ProcessExit::Exited(status) => status.to_string(),
            ProcessExit::Killed => "it closed its output".to_owned(),
        };
        ParticipantFailure::Crash {
            status,
            stderr_tail: self.process.stderr_tail(),
        }
    }

    /// Closes the input of the program, waits [`EXIT_TIMEOUT`] for its exit, and kills it.
    pub(crate) fn terminate(mut self) {
        self.close_input();
        self.process.wait_or_kill(EXIT_TIMEOUT);
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

    #[test]
    fn invalid_house_quotes_the_answer_if_it_has_a_number() {
        for (answer, number, quoted) in [
            ("9", "9", Some("9")),
            (" MOVE;-1 ", "-1", Some("MOVE;-1")),
            ("MOVE;+99", "+99", Some("MOVE;+99")),
            ("MOVE;6\r", "6\r", None),
            ("one", "one", None),
            ("-", "-", None),
            ("", "", None),
        ] {
            let expected = quoted.map(|answer| ParticipantFailure::IllegalMove {
                answer: answer.to_owned(),
                reason: "there is no such house".to_owned(),
            });
            let failure = ParticipantFailure::invalid_house(answer, number);
            assert_eq!(failure, expected, "{answer:?}");
        }
    }
}
