//! Engines as programs that play: the host of an engine in a game.

use std::time::{Duration, Instant};

use kalah::{Game, Margin, Move, Position, Quoted, Side};
use kalah_players::{
    EngineProcess, EngineProtocol, MoveLimits, ParticipantFailure, Program, ProgramOption,
    ProgramSpec, Shutdown,
};

use crate::message::{BEST_MOVE, EngineMessage, HostMessage};
use crate::option::OptionName;
use crate::parse::{OneLine, ParseUkiError, Tokens, UkiMove};
use crate::ponder::{OFF, ON, is_ponder_option, limits_of_next_turn, parse_ponder, predicted_game};
use crate::position_form::{PositionForm, is_position_option};
use crate::search::{Go, Score};

/// A program that speaks the engine protocol and keeps running from game to game.
struct UkiEngine {
    spec: ProgramSpec,
    shutdown: Shutdown,
    /// `None` before the first game and after a failure.
    process: Option<EngineProcess>,
    /// The first line that is no message, with the reason.
    ignored_line: Option<String>,
    /// The form in which the engine receives games.
    position_form: PositionForm,
    /// Whether the engine has declared the option `Position`.
    declares_position_form: bool,
    /// The margin that the engine has estimated for itself with its last move.
    estimate: Option<Margin>,
    /// Whether the engine ponders.
    ponders: bool,
    /// Whether the engine has declared the option `Ponder`.
    declares_ponder: bool,
    /// The plies that the engine has reported with its last move.
    line: Vec<UkiMove>,
    /// The position on which the engine ponders.
    pondered: Option<Position>,
}

/// The protocol of the engines that keep running from game to game.
pub static UKI: EngineProtocol = EngineProtocol {
    name: "uki",
    required_rules: None,
    plain_start: None,
    supports_node_limit: true,
    has_handshake: true,
    parse_option: Some(parse_option),
    create: |spec, shutdown| {
        Box::new(UkiEngine {
            spec,
            shutdown,
            process: None,
            ignored_line: None,
            position_form: PositionForm::default(),
            declares_position_form: false,
            estimate: None,
            ponders: false,
            declares_ponder: false,
            line: Vec::new(),
            pondered: None,
        })
    },
};

/// The time for an engine to start or to become ready. Some engines load large tables first.
const STARTUP_TIMEOUT: Duration = Duration::from_secs(30);

impl UkiEngine {
    fn start(&mut self, start: Instant) -> Result<EngineProcess, ParticipantFailure> {
        let mut process = EngineProcess::start(&self.spec, &self.shutdown)?;
        self.position_form = PositionForm::default();
        self.declares_position_form = false;
        self.declares_ponder = false;
        self.pondered = None;
        process.send(&HostMessage::Uki);
        let greeting = self.wait_for(&mut process, start, &EngineMessage::UkiOk);
        greeting.map_err(|failure| match failure {
            ParticipantFailure::ProtocolError(message) => ParticipantFailure::ProtocolError(
                format!("its answer to the handshake is not valid: {message}"),
            ),
            failure => failure,
        })?;
        for option in &self.spec.options {
            if is_position_option(&option.name) {
                let form = PositionForm::from_word(&option.value);
                self.position_form = form.unwrap_or_default();
                if !self.declares_position_form {
                    continue;
                }
            }
            if is_ponder_option(&option.name) {
                self.ponders = parse_ponder(&option.value).unwrap_or_default();
                if self.declares_ponder {
                    let value = OneLine::new(&self.ponders.to_string());
                    process.send(&set_option(&option.name, value)?);
                }
                continue;
            }
            process.send(&set_option(&option.name, OneLine::new(&option.value))?);
        }
        Ok(process)
    }

    /// Starts the program if it does not run, and announces a new game.
    fn start_new_game(&mut self) -> Result<(), ParticipantFailure> {
        let start = Instant::now();
        let mut process = match self.process.take() {
            Some(process) => process,
            None => self.start(start)?,
        };
        if self.pondered.take().is_some() {
            self.stop_pondering(&mut process, STARTUP_TIMEOUT)?;
        }
        process.send(&HostMessage::NewGame);
        process.send(&HostMessage::IsReady);
        self.wait_for(&mut process, start, &EngineMessage::ReadyOk)?;
        self.process = Some(process);
        Ok(())
    }

