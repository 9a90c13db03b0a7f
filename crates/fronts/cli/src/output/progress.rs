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
use kalah::{Move, format_count};
use kalah_engine::{Bounds, Report};

use kalah_text::{MoveListing, format_bounds};

/// The interval at which spinners and bars are redrawn.
const REDRAW_INTERVAL: Duration = Duration::from_millis(200);

/// The time over which the rate of a search is measured.
const RATE_WINDOW: Duration = Duration::from_secs(1);

const PROOF_TEMPLATE: &str = "{spinner} {proof}, {elapsed}";

/// The columns of the spinner and of the time beside the text of a proof.
const WIDTH_BESIDE_PROOF: usize = 10;

const BUILDING_TABLES: &str = "building tables";

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

/// The progress line of a proof: the proven parts, the number of positions searched and the rate.
pub(crate) struct ProofProgress {
    spinner: ProgressBar,
    listing: MoveListing,
    proven: Arc<Mutex<ProvenParts>>,
    /// The positions that the present search has searched, and those of searches before it.
    nodes: Arc<AtomicU64>,
    earlier_nodes: Arc<AtomicU64>,
}

/// The parts of a proof that are proven so far.
#[derive(Clone, Debug, Default)]
struct ProvenParts {
    /// The bounds of the position, and the number of moves that are done, as text; empty before
    /// the first step of the proof.
    margin: String,
    moves: String,
    /// The bounds of each move.
    bounds: Vec<(Move, Bounds)>,
    /// The number of steps that have changed a bound.
    steps: u64,
}

impl ProvenParts {
    fn update(&mut self, report: &Report, listing: MoveListing) {
        self.margin = format_bounds(report.bounds);
        let (all, best) = (report.moves.len(), report.bounds.lower);
        let (done, word) = match listing {
            MoveListing::None => (
                count(report, |it| it.is_exact() || it.upper <= best),
                "settled",
            ),
            MoveListing::All => (count(report, Bounds::is_exact), "exact"),
        };
        let all = format_count(all as u64, "move");
        self.moves = format!("{done} of {all} {word}");
        let bounds = report.move_bounds();
        self.steps += u64::from(!self.bounds.is_empty() && bounds != self.bounds);
        self.bounds = bounds;
    }

    /// Returns the line of a proof that has searched `nodes` positions. A line that would be wider
    /// than `width` has less: no number of bounds, or no number of positions.
    fn line(&self, nodes: u64, speed: &str, width: usize) -> String {
        let searched = format_count(nodes, "position");
        if self.margin.is_empty() {
            return match nodes {
                0 => speed.to_owned(),
                _ => format!("no margin is proven yet, {searched}, {speed}"),
            };
        }
        let Self { margin, moves, .. } = self;
        let bounds = format_count(self.steps, "bound");
        let lines = [
            format!("{margin}, {moves}, {bounds}, {searched}, {speed}"),
            format!("{margin}, {moves}, {searched}, {speed}"),
            format!("{margin}, {moves}, {bounds}, {speed}"),
        ];
        let mut fitting = (lines.into_iter()).filter(|line| line.chars().count() <= width);
        fitting
            .next()
            .unwrap_or_else(|| format!("{margin}, {moves}, {speed}"))
    }
}

/// Returns the number of moves whose bounds fulfil a condition.
fn count(report: &Report, condition: impl Fn(Bounds) -> bool) -> usize {
    let moves = report.moves.iter();
    moves
        .filter(|candidate| condition(candidate.bounds))
        .count()
}

impl ProofProgress {
    /// Shows the progress of a search that counts its positions in `nodes`.
    pub(crate) fn new(nodes: Arc<AtomicU64>, listing: MoveListing) -> Self {
        let (proven, earlier_nodes) = (Arc::default(), Arc::default());
        let spinner = new_spinner();
        if let Ok(style) = ProgressStyle::with_template(PROOF_TEMPLATE) {
            let tracker = ProofTracker {
                proven: Arc::clone(&proven),
                nodes: Arc::clone(&nodes),
                earlier_nodes: Arc::clone(&earlier_nodes),
                samples: VecDeque::new(),
            };
            spinner.set_style(style.with_key("proof", tracker));
        }
        enable_tick(&spinner);
        Self {
            spinner,
            listing,
            proven,
            nodes,
            earlier_nodes,
        }
    }

