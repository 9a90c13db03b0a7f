//! Progress on standard error, which is shown only if that is a terminal.

use std::collections::VecDeque;
use std::fmt;
use std::io::{self, IsTerminal as _};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use console::{Term, truncate_str};
use indicatif::style::ProgressTracker;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle, TermLike};
use kalah::format_count;
use kalah_engine::Report;

use kalah_text::{MoveListing, format_bounds};

/// The interval at which spinners and bars are redrawn.
const REDRAW_INTERVAL: Duration = Duration::from_millis(200);

/// The time over which the rate of a search is measured.
const RATE_WINDOW: Duration = Duration::from_secs(1);

const PROOF_TEMPLATE: &str = "{spinner} {proof}, {elapsed}";

const THOUSAND: u64 = 1000;

/// Redraws a progress bar at [`REDRAW_INTERVAL`] until it is finished. Without a thread for it, for
/// which `indicatif` would panic, the bar is redrawn when it changes.
pub(crate) fn enable_tick(bar: &ProgressBar) {
    if bar.is_hidden() {
        return;
    }
    let bar = bar.downgrade();
    let tick = move || {
        while let Some(bar) = bar.upgrade().filter(|bar| !bar.is_finished()) {
            bar.tick();
            drop(bar);
            thread::sleep(REDRAW_INTERVAL);
        }
    };
    let _ = thread::Builder::new().spawn(tick);
}

/// Returns a bar of `length` steps. It is hidden if standard error is no terminal.
pub(crate) fn new_bar(length: u64) -> ProgressBar {
    ProgressBar::with_draw_target(Some(length), draw_target())
}

/// Returns a spinner without a message. It is hidden if standard error is no terminal.
pub(crate) fn new_spinner() -> ProgressBar {
    ProgressBar::with_draw_target(None, draw_target()).with_style(ProgressStyle::default_spinner())
}

fn draw_target() -> ProgressDrawTarget {
    if io::stderr().is_terminal() {
        ProgressDrawTarget::term_like(Box::new(ProgressTerminal(Term::buffered_stderr())))
    } else {
        ProgressDrawTarget::hidden()
    }
}

/// Standard error with the cursor at the left margin between two drawings. `indicatif` leaves it at
/// the right one, where the `^C` that a terminal writes for Ctrl-C moves it to the next line, so
/// that the first line of the progress would stay.
#[derive(Debug)]
struct ProgressTerminal(Term);

impl TermLike for ProgressTerminal {
    fn width(&self) -> u16 {
        TermLike::width(&self.0)
    }

    fn height(&self) -> u16 {
        TermLike::height(&self.0)
    }

    fn move_cursor_up(&self, lines: usize) -> io::Result<()> {
        self.0.move_cursor_up(lines)
    }

    fn move_cursor_down(&self, lines: usize) -> io::Result<()> {
        self.0.move_cursor_down(lines)
    }

    fn move_cursor_right(&self, columns: usize) -> io::Result<()> {
        self.0.move_cursor_right(columns)
    }

    fn move_cursor_left(&self, columns: usize) -> io::Result<()> {
        self.0.move_cursor_left(columns)
    }

    fn write_line(&self, text: &str) -> io::Result<()> {
        self.0.write_line(text)
    }

    fn write_str(&self, text: &str) -> io::Result<()> {
        self.0.write_str(text)
    }

    fn clear_line(&self) -> io::Result<()> {
        self.0.clear_line()
    }

    fn flush(&self) -> io::Result<()> {
        self.0.write_str("\r")?;
        self.0.flush()
    }
}

