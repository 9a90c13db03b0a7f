//! Players of ten strengths.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use std::{fmt, mem};

use kalah::{Margin, Move, MoveTime, Player, Position};
use rand::seq::IteratorRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64Mcg;

use super::minimax::play;
use super::smart::SmartPlayer;
use crate::analysis::Engine;
use crate::analysis::Limits;

/// A player of one of ten strengths, each of which loses to the next. The strongest is
/// [`SmartPlayer`].
///
/// The others imitate human mistakes: they search a few turns deep, overlook some moves and the
/// replies to others, and now and then prefer a move that looks slightly worse than the best. They
/// do not read the clock. Players with equal seeds answer equal sequences of positions alike.
///
/// ```
/// use std::time::Duration;
/// use kalah::{Player, Position, Rules};
/// use kalah_engine::{LevelPlayer, LevelNumber};
///
/// let number = LevelNumber::new(3).expect("levels are 1 to 10");
/// let mut level = LevelPlayer::new("Bart", number, 7, || Duration::ZERO);
/// let start = Position::start(6, 4, Rules::CS32)?;
/// let mv = level.choose_move(&start, Duration::from_secs(5)).expect("a legal move");
/// assert_eq!(start.check_legal(mv), Ok(()));
/// # Ok::<(), kalah::SetupError>(())
/// ```
pub struct LevelPlayer {
    name: String,
    strategy: LevelStrategy,
}

/// The way a [`LevelPlayer`] decides.
enum LevelStrategy {
    Limited(Box<LimitedStrategy>),
    Smart(Box<SmartPlayer>),
}

/// The number of a [`LevelPlayer`], from 1, the weakest, to 10.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LevelNumber(u8);

/// A shallow search with random mistakes.
struct LimitedStrategy {
    params: LevelParams,
    engine: Engine,
    rng: Pcg64Mcg,
    /// Nodes searched since [`LevelPlayer::take_nodes`].
    nodes: u64,
}

/// Search depth and error rates of a level.
#[derive(Clone, Copy, Debug)]
struct LevelParams {
    /// Turns to search, the own one included.
    depth: u32,
    /// Percentage of moves that are overlooked.
    miss_percent: u32,
    /// Percentage of moves that are judged without search: neither by the replies nor by the rest
    /// of the own turn.
    shallow_percent: u32,
    /// Percentage of decisions that accept a move nearly as good as the best.
    near_best_percent: u32,
}

/// The parameters of all levels below the strongest, in order. Each was chosen so that it scores
/// between 60 and 85 % against the level below on 6x4, 6x6 and 8x8: `docs/levels.md` lists the
/// measurements.
const LEVEL_PARAMS: [LevelParams; LevelNumber::MAX.0 as usize - 1] = [
    level_params(1, 45, 55, 40),
    level_params(1, 26, 34, 22),
    level_params(2, 20, 26, 18),
    level_params(2, 9, 12, 10),
    level_params(3, 5, 6, 5),
    level_params(4, 3, 4, 3),
    level_params(5, 2, 2, 2),
    level_params(6, 0, 1, 1),
    level_params(8, 0, 0, 0),
];

const fn level_params(
    depth: u32,
    miss_percent: u32,
    shallow_percent: u32,
    near_best_percent: u32,
) -> LevelParams {
    LevelParams {
        depth,
        miss_percent,
        shallow_percent,
        near_best_percent,
    }
}

/// The greatest apparent cost of a move that counts as nearly as good, in seeds.
const MAX_NEAR_BEST_COST: i32 = 3;

/// Size of the hash tables in bytes.
const MEMORY_BYTES: usize = 4 << 20;

/// The budget of a move in houses: the node limit is this number divided by the square of the
/// houses a side, because the number of moves and the time per node both grow with them. It keeps
/// answers on 26x1000 within half a second.
const MAX_HOUSES_SEARCHED: u64 = 1_000_000;

impl LevelNumber {
    /// The weakest level.
    pub const MIN: Self = Self(1);
    /// The strongest level, which is [`SmartPlayer`].
    pub const MAX: Self = Self(10);

    /// Returns the level with this number; `None` unless it is from 1 to 10.
    pub fn new(number: u8) -> Option<Self> {
        Some(Self(number)).filter(|level| (Self::MIN..=Self::MAX).contains(level))
    }

    /// Iterates over all levels, the weakest first.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> + Clone {
        (Self::MIN.0..=Self::MAX.0).map(Self)
    }

    /// The number, from 1 to 10.
    pub const fn get(self) -> u8 {
        self.0
    }
}

