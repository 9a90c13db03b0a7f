//! Programs that speak Manchester's protocol.

use std::time::Instant;

use kalah::{Game, Move, Side};
use kalah_protocols::mankalah::{AgentMessage, MankalahBoard, MankalahEngineMessage, NextTurn};

use super::failure::ParticipantFailure;
use super::program::EngineProcess;
use crate::{MoveLimits, ProgramSpec, Shutdown};

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
