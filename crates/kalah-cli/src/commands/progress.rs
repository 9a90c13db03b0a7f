use std::collections::VecDeque;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::style::ProgressTracker;
use indicatif::{ProgressBar, ProgressState, ProgressStyle};
use kalah_engine::Report;

use crate::findings::{MoveListing, format_bounds};
use crate::words::format_count;

/// Shows how far a proof is, on standard error if that is a terminal.
pub(super) struct ProofProgress {
    bar: ProgressBar,
    moves: MoveListing,
    /// What is proven; empty before the first step of the proof.
    proven: Arc<Mutex<String>>,
}

const TEMPLATE: &str = "{spinner} {far}, {elapsed}";

/// How often it is shown anew.
const TICK: Duration = Duration::from_millis(200);

/// The time over which a rate is measured.
const RATE_WINDOW: Duration = Duration::from_secs(1);

impl ProofProgress {
    /// Shows the positions that are counted there, with their rate.
    pub(super) fn new(nodes: Arc<AtomicU64>, moves: MoveListing) -> Self {
        let proven = Arc::default();
        let bar = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
            let far = ProofProgressTracker {
                proven: Arc::clone(&proven),
                nodes,
                samples: VecDeque::new(),
            };
            bar.set_style(style.with_key("far", far));
        }
        bar.enable_steady_tick(TICK);
        Self { bar, moves, proven }
    }

    /// Takes notice of a step of the proof.
    pub(super) fn update(&self, report: &Report) {
        let margin = format_bounds(report.bounds);
        let proven = match self.moves {
            MoveListing::None => margin,
            MoveListing::All => {
                let exact = report.moves.iter().filter(|(_, of)| of.is_exact());
                let (exact, all) = (exact.count(), report.moves.len());
                format!("{margin}, {exact} of {all} moves exact")
            }
        };
        *self.proven.lock().unwrap_or_else(PoisonError::into_inner) = proven;
    }

    /// Takes it away.
    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// What is proven, how many positions are searched, and how many a second.
#[derive(Clone)]
struct ProofProgressTracker {
    proven: Arc<Mutex<String>>,
    nodes: Arc<AtomicU64>,
    /// How many there were when, as far back as [`RATE_TIME`].
    samples: VecDeque<(Instant, u64)>,
}

impl ProgressTracker for ProofProgressTracker {
    fn clone_box(&self) -> Box<dyn ProgressTracker> {
        Box::new(self.clone())
    }

    fn tick(&mut self, _: &ProgressState, now: Instant) {
        self.samples
            .push_back((now, self.nodes.load(Ordering::Relaxed)));
        // What is second is old enough.
        while let Some((then, _)) = self.samples.get(1)
            && now.saturating_duration_since(*then) >= RATE_WINDOW
        {
            self.samples.pop_front();
        }
    }

    fn reset(&mut self, _: &ProgressState, _: Instant) {
        self.samples.clear();
    }

    fn write(&self, _: &ProgressState, output: &mut dyn fmt::Write) {
        let (Some((then, before)), Some((now, nodes))) =
            (self.samples.front(), self.samples.back())
        else {
            return;
        };
        let seconds = now.saturating_duration_since(*then).as_secs_f64();
        let proven = self.proven.lock().unwrap_or_else(PoisonError::into_inner);
        let told = match (proven.as_str(), *nodes) {
            ("", 0) => {
                let _ = output.write_str("building tables");
                return;
            }
            ("", _) => "nothing is proven yet",
            (proven, _) => proven,
        };
        // There is nobody to tell that a text has no more room.
        let _ = write!(output, "{told}, {}", format_count(*nodes, "position"));
        if seconds > 0.0 {
            let millions = nodes.saturating_sub(*before) / THOUSAND;
            #[expect(clippy::cast_precision_loss, reason = "it is shown with one digit")]
            let rate = millions as f64 / seconds / 1e3;
            let _ = write!(output, ", {rate:.1} million/s");
        }
    }
}

/// Positions are counted in thousands for a rate.
const THOUSAND: u64 = 1000;
