//! `kalah prove status`: the state of a proof.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, ValueHint};
use indicatif::{FormattedDuration, HumanCount, HumanDuration};
use kalah::{Margin, Move, Position, Side, format_count};
use kalah_api::{BoundsView, MoveBoundsView};
use kalah_engine::Bounds;
use kalah_proof::{Coordinator, CurrentGoal, JobSize, ProofStatus, ProofStore, Run};
use kalah_text::{Notation, Palette};
use serde::Serialize;

use crate::args::values::LabelsOption;
use crate::error::CliError;
use crate::output::messages::write_json;
use kalah_text::{format_conditional_bounds, move_lines, opening_note};

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
A proof decides one goal after the other: whether a margin is at least a target. The percentage is
the part of the proof of the expected answer that is complete. The positions left are an estimate for
this goal alone, which grows where a part of the proof has an unexpected answer. A complete proof can
have unsolved goals, which its margins do not depend on.

The margins are conditional on the leaves on which they depend: the store has the answers that searches
have given, and only `kalah prove check` searches these leaves again.

In the line of --json, `best` is a move with the proven margin. It is null while the margin is not
proven, and without --moves also where one search has decided the margin: a store has the answer of a
search, and not its moves.

Examples:
  kalah prove status 5x3.proof
  kalah prove status 5x3.proof --json")]
pub(super) struct ProveStatusArgs {
    /// The file of the proof
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    store: PathBuf,
    #[command(flatten)]
    labels: LabelsOption,
    /// Print one line of JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(
    arguments: &ProveStatusArgs,
    output: &mut dyn Write,
    palette: Palette,
) -> Result<(), CliError> {
    let status = StoreStatus::read(&arguments.store)?;
    if arguments.json {
        return status.write_json(output);
    }
    let notation = Notation::new(&status.position, arguments.labels.labels);
    status.write_text(output, notation, palette)
}

/// The state of the proof in a store.
pub(super) struct StoreStatus {
    position: Position,
    /// Whether the proof is also about the margins of all moves.
    all_moves: bool,
    status: ProofStatus,
    /// The leaves on which the bounds depend and whose answers were read from the store.
    conditional_leaves: usize,
    runs: Vec<Run>,
    /// The process that works on the proof now.
    holder: Option<String>,
}

/// The value of `--json`. Margins are those of the side to move.
#[derive(Serialize)]
struct StatusJson {
    position: String,
    rules: String,
    to_move: Side,
    /// The proven margin; `null` while the bounds differ or are conditional.
    margin: Option<i32>,
    #[serde(flatten)]
    bounds: BoundsView,
    /// A move with the proven margin; `null` if the proof has none, because one search has decided
    /// the margin, or while it is not proven.
    best: Option<String>,
    /// The leaves on which the bounds depend and whose answers were read from the store. No bounds
    /// are exact if there are any.
    conditional_leaves: usize,
    /// Whether the position comes after the first plies, for which its rules differ.
    after_opening: bool,
    /// Whether the proof is also about the margins of all moves.
    all_moves: bool,
    moves: Vec<MoveBoundsView>,
    /// A line of best play, as far as the proof has it; empty before the margin is exact.
    line: Vec<String>,
    /// The goal that the proof decides now; `null` once it is complete.
    goal: Option<GoalJson>,
    goals: usize,
    solved_goals: usize,
    jobs: u64,
    nodes: u64,
    seconds: f64,
    runs: Vec<RunJson>,
    holder: Option<String>,
}

#[derive(Serialize)]
struct GoalJson {
    /// The move whose margin it is; `null` for the position.
    #[serde(rename = "move")]
    mv: Option<String>,
    target: i32,
    expected: bool,
    complete: f64,
    nodes: u64,
    nodes_left: Option<u64>,
    line: Vec<String>,
}

#[derive(Serialize)]
struct RunJson {
    holder: String,
    program: String,
    jobs: u64,
    nodes: u64,
    seconds: f64,
    jobs_per_second: f64,
    nodes_per_second: f64,
}

impl StoreStatus {
    /// Reads the state of a proof.
    ///
    /// # Errors
    /// [`CliError::Runtime`] if the file is not a valid store.
    pub(super) fn read(path: &Path) -> Result<Self, CliError> {
        let proof = ProofStore::read(path)?;
        let coordinator = Coordinator::new(proof.statement, proof.tree, JobSize::default());
        Ok(Self {
            holder: ProofStore::holder(path),
            ..Self::after_runs(&coordinator, proof.runs)
        })
    }

