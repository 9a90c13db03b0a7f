use std::time::{Duration, Instant};

use kalah::{Game, Move};
use kalah_protocols::uki::{EngineMessage, HostMessage};

use super::super::engine::lines::MOST_BYTES;
use super::clock::Turn;
use super::fault::Fault;
use super::program::Program;
use crate::ProgramSpec;
use crate::interrupt::Interrupt;
use crate::shown::shown;

/// An engine that speaks the engine protocol; it runs from game to game.
pub(super) struct UkiEngine {
    spec: ProgramSpec,
    interrupt: Interrupt,
    program: Option<Program>,
}

/// The time that an engine has until it is there, or ready again: some load a great deal first.
const TIME_TO_START: Duration = Duration::from_secs(30);

impl UkiEngine {
    pub(super) fn new(spec: ProgramSpec, interrupt: Interrupt) -> Self {
        Self {
            spec,
            interrupt,
            program: None,
        }
    }

    /// Starts it, if it does not run, and tells it that a game begins.
    pub(super) fn begin(&mut self) -> Result<(), Fault> {
        let began = Instant::now();
        let mut program = match self.program.take() {
            Some(program) => program,
            None => self.start(began)?,
        };
        program.tell(&HostMessage::NewGame);
        program.tell(&HostMessage::IsReady);
        wait_for(&mut program, began, &EngineMessage::ReadyOk)?;
        self.program = Some(program);
        Ok(())
    }

    fn start(&self, began: Instant) -> Result<Program, Fault> {
        let mut program = Program::start(&self.spec.command, &self.interrupt)?;
        program.tell(&HostMessage::Uki);
        wait_for(&mut program, began, &EngineMessage::UkiOk)?;
        for (name, value) in &self.spec.options {
            program.tell(&HostMessage::SetOption {
                name: name.clone(),
                value: Some(value.clone()),
            });
        }
        Ok(program)
    }

    /// Its choice. Whoever fails is ended, and started anew for the next game.
    pub(super) fn choose(&mut self, game: &Game, turn: &Turn) -> Result<Move, Fault> {
        let Some(mut program) = self.program.take() else {
            return Err(Fault::Protocol("it does not run".to_owned()));
        };
        let choice = ask(&mut program, game, turn)?;
        self.program = Some(program);
        Ok(choice)
    }

    /// Ends it.
    pub(super) fn end(&mut self) {
        if let Some(program) = self.program.take() {
            program.tell(&HostMessage::Quit);
            program.end();
        }
    }
}

/// Reads up to a message that has to come.
fn wait_for(program: &mut Program, began: Instant, awaited: &EngineMessage) -> Result<(), Fault> {
    loop {
        let line = program.line(began, TIME_TO_START)?;
        match read(&line)? {
            Some(message) if message == *awaited => return Ok(()),
            Some(EngineMessage::BestMove(_)) => return Err(unasked(&line)),
            _ => {}
        }
    }
}

/// What a line says, `None` if it is empty.
fn read(line: &str) -> Result<Option<EngineMessage>, Fault> {
    if line.trim().is_empty() {
        return Ok(None);
    }
    match line.parse() {
        Ok(EngineMessage::Error(error)) => Err(Fault::Protocol(format!(
            "it reports an error: {}",
            shown(error.as_str())
        ))),
        Ok(message) => Ok(Some(message)),
        Err(reason) => Err(Fault::Protocol(format!("`{}`: {reason}", shown(line)))),
    }
}

fn unasked(line: &str) -> Fault {
    Fault::Protocol(format!("`{}` without being asked", shown(line)))
}

fn ask(program: &mut Program, game: &Game, turn: &Turn) -> Result<Move, Fault> {
    // What it still has to say of the question before is not taken for an answer to this one.
    program.tell(&HostMessage::IsReady);
    wait_for(program, Instant::now(), &EngineMessage::ReadyOk)?;
    program.tell(&position(game));
    let asked = Instant::now();
    program.tell(&HostMessage::Go(turn.go));
    loop {
        let line = program.line(asked, turn.patience)?;
        let Some(EngineMessage::BestMove(choice)) = read(&line)? else {
            continue;
        };
        let side = game.position().to_move();
        let named = choice.ok_or_else(|| Fault::Illegal {
            answer: line.clone(),
            reason: "the game is not over".to_owned(),
        })?;
        return named.made_by(side).ok_or_else(|| Fault::Illegal {
            answer: named.to_string(),
            reason: format!("{side} is to move"),
        });
    }
}

/// The game as an engine is told it: without its plies where these are more than a line may have.
fn position(game: &Game) -> String {
    let line = HostMessage::Position(Box::new(game.clone())).to_string();
    if line.len() <= MOST_BYTES {
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
            let line = position(&game);
            assert!(line.len() <= MOST_BYTES);
            let Ok(HostMessage::Position(told)) = line.parse() else {
                panic!("{line}")
            };
            assert_eq!(told.position(), game.position());
            is_told_whole = *told == game;
        }
        assert!(!is_told_whole, "{} plies are too few", game.plies().len());
    }
}
