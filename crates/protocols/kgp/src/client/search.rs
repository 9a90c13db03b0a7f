//! The searches of a client, which report better moves while they run.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use kalah::{House, Move, Position, format_count};
use kalah_engine::{Decision, SmartPlayer};
use kalah_players::{EngineFactory, MemorySize, PlayerSpec};
use tokio::sync::mpsc::UnboundedSender;

use crate::message::Text;

/// The parts of the time limit after which a search reports its best move.
const TIME_DIVISORS: [u32; 3] = [16, 4, LAST_TIME_DIVISOR];
const LAST_TIME_DIVISOR: u32 = 1;

/// The part of the free memory that a search gets, as a divisor: others can start later.
const MEMORY_DIVISOR: u64 = 4;

/// The maximum number of searches at the same time.
const MAX_SEARCHES: usize = 32;

/// The searches that run, also those that were stopped and have not ended yet, with their memory.
#[derive(Clone, Debug, Default)]
pub(super) struct SearchPool(Arc<Mutex<PoolUsage>>);

#[derive(Debug, Default)]
struct PoolUsage {
    searches: usize,
    bytes: u64,
}

impl SearchPool {
    /// Returns a slot for a search by `player`, if the number of searches and `memory`, which all
    /// of them share, allow another one.
    pub(super) fn take_slot(&self, player: PlayerSpec, memory: MemorySize) -> Option<SearchSlot> {
        let mut usage = self.usage();
        if usage.searches >= MAX_SEARCHES {
            return None;
        }
        // The other players have no engine.
        let memory = if player.uses_clock() {
            let free = memory.bytes().saturating_sub(usage.bytes);
            if free < MemorySize::MIN.bytes() {
                return None;
            }
            Some(MemorySize::new(free / MEMORY_DIVISOR))
        } else {
            None
        };
        usage.searches += 1;
        usage.bytes += memory.map_or(0, MemorySize::bytes);
        Some(SearchSlot {
            memory,
            pool: self.clone(),
        })
    }

    fn usage(&self) -> MutexGuard<'_, PoolUsage> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The thread and the memory of a search, which are free again when this is dropped.
#[derive(Debug)]
pub(super) struct SearchSlot {
    /// The memory of the engine, for a player that has one.
    memory: Option<MemorySize>,
    pool: SearchPool,
}

impl Drop for SearchSlot {
    fn drop(&mut self) {
        let mut usage = self.pool.usage();
        usage.searches -= 1;
        usage.bytes -= self.memory.map_or(0, MemorySize::bytes);
    }
}

/// A report of a search.
pub(super) struct SearchUpdate {
    /// The server's id of the state.
    pub(super) state: u64,
    /// The number of the search, because a server may use the id of a state again.
    pub(super) search_number: u64,
    /// The best move so far, or `None` after the end of the search.
    pub(super) best: Option<BestMove>,
}

/// The best move of a search so far.
pub(super) struct BestMove {
    pub(super) house: House,
    /// The margin and the depth behind the move, if it was searched.
    pub(super) comment: Option<Text>,
}

/// The parameters of a search.
pub(super) struct SearchJob {
    pub(super) state: u64,
    pub(super) search_number: u64,
    pub(super) position: Position,
    pub(super) player: PlayerSpec,
    pub(super) seed: u64,
    pub(super) engines: EngineFactory,
    pub(super) slot: SearchSlot,
    pub(super) limit: Duration,
}

/// A running search, which stops when this is dropped.
pub(super) struct BackgroundSearch {
    stop_flag: Arc<AtomicBool>,
    pub(super) search_number: u64,
}

impl BackgroundSearch {
    /// Starts a search on a thread of its own.
    pub(super) fn spawn(
        mut job: SearchJob,
        updates: UnboundedSender<SearchUpdate>,
    ) -> io::Result<Self> {
        let stop_flag = Arc::new(AtomicBool::new(false));
        let (stop, search_number) = (Arc::clone(&stop_flag), job.search_number);
        job.engines = job
            .engines
            .with_memory(job.slot.memory.unwrap_or(MemorySize::MIN))
            .with_stop_flag(Arc::clone(&stop));
        thread::Builder::new().spawn(move || {
            let send = |best| {
                // Without a receiver the session is over.
                let _ = updates.send(SearchUpdate {
                    state: job.state,
                    search_number,
                    best,
                });
            };
            job.run(&stop, &|best| send(Some(best)));
            send(None);
        })?;
        Ok(Self {
            stop_flag,
            search_number,
        })
    }
}

impl Drop for BackgroundSearch {
    fn drop(&mut self) {
        self.stop_flag.store(true, Ordering::Relaxed);
    }
}

impl SearchJob {
    fn run(&self, stop: &AtomicBool, report: &dyn Fn(BestMove)) {
        if self.player.uses_clock() {
            self.search(stop, report);
        } else {
            let name = self.player.default_name();
            let player = self.player.build_player(&name, self.seed, &self.engines);
            let mv = player.and_then(|mut player| player.choose_move(&self.position, self.limit));
            if let Some(Move::Sow(house)) = mv {
                let comment = None;
                report(BestMove { house, comment });
            }
        }
    }

