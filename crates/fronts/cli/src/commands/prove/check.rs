//! `kalah prove check`: a check of a proof by other code than that which made it.

use std::io::Write;
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::{Args, ValueHint};
use indicatif::ProgressBar;
use kalah::{Move, Position, Side, format_count, format_number};
use kalah_api::{BoundsView, MoveBoundsView};
use kalah_check::{
    Certificate, CheckOptions, CheckProgress, CheckReport, Claims, LeafSample, LeafSelection,
    MarginBounds, check,
};
use kalah_engine::Bounds;
use kalah_players::{MemorySize, available_threads, quoted_path};
use kalah_text::{Notation, Palette};
use serde::Serialize;

use super::status::bounds_view;
use super::{DEFAULT_MEMORY, usable_bytes};
use crate::args::values::{LabelsOption, MAX_THREADS, seed_or_random, whole_number_parser};
use crate::error::CliError;
use crate::interrupt;
use crate::output::messages::{print_errors, write_program_json};
use crate::output::progress::spinner;
use kalah_text::{format_bounds, format_conditional_bounds, move_lines, opening_note};

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
The check shares no search code with the program that has made the proof. It verifies each answer
that follows from other answers by the naive rules, and searches the leaves, whose answers come from
a search, again. Without --all and --sample it searches all leaves of an exported proof. Of a store
it searches all leaves on which the margins depend if the position has at most 50 seeds in its
houses, and otherwise 10 of them. All those of 6x4 take half a minute, those of 6x5 several minutes,
and those of larger starts hours: 5 to 10 times as long as to solve them. One half of a sample are
the leaves with the fewest moves from the position, and the other half random ones.

The exit code is 1 if anything is wrong, if the proof is not complete, or if a search reaches
--max-nodes without an answer. It is 3 if nothing is wrong and the margins depend on leaves that were
not searched: they are conditional on these leaves.

Examples:
  kalah prove check 5x3.proof --all
  kalah prove check 5x3.proof --sample 3 --seed 1
  kalah prove check 5x3.proof --json")]
pub(super) struct ProveCheckArgs {
    /// The proof: the file of `kalah prove`, or one of `kalah prove export`
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    proof: PathBuf,
    /// Search all leaves, also those on which no margin depends
    #[arg(long, conflicts_with = "sample")]
    all: bool,
    /// Search this number of the leaves on which the margins depend; 0 checks the logic alone
    #[arg(long, value_name = "N", value_parser = whole_number_parser(0, usize::MAX))]
    sample: Option<usize>,
    /// The seed of the random choice: the same seed chooses the same leaves [default: a random one]
    #[arg(long, value_name = "N", conflicts_with = "all", value_parser = whole_number_parser(u64::MIN, u64::MAX))]
    seed: Option<u64>,
    /// Leave a leaf undecided after this number of positions [default: no limit]
    #[arg(long, value_name = "N", value_parser = whole_number_parser(NonZeroU64::MIN, NonZeroU64::MAX))]
    max_nodes: Option<NonZeroU64>,
    /// Threads of the searches [default: all of the machine]
    #[arg(long, value_name = "N", value_parser = whole_number_parser(NonZeroUsize::MIN, MAX_THREADS))]
    threads: Option<NonZeroUsize>,
    /// Memory of the searches, such as 512MiB
    #[arg(long, value_name = "SIZE", default_value = DEFAULT_MEMORY)]
    memory: MemorySize,
    #[command(flatten)]
    labels: LabelsOption,
    /// Print one line of JSON
    #[arg(long)]
    json: bool,
}

/// The most seeds in the houses of the position of a store whose needed leaves are all searched by
/// default. Those of 6x4, with 48 seeds, take half a minute, and those of 5x5, with 50, some
/// seconds.
const MAX_SEEDS_OF_FULL_SEARCH: u64 = 50;

/// The number of leaves of a larger store that are searched by default. Those of 6x5 take a minute,
/// and those of 6x6 several.
const DEFAULT_SAMPLE: usize = 10;

