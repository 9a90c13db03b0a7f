//! Contestants that can be asked for a move, whatever protocol they speak.

mod builtin;
mod engine_process;
mod protocols;

use std::time::{Duration, Instant};

use kalah::{Game, Move, Position, Side};

use self::builtin::BuiltinPlayer;
pub use self::engine_process::ParticipantFailure;
use self::protocols::{KgpChild, MankalahAgent, UkiEngine};
use crate::{ContestantKind, ContestantSpec, EngineProtocol, MemorySize, MoveLimits, Shutdown};

/// A contestant that can be asked for a move, whatever protocol it speaks.
pub struct Participant(Kind);

enum Kind {
    Builtin(Box<BuiltinPlayer>),
    Uki(UkiEngine),
    KgpChild(KgpChild),
    Mankalah(MankalahAgent),
}

/// A program that neither begins nor is known to speak has this long to end by itself, which shows that it cannot be
/// started.
const STARTUP_CHECK_TIMEOUT: Duration = Duration::from_secs(1);

impl Participant {
    /// Returns a participant that has started nothing yet.
    ///
    /// A request on `shutdown` aborts its games with [`ParticipantFailure::Aborted`].
    pub fn new(spec: &ContestantSpec, memory: MemorySize, shutdown: &Shutdown) -> Self {
        let program = match &spec.kind {
            ContestantKind::Builtin(spec) => {
                let player = BuiltinPlayer::new(*spec, memory, shutdown.flag());
                return Self(Kind::Builtin(Box::new(player)));
            }
            ContestantKind::Program(program) => program.clone(),
        };
        let shutdown = shutdown.clone();
        Self(match program.protocol {
            EngineProtocol::Uki => Kind::Uki(UkiEngine::new(program, shutdown)),
            EngineProtocol::KgpChild => Kind::KgpChild(KgpChild::new(program, shutdown)),
            EngineProtocol::Mankalah => Kind::Mankalah(MankalahAgent::new(program, shutdown)),
        })
    }

    /// Starts the program of the contestant once, to find out whether it can be started.
    ///
    /// # Errors
    /// The failure, if it exits at once or cannot be started.
    pub fn check_starts(&mut self, start: &Position) -> Result<(), ParticipantFailure> {
        let mut program = match &mut self.0 {
            Kind::Builtin(_) => return Ok(()),
            Kind::Uki(engine) => return engine.start_game(),
            Kind::KgpChild(child) => child.start(start)?,
            Kind::Mankalah(agent) => agent.start(Side::South)?,
        };
        match program.read_line(Instant::now(), STARTUP_CHECK_TIMEOUT) {
            // Games judge what a running program writes.
            Ok(_)
            | Err(ParticipantFailure::Stall { .. } | ParticipantFailure::ProtocolError(_)) => {
                Ok(())
            }
            Err(fault) => Err(fault),
        }
    }

    /// Prepares for a game that the contestant begins on the side `began`. Random choices of built-in
    /// players follow from `seed`.
    ///
    /// # Errors
    /// The failure of a program that does not start.
    pub fn start_game(&mut self, began: Side, seed: u64) -> Result<(), ParticipantFailure> {
        match &mut self.0 {
            Kind::Builtin(player) => {
                player.start_game(seed);
                Ok(())
            }
            Kind::Uki(engine) => engine.start_game(),
            Kind::KgpChild(_) => Ok(()),
            Kind::Mankalah(agent) => agent.start_game(began),
        }
    }

    /// Asks for a move, and returns it with the time that it took.
    ///
    /// # Errors
    /// Why there is no move that the protocol allows. The rules are not checked here.
    pub fn choose_move(
        &mut self,
        game: &Game,
        turn: &MoveLimits,
    ) -> Result<(Move, Duration), ParticipantFailure> {
        let asked = Instant::now();
        let mv = match &mut self.0 {
            Kind::Builtin(player) => player.choose_move(game.position(), turn)?,
            Kind::Uki(engine) => engine.choose_move(game, turn)?,
            Kind::KgpChild(child) => return child.choose_move(game.position(), turn),
            Kind::Mankalah(agent) => agent.choose_move(turn)?,
        };
        Ok((mv, asked.elapsed()))
    }

    /// Informs the contestant of the last ply of `game`.
    pub fn notify_ply(&mut self, game: &Game, began: Side, is_its_own: bool) {
        if let Kind::Mankalah(agent) = &mut self.0 {
            agent.notify_ply(game, began, is_its_own);
        }
    }

    /// Ends the game. Engines wait for the next one.
    pub fn end_game(&mut self) {
        if let Kind::Mankalah(agent) = &mut self.0 {
            agent.end_game();
        }
    }

    /// Ends the program. The next game starts it again.
    pub fn shut_down(&mut self) {
        match &mut self.0 {
            Kind::Uki(engine) => engine.quit(),
            Kind::Mankalah(agent) => agent.end_game(),
            Kind::Builtin(_) | Kind::KgpChild(_) => {}
        }
    }
}
