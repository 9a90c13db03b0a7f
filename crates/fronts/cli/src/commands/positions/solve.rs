//! `kalah solve`.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Instant;

use clap::{Args, ValueHint};
use kalah::Position;
use kalah_api::AnalyzeResponse;
use kalah_engine::{AnalysisGoal, Engine, Limits, Report};
use kalah_players::quoted_path;
use kalah_text::{AnalysisOutput, MoveListing, Notation, Palette};

use super::analysis::{AnalysisOptions, LineAnalysis};
use crate::error::CliError;
use crate::files::checkpoint::{Checkpoint, KnownBounds};
use crate::interrupt;
use crate::output::messages::write_position_json;
use crate::output::progress::ProofProgress;

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
A margin is the number of seeds by which the player to move is ahead at the end of the game, with
best play of both players. On a terminal, a line shows the progress of the proof: the bounds, the
moves that are exact or proven not to be better than another, the bounds proven by this run, and
the speed; nothing tells how much is left. Ctrl-C stops the proof and prints the bounds proven so
far. A checkpoint file keeps the proven bounds of the moves, also after a crash: the same command
resumes from them and repeats only the interrupted step. Margins of a run that has resumed are
conditional on the bounds in the file, and none of them is exact. `kalah prove` keeps more.

`kalah help analyze` describes files of positions.

Examples:
  kalah solve 6x4 --rules standard
  kalah solve 5x4 --moves --json
  kalah solve 6x5 --time 2s
  kalah solve positions.txt --jobs 2
  kalah solve 6x6 --memory 16GiB --checkpoint 6x6.checkpoint")]
pub(crate) struct SolveArgs {
    #[command(flatten)]
    analysis: AnalysisOptions,
    /// Prove the margin of every move
    #[arg(long)]
    moves: bool,
    /// Keep the proven bounds of the moves in this file, and resume from the bounds in it
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    checkpoint: Option<PathBuf>,
    /// Print one line of JSON
    #[arg(long)]
    json: bool,
}

impl SolveArgs {
    /// Returns the moves that the output lists, and the goal that proves their margins.
    fn goal(&self) -> (MoveListing, AnalysisGoal) {
        if self.moves {
            (MoveListing::All, AnalysisGoal::AllMargins)
        } else {
            (MoveListing::None, AnalysisGoal::BestMargin)
        }
    }
}

pub(crate) fn run(
    arguments: &SolveArgs,
    output: &mut dyn Write,
    palette: Palette,
) -> Result<(), CliError> {
    let (listing, goal) = arguments.goal();
    let for_lines = LineAnalysis {
        command: if arguments.moves {
            "solve --moves"
        } else {
            "solve"
        },
        limits: arguments.analysis.limits.limits(goal),
        listing,
        refusal: (arguments.checkpoint.as_ref())
            .map(|_| "--checkpoint is for one position: --out keeps the results of many"),
    };
    (arguments.analysis).run(output, for_lines, |position, output| {
        solve_one(arguments, position, output, palette)
    })
}

/// The nodes of the search with which a proof with a checkpoint begins. A search without a limit
/// begins with its endgame table, which can take longer than the process lives. With this limit the
/// table is small, and boards up to the size of 6x4 have their first bounds in about a second.
const FIRST_SEARCH_NODES: u64 = 8_000_000;

/// Returns the limits of the searches of a proof, each of which begins with the bounds of those
/// before it.
fn search_limits(limits: Limits, has_checkpoint: bool) -> Vec<Limits> {
    let has_limit = limits.time.is_some() || limits.nodes.is_some();
    let first = (has_checkpoint && !has_limit).then_some(Limits {
        nodes: Some(FIRST_SEARCH_NODES),
        ..limits
    });
    first.into_iter().chain([limits]).collect()
}