    /// Reads messages until `awaited` comes, at most [`STARTUP_TIMEOUT`] after `start`.
    fn wait_for(
        &mut self,
        process: &mut EngineProcess,
        start: Instant,
        awaited: &EngineMessage,
    ) -> Result<(), ParticipantFailure> {
        loop {
            match self.next_message(process, start, STARTUP_TIMEOUT)? {
                message if message == *awaited => return Ok(()),
                message @ EngineMessage::BestMove(_) => return Err(unsolicited(&message)),
                EngineMessage::Option(option) if is_position_option(option.name.as_str()) => {
                    self.declares_position_form = true;
                    self.position_form = PositionForm::declared_by(&option).unwrap_or_default();
                }
                EngineMessage::Option(option) if is_ponder_option(option.name.as_str()) => {
                    self.declares_ponder = true;
                }
                _ => {}
            }
        }
    }

    /// Returns the next message. Lines that are none are ignored, except a wrong answer.
    fn next_message(
        &mut self,
        process: &mut EngineProcess,
        start: Instant,
        timeout: Duration,
    ) -> Result<EngineMessage, ParticipantFailure> {
        loop {
            let line = match process.read_line(start, timeout) {
                // A line that is too long.
                Err(ParticipantFailure::ProtocolError(reason)) => {
                    self.ignored_line.get_or_insert(reason);
                    continue;
                }
                line => line?,
            };
            match line.parse() {
                Ok(EngineMessage::Error(error)) => {
                    return Err(ParticipantFailure::ProtocolError(format!(
                        "it reports an error: {}",
                        Quoted::new(error.as_str()).as_str()
                    )));
                }
                Ok(message) => return Ok(message),
                Err(ParseUkiError::Empty(_)) => {}
                Err(reason) => {
                    let description = describe_error(&line, &reason);
                    if is_best_move(&line) {
                        return Err(ParticipantFailure::ProtocolError(description));
                    }
                    self.ignored_line.get_or_insert(description);
                }
            }
        }
    }

    /// Lets the engine search the current position of `game`, and returns its move.
    fn request_move(
        &mut self,
        process: &mut EngineProcess,
        game: &Game,
        limits: &MoveLimits,
    ) -> Result<Move, ParticipantFailure> {
        // Late messages about the previous position are read here, so that none of them counts as
        // the answer for this position.
        process.send(&HostMessage::IsReady);
        self.wait_for(process, Instant::now(), &EngineMessage::ReadyOk)?;
        process.send(&self.position_form.position_line(game));
        let start = Instant::now();
        process.send(&HostMessage::Go(Go::from(&limits.think)));
        self.read_move(process, game, (start, limits.timeout))
    }

    /// Reads the answer to `go`, or to `ponderhit`, sent at the time `start`.
    fn read_move(
        &mut self,
        process: &mut EngineProcess,
        game: &Game,
        (start, timeout): (Instant, Duration),
    ) -> Result<Move, ParticipantFailure> {
        self.estimate = None;
        self.line.clear();
        let best_move = loop {
            match self.next_message(process, start, timeout)? {
                EngineMessage::BestMove(best_move) => break best_move,
                EngineMessage::Info(info) if info.is_about_best_move() => {
                    let gain = info.score.map(Score::gain);
                    let estimate = gain.map(|gain| game.position().margin(gain));
                    self.estimate = estimate.or(self.estimate);
                    if !info.pv.is_empty() {
                        self.line = info.pv;
                    }
                }
                _ => {}
            }
        };
        let side = game.position().to_move();
        let best_move = best_move.ok_or_else(|| ParticipantFailure::IllegalMove {
            answer: EngineMessage::BestMove(None).to_string(),
            reason: "the game is not over".to_owned(),
        })?;
        best_move
            .for_side(side)
            .ok_or_else(|| ParticipantFailure::IllegalMove {
                answer: best_move.to_string(),
                reason: format!("{side} is to move"),
            })
    }

    /// Lets the engine ponder on the position that it expects at its next turn, after it has
    /// played `mv` in `elapsed`.
    fn start_pondering(
        &mut self,
        process: &mut EngineProcess,
        (game, mv): (&Game, Move),
        (limits, elapsed): (&MoveLimits, Duration),
    ) {
        if !self.ponders {
            return;
        }
        let Some(predicted) = predicted_game(game, mv, &self.line) else {
            return;
        };
        let side = game.position().to_move();
        process.send(&self.position_form.position_line(&predicted));
        process.send(&HostMessage::Go(Go {
            ponder: true,
            ..Go::from(&limits_of_next_turn(limits.think, side, elapsed))
        }));
        self.pondered = Some(predicted.position().clone());
    }