/// The value of `--json`. Margins are those of the side to move.
#[derive(Serialize)]
struct CheckJson {
    position: String,
    rules: String,
    to_move: Side,
    #[serde(flatten)]
    bounds: BoundsView,
    moves: Vec<MoveBoundsView>,
    /// Whether the position comes after the first plies, for which its rules differ.
    after_opening: bool,
    /// Whether the proof is complete, nothing is wrong, and searches have confirmed all leaves on
    /// which the margins depend.
    passed: bool,
    /// Whether the goals prove exact margins.
    complete: bool,
    inner_goals: usize,
    implied_goals: usize,
    leaves: usize,
    needed_leaves: usize,
    verified_leaves: usize,
    /// The leaves on which the margins depend and that no search has confirmed. No bounds are exact
    /// if there are any, or if the check has not passed for another reason.
    conditional_leaves: usize,
    /// The probability that the sample lacks a single wrong leaf that is not among those with the
    /// fewest moves from the position; 0 if all leaves on which the margins depend are searched,
    /// and `null` unless all selected leaves are confirmed and nothing is wrong.
    missed_probability: Option<f64>,
    undecided_leaves: usize,
    open_goals: usize,
    nodes: u64,
    /// The seed of the sample; `null` if there is none.
    seed: Option<u64>,
    seconds: f64,
    errors: Vec<String>,
}

pub(super) fn run(
    arguments: &ProveCheckArgs,
    output: &mut dyn Write,
    palette: Palette,
) -> Result<(), CliError> {
    let start = Instant::now();
    let interrupt = interrupt::listen();
    let progress = spinner("checking the goals");
    let certificate =
        Certificate::read(&arguments.proof).inspect_err(|_| progress.finish_and_clear())?;
    let leaves =
        select_leaves(&certificate, arguments).inspect_err(|_| progress.finish_and_clear())?;
    let options = CheckOptions {
        leaves,
        threads: arguments.threads.unwrap_or_else(available_threads),
        max_nodes: arguments.max_nodes.map_or(u64::MAX, NonZeroU64::get),
        memory: usable_bytes(arguments.memory),
        stop_flag: &interrupt.flag(),
        observer: &|state| show(&progress, state),
    };
    let report = check(&certificate, options);
    progress.finish_and_clear();
    let seed = match (leaves, report.sample) {
        (LeafSelection::Sample { seed, .. }, Some(sample)) if sample.random > 0 => Some(seed),
        _ => None,
    };
    let result = CheckResult {
        certificate,
        seed,
        report,
        time: start.elapsed(),
    };
    let verdict = result.verdict(arguments);
    let errors = result.report.faults.iter().map(ToString::to_string);
    let errors: Vec<String> = errors.collect();
    if arguments.json {
        let reason = verdict.as_ref().err().filter(|_| errors.is_empty());
        let errors = errors.into_iter().chain(reason.and_then(CliError::message));
        result.write_json(output, verdict.is_ok(), errors.collect())?;
    } else {
        result.write_text(output, arguments.labels, palette)?;
        output.flush()?;
        print_errors(&errors);
    }
    output.flush()?;
    verdict
}

fn select_leaves(
    certificate: &Certificate,
    arguments: &ProveCheckArgs,
) -> Result<LeafSelection, CliError> {
    let is_store = certificate.stated_claims().is_none();
    let sample = |count| LeafSelection::Sample {
        count,
        seed: seed_or_random(arguments.seed),
    };
    let rows = &certificate.statement().position().rows;
    let seeds: u64 = rows.south.iter().chain(&rows.north).sum();
    let selection = match arguments.sample {
        Some(count) => sample(count),
        None if arguments.all || !is_store => LeafSelection::All,
        None if seeds <= MAX_SEEDS_OF_FULL_SEARCH => LeafSelection::Needed,
        None => sample(DEFAULT_SAMPLE),
    };
    match (selection, arguments.seed) {
        (LeafSelection::All | LeafSelection::Needed, Some(seed)) => {
            let name = quoted_path(&arguments.proof);
            Err(CliError::Usage(format!(
                "--seed '{seed}': without --sample the check of {name} chooses no leaves at random"
            )))
        }
        _ => Ok(selection),
    }
}

