//! Built-in players as contestants.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use kalah::{Move, Player, Position};
use kalah_engine::{Engine, Goal, Limits, MinimaxPlayer, SmartPlayer};

use super::engine_process::ParticipantFailure;
use crate::engine_factory::{EngineFactory, MemorySize};
use crate::move_limits::MoveLimits;
use crate::player_spec::{PlayerKind, PlayerSpec};
use crate::time_control::TimeLimit;

/// A built-in player. It keeps nothing from earlier games, so that each game is reproducible.
pub(super) struct BuiltinPlayer {
    spec: PlayerSpec,
    memory: MemorySize,
    /// The flag that is set when the game is aborted.
    stop_flag: Arc<AtomicBool>,
    /// `None` before the first move of a player that obeys limits, whose limits decide the
    /// strategy.
    strategy: Option<BuiltinStrategy>,
}

/// The way in which a built-in player chooses its moves.
enum BuiltinStrategy {
    /// A search with a time limit.
    TimeLimited(Box<SmartPlayer>),
    /// A search with a limit of nodes.
    NodeLimited(Box<Engine>),
    /// A player that ignores limits.
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

    /// Prepares for a game. `seed` determines the random choices.
    pub(super) fn start_game(&mut self, seed: u64) {
        self.strategy = None;
        let name = self.spec.to_string();
        self.strategy = match self.spec.kind {
            PlayerKind::Minimax { depth } => {
                let minimax = MinimaxPlayer::new(name, depth);
                let minimax = minimax.with_stop_flag(Arc::clone(&self.stop_flag));
                Some(BuiltinStrategy::Other(Box::new(minimax)))
            }
            _ if self.spec.uses_clock() => None,
            _ => {
                let player = self
                    .spec
                    .build_player(&name, seed, &EngineFactory::default());
                player.map(BuiltinStrategy::Other)
            }
        };
    }

    fn engine(&self) -> Engine {
        let bytes = usize::try_from(self.memory.bytes()).unwrap_or(usize::MAX);
        Engine::new()
            .with_threads(NonZeroUsize::MIN)
            .with_memory(bytes)
            .with_stop_flag(Arc::clone(&self.stop_flag))
    }

    fn new_strategy(&self, limits: &MoveLimits) -> BuiltinStrategy {
        if limits.go.nodes.is_some() {
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
        limits: &MoveLimits,
    ) -> Result<Move, ParticipantFailure> {
        let own_time = self.spec.time_limit.map(TimeLimit::get);
        let time = own_time
            .into_iter()
            .chain(limits.time_for_move(position))
            .min();
        let mut strategy = match self.strategy.take() {
            Some(strategy) => strategy,
            None => self.new_strategy(limits),
        };
        let mv = match &mut strategy {
            BuiltinStrategy::TimeLimited(smart) => {
                smart.choose_move(position, time.unwrap_or(SmartPlayer::DEFAULT_TIME_LIMIT))
            }
            BuiltinStrategy::NodeLimited(engine) => {
                choose_within_nodes(engine, position, limits.go.nodes, time)
            }
            BuiltinStrategy::Other(player) => {
                player.choose_move(position, time.unwrap_or(Duration::MAX))
            }
        };
        self.strategy = Some(strategy);
        if self.stop_flag.load(Ordering::Relaxed) {
            return Err(ParticipantFailure::Aborted);
        }
        mv.ok_or_else(|| ParticipantFailure::ProtocolError("no answer".to_owned()))
    }
}

/// Returns the best move of a search within limits of nodes and time. A single legal move is
/// returned without a search.
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
        .analyze(position, limits, &|| origin.elapsed())
        .best_move
}