impl fmt::Display for LevelNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl LevelPlayer {
    /// Creates a player of this strength whose mistakes follow from `seed`. Only the strongest
    /// reads `clock`, which returns the time since any fixed moment.
    pub fn new(
        name: impl Into<String>,
        number: LevelNumber,
        seed: u64,
        clock: impl Fn() -> Duration + Send + 'static,
    ) -> Self {
        let name = name.into();
        let strategy = match LEVEL_PARAMS.get(usize::from(number.0 - LevelNumber::MIN.0)) {
            Some(&params) => LevelStrategy::Limited(Box::new(LimitedStrategy::new(params, seed))),
            None => LevelStrategy::Smart(Box::new(SmartPlayer::new(name.clone(), clock))),
        };
        Self { name, strategy }
    }

    /// Sets a flag that makes the player answer soon, with a move that it has searched less deeply.
    #[must_use]
    pub fn with_stop_flag(mut self, flag: Arc<AtomicBool>) -> Self {
        let engine = match &mut self.strategy {
            LevelStrategy::Limited(limited) => &mut limited.engine,
            LevelStrategy::Smart(smart) => smart.engine_mut(),
        };
        *engine = mem::take(engine).with_stop_flag(flag);
        self
    }

    /// Returns the number of nodes searched since the last call; 0 for the strongest level.
    pub(crate) fn take_nodes(&mut self) -> u64 {
        match &mut self.strategy {
            LevelStrategy::Limited(limited) => mem::take(&mut limited.nodes),
            LevelStrategy::Smart(_) => 0,
        }
    }
}

impl Player for LevelPlayer {
    fn name(&self) -> &str {
        &self.name
    }

    fn choose_move(&mut self, position: &Position, limit: Duration) -> Option<Move> {
        self.choose_move_in(position, limit.into())
    }

    fn choose_move_in(&mut self, position: &Position, time: MoveTime) -> Option<Move> {
        match &mut self.strategy {
            LevelStrategy::Limited(limited) => limited.choose(position),
            LevelStrategy::Smart(smart) => smart.choose_move_in(position, time),
        }
    }
}

impl LimitedStrategy {
    fn new(params: LevelParams, seed: u64) -> Self {
        Self {
            params,
            engine: Engine::new().with_memory(MEMORY_BYTES),
            rng: Pcg64Mcg::seed_from_u64(seed),
            nodes: 0,
        }
    }

    fn choose(&mut self, position: &Position) -> Option<Move> {
        let moves: Vec<Move> = position.legal_moves().collect();
        let mut estimates = Vec::new();
        for &mv in &moves {
            let is_missed = self.happens_with_percent(self.params.miss_percent);
            let is_shallow = self.happens_with_percent(self.params.shallow_percent);
            if !is_missed {
                let turns = if is_shallow { 0 } else { self.params.depth };
                estimates.push((mv, self.estimate_margin(position, mv, turns)));
            }
        }
        let Some(best) = estimates.iter().map(|&(_, margin)| margin.seeds()).max() else {
            return moves.into_iter().choose(&mut self.rng);
        };
        let min_margin = if self.happens_with_percent(self.params.near_best_percent) {
            best - MAX_NEAR_BEST_COST
        } else {
            best
        };
        let candidates = estimates
            .into_iter()
            .filter(|(_, margin)| margin.seeds() >= min_margin);
        candidates.choose(&mut self.rng).map(|(mv, _)| mv)
    }

    /// Returns `true` with a probability of `percent` percent.
    fn happens_with_percent(&mut self, percent: u32) -> bool {
        self.rng.random_range(0..100) < percent
    }

    /// Estimates the margin of a legal move for its mover by a search of `turns` turns; with 0 the
    /// position after the move is evaluated.
    fn estimate_margin(&mut self, position: &Position, mv: Move, turns: u32) -> Margin {
        let (next, same_player) = play(position, mv);
        let turns_left = if same_player {
            turns
        } else {
            turns.saturating_sub(1)
        };
        let margin = if next.is_over() {
            next.lead()
        } else if turns_left == 0 {
            next.margin(self.engine.static_gain(&next))
        } else {
            let houses = u64::from(next.houses());
            let limits = Limits {
                depth: Some(turns_left),
                nodes: Some(MAX_HOUSES_SEARCHED / (houses * houses)),
                ..Limits::default()
            };
            // Without a time limit the clock does not matter.
            let report = self.engine.analyze(&next, limits, &|| Duration::ZERO);
            self.nodes += report.nodes;
            report.raw_margin
        };
        if same_player { margin } else { -margin }
    }
}