/// Proves the goal of the arguments with an engine and the bounds that are known, and shows the
/// progress. `observer` receives each report of proven bounds.
fn prove(
    arguments: &SolveArgs,
    position: &Position,
    (engine, known_bounds): (Engine, KnownBounds),
    observer: &mut dyn FnMut(&Report),
) -> Report {
    let start = Instant::now();
    let (listing, goal) = arguments.goal();
    let limits = arguments.analysis.limits.limits(goal);
    let nodes = Arc::new(AtomicU64::new(0));
    let progress = ProofProgress::new(Arc::clone(&nodes), listing);
    let mut engine = (engine.with_node_counter(nodes)).with_known_bounds(known_bounds);
    let (mut earlier_nodes, mut earlier_hits) = (0, 0);
    let mut searches = search_limits(limits, arguments.checkpoint.is_some()).into_iter();
    loop {
        let limits = searches.next().unwrap_or(limits);
        let clock = || start.elapsed();
        let report = engine.analyze_with_progress(position, limits, &clock, &mut |report| {
            let analysis = AnalysisOutput {
                position,
                report,
                is_conditional: false,
            };
            if analysis.is_anything_proven() {
                progress.update(report);
                observer(report);
            }
        });
        let is_proven = match listing {
            MoveListing::None => report.bounds.is_exact(),
            MoveListing::All => report.moves.iter().all(|one| one.bounds.is_exact()),
        };
        if is_proven || searches.len() == 0 || interrupt::listen().is_requested() {
            progress.finish();
            return Report {
                nodes: report.nodes + earlier_nodes,
                table_hits: report.table_hits + earlier_hits,
                time: start.elapsed(),
                ..report
            };
        }
        earlier_nodes += report.nodes;
        earlier_hits += report.table_hits;
        progress.end_search();
        engine = engine.with_known_bounds(report.move_bounds());
    }
}

fn solve_one(
    arguments: &SolveArgs,
    position: &Position,
    output: &mut dyn Write,
    palette: Palette,
) -> Result<(), CliError> {
    let engine = arguments.analysis.search.factory(position)?.build();
    let (mut checkpoint, known_bounds) = match &arguments.checkpoint {
        Some(path) => {
            let (file, known_bounds) = Checkpoint::open(path, position)?;
            (Some(file), known_bounds)
        }
        None => (None, Vec::new()),
    };
    let is_conditional = !known_bounds.is_empty();
    let (listing, _) = arguments.goal();
    let interrupt = interrupt::listen();
    let engine = engine.with_stop_flag(interrupt.flag());
    let report = prove(arguments, position, (engine, known_bounds), &mut |report| {
        if let Some(checkpoint) = &mut checkpoint {
            checkpoint.update(report);
        }
    });
    // A book does not need the bounds of the checkpoint.
    let is_conditional = is_conditional && !report.is_from_book;
    let analysis = AnalysisOutput {
        position,
        report: &report,
        is_conditional,
    };
    // The checkpoint is written before the output, because writing the output can fail.
    let checkpoint_message = checkpoint.map(|checkpoint| checkpoint.finish(&report));
    if arguments.json {
        let mut response = AnalyzeResponse::new(position, &report);
        if !arguments.moves {
            response.moves.clear();
        }
        if is_conditional {
            response.mark_conditional();
        }
        write_position_json(output, position, &response)?;
    } else {
        let notation = Notation::new(position, arguments.analysis.positions.context.labels());
        let text = analysis.to_text(listing, notation, palette);
        output.write_all(text.as_bytes())?;
        if let Some(path) = arguments.checkpoint.as_ref().filter(|_| is_conditional) {
            let file = quoted_path(path);
            writeln!(
                output,
                "Conditional on the bounds in {file}, which this run has not proven"
            )?;
        }
    }
    output.flush()?;
    let checkpoint_message = checkpoint_message.transpose()?;
    if interrupt.is_requested() && !analysis.is_exact(listing) {
        let mut message = analysis.interrupted_message().to_owned();
        if let Some(note) = checkpoint_message.filter(|_| analysis.is_anything_proven()) {
            message = format!("{message}; {note}");
        }
        return Err(CliError::Interrupted(message));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn proof_with_a_checkpoint_begins_with_a_small_search() {
        let nodes = |limits: Limits, has_checkpoint| {
            let searches = search_limits(limits, has_checkpoint).into_iter();
            searches.map(|limits| limits.nodes).collect::<Vec<_>>()
        };
        let whole = Limits::default();
        assert_eq!(nodes(whole, false), [None]);
        assert_eq!(nodes(whole, true), [Some(FIRST_SEARCH_NODES), None]);
        let limited = Limits {
            nodes: Some(5),
            ..whole
        };
        assert_eq!(nodes(limited, true), [Some(5)]);
        let timed = Limits {
            time: Some(Duration::from_secs(1)),
            ..whole
        };
        assert_eq!(nodes(timed, true), [None]);
    }
}
