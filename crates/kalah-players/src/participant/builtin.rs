//! Built-in players as contestants.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use kalah::{Move, Player, Position};
use kalah_engine::{Engine, Goal, LevelNumber, Limits, MinimaxPlayer, SmartPlayer};

use super::engine_process::ParticipantFailure;
use crate::{EngineFactory, MemorySize, MoveLimits, PlayerKind, PlayerSpec, TimeLimit};

/// One of our players. It knows nothing of the games before, so that a game can be played again.
pub(super) struct BuiltinPlayer {
    spec: PlayerSpec,
    memory: MemorySize,
    /// Set when the game is broken off.
    stop_flag: Arc<AtomicBool>,
    strategy: Option<BuiltinStrategy>,
}

/// Who chooses.
enum BuiltinStrategy {
    /// Who keeps a time.
    TimeLimited(Box<SmartPlayer>),
    /// The same, who keeps to a number of positions.
    NodeLimited(Box<Engine>),
    /// Whoever takes what it takes.
    Other(Box<dyn Player + Send>),
}

impl BuiltinPlayer {
    pub(super) fn new(spec: PlayerSpec, memory: MemorySize, stop_flag: Arc<AtomicBool>) -> Self {
        Self {
            spec,
            memory,
            stop_flag,
            strategy: None,
        }
    }

    /// Gets ready for a game, in which chance is drawn from `seed`.
    pub(super) fn start_game(&mut self, seed: u64) {
        self.strategy = None;
        let name = self.spec.to_string();
        self.strategy = match self.spec.kind {
            PlayerKind::Minimax { depth: levels } => {
                let minimax = MinimaxPlayer::new(name, levels);
                let minimax = minimax.with_stop_flag(Arc::clone(&self.stop_flag));
                Some(BuiltinStrategy::Other(Box::new(minimax)))
            }
            _ if self.respects_limits() => None,
            _ => {
                let player = self
                    .spec
                    .build_player(&name, seed, &EngineFactory::default());
                player.map(BuiltinStrategy::Other)
            }
        };
    }

    /// Whether it keeps to limits.
    fn respects_limits(&self) -> bool {
        match self.spec.kind {
            PlayerKind::Smart => true,
            PlayerKind::Level { number } => number == LevelNumber::MAX,
            _ => false,
        }
    }

    fn engine(&self) -> Engine {
        let bytes = usize::try_from(self.memory.bytes()).unwrap_or(usize::MAX);
        Engine::new()
            .with_threads(NonZeroUsize::MIN)
            .with_memory(bytes)
            .with_stop_flag(Arc::clone(&self.stop_flag))
    }

    fn new_strategy(&self, turn: &MoveLimits) -> BuiltinStrategy {
        if turn.go.nodes.is_some() {
            return BuiltinStrategy::NodeLimited(Box::new(self.engine()));
        }
        let origin = Instant::now();
        let smart = SmartPlayer::with_engine(self.spec.to_string(), self.engine(), move || {
            origin.elapsed()
        });
        BuiltinStrategy::TimeLimited(Box::new(smart))
    }

    pub(super) fn choose_move(
        &mut self,
        position: &Position,
        turn: &MoveLimits,
    ) -> Result<Move, ParticipantFailure> {
        let own = self.spec.time_limit.map(TimeLimit::get);
        let limit = own.into_iter().chain(turn.time_for_move(position)).min();
        let mut mind = match self.strategy.take() {
            Some(mind) => mind,
            None => self.new_strategy(turn),
        };
        let mv = match &mut mind {
            BuiltinStrategy::TimeLimited(smart) => {
                smart.choose_move(position, limit.unwrap_or(SmartPlayer::DEFAULT_TIME_LIMIT))
            }
            BuiltinStrategy::NodeLimited(engine) => {
                choose_within_nodes(engine, position, turn.go.nodes, limit)
            }
            BuiltinStrategy::Other(player) => {
                player.choose_move(position, limit.unwrap_or(Duration::MAX))
            }
        };
        self.strategy = Some(mind);
        if self.stop_flag.load(Ordering::Relaxed) {
            return Err(ParticipantFailure::Aborted);
        }
        mv.ok_or_else(|| ParticipantFailure::ProtocolError("no answer at all".to_owned()))
    }
}

/// What an engine chooses after so many positions.
fn choose_within_nodes(
    engine: &mut Engine,
    position: &Position,
    nodes: Option<u64>,
    time: Option<Duration>,
) -> Option<Move> {
    let mut moves = position.legal_moves();
    if let (only, None) = (moves.next(), moves.next()) {
        return only;
    }
    let origin = Instant::now();
    let limits = Limits {
        time,
        depth: None,
        nodes,
        goal: Goal::BestMove,
    };
    engine
        .analyse(position, limits, &|| origin.elapsed())
        .best_move
}
