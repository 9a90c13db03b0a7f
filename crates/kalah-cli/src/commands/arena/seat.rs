use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use kalah::{Game, Move, Position, Side};

use super::clock::MoveLimits;
use super::fault::ParticipantFailure;
use super::kgp_child::KgpChild;
use super::mankalah::MankalahAgent;
use super::own::BuiltinPlayer;
use super::uki::UkiEngine;
use crate::interrupt::Interrupt;
use crate::{ContestantKind, ContestantSpec, EngineProtocol, MemorySize};

/// A contestant where it can be asked, whatever it speaks.
pub(super) enum Participant {
    Builtin(Box<BuiltinPlayer>),
    Uki(UkiEngine),
    KgpChild(KgpChild),
    Mankalah(MankalahAgent),
}

/// A program that neither begins nor is known to speak has this long to end by itself, which shows that it cannot be
/// started.
const STARTUP_CHECK_TIMEOUT: Duration = Duration::from_secs(1);

impl Participant {
    /// Nothing is started yet. `over` is set when games are broken off.
    pub(super) fn new(spec: &ContestantSpec, memory: MemorySize, over: &Arc<AtomicBool>) -> Self {
        let program = match &spec.kind {
            ContestantKind::Builtin(spec) => {
                let player = BuiltinPlayer::new(*spec, memory, Arc::clone(over));
                return Self::Builtin(Box::new(player));
            }
            ContestantKind::Program(program) => program.clone(),
        };
        let interrupt = Interrupt::from_flag(Arc::clone(over));
        match program.protocol {
            EngineProtocol::Uki => Self::Uki(UkiEngine::new(program, interrupt)),
            EngineProtocol::KgpChild => Self::KgpChild(KgpChild::new(program, interrupt)),
            EngineProtocol::Mankalah => Self::Mankalah(MankalahAgent::new(program, interrupt)),
        }
    }

    /// Whether it can be started at all.
    pub(super) fn check_starts(&mut self, start: &Position) -> Result<(), ParticipantFailure> {
        let mut program = match self {
            Self::Builtin(_) => return Ok(()),
            Self::Uki(engine) => return engine.start_game(),
            Self::KgpChild(child) => child.start(start)?,
            Self::Mankalah(agent) => agent.start(Side::South)?,
        };
        match program.read_line(Instant::now(), STARTUP_CHECK_TIMEOUT) {
            // What it says is for games to judge.
            Ok(_)
            | Err(ParticipantFailure::Stall { .. } | ParticipantFailure::ProtocolError(_)) => {
                Ok(())
            }
            Err(fault) => Err(fault),
        }
    }

    /// Gets ready for a game on the side `began`; chance is drawn from `seed`.
    pub(super) fn start_game(&mut self, began: Side, seed: u64) -> Result<(), ParticipantFailure> {
        match self {
            Self::Builtin(player) => {
                player.start_game(seed);
                Ok(())
            }
            Self::Uki(engine) => engine.start_game(),
            Self::KgpChild(_) => Ok(()),
            Self::Mankalah(agent) => agent.start_game(began),
        }
    }

    /// What it chooses, and the time that this took.
    pub(super) fn choose_move(
        &mut self,
        game: &Game,
        turn: &MoveLimits,
    ) -> Result<(Move, Duration), ParticipantFailure> {
        let asked = Instant::now();
        let mv = match self {
            Self::Builtin(player) => player.choose_move(game.position(), turn)?,
            Self::Uki(engine) => engine.choose_move(game, turn)?,
            Self::KgpChild(child) => return child.choose_move(game.position(), turn),
            Self::Mankalah(agent) => agent.choose_move(turn)?,
        };
        Ok((mv, asked.elapsed()))
    }

    /// Is told of the last ply of a game.
    pub(super) fn notify_ply(&mut self, game: &Game, began: Side, is_its_own: bool) {
        if let Self::Mankalah(agent) = self {
            agent.notify_ply(game, began, is_its_own);
        }
    }

    /// Is told that the game is over; engines wait for the next.
    pub(super) fn end_game(&mut self) {
        if let Self::Mankalah(agent) = self {
            agent.end_game();
        }
    }

    /// Goes; who plays again is started anew.
    pub(super) fn shut_down(&mut self) {
        match self {
            Self::Uki(engine) => engine.quit(),
            Self::Mankalah(agent) => agent.end_game(),
            Self::Builtin(_) | Self::KgpChild(_) => {}
        }
    }
}