    /// Shows the bounds of `report`.
    pub(crate) fn update(&self, report: &Report) {
        let mut proven = (self.proven.lock()).unwrap_or_else(PoisonError::into_inner);
        proven.update(report, self.listing);
    }

    /// Adds the positions of the search that has ended to those of the next one, which begins to
    /// count at 0.
    pub(crate) fn end_search(&self) {
        let nodes = self.nodes.swap(0, Ordering::Relaxed);
        self.earlier_nodes.fetch_add(nodes, Ordering::Relaxed);
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
    proven: Arc<Mutex<ProvenParts>>,
    nodes: Arc<AtomicU64>,
    earlier_nodes: Arc<AtomicU64>,
    /// The numbers of positions at times within [`RATE_WINDOW`], and the last one before it.
    samples: VecDeque<(Instant, u64)>,
}

impl ProgressTracker for ProofTracker {
    fn clone_box(&self) -> Box<dyn ProgressTracker> {
        Box::new(self.clone())
    }

    fn tick(&mut self, _: &ProgressState, now: Instant) {
        let earlier = self.earlier_nodes.load(Ordering::Relaxed);
        let nodes = self.nodes.load(Ordering::Relaxed);
        self.samples.push_back((now, earlier + nodes));
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
        let is_building = self.nodes.load(Ordering::Relaxed) == 0;
        let speed = if is_building {
            BUILDING_TABLES.to_owned()
        } else {
            let thousands = nodes.saturating_sub(*first_nodes) / THOUSAND;
            #[expect(clippy::cast_precision_loss, reason = "it is shown with one digit")]
            let rate = thousands as f64 / seconds.max(f64::MIN_POSITIVE) / 1e3;
            format!("{rate:.1} million/s")
        };
        let proven = (self.proven.lock()).unwrap_or_else(PoisonError::into_inner);
        let width = terminal_width().saturating_sub(WIDTH_BESIDE_PROOF);
        // Writing to the text buffer of the progress bar cannot fail.
        let _ = output.write_str(&proven.line(*nodes, &speed, width));
    }
}

#[cfg(test)]
mod tests {
    use kalah::{Margin, Position, Rules};
    use kalah_engine::{AnalysisGoal, Engine, Limits};

    use super::*;

    /// Returns the reports of a proof, and what it has proven in the end.
    fn prove(goal: AnalysisGoal, listing: MoveListing) -> ProvenParts {
        let start = Position::start(3, 3, Rules::CS32).expect("a start");
        let limits = Limits {
            goal,
            ..Limits::default()
        };
        let mut proven = ProvenParts::default();
        let report = Engine::new().analyze_with_progress(
            &start,
            limits,
            &|| Duration::ZERO,
            &mut |report| {
                proven.update(report, listing);
            },
        );
        assert_eq!(report.margin(), Margin::new(2));
        proven
    }

    #[test]
    fn line_of_a_proof_has_the_moves_and_bounds_that_are_done() {
        let all = prove(AnalysisGoal::AllMargins, MoveListing::All);
        let bounds = format_count(all.steps, "bound");
        assert!(all.steps > 0);
        assert_eq!(
            all.line(5000, "1.0 million/s", 100),
            format!("+2 exact, 3 of 3 moves exact, {bounds}, 5,000 positions, 1.0 million/s")
        );
        assert_eq!(
            all.line(5000, "1.0 million/s", 62),
            "+2 exact, 3 of 3 moves exact, 5,000 positions, 1.0 million/s"
        );
        assert_eq!(
            all.line(5_000_000, "1.0 million/s", 55),
            format!("+2 exact, 3 of 3 moves exact, {bounds}, 1.0 million/s")
        );
        let narrow = all.line(5000, "1.0 million/s", 20);
        assert_eq!(narrow, "+2 exact, 3 of 3 moves exact, 1.0 million/s");
        let best = prove(AnalysisGoal::BestMargin, MoveListing::None);
        let line = best.line(0, BUILDING_TABLES, 100);
        assert!(
            line.starts_with("+2 exact, 3 of 3 moves settled, "),
            "{line}"
        );
    }

    #[test]
    fn line_before_the_first_bound_says_what_is_done() {
        let nothing = ProvenParts::default();
        assert_eq!(nothing.line(0, BUILDING_TABLES, 80), "building tables");
        assert_eq!(
            nothing.line(7, "0.0 million/s", 80),
            "no margin is proven yet, 7 positions, 0.0 million/s"
        );
    }
}