/// Cuts each line of `text` at the width of the terminal.
pub(crate) fn cut_lines(text: &str) -> String {
    let width = terminal_width();
    let lines = text.lines().map(|line| truncate_str(line, width, "…"));
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns the width of the terminal that shows standard output; `None` if it is no terminal.
pub(crate) fn output_width() -> Option<usize> {
    let is_terminal = io::stdout().is_terminal();
    is_terminal.then(|| usize::from(Term::stdout().size().1))
}

/// Returns the numbers of columns and lines of the terminal that shows standard error.
pub(crate) fn terminal_size() -> (usize, usize) {
    let (lines, columns) = Term::stderr().size();
    (columns.into(), lines.into())
}

/// Wraps `text` between words at the width of the terminal.
pub(crate) fn wrap_lines(text: &str) -> String {
    textwrap::fill(text, terminal_width())
}

fn terminal_width() -> usize {
    usize::from(Term::stderr().size().1)
}

/// Returns a spinner with a message. The caller clears it with [`ProgressBar::finish_and_clear`].
pub(crate) fn spinner(message: &str) -> ProgressBar {
    let spinner = new_spinner().with_message(message.to_owned());
    enable_tick(&spinner);
    spinner
}

/// The progress line of a proof: the proven bounds, the number of positions searched and the rate.
pub(crate) struct ProofProgress {
    spinner: ProgressBar,
    listing: MoveListing,
    /// The proven bounds as text; empty before the first step of the proof.
    bounds_text: Arc<Mutex<String>>,
}

impl ProofProgress {
    /// Shows the progress of a search that counts its positions in `nodes`.
    pub(crate) fn new(nodes: Arc<AtomicU64>, listing: MoveListing) -> Self {
        let bounds_text = Arc::default();
        let spinner = new_spinner();
        if let Ok(style) = ProgressStyle::with_template(PROOF_TEMPLATE) {
            let tracker = ProofTracker {
                bounds_text: Arc::clone(&bounds_text),
                nodes,
                samples: VecDeque::new(),
            };
            spinner.set_style(style.with_key("proof", tracker));
        }
        enable_tick(&spinner);
        Self {
            spinner,
            listing,
            bounds_text,
        }
    }

    /// Shows the bounds of `report`.
    pub(crate) fn update(&self, report: &Report) {
        let margin = format_bounds(report.bounds);
        let text = match self.listing {
            MoveListing::None => margin,
            MoveListing::All => {
                let moves = &report.moves;
                let exact = moves.iter().filter(|candidate| candidate.bounds.is_exact());
                let all = format_count(moves.len() as u64, "move");
                format!("{margin}, {} of {all} exact", exact.count())
            }
        };
        *(self.bounds_text.lock()).unwrap_or_else(PoisonError::into_inner) = text;
    }

    /// Clears the line.
    pub(crate) fn finish(&self) {
        self.spinner.finish_and_clear();
    }
}

/// The results of an analysis so far, redrawn as they change.
pub(crate) struct AnalysisProgress(ProgressBar);

impl AnalysisProgress {
    /// Shows nothing until the first results.
    pub(crate) fn new() -> Self {
        let progress = new_spinner();
        if let Ok(style) = ProgressStyle::with_template("{msg}") {
            progress.set_style(style);
        }
        Self(progress)
    }

    /// Shows the lines of `text` for `report`, and the speed of the analysis.
    pub(crate) fn update(&self, text: &str, report: &Report) {
        let speed = format_count(report.nodes_per_second(), "position");
        self.0.set_message(cut_lines(&format!(
            "{text}depth {}, {speed} a second",
            report.depth
        )));
    }

    /// Clears the lines.
    pub(crate) fn finish(&self) {
        self.0.finish_and_clear();
    }
}

/// Writes the text of a [`ProofProgress`].
#[derive(Clone)]
struct ProofTracker {
    bounds_text: Arc<Mutex<String>>,
    nodes: Arc<AtomicU64>,
    /// The numbers of positions at times within [`RATE_WINDOW`], and the last one before it.
    samples: VecDeque<(Instant, u64)>,
}

impl ProgressTracker for ProofTracker {
    fn clone_box(&self) -> Box<dyn ProgressTracker> {
        Box::new(self.clone())
    }

    fn tick(&mut self, _: &ProgressState, now: Instant) {
        self.samples
            .push_back((now, self.nodes.load(Ordering::Relaxed)));
        // The first sample is dropped when the second one covers the window.
        while let Some((time, _)) = self.samples.get(1)
            && now.saturating_duration_since(*time) >= RATE_WINDOW
        {
            self.samples.pop_front();
        }
    }

    fn reset(&mut self, _: &ProgressState, _: Instant) {
        self.samples.clear();
    }

    fn write(&self, _: &ProgressState, output: &mut dyn fmt::Write) {
        let (Some((first_time, first_nodes)), Some((last_time, nodes))) =
            (self.samples.front(), self.samples.back())
        else {
            return;
        };
        let seconds = (last_time.saturating_duration_since(*first_time)).as_secs_f64();
        let bounds_text = (self.bounds_text.lock()).unwrap_or_else(PoisonError::into_inner);
        let bounds_text = match (bounds_text.as_str(), *nodes) {
            ("", 0) => {
                let _ = output.write_str("building tables");
                return;
            }
            ("", _) => "no margin is proven yet",
            (text, _) => text,
        };
        // Writing to the text buffer of the progress bar cannot fail.
        let _ = write!(
            output,
            "{bounds_text}, {}",
            format_count(*nodes, "position")
        );
        if seconds > 0.0 {
            let thousands = nodes.saturating_sub(*first_nodes) / THOUSAND;
            #[expect(clippy::cast_precision_loss, reason = "it is shown with one digit")]
            let rate = thousands as f64 / seconds / 1e3;
            let _ = write!(output, ", {rate:.1} million/s");
        }
    }
}
