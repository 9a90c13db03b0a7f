use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use kalah::{Game, Move, Position, Side};

use super::clock::Turn;
use super::fault::Fault;
use super::kgp_child::KgpChild;
use super::mankalah::MankalahAgent;
use super::own::OwnPlayer;
use super::uki::UkiEngine;
use crate::interrupt::Interrupt;
use crate::{ContestantKind, ContestantProtocol, ContestantSpec, MemorySize};

/// A contestant where it can be asked, whatever it speaks.
pub(super) enum Seat {
    Own(Box<OwnPlayer>),
    Uki(UkiEngine),
    KgpChild(KgpChild),
    Mankalah(MankalahAgent),
}

/// A program that neither begins nor is known to speak has this long to end by itself, which shows that it cannot be
/// started.
const TIME_TO_FAIL: Duration = Duration::from_secs(1);

impl Seat {
    /// Nothing is started yet. `over` is set when games are broken off.
    pub(super) fn new(spec: &ContestantSpec, memory: MemorySize, over: &Arc<AtomicBool>) -> Self {
        let program = match &spec.kind {
            ContestantKind::Ours(spec) => {
                let player = OwnPlayer::new(*spec, memory, Arc::clone(over));
                return Self::Own(Box::new(player));
            }
            ContestantKind::Program(program) => program.clone(),
        };
        let interrupt = Interrupt::by(Arc::clone(over));
        match program.protocol {
            ContestantProtocol::Uki => Self::Uki(UkiEngine::new(program, interrupt)),
            ContestantProtocol::KgpChild => Self::KgpChild(KgpChild::new(program, interrupt)),
            ContestantProtocol::Mankalah => Self::Mankalah(MankalahAgent::new(program, interrupt)),
        }
    }

    /// Whether it can be started at all.
    pub(super) fn check(&mut self, start: &Position) -> Result<(), Fault> {
        let mut program = match self {
            Self::Own(_) => return Ok(()),
            Self::Uki(engine) => return engine.begin(),
            Self::KgpChild(child) => child.start(start)?,
            Self::Mankalah(agent) => agent.start(Side::South)?,
        };
        match program.line(Instant::now(), TIME_TO_FAIL) {
            // What it says is for games to judge.
            Ok(_) | Err(Fault::Stall { .. } | Fault::Protocol(_)) => Ok(()),
            Err(fault) => Err(fault),
        }
    }

    /// Gets ready for a game on the side `began`; chance is drawn from `seed`.
    pub(super) fn begin(&mut self, began: Side, seed: u64) -> Result<(), Fault> {
        match self {
            Self::Own(player) => {
                player.begin(seed);
                Ok(())
            }
            Self::Uki(engine) => engine.begin(),
            Self::KgpChild(_) => Ok(()),
            Self::Mankalah(agent) => agent.begin(began),
        }
    }

    /// What it chooses, and the time that this took.
    pub(super) fn choose(&mut self, game: &Game, turn: &Turn) -> Result<(Move, Duration), Fault> {
        let asked = Instant::now();
        let choice = match self {
            Self::Own(player) => player.choose(game.position(), turn)?,
            Self::Uki(engine) => engine.choose(game, turn)?,
            Self::KgpChild(child) => return child.choose(game.position(), turn),
            Self::Mankalah(agent) => agent.choose(turn)?,
        };
        Ok((choice, asked.elapsed()))
    }

    /// Is told of the last ply of a game.
    pub(super) fn hear(&mut self, game: &Game, began: Side, is_its_own: bool) {
        if let Self::Mankalah(agent) = self {
            agent.hear(game, began, is_its_own);
        }
    }

    /// Is told that the game is over; engines wait for the next.
    pub(super) fn end_game(&mut self) {
        if let Self::Mankalah(agent) = self {
            agent.end();
        }
    }

    /// Goes; who plays again is started anew.
    pub(super) fn leave(&mut self) {
        match self {
            Self::Uki(engine) => engine.end(),
            Self::Mankalah(agent) => agent.end(),
            Self::Own(_) | Self::KgpChild(_) => {}
        }
    }
}