    /// Stops pondering on a position that the game has not reached.
    fn stop_pondering(
        &mut self,
        process: &mut EngineProcess,
        timeout: Duration,
    ) -> Result<(), ParticipantFailure> {
        process.send(&HostMessage::Stop);
        let start = Instant::now();
        loop {
            if let EngineMessage::BestMove(_) = self.next_message(process, start, timeout)? {
                return Ok(());
            }
        }
    }
}

impl Program for UkiEngine {
    fn check_starts(&mut self, _start: &Position) -> Result<(), ParticipantFailure> {
        self.start_new_game()
    }

    fn start_game(&mut self, _started_as: Side) -> Result<(), ParticipantFailure> {
        self.start_new_game()
    }

    /// After a failure the program is killed, and the next game starts it again.
    fn choose_move(
        &mut self,
        game: &Game,
        limits: &MoveLimits,
    ) -> Result<(Move, Duration), ParticipantFailure> {
        let process = self.process.take();
        let mut process = process.ok_or_else(ParticipantFailure::not_running)?;
        let pondered = self.pondered.take();
        let is_hit = pondered.as_ref() == Some(game.position());
        if pondered.is_some() && !is_hit {
            self.stop_pondering(&mut process, limits.timeout)?;
        }
        let start = Instant::now();
        let mv = if is_hit {
            process.send(&HostMessage::PonderHit);
            self.read_move(&mut process, game, (start, limits.timeout))?
        } else {
            self.request_move(&mut process, game, limits)?
        };
        let elapsed = start.elapsed();
        self.start_pondering(&mut process, (game, mv), (limits, elapsed));
        self.process = Some(process);
        Ok((mv, elapsed))
    }

    fn take_estimate(&mut self) -> Option<Margin> {
        self.estimate.take()
    }

    fn take_ignored_line(&mut self) -> Option<String> {
        self.ignored_line.take()
    }

    fn shut_down(&mut self) {
        if let Some(process) = self.process.take() {
            process.send(&HostMessage::Quit);
            process.terminate();
        }
    }
}

/// Checks an option, and returns it in the form of the message that sets it.
fn parse_option(name: &str, value: &str) -> Result<ProgramOption, String> {
    let name: OptionName = name
        .parse()
        .map_err(|error: ParseUkiError| error.to_string())?;
    if is_position_option(name.as_str()) && PositionForm::from_word(value.trim()).is_none() {
        let (moves, now) = (PositionForm::MOVES, PositionForm::NOW);
        return Err(format!("{}: expected {now} or {moves}", Quoted::new(value)));
    }
    if is_ponder_option(name.as_str()) && parse_ponder(value.trim()).is_none() {
        return Err(format!("{}: expected {ON} or {OFF}", Quoted::new(value)));
    }
    Ok(ProgramOption {
        name: name.to_string(),
        value: OneLine::new(value).to_string(),
    })
}

/// Returns the message that sets an option.
fn set_option(name: &str, value: OneLine) -> Result<HostMessage, ParticipantFailure> {
    let name = name.parse();
    Ok(HostMessage::SetOption {
        name: name
            .map_err(|error: ParseUkiError| ParticipantFailure::ProtocolError(error.to_string()))?,
        value: Some(value),
    })
}

/// Returns whether a line is meant as [`EngineMessage::BestMove`], also if its move is invalid.
fn is_best_move(line: &str) -> bool {
    Tokens::new(line).next_token() == Some(BEST_MOVE)
}

/// Describes a line that is no message.
fn describe_error(line: &str, reason: &ParseUkiError) -> String {
    let (line, reason) = (Quoted::new(line.trim()).to_string(), reason.to_string());
    // The reason quotes a word of the line, which can be the whole line.
    if reason.starts_with(&line) {
        reason
    } else {
        format!("{line}: {reason}")
    }
}

fn unsolicited(message: &EngineMessage) -> ParticipantFailure {
    let line = message.to_string();
    ParticipantFailure::ProtocolError(format!("{} without being asked", Quoted::new(&line)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_the_host_have_known_values() {
        assert!(parse_option("position", "now").is_ok());
        assert_eq!(
            parse_option("Position", "later"),
            Err("`later`: expected now or moves".to_owned())
        );
        assert!(parse_option("ponder", "on").is_ok());
        assert_eq!(
            parse_option("Ponder", "true"),
            Err("`true`: expected on or off".to_owned())
        );
    }
}