fn show(progress: &ProgressBar, state: CheckProgress) {
    progress.set_message(format!(
        "{} of {} searched, {}",
        state.searched,
        format_count(state.to_search as u64, "leaf"),
        format_count(state.nodes, "position"),
    ));
}

/// The result of a check of a certificate.
struct CheckResult {
    certificate: Certificate,
    report: CheckReport,
    /// The seed of the sample, if there is one.
    seed: Option<u64>,
    time: Duration,
}

impl CheckResult {
    /// Returns the position of the proof; `None` if it is not playable.
    fn position(&self) -> Option<Position> {
        let statement = self.certificate.statement();
        statement.position().position(statement.rules()).ok()
    }

    /// Returns whether the position comes after the first plies, and its rules treat these
    /// differently.
    fn opening_note(&self) -> Option<&'static str> {
        opening_note(&self.position()?)
    }

    fn write_json(
        &self,
        output: &mut dyn Write,
        passed: bool,
        errors: Vec<String>,
    ) -> Result<(), CliError> {
        let (statement, report) = (self.certificate.statement(), &self.report);
        let side = statement.position().to_move;
        let leaves = report.conditional_leaves();
        let is_proven = report.is_confirmed() && leaves == 0;
        let json = CheckJson {
            position: statement.position().to_string(),
            rules: statement.rules().to_string(),
            to_move: side,
            bounds: bounds_view(convert(report.claims.position), is_proven),
            moves: (report.claims.moves.iter())
                .map(|&(mv, bounds)| MoveBoundsView {
                    mv: mv.text(side),
                    bounds: bounds_view(convert(bounds), is_proven),
                })
                .collect(),
            after_opening: self.opening_note().is_some(),
            passed,
            complete: inexact_margin(&report.claims).is_none(),
            inner_goals: report.inner,
            implied_goals: report.implied,
            leaves: report.leaves,
            needed_leaves: report.needed_leaves,
            verified_leaves: report.verified_leaves,
            conditional_leaves: leaves,
            missed_probability: report.missed_probability(),
            undecided_leaves: report.undecided.len(),
            open_goals: report.open,
            nodes: report.nodes,
            seed: self.seed,
            seconds: self.time.as_secs_f64(),
            errors,
        };
        Ok(write_program_json(output, &json)?)
    }

    fn write_text(
        &self,
        output: &mut dyn Write,
        labels: LabelsOption,
        palette: Palette,
    ) -> Result<(), CliError> {
        let (statement, report) = (self.certificate.statement(), &self.report);
        let (position, rules) = (statement.position(), statement.rules());
        writeln!(output, "Position '{position}', rules {rules}")?;
        if let Some(note) = self.opening_note() {
            writeln!(output, "{note}")?;
        }
        if report.is_confirmed() {
            let side = statement.position().to_move;
            let name = palette.name(side, &side.to_string());
            let bounds = convert(report.claims.position);
            let leaves = report.conditional_leaves();
            let margin = format_conditional_bounds(bounds, leaves);
            writeln!(output, "{name} to move: {margin}")?;
            if let Some(position) = self.position() {
                let notation = Notation::new(&position, labels.labels);
                let moves =
                    (report.claims.moves.iter()).map(|&(mv, of_move)| (mv, convert(of_move)));
                for line in move_lines(bounds, moves, leaves, side, notation) {
                    writeln!(output, "{line}")?;
                }
            }
        }
        writeln!(
            output,
            "Confirmed: {} by other goals, {} of {} by search, of which the margin depends on {}; {}, {:.2} s",
            format_count((report.inner + report.implied) as u64, "goal"),
            report.verified_leaves,
            format_count(report.leaves as u64, "leaf"),
            format_number(report.needed_leaves as u64),
            format_count(report.nodes, "position"),
            self.time.as_secs_f64(),
        )?;
        let undecided = report.undecided.len();
        if undecided > 0 {
            let leaves = format_count(undecided as u64, "leaf");
            writeln!(output, "Undecided within the node limit: {leaves}")?;
        }
        if let Some(sample) = report.sample {
            writeln!(output, "{}", self.describe_sample(sample))?;
        }
        Ok(())
    }

    /// Returns a line about a sample of the leaves on which the margins depend.
    fn describe_sample(&self, sample: LeafSample) -> String {
        let LeafSample {
            nearest,
            random,
            candidates,
        } = sample;
        let selected = nearest + random;
        let needed = format_count(self.report.needed_leaves as u64, "leaf");
        let chosen = if selected == 0 {
            String::new()
        } else {
            let seed = (self.seed).map_or_else(String::new, |seed| format!(", seed {seed}"));
            format!(
                ": {nearest} with the fewest moves from the position, and {random} of the other \
                 {candidates} at random{seed}"
            )
        };
        let Some(missed) = self.report.missed_probability() else {
            return format!(
                "Selected {selected} of the {needed} that the margin depends on{chosen}"
            );
        };
        let missed = 100.0 * missed;
        format!(
            "Searched {selected} of the {needed} that the margin depends on{chosen}. A single wrong one \
             among the others is missed with a probability of {missed:.1} %"
        )
    }

    /// Returns the error of a check that has failed or was stopped.
    fn verdict(&self, arguments: &ProveCheckArgs) -> Result<(), CliError> {
        let name = quoted_path(&arguments.proof);
        let (faults, undecided) = (self.report.faults.len(), self.report.undecided.len());
        if faults > 0 {
            let faults = format_count(faults as u64, "error");
            return Err(CliError::Runtime(format!(
                "the proof in {name} is wrong: {faults}"
            )));
        }
        if let Some(error) = &self.report.thread_error {
            return Err(CliError::Runtime(format!("cannot start a thread: {error}")));
        }
        if self.report.is_stopped {
            let reason = format!("interrupted: the check of {name} is not complete");
            return Err(CliError::Interrupted(reason));
        }
        if undecided > 0 {
            let goal = &self.report.undecided[0];
            return Err(CliError::Runtime(format!(
                "no answer within the node limit for {} of {name}: the first is the goal {:+} of '{}'",
                format_count(undecided as u64, "leaf"),
                goal.target(),
                goal.position()
            )));
        }
        require_exact_margins(&self.certificate, &name)?;
        match self.report.conditional_leaves() {
            0 => Ok(()),
            leaves => Err(CliError::Conditional(format!(
                "the proof in {name} is conditional on {}: `--all` searches all",
                format_count(leaves as u64, "leaf")
            ))),
        }
    }
}