    /// Returns the state of the proof of a coordinator after `runs`. The bounds are not conditional
    /// on the leaves that the coordinator has searched.
    pub(super) fn after_runs(coordinator: &Coordinator, runs: Vec<Run>) -> Self {
        Self {
            position: coordinator.statement().position.clone(),
            all_moves: coordinator.statement().all_moves,
            status: coordinator.status(),
            conditional_leaves: coordinator.conditional_leaves(),
            runs,
            holder: None,
        }
    }

    /// Writes the state as one line of JSON.
    pub(super) fn write_json(&self, output: &mut dyn Write) -> Result<(), CliError> {
        let (position, status) = (&self.position, &self.status);
        let side = position.to_move();
        let move_text = |&(side, mv): &(Side, Move)| mv.text(side);
        let (jobs, time) = self.totals();
        let is_proven = self.conditional_leaves == 0;
        let proven_margin = (status.bounds.is_exact() && is_proven).then_some(status.bounds.lower);
        let best_move = proven_margin.and_then(|margin| {
            let mut moves = status.moves.iter();
            let best = moves.find(|(_, bounds)| bounds.lower >= margin);
            let first_of_line = status.line.first().map(|&(_, mv)| mv);
            let known = best.map(|&(mv, _)| mv).or(first_of_line);
            known.or_else(|| position.only_move())
        });
        let json = StatusJson {
            position: position.to_string(),
            rules: position.rules().to_string(),
            to_move: side,
            margin: proven_margin.map(Margin::seeds),
            bounds: bounds_view(status.bounds, is_proven),
            best: best_move.map(|mv| mv.text(side)),
            conditional_leaves: self.conditional_leaves,
            after_opening: opening_note(position).is_some(),
            all_moves: self.all_moves,
            moves: (status.moves.iter())
                .map(|&(mv, bounds)| MoveBoundsView {
                    mv: mv.text(side),
                    bounds: bounds_view(bounds, is_proven),
                })
                .collect(),
            line: status.line.iter().map(move_text).collect(),
            goal: status.current.as_ref().map(|goal| GoalJson {
                mv: goal.mv.map(|mv| mv.text(side)),
                target: goal.target.seeds(),
                expected: goal.expected,
                complete: goal.complete,
                nodes: goal.nodes,
                nodes_left: goal.nodes_left(),
                line: goal.line.iter().map(move_text).collect(),
            }),
            goals: status.goals,
            solved_goals: status.solved_goals,
            jobs,
            nodes: status.nodes,
            seconds: time.as_secs_f64(),
            runs: self.runs.iter().map(RunJson::new).collect(),
            holder: self.holder.clone(),
        };
        Ok(write_json(output, &json)?)
    }

    /// Writes the state as lines of text.
    pub(super) fn write_text(
        &self,
        output: &mut dyn Write,
        notation: Notation,
        palette: Palette,
    ) -> Result<(), CliError> {
        let (position, status) = (&self.position, &self.status);
        let side = position.to_move();
        let name = palette.name(side, &side.to_string());
        if position.is_over() {
            writeln!(output, "The game is over: {} for {name}", position.lead())?;
            return Ok(());
        }
        if let Some(note) = opening_note(position) {
            writeln!(output, "{note}")?;
        }
        let leaves = self.conditional_leaves;
        let bounds = format_conditional_bounds(status.bounds, leaves);
        writeln!(output, "{name} to move: {bounds}")?;
        let moves = status.moves.iter().copied();
        for line in move_lines(status.bounds, moves, leaves, side, notation) {
            writeln!(output, "{line}")?;
        }
        if leaves > 0 {
            writeln!(
                output,
                "Not checked: the answers of {}, which are from the store",
                format_count(count(leaves), "leaf")
            )?;
        }
        if !status.line.is_empty() {
            writeln!(output, "Line: {}", notation.format_line(&status.line))?;
        }
        let (jobs, time) = self.totals();
        if let Some(goal) = &status.current {
            let rate = per_second(status.nodes, time);
            for line in describe_goal(position, goal, rate, notation) {
                writeln!(output, "{line}")?;
            }
        }
        writeln!(
            output,
            "{}, {} solved; {}, {}, {} in {}",
            format_count(count(status.goals), "goal"),
            HumanCount(count(status.solved_goals)),
            format_count(jobs, "job"),
            format_count(status.nodes, "position"),
            format_time(time),
            format_count(count(self.runs.len()), "run"),
        )?;
        if let Some(holder) = &self.holder {
            // A run is in the store from its first result on.
            let run = self.runs.last().filter(|run| &run.holder == holder);
            let rate = run.map_or("no result yet".to_owned(), |run| {
                let jobs = format_rate(run.totals.jobs, run.totals.time, "job");
                let nodes = format_rate(run.totals.nodes, run.totals.time, "position");
                format!("{jobs}, {nodes}")
            });
            writeln!(output, "In use by {holder}: {rate}")?;
        }
        Ok(())
    }