    /// Reports better moves until the best one is proven or the time is over. The last report is
    /// about the last and deepest search.
    fn search(&self, stop: &AtomicBool, report: &dyn Fn(BestMove)) {
        let start = Instant::now();
        let mut player =
            SmartPlayer::with_engine("", self.engines.build(), move || start.elapsed());
        let mut reported = None;
        for divisor in TIME_DIVISORS {
            let time = (self.limit / divisor).saturating_sub(start.elapsed());
            let Some(decision) = player.decide(&self.position, time) else {
                return;
            };
            if stop.load(Ordering::Relaxed) {
                return;
            }
            let is_last = decision.is_best || divisor == LAST_TIME_DIVISOR;
            if let Move::Sow(house) = decision.mv
                && (reported.replace(house) != Some(house) || is_last)
            {
                let comment = comment(&decision);
                report(BestMove { house, comment });
            }
            if is_last {
                return;
            }
        }
    }
}

/// Describes a decision for the record of the server, such as `+3, proven, depth 9, 512 nodes` or
/// `about -2, depth 14, 1,204,561 nodes`.
fn comment(decision: &Decision) -> Option<Text> {
    let margin = decision.margin?;
    let is_exact = decision
        .bounds
        .is_some_and(|bounds| bounds.lower == bounds.upper);
    let effort = format!(
        "depth {}, {}",
        decision.depth,
        format_count(decision.nodes, "node")
    );
    Text::new(&if is_exact {
        format!("{margin}, proven, {effort}")
    } else {
        format!("about {margin}, {effort}")
    })
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use kalah_engine::TableCache;

    use super::*;

    fn player(text: &str) -> PlayerSpec {
        text.parse().expect("a player")
    }

    fn memory_of(slot: &SearchSlot) -> u64 {
        slot.memory.map_or(0, MemorySize::bytes)
    }

    fn mebibytes(number: u64) -> MemorySize {
        MemorySize::new(number << 20)
    }

    #[test]
    fn searches_share_the_memory() {
        for total in [1, 2, 7, 64, 1024, 1 << 20] {
            let (pool, total) = (SearchPool::default(), mebibytes(total));
            let take = || pool.take_slot(player("smart"), total);
            let slots: Vec<SearchSlot> = std::iter::from_fn(take).collect();
            let used: u64 = slots.iter().map(memory_of).sum();
            assert!(used <= total.bytes(), "{used} of {total}");
            assert!((1..=MAX_SEARCHES).contains(&slots.len()), "{total}");
            drop(slots);
            let slot = take().expect("free memory");
            let expected = MemorySize::new(total.bytes() / MEMORY_DIVISOR);
            assert_eq!(slot.memory, Some(expected));
        }
        let (pool, level) = (SearchPool::default(), player("level:5"));
        let take = || pool.take_slot(level, MemorySize::MIN);
        let slots: Vec<SearchSlot> = std::iter::from_fn(take).collect();
        assert_eq!(slots.len(), MAX_SEARCHES);
    }

    /// Minimax at the maximum depth would take very long.
    #[test]
    fn stopped_search_of_minimax_ends_and_frees_its_memory() {
        let pool = SearchPool::default();
        let engines = EngineFactory::new(NonZeroUsize::MIN, mebibytes(64), TableCache::new());
        let player = player(&format!("minimax:{}", PlayerSpec::MAX_MINIMAX_DEPTH));
        let slot = pool.take_slot(player, engines.memory());
        let slot = slot.expect("the only search");
        let job = SearchJob {
            state: 1,
            search_number: 1,
            position: Position::start(8, 8, kalah::Rules::STANDARD).expect("a start"),
            player,
            seed: 0,
            engines,
            slot,
            limit: Duration::from_secs(1),
        };
        let (sender, mut updates) = tokio::sync::mpsc::unbounded_channel();
        let search = BackgroundSearch::spawn(job, sender).expect("a thread");
        drop(search);
        while updates.blocking_recv().is_some() {}
        while pool.usage().searches > 0 {
            thread::yield_now();
        }
    }
}
