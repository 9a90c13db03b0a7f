use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use indicatif::{HumanCount, HumanDuration, ProgressBar, ProgressState, ProgressStyle};
use kalah_tables::BuildEvent;

use crate::interrupt::Interrupt;
use crate::words::counted;

/// Watches a table being built: shows how far it is, takes the time, and breaks off at Ctrl-C.
pub(in crate::commands) struct Watch {
    interrupt: Interrupt,
    bar: ProgressBar,
    seeds: u8,
    /// Seeds of the last layer that is safe.
    layer: u8,
    /// The same as `found`, for the bar.
    begun: Arc<AtomicU64>,
    /// Positions that were found, done by an earlier build.
    found: u64,
    /// Positions that are done.
    done: u64,
    /// When the last step was made.
    last: Instant,
    computing: Duration,
    writing: Duration,
}

/// How often the time that is left is told anew.
const TICK: Duration = Duration::from_millis(200);

/// The bar, on standard error if that is a terminal.
const TEMPLATE: &str = "{msg} {wide_bar} {percent}%, {rate}{left}";

impl Watch {
    /// Begins to take the time.
    pub(in crate::commands) fn new(seeds: u8, positions: u64) -> Self {
        let begun = Arc::new(AtomicU64::new(0));
        let bar = ProgressBar::new(positions);
        if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
            bar.set_style(
                style
                    .with_key("rate", rate)
                    .with_key("left", left(Arc::clone(&begun))),
            );
        }
        bar.set_message(message(0, seeds));
        bar.enable_steady_tick(TICK);
        Self {
            interrupt: Interrupt::listen(),
            bar,
            seeds,
            layer: 0,
            begun,
            found: 0,
            done: 0,
            last: Instant::now(),
            computing: Duration::ZERO,
            writing: Duration::ZERO,
        }
    }

    /// Takes notice of a step, and says whether to go on.
    pub(in crate::commands) fn see(&mut self, step: BuildEvent) -> ControlFlow<()> {
        let now = Instant::now();
        let took = now - self.last;
        self.last = now;
        match step {
            BuildEvent::Resumed(progress) => {
                self.layer = progress.layer;
                self.found = progress.done;
                self.begun.store(progress.done, Ordering::Relaxed);
                self.done = progress.done;
                self.bar.set_position(progress.done);
                self.bar.reset_eta();
            }
            BuildEvent::Computed(progress) => {
                self.computing += took;
                self.done = progress.done;
                self.bar.set_message(message(progress.layer, self.seeds));
                self.bar.set_position(progress.done);
            }
            BuildEvent::Writing(_) => self.writing += took,
            BuildEvent::Written(progress) => {
                self.writing += took;
                self.layer = progress.layer;
            }
        }
        if self.interrupt.came() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }

    /// Takes the bar away.
    pub(in crate::commands) fn end(&self) {
        self.bar.finish_and_clear();
    }

    /// Seeds of the last layer that is safe.
    pub(super) fn layer(&self) -> u8 {
        self.layer
    }

    /// What was done, and in what time.
    pub(in crate::commands) fn summary(&self) -> String {
        let found = match self.found {
            0 => String::new(),
            found => format!(", {} of them by an earlier build", HumanCount(found)),
        };
        format!(
            "{}{found}; {:.2} s computing ({} positions a second)",
            counted(self.done, "position"),
            self.computing.as_secs_f64(),
            millions_a_second(self.done - self.found, self.computing),
        )
    }

    /// What it took to write them.
    pub(in crate::commands) fn writing(&self) -> String {
        format!("{:.2} s writing and syncing", self.writing.as_secs_f64())
    }
}

fn message(layer: u8, seeds: u8) -> String {
    format!("{layer} of {}", counted(seeds.into(), "seed"))
}

/// The positions a second of a bar.
fn rate(state: &ProgressState, output: &mut dyn std::fmt::Write) {
    // There is nobody to tell that a text has no more room.
    let _ = write!(
        output,
        "{:.1} million positions/s",
        state.per_sec() / MILLION
    );
}

/// The time that is left, of a bar that began with so many positions: not before its rate means something.
fn left(
    begun: Arc<AtomicU64>,
) -> impl Fn(&ProgressState, &mut dyn std::fmt::Write) + Clone + Send + Sync {
    move |state, output| {
        let begun = begun.load(Ordering::Relaxed);
        let to_do = state.len().unwrap_or(0).saturating_sub(begun);
        if state.pos().saturating_sub(begun) >= to_do / PART_BEFORE_TIME_LEFT {
            // As above.
            let _ = write!(output, ", {:#} left", HumanDuration(state.eta()));
        }
    }
}

/// The time that is left is told when one part of so many is done: before that the rate says little.
const PART_BEFORE_TIME_LEFT: u64 = 20;

const MILLION: f64 = 1e6;

#[expect(clippy::cast_precision_loss, reason = "it is shown with one digit")]
fn millions_a_second(positions: u64, time: Duration) -> String {
    let time = time.max(Duration::from_micros(1));
    format!(
        "{:.1} million",
        positions as f64 / time.as_secs_f64() / MILLION
    )
}
