use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use kalah::{Move, Player, Position};
use kalah_engine::{Engine, Goal, LevelNumber, Limits, MinimaxPlayer, SmartPlayer};

use super::clock::Turn;
use super::fault::Fault;
use crate::{Engines, MemorySize, PlayerKind, PlayerSpec, TimeLimit};

/// One of our players. It knows nothing of the games before, so that a game can be played again.
pub(super) struct OwnPlayer {
    spec: PlayerSpec,
    memory: MemorySize,
    /// Set when the game is broken off.
    over: Arc<AtomicBool>,
    mind: Option<Mind>,
}

/// Who chooses.
enum Mind {
    /// Who keeps a time.
    Smart(Box<SmartPlayer>),
    /// The same, who keeps to a number of positions.
    Counting(Box<Engine>),
    /// Whoever takes what it takes.
    Other(Box<dyn Player + Send>),
}

impl OwnPlayer {
    pub(super) fn new(spec: PlayerSpec, memory: MemorySize, over: Arc<AtomicBool>) -> Self {
        Self {
            spec,
            memory,
            over,
            mind: None,
        }
    }

    /// Gets ready for a game, in which chance is drawn from `seed`.
    pub(super) fn begin(&mut self, seed: u64) {
        self.mind = None;
        let name = self.spec.to_string();
        self.mind = match self.spec.kind {
            PlayerKind::Minimax { levels } => {
                let minimax = MinimaxPlayer::new(name, levels);
                let minimax = minimax.with_stop_flag(Arc::clone(&self.over));
                Some(Mind::Other(Box::new(minimax)))
            }
            _ if self.searches() => None,
            _ => {
                let player = self.spec.computer(&name, seed, &Engines::default());
                player.map(Mind::Other)
            }
        };
    }

    /// Whether it keeps to limits.
    fn searches(&self) -> bool {
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
            .with_stop_flag(Arc::clone(&self.over))
    }

    fn new_mind(&self, turn: &Turn) -> Mind {
        if turn.go.nodes.is_some() {
            return Mind::Counting(Box::new(self.engine()));
        }
        let origin = Instant::now();
        let smart = SmartPlayer::with_engine(self.spec.to_string(), self.engine(), move || {
            origin.elapsed()
        });
        Mind::Smart(Box::new(smart))
    }

    pub(super) fn choose(&mut self, position: &Position, turn: &Turn) -> Result<Move, Fault> {
        let own = self.spec.limit.map(TimeLimit::get);
        let limit = own.into_iter().chain(turn.allotted(position)).min();
        let mut mind = match self.mind.take() {
            Some(mind) => mind,
            None => self.new_mind(turn),
        };
        let choice = match &mut mind {
            Mind::Smart(smart) => {
                smart.choose_move(position, limit.unwrap_or(SmartPlayer::DEFAULT_TIME_LIMIT))
            }
            Mind::Counting(engine) => counted(engine, position, turn.go.nodes, limit),
            Mind::Other(player) => player.choose_move(position, limit.unwrap_or(Duration::MAX)),
        };
        self.mind = Some(mind);
        if self.over.load(Ordering::Relaxed) {
            return Err(Fault::BrokenOff);
        }
        choice.ok_or_else(|| Fault::Protocol("no answer at all".to_owned()))
    }
}

/// What an engine chooses after so many positions.
fn counted(
    engine: &mut Engine,
    position: &Position,
    nodes: Option<u64>,
    time: Option<Duration>,
) -> Option<Move> {
    let mut choices = position.legal_moves();
    if let (only, None) = (choices.next(), choices.next()) {
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
