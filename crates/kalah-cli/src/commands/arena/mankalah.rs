use std::time::Instant;

use kalah::{Game, Move, Side};
use kalah_protocols::mankalah::{AgentMessage, Board, EngineMessage, Next};

use super::clock::Turn;
use super::fault::Fault;
use super::program::Program;
use crate::ProgramSpec;
use crate::interrupt::Interrupt;

/// An agent of Manchester's protocol, which runs for a game.
pub(super) struct MankalahAgent {
    spec: ProgramSpec,
    interrupt: Interrupt,
    program: Option<Program>,
}

/// What an agent's answer begins with that names a house.
const MOVE: &str = "MOVE;";

impl MankalahAgent {
    pub(super) fn new(spec: ProgramSpec, interrupt: Interrupt) -> Self {
        Self {
            spec,
            interrupt,
            program: None,
        }
    }

    /// Starts it.
    pub(super) fn start(&self, began: Side) -> Result<Program, Fault> {
        let program = Program::start(&self.spec.command, &self.interrupt)?;
        program.tell(&EngineMessage::Start(began));
        Ok(program)
    }

    /// Starts it for a game, which is known to begin as games do.
    pub(super) fn begin(&mut self, began: Side) -> Result<(), Fault> {
        self.program = Some(self.start(began)?);
        Ok(())
    }

    pub(super) fn choose(&mut self, turn: &Turn) -> Result<Move, Fault> {
        let Some(program) = &mut self.program else {
            return Err(Fault::Protocol("it does not run".to_owned()));
        };
        let line = program.line(Instant::now(), turn.patience)?;
        let message: Result<AgentMessage, _> = line.parse();
        let AgentMessage(choice) = message.map_err(|reason| {
            let number = line.trim().strip_prefix(MOVE).unwrap_or_default();
            Fault::no_house(&line, number).unwrap_or_else(|| Fault::Protocol(reason.to_string()))
        })?;
        Ok(choice)
    }

    /// Tells it of the last ply of a game; who swaps is told nothing of it.
    pub(super) fn hear(&self, game: &Game, began: Side, is_its_own: bool) {
        if let (Some(program), Some(ply)) = (&self.program, game.plies().last())
            && !(is_its_own && ply.mv == Move::Swap)
        {
            program.tell(&EngineMessage::Change {
                choice: ply.mv,
                board: Board::from(&ply.after),
                next: next(game, began),
            });
        }
    }

    /// Ends it.
    pub(super) fn end(&mut self) {
        if let Some(program) = self.program.take() {
            program.tell(&EngineMessage::End);
            program.end();
        }
    }
}

/// What follows for the agent that began on that side.
fn next(game: &Game, began: Side) -> Next {
    let position = game.position();
    let sits = if game.is_swapped() {
        began.opponent()
    } else {
        began
    };
    if position.is_over() {
        Next::End
    } else if position.to_move() == sits {
        Next::You
    } else {
        Next::Opponent
    }
}
