use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use indicatif::{HumanCount, HumanDuration, ProgressBar, ProgressState, ProgressStyle};
use kalah_players::Shutdown;
use kalah_tables::BuildEvent;

use crate::interrupt;
use crate::words::format_count;

/// Watches a table being built: shows how far it is, takes the time, and breaks off at Ctrl-C.
pub(in crate::commands) struct BuildMonitor {
    interrupt: Shutdown,
    bar: ProgressBar,
    seeds: u8,
    /// Seeds of the last layer that is safe.
    layer: u8,
    /// The same as `found`, for the bar.
    resumed_shared: Arc<AtomicU64>,
    /// Positions that were found, done by an earlier build.
    resumed: u64,
    /// Positions that are done.
    done: u64,
    /// When the last step was made.
    last_step: Instant,
    compute_time: Duration,
    write_time: Duration,
}

/// How often the time that is left is told anew.
const TICK: Duration = Duration::from_millis(200);

/// The bar, on standard error if that is a terminal.
const TEMPLATE: &str = "{msg} {wide_bar} {percent}%, {rate}{left}";

impl BuildMonitor {
    /// Begins to take the time.
    pub(in crate::commands) fn new(seeds: u8, positions: u64) -> Self {
        let resumed_shared = Arc::new(AtomicU64::new(0));
        let bar = ProgressBar::new(positions);
        if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
            bar.set_style(
                style
                    .with_key("rate", write_rate)
                    .with_key("left", time_left_writer(Arc::clone(&resumed_shared))),
            );
        }
        bar.set_message(message(0, seeds));
        bar.enable_steady_tick(TICK);
        Self {
            interrupt: interrupt::listen(),
            bar,
            seeds,
            layer: 0,
            resumed_shared,
            resumed: 0,
            done: 0,
            last_step: Instant::now(),
            compute_time: Duration::ZERO,
            write_time: Duration::ZERO,
        }
    }

    /// Takes notice of a step, and says whether to go on.
    pub(in crate::commands) fn update(&mut self, step: BuildEvent) -> ControlFlow<()> {
        let now = Instant::now();
        let took = now - self.last_step;
        self.last_step = now;
        match step {
            BuildEvent::Resumed(progress) => {
                self.layer = progress.layer;
                self.resumed = progress.done;
                self.resumed_shared.store(progress.done, Ordering::Relaxed);
                self.done = progress.done;
                self.bar.set_position(progress.done);
                self.bar.reset_eta();
            }
            BuildEvent::Computed(progress) => {
                self.compute_time += took;
                self.done = progress.done;
                self.bar.set_message(message(progress.layer, self.seeds));
                self.bar.set_position(progress.done);
            }
            BuildEvent::Writing(_) => self.write_time += took,
            BuildEvent::Written(progress) => {
                self.write_time += took;
                self.layer = progress.layer;
            }
        }
        if self.interrupt.is_requested() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }

    /// Takes the bar away.
    pub(in crate::commands) fn finish(&self) {
        self.bar.finish_and_clear();
    }

    /// Seeds of the last layer that is safe.
    pub(super) fn layer(&self) -> u8 {
        self.layer
    }

    /// What was done, and in what time.
    pub(in crate::commands) fn summary(&self) -> String {
        let found = match self.resumed {
            0 => String::new(),
            found => format!(", {} of them by an earlier build", HumanCount(found)),
        };
        format!(
            "{}{found}; {:.2} s computing ({} positions a second)",
            format_count(self.done, "position"),
            self.compute_time.as_secs_f64(),
            millions_per_second(self.done - self.resumed, self.compute_time),
        )
    }

    /// What it took to write them.
    pub(in crate::commands) fn write_summary(&self) -> String {
        format!("{:.2} s writing and syncing", self.write_time.as_secs_f64())
    }
}

fn message(layer: u8, seeds: u8) -> String {
    format!("{layer} of {}", format_count(seeds.into(), "seed"))
}

/// The positions a second of a bar.
fn write_rate(state: &ProgressState, output: &mut dyn std::fmt::Write) {
    // There is nobody to tell that a text has no more room.
    let _ = write!(
        output,
        "{:.1} million positions/s",
        state.per_sec() / MILLION
    );
}

/// The time that is left, of a bar that began with so many positions: not before its rate means something.
fn time_left_writer(
    begun: Arc<AtomicU64>,
) -> impl Fn(&ProgressState, &mut dyn std::fmt::Write) + Clone + Send + Sync {
    move |state, output| {
        let begun = begun.load(Ordering::Relaxed);
        let to_do = state.len().unwrap_or(0).saturating_sub(begun);
        if state.pos().saturating_sub(begun) >= to_do / ETA_DELAY_DIVISOR {
            // As above.
            let _ = write!(output, ", {:#} left", HumanDuration(state.eta()));
        }
    }
}

/// The time that is left is told when one part of so many is done: before that the rate says little.
const ETA_DELAY_DIVISOR: u64 = 20;

const MILLION: f64 = 1e6;

#[expect(clippy::cast_precision_loss, reason = "it is shown with one digit")]
fn millions_per_second(positions: u64, time: Duration) -> String {
    let time = time.max(Duration::from_micros(1));
    format!(
        "{:.1} million",
        positions as f64 / time.as_secs_f64() / MILLION
    )
}
