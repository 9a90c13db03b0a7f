use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::thread;
use std::time::{Duration, Instant};

use kalah::{House, Move, Position};
use kalah_engine::SmartPlayer;
use kalah_players::{EngineFactory, PlayerSpec};

/// What somebody who thinks about a state has to say.
pub(super) struct SearchUpdate {
    /// The server's id of the state.
    pub(super) state: u64,
    /// Which time it is thought about: a server may use an id again.
    pub(super) search_number: u64,
    /// The best house so far, or none if nothing more is to be gained.
    pub(super) house: Option<House>,
}

/// What it takes to think about a state.
pub(super) struct SearchJob {
    pub(super) state: u64,
    pub(super) search_number: u64,
    pub(super) position: Position,
    pub(super) player: PlayerSpec,
    pub(super) seed: u64,
    pub(super) engines: EngineFactory,
    pub(super) limit: Duration,
}

/// The parts of its time after which a search says what it has found so far.
const TIME_DIVISORS: [u32; 3] = [16, 4, 1];

/// Several states are thought about at once, and each has so large a part of the memory.
const MEMORY_DIVISOR: u64 = 4;

/// Somebody who thinks about a state; it leaves off when this is dropped.
pub(super) struct BackgroundSearch {
    stop_flag: Arc<AtomicBool>,
    pub(super) search_number: u64,
}

impl BackgroundSearch {
    /// Begins to think on a thread of its own.
    pub(super) fn spawn(question: SearchJob, thoughts: Sender<SearchUpdate>) -> Self {
        let stop_flag = Arc::new(AtomicBool::new(false));
        let (stop, search_number) = (Arc::clone(&stop_flag), question.search_number);
        thread::spawn(move || {
            let say = |house| {
                let (state, number) = (question.state, question.search_number);
                // Where nobody listens any more it has been told to stop.
                let _ = thoughts.send(SearchUpdate {
                    state,
                    search_number: number,
                    house,
                });
            };
            question.run(&stop, &|house| say(Some(house)));
            say(None);
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
    fn run(&self, stop: &Arc<AtomicBool>, say: &dyn Fn(House)) {
        if self.player.uses_clock() {
            self.search(stop, say);
        } else {
            let name = self.player.default_name();
            let player = self.player.build_player(&name, self.seed, &self.engines);
            let mv = player.and_then(|mut player| player.choose_move(&self.position, self.limit));
            if let Some(Move::Sow(house)) = mv {
                say(house);
            }
        }
    }

    /// Says ever better houses, until the best is proven or the time is over.
    fn search(&self, stop: &Arc<AtomicBool>, say: &dyn Fn(House)) {
        let began = Instant::now();
        let memory = self.engines.memory().bytes() / MEMORY_DIVISOR;
        let engine = (self.engines.build())
            .with_memory(usize::try_from(memory).unwrap_or(usize::MAX))
            .with_stop_flag(Arc::clone(stop));
        let mut smart = SmartPlayer::with_engine("", engine, move || began.elapsed());
        let mut said = None;
        for part in TIME_DIVISORS {
            let left = (self.limit / part).saturating_sub(began.elapsed());
            let Some(decision) = smart.decide(&self.position, left) else {
                return;
            };
            if stop.load(Ordering::Relaxed) {
                return;
            }
            if let Move::Sow(house) = decision.mv
                && said.replace(house) != Some(house)
            {
                say(house);
            }
            if decision.is_best {
                return;
            }
        }
    }
}
