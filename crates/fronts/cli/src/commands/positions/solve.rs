//! `kalah solve`.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Instant;

use clap::{Args, ValueHint};
use kalah::Position;
use kalah_api::AnalyzeResponse;
use kalah_engine::AnalysisGoal;
use kalah_players::quoted_path;
use kalah_text::{AnalysisOutput, MoveListing, Notation, Palette};

use super::analysis::{AnalysisOptions, LineAnalysis};
use crate::error::CliError;
use crate::files::checkpoint::Checkpoint;
use crate::interrupt;
use crate::output::messages::write_position_json;
use crate::output::progress::ProofProgress;

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
A margin is the number of seeds by which the player to move is ahead at the end of the game, with
best play of both players. On a terminal, a line shows the progress of the proof. Ctrl-C stops the
proof and prints the bounds proven so far. A checkpoint file keeps the proven bounds of the moves,
also after a crash: the same command resumes from them and repeats only the interrupted step. Margins of
a run that has resumed are conditional on the bounds in the file, and none of them is exact.

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
        limits: arguments.analysis.limits.limits(goal),
        listing,
        refusal: (arguments.checkpoint.as_ref())
            .map(|_| "--checkpoint is for one position: --out keeps the results of many"),
    };
    (arguments.analysis).run(output, for_lines, |position, output| {
        solve_one(arguments, position, output, palette)
    })
}

fn solve_one(
    arguments: &SolveArgs,
    position: &Position,
    output: &mut dyn Write,
    palette: Palette,
) -> Result<(), CliError> {
    let start = Instant::now();
    let engines = arguments.analysis.search.factory(position)?;
    let mut engine = engines.build();
    let mut checkpoint = None;
    let mut is_conditional = false;
    if let Some(path) = &arguments.checkpoint {
        let (file, known_bounds) = Checkpoint::open(path, position)?;
        checkpoint = Some(file);
        is_conditional = !known_bounds.is_empty();
        engine = engine.with_known_bounds(known_bounds);
    }
    let (listing, goal) = arguments.goal();
    let interrupt = interrupt::listen();
    let nodes = Arc::new(AtomicU64::new(0));
    let mut engine =
        (engine.with_stop_flag(interrupt.flag())).with_node_counter(Arc::clone(&nodes));
    let limits = arguments.analysis.limits.limits(goal);
    let progress = ProofProgress::new(nodes, listing);
    let report =
        engine.analyze_with_progress(position, limits, &|| start.elapsed(), &mut |report| {
            let analysis = AnalysisOutput {
                position,
                report,
                is_conditional,
            };
            if !analysis.is_anything_proven() {
                return;
            }
            progress.update(report);
            if let Some(checkpoint) = &mut checkpoint {
                checkpoint.update(report);
            }
        });
    progress.finish();
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