    /// Returns the jobs and the time of all runs.
    fn totals(&self) -> (u64, Duration) {
        let jobs = self.runs.iter().map(|run| run.totals.jobs);
        let jobs = jobs.fold(0, u64::saturating_add);
        let time = self.runs.iter().map(|run| run.totals.time);
        let time = time.fold(Duration::ZERO, Duration::saturating_add);
        (jobs, time)
    }
}

/// Returns the view of bounds that are exact only if they are proven without a condition.
pub(super) fn bounds_view(bounds: Bounds, is_proven: bool) -> BoundsView {
    let view = BoundsView::from(bounds);
    BoundsView {
        exact: view.exact && is_proven,
        ..view
    }
}

impl RunJson {
    fn new(run: &Run) -> Self {
        let totals = run.totals;
        Self {
            holder: run.holder.clone(),
            program: run.program.clone(),
            jobs: totals.jobs,
            nodes: totals.nodes,
            seconds: totals.time.as_secs_f64(),
            jobs_per_second: per_second(totals.jobs, totals.time),
            nodes_per_second: per_second(totals.nodes, totals.time),
        }
    }
}

/// Returns the lines about the goal that a proof decides now, at `rate` nodes a second.
pub(super) fn describe_goal(
    position: &Position,
    goal: &CurrentGoal,
    rate: f64,
    notation: Notation,
) -> Vec<String> {
    let side = position.to_move();
    let mv = (goal.mv).map_or_else(String::new, |mv| {
        format!(" with {}", notation.format_move(side, mv))
    });
    let answer = if goal.expected { "yes" } else { "no" };
    let left = goal.nodes_left().map_or_else(String::new, |nodes| {
        let nodes_text = format_count(nodes, "position");
        format!(", about {nodes_text} left{}", format_time_left(nodes, rate))
    });
    let mut lines = vec![format!(
        "Deciding whether {side} reaches {}{mv}: expected {answer}; if so, {:.1} % complete{left}",
        goal.target,
        goal.complete * 100.0
    )];
    if !goal.line.is_empty() {
        lines.push(format!(
            "Most promising line: {}",
            notation.format_line(&goal.line)
        ));
    }
    lines
}

/// Returns `12.34 s`, or `04:42:23` for a minute or more.
fn format_time(time: Duration) -> String {
    if time < MINUTE {
        format!("{:.2} s", time.as_secs_f64())
    } else {
        FormattedDuration(time).to_string()
    }
}

/// Returns `12.3 jobs a second`.
pub(super) fn format_rate(number: u64, time: Duration, unit: &str) -> String {
    let rate = per_second(number, time);
    if rate >= MILLION {
        format!("{:.1} million {unit}s a second", rate / MILLION)
    } else {
        format!("{rate:.1} {unit}s a second")
    }
}

/// Returns ` (2 minutes)`, or nothing for a time of less than a second or one that is too long to
/// state.
fn format_time_left(nodes: u64, rate: f64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "an estimate")]
    let time = Duration::try_from_secs_f64(nodes as f64 / rate);
    match time {
        Ok(time) if time >= Duration::from_secs(1) => format!(" ({})", HumanDuration(time)),
        _ => String::new(),
    }
}

const MINUTE: Duration = Duration::from_mins(1);
const MILLION: f64 = 1e6;

#[expect(clippy::cast_precision_loss, reason = "it is shown with one digit")]
pub(super) fn per_second(number: u64, time: Duration) -> f64 {
    number as f64 / time.as_secs_f64().max(f64::EPSILON)
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}
