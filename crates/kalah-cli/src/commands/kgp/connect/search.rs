//! The searches of `kalah kgp connect`, which report better moves while they run.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use kalah::{House, Move, Position, format_count};
use kalah_engine::{Decision, SmartPlayer};
use kalah_players::{EngineFactory, PlayerSpec};
use kalah_protocols::kgp::Text;
use tokio::sync::mpsc::UnboundedSender;

/// The parts of the time limit after which a search reports its best move.
const TIME_DIVISORS: [u32; 3] = [16, 4, LAST_TIME_DIVISOR];
const LAST_TIME_DIVISOR: u32 = 1;

/// The part of the memory of engines that each search gets, because several run at the same time.
const MEMORY_DIVISOR: u64 = 4;

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
    pub(super) limit: Duration,
}

/// A running search, which stops when this is dropped.
pub(super) struct BackgroundSearch {
    stop_flag: Arc<AtomicBool>,
    pub(super) search_number: u64,
}

impl BackgroundSearch {
    /// Starts a search on a thread of its own.
    pub(super) fn spawn(job: SearchJob, updates: UnboundedSender<SearchUpdate>) -> Self {
        let stop_flag = Arc::new(AtomicBool::new(false));
        let (stop, search_number) = (Arc::clone(&stop_flag), job.search_number);
        thread::spawn(move || {
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
        });
        Self {
            stop_flag,
            search_number,
        }
    }
}

impl Drop for BackgroundSearch {
    fn drop(&mut self) {
        self.stop_flag.store(true, Ordering::Relaxed);
    }
}

impl SearchJob {
    fn run(&self, stop: &Arc<AtomicBool>, report: &dyn Fn(BestMove)) {
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
    fn search(&self, stop: &Arc<AtomicBool>, report: &dyn Fn(BestMove)) {
        let start = Instant::now();
        let memory = self.engines.memory().bytes() / MEMORY_DIVISOR;
        let engine = (self.engines.build())
            .with_memory(usize::try_from(memory).unwrap_or(usize::MAX))
            .with_stop_flag(Arc::clone(stop));
        let mut player = SmartPlayer::with_engine("", engine, move || start.elapsed());
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
