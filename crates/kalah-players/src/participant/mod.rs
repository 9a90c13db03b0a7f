//! Contestants that can be asked for a move: built-in players and programs of each protocol.

mod builtin;
mod engine_process;
mod protocols;

use std::time::{Duration, Instant};

use kalah::{Game, Move, Position, Side};

use self::builtin::BuiltinPlayer;
pub use self::engine_process::ParticipantFailure;
use self::protocols::{KgpChild, MankalahAgent, UkiEngine};
use crate::contestant_spec::{ContestantKind, ContestantSpec, EngineProtocol};
use crate::engine_factory::MemorySize;
use crate::move_limits::MoveLimits;
use crate::process::Shutdown;

/// A contestant that can be asked for a move: a built-in player, or a program of any protocol.
pub struct Participant(Kind);

enum Kind {
    Builtin(Box<BuiltinPlayer>),
    Uki(UkiEngine),
    KgpChild(KgpChild),
    Mankalah(MankalahAgent),
}

/// The time for a program without a handshake to exit by itself, which shows that it cannot be
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
    /// Returns the failure if the program cannot be started or exits at once.
    pub fn check_starts(&mut self, start: &Position) -> Result<(), ParticipantFailure> {
        let mut process = match &mut self.0 {
            Kind::Builtin(_) => return Ok(()),
            Kind::Uki(engine) => return engine.start_game(),
            Kind::KgpChild(child) => child.start(start)?,
            Kind::Mankalah(agent) => agent.start(Side::South)?,
        };
        match process.read_line(Instant::now(), STARTUP_CHECK_TIMEOUT) {
            // The program runs. Games check what it writes.
            Ok(_)
            | Err(ParticipantFailure::Stall { .. } | ParticipantFailure::ProtocolError(_)) => {
                Ok(())
            }
            Err(failure) => Err(failure),
        }
    }

    /// Prepares for a game that the contestant begins on the side `started_as`. `seed` determines
    /// the random choices of built-in players.
    ///
    /// # Errors
    /// Returns the failure of a program that does not start.
    pub fn start_game(&mut self, started_as: Side, seed: u64) -> Result<(), ParticipantFailure> {
        match &mut self.0 {
            Kind::Builtin(player) => {
                player.start_game(seed);
                Ok(())
            }
            Kind::Uki(engine) => engine.start_game(),
            Kind::KgpChild(_) => Ok(()),
            Kind::Mankalah(agent) => agent.start_game(started_as),
        }
    }

    /// Asks for a move, and returns it with the time that it took.
    ///
    /// # Errors
    /// Returns the failure of a contestant without a valid answer. The caller checks the move against
    /// the rules.
    pub fn choose_move(
        &mut self,
        game: &Game,
        limits: &MoveLimits,
    ) -> Result<(Move, Duration), ParticipantFailure> {
        let start = Instant::now();
        let mv = match &mut self.0 {
            Kind::Builtin(player) => player.choose_move(game.position(), limits)?,
            Kind::Uki(engine) => engine.choose_move(game, limits)?,
            Kind::KgpChild(child) => return child.choose_move(game.position(), limits),
            Kind::Mankalah(agent) => agent.choose_move(limits)?,
        };
        Ok((mv, start.elapsed()))
    }

    /// Informs the contestant that began on the side `started_as` of the last ply of `game`, which
    /// is its own or the opponent's.
    pub fn notify_ply(&mut self, game: &Game, started_as: Side, is_own_ply: bool) {
        if let Kind::Mankalah(agent) = &mut self.0 {
            agent.notify_ply(game, started_as, is_own_ply);
        }
    }

    /// Ends the game. Programs of the engine protocol keep running for the next one.
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