/// Checks that all margins of the proof in a file are exact.
pub(super) fn require_exact_margins(certificate: &Certificate, name: &str) -> Result<(), CliError> {
    match inexact_margin(&certificate.claims()) {
        None => Ok(()),
        Some((mv, bounds)) => {
            let of_move = mv.map_or_else(String::new, |mv| {
                let side = certificate.statement().position().to_move;
                format!(" of the move {}", mv.text(side))
            });
            let problem = if bounds.lower > bounds.upper {
                "contradicts itself"
            } else {
                "is not complete"
            };
            Err(CliError::Runtime(format!(
                "the proof in {name} {problem}: the margin{of_move} is {}",
                format_bounds(bounds)
            )))
        }
    }
}

/// Returns the first bounds of the position or of a move that are not an exact margin.
fn inexact_margin(claims: &Claims) -> Option<(Option<Move>, Bounds)> {
    let of_moves = (claims.moves.iter()).map(|&(mv, bounds)| (Some(mv), convert(bounds)));
    let mut all = std::iter::once((None, convert(claims.position))).chain(of_moves);
    all.find(|(_, bounds)| !bounds.is_exact())
}

fn convert(bounds: MarginBounds) -> Bounds {
    Bounds {
        lower: bounds.lower,
        upper: bounds.upper,
    }
}
