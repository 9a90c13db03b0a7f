//! The progress of `kalah prove` on a terminal.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{HumanCount, HumanDuration, ProgressBar, ProgressStyle};
use kalah::{Labels, Position, format_count};
use kalah_proof::Coordinator;
use kalah_text::Notation;

use super::status::{describe_goal, format_rate, per_second};
use crate::output::progress::{enable_tick, new_spinner, wrap_lines};
use kalah_text::format_conditional_bounds;

const TEMPLATE: &str = "{spinner} {msg}";

/// Between two updates of the text there is at least this time, and at least this multiple of the
/// time that an update takes.
const MIN_UPDATE_INTERVAL: Duration = Duration::from_millis(500);
const UPDATE_COST_FACTOR: u32 = 50;

/// The progress lines of a proof.
pub(super) struct ProveProgress {
    bar: ProgressBar,
    notation: Notation,
    /// The time of the next update.
    next_update: Mutex<Duration>,
}

impl ProveProgress {
    /// Shows that the proof begins.
    pub(super) fn new(position: &Position, labels: Labels) -> Self {
        let bar = new_spinner();
        if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
            bar.set_style(style);
        }
        bar.set_message("building tables");
        enable_tick(&bar);
        Self {
            bar,
            notation: Notation::new(position, labels),
            next_update: Mutex::default(),
        }
    }

    /// Shows the state of a proof after `time`.
    pub(super) fn update(&self, coordinator: &Coordinator, time: Duration) {
        let mut next_update = (self.next_update.lock()).unwrap_or_else(PoisonError::into_inner);
        if self.bar.is_hidden() || time < *next_update {
            return;
        }
        let started_at = Instant::now();
        let status = coordinator.status();
        let (jobs, nodes) = (coordinator.completed_jobs(), coordinator.completed_nodes());
        let mut lines = vec![format!(
            "{}; {}, {} of {} solved, {}, {}, {}",
            format_conditional_bounds(status.bounds, coordinator.conditional_leaves()),
            format_count(status.nodes, "position"),
            HumanCount(u64::try_from(status.solved_goals).unwrap_or(u64::MAX)),
            format_count(u64::try_from(status.goals).unwrap_or(u64::MAX), "goal"),
            format_rate(jobs, time, "job"),
            format_rate(nodes, time, "position"),
            HumanDuration(time),
        )];
        if let Some(goal) = &status.current {
            let position = &coordinator.statement().position;
            let rate = per_second(nodes, time);
            lines.extend(describe_goal(position, goal, rate, self.notation));
        }
        self.bar.set_message(wrap_lines(&lines.join("\n  ")));
        let cost = started_at.elapsed();
        *next_update = time + (cost * UPDATE_COST_FACTOR).max(MIN_UPDATE_INTERVAL);
    }

    /// Clears the lines.
    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
